// ---- numbers ----------------------------------------------------------------

function primitive(v) {
  if (!isObject(v)) return v;
  const exotic = v[P.toPrimitive];
  if (exotic !== undefined && exotic !== null) {
    const r = apply(exotic, v, ["number"]);
    if (!isObject(r)) return r;
    throw new TypeError("Cannot convert object to primitive value");
  }
  const names = ["valueOf", "toString"];
  for (let i = 0; i < 2; i++) {
    const f = v[names[i]];
    if (typeof f !== "function") continue;
    const r = apply(f, v, []);
    if (!isObject(r)) return r;
  }
  throw new TypeError("Cannot convert object to primitive value");
}

// decimal is the exact text of a number, for the Go side.
function decimal(value) {
  const v = primitive(value);
  if (typeof v === "bigint") return str(v);
  if (typeof v !== "string") return P.is(+v, -0) ? "-0" : str(+v);
  const s = P.trim(v), n = Number(s);
  if (n !== n) return "NaN";
  if (s === "") return "0";
  if (s.length > 10000) return P.is(n, -0) ? "-0" : str(n);
  if (n - n !== 0) return str(n);
  const second = s.length > 1 ? charCodeAt(s, 1) : 0;
  return second === 120 || second === 88 || second === 111 || second === 79 || second === 98 || second === 66 ? str(P.BigInt(s)) : s;
}

const INCREMENTS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];
const ROUNDING = ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"];

// digitOptions reads what number formats and plural rules share.
function digitOptions(r, o, where) {
  r.minimumIntegerDigits = numberIn(o.minimumIntegerDigits, "minimumIntegerDigits", 1, 21, 1);
  const minf = o.minimumFractionDigits, maxf = o.maximumFractionDigits;
  const mins = o.minimumSignificantDigits, maxs = o.maximumSignificantDigits;
  r.roundingIncrement = numberIn(o.roundingIncrement, "roundingIncrement", 1, 5000, 1);
  if (!includes(INCREMENTS, r.roundingIncrement)) throw new RangeError("roundingIncrement value is out of range.");
  r.roundingMode = option(o, "roundingMode", ROUNDING, "halfExpand", where);
  r.roundingPriority = option(o, "roundingPriority", ["auto", "morePrecision", "lessPrecision"], "auto", where);
  r.trailingZeroDisplay = option(o, "trailingZeroDisplay", ["auto", "stripIfInteger"], "auto", where);
  r._sig = mins !== undefined || maxs !== undefined;
  r._frac = minf !== undefined || maxf !== undefined;
  if (r._sig) {
    r.minimumSignificantDigits = numberIn(mins, "minimumSignificantDigits", 1, 21, 1);
    r.maximumSignificantDigits = numberIn(maxs, "maximumSignificantDigits", r.minimumSignificantDigits, 21, 21);
  }
  if (!r._sig || r.roundingPriority !== "auto") {
    r.minimumFractionDigits = numberIn(minf, "minimumFractionDigits", 0, 100, undefined);
    r.maximumFractionDigits = numberIn(maxf, "maximumFractionDigits", 0, 100, undefined);
  }
  if (r.roundingIncrement !== 1 && (r._sig || r.roundingPriority !== "auto")) throw new TypeError("RoundingType is not fractionDigits");
}

function grouping(v, compact, where) {
  const fallback = compact ? "min2" : "auto";
  if (v === undefined) return fallback;
  if (v === true) return "always";
  if (!v) return false;
  const s = str(v);
  if (s === "true" || s === "false") return fallback;
  if (!includes(["min2", "auto", "always"], s)) throw new RangeError("Value " + str(s) + " out of range for " + where + " options property useGrouping");
  return s;
}

function isCurrency(s) {
  if (s.length !== 3) return false;
  for (let i = 0; i < 3; i++) {
    const c = charCodeAt(s, i) | 32;
    if (c < 97 || c > 122) return false;
  }
  return true;
}

