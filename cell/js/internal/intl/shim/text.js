// ---- lists ------------------------------------------------------------------

// listText is the JSON of the texts that an iterable yields.
function listText(iterable) {
  let out = "[";
  const add = (v) => {
    if (typeof v !== "string") throw new TypeError("Iterable yielded " + receiver(v) + " which is not a string");
    out += (out === "[" ? "" : ",") + stringify(v);
  };
  if (iterable === undefined) return "[]";
  for (const v of iterable) add(v);
  return out + "]";
}

service("ListFormat", 0, (s, locales, options) => {
  const where = "Intl.ListFormat";
  const r = { __proto__: null, locales: localeList(locales) };
  const o = objectOptions(options);
  option(o, "localeMatcher", MATCHERS, undefined, where);
  r.type = option(o, "type", ["conjunction", "disjunction", "unit"], "conjunction", where);
  r.style = option(o, "style", ["long", "short", "narrow"], "long", where);
  s.key = ask("lf.new", flat(r));
}, false, {
  format(list) { return ask("lf.format", slot(this, "ListFormat", "Intl.ListFormat.prototype.format").key + "\n" + listText(list)); },
  formatToParts(list) { return parse(ask("lf.parts", slot(this, "ListFormat", "Intl.ListFormat.prototype.formatToParts").key + "\n" + listText(list))); },
}, "lf");

// ---- collation --------------------------------------------------------------

function initCollator(s, locales, options) {
  const where = "Intl.Collator";
  const r = { __proto__: null, locales: localeList(locales) };
  const o = coerceOptions(options, where);
  r.usage = option(o, "usage", ["sort", "search"], "sort", where);
  option(o, "localeMatcher", MATCHERS, undefined, where);
  typeName(o, "collation");
  r.numeric = flag(o, "numeric");
  r.caseFirst = option(o, "caseFirst", ["upper", "lower", "false"], undefined, where);
  r.sensitivity = option(o, "sensitivity", ["base", "accent", "case", "variant"], "variant", where);
  r.ignorePunctuation = !!flag(o, "ignorePunctuation");
  s.key = ask("co.new", flat(r));
}

// order compares two texts, with U+0000 between. Where there are more of them
// the answer is another; they do not count in an order.
function order(key, a, b) {
  if (a === b) return 0;
  let answer = call("co.compare", key + "\n" + a + "\0" + b);
  if (answer === "=") answer = call("co.compare", key + "\n" + P.replaceAll(a, "\0", "") + "\0" + P.replaceAll(b, "\0", ""));
  return answer === "=1" ? 1 : answer === "=0" ? 0 : -1;
}

service("Collator", 0, initCollator, true, {
  get compare() {
    const s = slot(this, "Collator", "get Intl.Collator.prototype.compare");
    if (s.bound === undefined) {
      const f = (0, (a, b) => order(s.key, str(a), str(b)));
      defineProperty(f, "name", { __proto__: null, value: "", configurable: true });
      s.bound = f;
    }
    return s.bound;
  },
}, "co");

function text(v, method) {
  if (v === undefined || v === null) throw new TypeError("String.prototype." + method + " called on null or undefined");
  return str(v);
}

let plainOrder = ""; // the key for no locales and no options
function collatorKey(locales, options) {
  if (plainOrder !== "" && locales === undefined && options === undefined) return plainOrder;
  const s = { __proto__: null, key: "" };
  initCollator(s, locales, options);
  if (locales === undefined && options === undefined) plainOrder = s.key;
  return s.key;
}

// ---- case -------------------------------------------------------------------

function caseLanguage(locales) {
  const list = localeList(locales);
  return list === "" ? "" : split(split(list, ",")[0], "-")[0];
}

function upper(self, locales) {
  const s = text(self, "toLocaleUpperCase"), l = caseLanguage(locales);
  if (l === "tr" || l === "az") return P.toUpperCase(P.replaceAll(s, "i", "İ"));
  if (l === "lt") return P.normalize(P.toUpperCase(P.replaceAll(P.normalize(s, "NFD"), "i\u0307", "i")), "NFC");
  return P.toUpperCase(s);
}

function lower(self, locales) {
  const s = text(self, "toLocaleLowerCase"), l = caseLanguage(locales);
  if (l === "tr" || l === "az") return P.toLowerCase(P.replaceAll(P.replaceAll(P.replaceAll(s, "I\u0307", "i"), "İ", "i"), "I", "ı"));
  return P.toLowerCase(s);
}

// ---- segments ---------------------------------------------------------------

const WINDOW = 1 << 16; // code units that are looked at at a time

