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
