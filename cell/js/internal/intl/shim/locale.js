// ---- locales as objects -----------------------------------------------------

function initLocale(s, tag, options) {
  if (typeof tag !== "string" && !isObject(tag)) throw new TypeError("First argument to Intl.Locale constructor can't be empty or missing");
  const other = isObject(tag) ? weakGet(slots, tag) : undefined;
  const r = { __proto__: null, tag: other !== undefined && other.kind === "Locale" ? other.tag : str(tag) };
  const o = coerceOptions(options, "Intl.Locale");
  r.language = option(o, "language", undefined, undefined, "Intl.Locale");
  r.script = option(o, "script", undefined, undefined, "Intl.Locale");
  r.region = option(o, "region", undefined, undefined, "Intl.Locale");
  let words = "";
  const add = (key, v) => { if (v !== undefined) words += key + "-" + v + ","; };
  add("ca", typeName(o, "calendar"));
  add("co", typeName(o, "collation"));
  add("hc", option(o, "hourCycle", ["h11", "h12", "h23", "h24"], undefined, "Intl.Locale"));
  add("kf", option(o, "caseFirst", ["upper", "lower", "false"], undefined, "Intl.Locale"));
  add("kn", flag(o, "numeric"));
  add("nu", typeName(o, "numberingSystem"));
  r.keywords = words;
  describeLocale(s, r);
}

function describeLocale(s, request) {
  const parts = parse(ask("locale", flat(request)));
  s.tag = parts.tag;
  s.parts = parts;
}

const localePart = (o, name) => {
  const s = slot(o, "Locale", "get Intl.Locale.prototype." + name);
  return P.hasOwn(s.parts, name) ? s.parts[name] : undefined;
};
const keyword = (o, name, key) => {
  const s = slot(o, "Locale", "get Intl.Locale.prototype." + name);
  return P.hasOwn(s.parts.keywords, key) ? s.parts.keywords[key] : undefined;
};

function withLikely(o, change, method) {
  const s = slot(o, "Locale", "Intl.Locale.prototype." + method);
  const changed = new Locale(s.tag);
  describeLocale(weakGet(slots, changed), { __proto__: null, tag: s.tag, likely: change });
  return changed;
}

const Locale = service("Locale", 1, initLocale, false, {
  toString() { return slot(this, "Locale", "Intl.Locale.prototype.toString").tag; },
  maximize() { return withLikely(this, "add", "maximize"); },
  minimize() { return withLikely(this, "remove", "minimize"); },
  get language() { return localePart(this, "language"); },
  get script() { return localePart(this, "script"); },
  get region() { return localePart(this, "region"); },
  get baseName() { return localePart(this, "baseName"); },
  get calendar() { return keyword(this, "calendar", "ca"); },
  get caseFirst() { return keyword(this, "caseFirst", "kf"); },
  get collation() { return keyword(this, "collation", "co"); },
  get hourCycle() { return keyword(this, "hourCycle", "hc"); },
  get numeric() { const v = keyword(this, "numeric", "kn"); return v !== undefined && v !== "false"; },
  get numberingSystem() { return keyword(this, "numberingSystem", "nu"); },
}, "");

// ---- the whole --------------------------------------------------------------

// listed is Array.prototype.toLocaleString; a list within itself is empty.
let listing = [];
function listed(self, locales, options) {
  const o = toObject(self, "Array.prototype.toLocaleString"), n = P.min(P.trunc(Number(o.length)) || 0, 0x1fffffffffffff);
  if (includes(listing, o)) return "";
  const outer = listing;
  listing = [];
  for (let i = 0; i < outer.length; i++) append(listing, outer[i]);
  append(listing, o);
  try {
    let out = "";
    for (let i = 0; i < n; i++) {
      if (i > 0) out += ",";
      const v = o[i];
      if (v !== undefined && v !== null) out += str(v.toLocaleString(locales, options));
    }
    return out;
  } finally { listing = outer; }
}

function finish() {
  defineProperty(Intl, P.toStringTag, { __proto__: null, value: "Intl", configurable: true });
  const formatted = (v, locales, options) => ask("nf.format", cached("number", locales, options, numberFormatter) + "\n" + v);
  return {
    __proto__: null,
    Intl,
    number(self, locales, options) {
      let n;
      try { n = P.numberValue(self); } catch { throw new TypeError("Number.prototype.toLocaleString requires that 'this' be a Number"); }
      return formatted(decimal(n), locales, options);
    },
    bigint(self, locales, options) {
      let n;
      try { n = P.bigintValue(self); } catch { throw new TypeError("BigInt.prototype.toLocaleString requires that 'this' be a BigInt"); }
      return formatted(str(n), locales, options);
    },
    date: localeDate,
    dated(date, native, method) {
      let t;
      try { t = P.dateValue(date); } catch { throw new TypeError("Method Date.prototype." + method + " called on incompatible receiver " + receiver(date)); }
      const s = apply(native, date, []);
      return t !== t ? s : s + " (" + ask("zone", String(t)) + ")";
    },
    compare(self, that, locales, options) {
      const a = text(self, "localeCompare"), b = str(that);
      return order(locales === undefined ? collatorKey(locales, options) : cached("collator", locales, options, collatorKey), a, b);
    },
    upper, lower, list: listed,
  };
}