// windowOf finds the segments of window number i, or undefined behind the last.
// The last segment of a window that ends within the text may go on, and is left
// for the next.
function windowOf(s, i) {
  while (i >= s.windows.length) {
    const from = s.end;
    if (from >= s.text.length) return undefined;
    let to = P.min(from + WINDOW, s.text.length);
    if (to < s.text.length && (charCodeAt(s.text, to - 1) & 0xfc00) === 0xd800) to--;
    const lengths = parse(ask("sg.breaks", s.granularity + "\n" + slice(s.text, from, to)));
    let count = lengths.length;
    s.end = to;
    if (to < s.text.length && count > 1) s.end -= size(lengths[--count]);
    append(s.windows, { __proto__: null, from, lengths, count });
  }
  return s.windows[i];
}

// size is the length of a segment; words have theirs negated.
const size = (n) => (n < 0 ? -n : n);

function segment(s, index, length) {
  const text = slice(s.text, index, index + size(length));
  return s.granularity === "word" ? { segment: text, index, input: s.text, isWordLike: length < 0 } : { segment: text, index, input: s.text };
}

const segmentsPrototype = {};
methods(segmentsPrototype, {
  containing(index = undefined) {
    const s = slot(this, "Segments", "%SegmentsPrototype%.containing");
    const n = P.trunc(Number(index)) || 0;
    if (n < 0 || n >= s.text.length) return undefined;
    for (let w = 0; ; w++) {
      const window = windowOf(s, w);
      let at = window.from;
      for (let i = 0; i < window.count; i++) {
        const next = at + size(window.lengths[i]);
        if (n < next) return segment(s, at, window.lengths[i]);
        at = next;
      }
    }
  },
  [P.iterator]() {
    const s = slot(this, "Segments", "%SegmentsPrototype%[Symbol.iterator]");
    const it = create(segmentIterator);
    weakSet(slots, it, { __proto__: null, kind: "SegmentIterator", segments: s, window: 0, number: 0, at: 0 });
    return it;
  },
});
const segmentIterator = create(P.iteratorPrototype);
methods(segmentIterator, {
  next() {
    const s = slot(this, "SegmentIterator", "%SegmentIterator.prototype%.next");
    let window = windowOf(s.segments, s.window);
    if (window !== undefined && s.number === window.count) {
      window = windowOf(s.segments, ++s.window);
      s.number = 0;
    }
    if (window === undefined) return { value: undefined, done: true };
    const length = window.lengths[s.number++], value = segment(s.segments, s.at, length);
    s.at += size(length);
    return { value, done: false };
  },
});
defineProperty(segmentIterator, P.toStringTag, { __proto__: null, value: "Segmenter String Iterator", configurable: true });

service("Segmenter", 0, (s, locales, options) => {
  const where = "Intl.Segmenter";
  const r = { __proto__: null, locales: localeList(locales) };
  const o = objectOptions(options);
  option(o, "localeMatcher", MATCHERS, undefined, where);
  r.granularity = option(o, "granularity", ["grapheme", "word", "sentence"], "grapheme", where);
  s.granularity = r.granularity;
  s.key = ask("sg.new", flat(r));
}, false, {
  segment(input) {
    const s = slot(this, "Segmenter", "Intl.Segmenter.prototype.segment");
    const out = create(segmentsPrototype);
    weakSet(slots, out, { __proto__: null, kind: "Segments", granularity: s.granularity, text: str(input), windows: [], end: 0 });
    return out;
  },
}, "sg");

// ---- names ------------------------------------------------------------------

service("DisplayNames", 2, (s, locales, options) => {
  const where = "Intl.DisplayNames";
  const r = { __proto__: null, locales: localeList(locales) };
  if (options === undefined) throw new TypeError("invalid_argument");
  const o = objectOptions(options);
  option(o, "localeMatcher", MATCHERS, undefined, where);
  r.style = option(o, "style", ["narrow", "short", "long"], "long", where);
  r.type = option(o, "type", ["language", "region", "script", "currency", "calendar", "dateTimeField"], undefined, where);
  if (r.type === undefined) throw new TypeError("invalid_argument");
  r.fallback = option(o, "fallback", ["code", "none"], "code", where);
  r.languageDisplay = option(o, "languageDisplay", ["dialect", "standard"], "dialect", where);
  s.key = ask("dn.new", flat(r));
}, false, {
  of(code) {
    const s = slot(this, "DisplayNames", "Intl.DisplayNames.prototype.of");
    const name = ask("dn.of", s.key + "\n" + code);
    return name === "" ? undefined : name;
  },
}, "dn");