function initNumber(s, locales, options) {
  const where = "Intl.NumberFormat";
  const r = { __proto__: null, locales: localeList(locales) };
  const o = coerceOptions(options, where);
  option(o, "localeMatcher", MATCHERS, undefined, where);
  r.numberingSystem = typeName(o, "numberingSystem");
  r.style = option(o, "style", ["decimal", "percent", "currency", "unit"], "decimal", where);
  const currency = option(o, "currency", undefined, undefined, where);
  if (currency === undefined && r.style === "currency") throw new TypeError("Currency code is required with currency style.");
  if (currency !== undefined && !isCurrency(currency)) throw new RangeError("Invalid currency code : " + str(currency));
  const currencyDisplay = option(o, "currencyDisplay", ["code", "symbol", "narrowSymbol", "name"], "symbol", where);
  const currencySign = option(o, "currencySign", ["standard", "accounting"], "standard", where);
  const unit = option(o, "unit", undefined, undefined, where);
  if (unit === undefined && r.style === "unit") throw new TypeError("Invalid unit argument for Intl.NumberFormat() ''");
  const unitDisplay = option(o, "unitDisplay", ["short", "narrow", "long"], "short", where);
  if (r.style === "currency") { r.currency = currency; r.currencyDisplay = currencyDisplay; r.currencySign = currencySign; }
  if (r.style === "unit") { r.unit = unit; r.unitDisplay = unitDisplay; }
  r.notation = option(o, "notation", ["standard", "scientific", "engineering", "compact"], "standard", where);
  digitOptions(r, o, where);
  const compactDisplay = option(o, "compactDisplay", ["short", "long"], "short", where);
  if (r.notation === "compact") r.compactDisplay = compactDisplay;
  r.useGrouping = grouping(o.useGrouping, r.notation === "compact", where);
  r.signDisplay = option(o, "signDisplay", ["auto", "never", "always", "exceptZero", "negative"], "auto", where);
  s.key = ask("nf.new", flat(r));
}

// rangeOf checks the two ends of a range of numbers.
function rangeOf(s, start, end, op) {
  if (start === undefined) throw new TypeError("Invalid start : undefined");
  if (end === undefined) throw new TypeError("Invalid end : undefined");
  const a = decimal(start), b = decimal(end);
  if (a === "NaN") throw new RangeError("Invalid start : NaN");
  if (b === "NaN") throw new RangeError("Invalid end : NaN");
  return ask(op, s.key + "\n" + a + "\n" + b);
}

service("NumberFormat", 0, initNumber, true, {
  formatToParts(value) { return parse(ask("nf.parts", slot(this, "NumberFormat", "Intl.NumberFormat.prototype.formatToParts").key + "\n" + decimal(value))); },
  get format() {
    const s = slot(this, "NumberFormat", "UnwrapNumberFormat");
    if (s.bound === undefined) {
      const f = (0, (value) => ask("nf.format", s.key + "\n" + decimal(value)));
      defineProperty(f, "name", { __proto__: null, value: "", configurable: true });
      s.bound = f;
    }
    return s.bound;
  },
  formatRange(start, end) { return rangeOf(slot(this, "NumberFormat", "Intl.NumberFormat.prototype.formatRange"), start, end, "nf.range"); },
  formatRangeToParts(start, end) { return parse(rangeOf(slot(this, "NumberFormat", "Intl.NumberFormat.prototype.formatRangeToParts"), start, end, "nf.rangeParts")); },
}, "nf");

function numberFormatter(locales, options) {
  const s = { __proto__: null, key: "" };
  initNumber(s, locales, options);
  return s.key;
}

function initPlural(s, locales, options) {
  const where = "Intl.PluralRules";
  const r = { __proto__: null, locales: localeList(locales) };
  const o = coerceOptions(options, where);
  option(o, "localeMatcher", MATCHERS, undefined, where);
  r.type = option(o, "type", ["cardinal", "ordinal"], "cardinal", where);
  r.notation = option(o, "notation", ["standard", "scientific", "engineering", "compact"], "standard", where);
  digitOptions(r, o, where);
  s.key = ask("pr.new", flat(r));
}

service("PluralRules", 0, initPlural, false, {
  select(value) {
    const s = slot(this, "PluralRules", "Intl.PluralRules.prototype.select"), n = +value;
    return ask("pr.select", s.key + "\n" + (P.is(n, -0) ? "-0" : str(n)));
  },
  selectRange(start, end) {
    const s = slot(this, "PluralRules", "Intl.PluralRules.prototype.selectRange");
    if (start === undefined) throw new TypeError("Invalid startRange : undefined");
    if (end === undefined) throw new TypeError("Invalid endRange : undefined");
    const a = +start, b = +end;
    if (a !== a) throw new RangeError("Invalid startRange : NaN");
    if (b !== b) throw new RangeError("Invalid endRange : NaN");
    return ask("pr.range", s.key + "\n" + a + "\n" + b);
  },
}, "pr");
