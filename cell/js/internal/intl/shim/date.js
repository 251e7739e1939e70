// ---- dates ------------------------------------------------------------------

const WIDTHS = ["narrow", "short", "long"], NUMERALS = ["2-digit", "numeric"], STYLES = ["full", "long", "medium", "short"];
const DATE_FIELDS = ["weekday", "year", "month", "day"], TIME_FIELDS = ["dayPeriod", "hour", "minute", "second", "fractionalSecondDigits"];

// initDate reads options; required and defaults are "date", "time", "any" or
// "all", as ECMA-402 has it for the constructor and the toLocale… methods.
function initDate(s, locales, options, required = "any", defaults = "date") {
  const where = "Intl.DateTimeFormat";
  const r = { __proto__: null, locales: localeList(locales) };
  const o = coerceOptions(options, where);
  option(o, "localeMatcher", MATCHERS, undefined, where);
  r.calendar = typeName(o, "calendar");
  r.numberingSystem = typeName(o, "numberingSystem");
  r.hour12 = flag(o, "hour12");
  const cycle = option(o, "hourCycle", ["h11", "h12", "h23", "h24"], undefined, where);
  if (r.hour12 === undefined) r.hourCycle = cycle;
  const zone = o.timeZone;
  if (zone !== undefined) {
    r.timeZone = str(zone);
    if (r.timeZone === "") throw new RangeError("Invalid time zone specified: ");
  }
  r.weekday = option(o, "weekday", WIDTHS, undefined, where);
  r.era = option(o, "era", WIDTHS, undefined, where);
  r.year = option(o, "year", NUMERALS, undefined, where);
  r.month = option(o, "month", ["2-digit", "numeric", "narrow", "short", "long"], undefined, where);
  r.day = option(o, "day", NUMERALS, undefined, where);
  r.dayPeriod = option(o, "dayPeriod", WIDTHS, undefined, where);
  r.hour = option(o, "hour", NUMERALS, undefined, where);
  r.minute = option(o, "minute", NUMERALS, undefined, where);
  r.second = option(o, "second", NUMERALS, undefined, where);
  r.fractionalSecondDigits = numberIn(o.fractionalSecondDigits, "fractionalSecondDigits", 1, 3, undefined);
  r.timeZoneName = option(o, "timeZoneName", ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"], undefined, where);
  option(o, "formatMatcher", ["best fit", "basic"], undefined, where);
  r.dateStyle = option(o, "dateStyle", STYLES, undefined, where);
  r.timeStyle = option(o, "timeStyle", STYLES, undefined, where);
  if (r.dateStyle !== undefined || r.timeStyle !== undefined) checkStyles(r, required);
  else addDefaults(r, required, defaults);
  s.key = ask("df.new", flat(r));
}

function anyOf(r, fields) {
  for (let i = 0; i < fields.length; i++) if (r[fields[i]] !== undefined) return true;
  return false;
}

function checkStyles(r, required) {
  if (anyOf(r, DATE_FIELDS) || anyOf(r, TIME_FIELDS) || r.era !== undefined || r.timeZoneName !== undefined) throw new TypeError("Invalid option : option");
  if (required === "date" && r.timeStyle !== undefined) throw new TypeError("Invalid option : timeStyle");
  if (required === "time" && r.dateStyle !== undefined) throw new TypeError("Invalid option : dateStyle");
}

function addDefaults(r, required, defaults) {
  if (required !== "time" && anyOf(r, DATE_FIELDS)) return;
  if (required !== "date" && anyOf(r, TIME_FIELDS)) return;
  if (defaults !== "time") r.year = r.month = r.day = "numeric";
  if (defaults !== "date") r.hour = r.minute = r.second = "numeric";
}

// rangeOfDates checks the two ends of a range.
function rangeOfDates(s, start, end, op) {
  if (start === undefined || end === undefined) throw new TypeError("Invalid time value");
  const a = +start, b = +end;
  return ask(op, s.key + "\n" + a + "\n" + b);
}

const timeValue = (date) => (date === undefined ? P.now() : +date);

service("DateTimeFormat", 0, (s, locales, options) => initDate(s, locales, options), true, {
  formatToParts(date) { return parse(ask("df.parts", slot(this, "DateTimeFormat", "Intl.DateTimeFormat.prototype.formatToParts").key + "\n" + timeValue(date))); },
  get format() {
    const s = slot(this, "DateTimeFormat", "UnwrapDateTimeFormat");
    if (s.bound === undefined) {
      const f = (0, (date) => ask("df.format", s.key + "\n" + timeValue(date)));
      defineProperty(f, "name", { __proto__: null, value: "", configurable: true });
      s.bound = f;
    }
    return s.bound;
  },
  formatRange(start, end) { return rangeOfDates(slot(this, "DateTimeFormat", "Intl.DateTimeFormat.prototype.formatRange"), start, end, "df.range"); },
  formatRangeToParts(start, end) { return parse(rangeOfDates(slot(this, "DateTimeFormat", "Intl.DateTimeFormat.prototype.formatRangeToParts"), start, end, "df.rangeParts")); },
}, "df");

// localeDate is the three methods of Date.
function localeDate(date, locales, options, method) {
  let t;
  try { t = P.dateValue(date); } catch { throw new TypeError("Method Date.prototype." + method + " called on incompatible receiver " + receiver(date)); }
  if (t !== t) return "Invalid Date";
  const required = method === "toLocaleDateString" ? "date" : method === "toLocaleTimeString" ? "time" : "any";
  const key = cached(method, locales, options, (l, o) => {
    const s = { __proto__: null, key: "" };
    initDate(s, l, o, required, required === "any" ? "all" : required);
    return s.key;
  });
  return ask("df.format", key + "\n" + t);
}

const UNITS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];

function relative(s, value, unit, op, where) {
  const n = Number(value), u = str(unit);
  if (n - n !== 0) throw new RangeError("Value need to be finite number for " + where + "()");
  const last = u.length - 1, one = last > 0 && charCodeAt(u, last) === 115 ? slice(u, 0, last) : u;
  if (!includes(UNITS, one)) throw new RangeError("Invalid unit argument for " + where + "() '" + str(u) + "'");
  return ask(op, s.key + "\n" + one + "\n" + (P.is(n, -0) ? "-0" : n));
}

service("RelativeTimeFormat", 0, (s, locales, options) => {
  const where = "Intl.RelativeTimeFormat";
  const r = { __proto__: null, locales: localeList(locales) };
  const o = coerceOptions(options, where);
  option(o, "localeMatcher", MATCHERS, undefined, where);
  r.numberingSystem = typeName(o, "numberingSystem");
  r.style = option(o, "style", ["long", "short", "narrow"], "long", where);
  r.numeric = option(o, "numeric", ["always", "auto"], "always", where);
  s.key = ask("rf.new", flat(r));
}, false, {
  format(value, unit) {
    const where = "Intl.RelativeTimeFormat.prototype.format";
    return relative(slot(this, "RelativeTimeFormat", where), value, unit, "rf.format", where);
  },
  formatToParts(value, unit) {
    const where = "Intl.RelativeTimeFormat.prototype.formatToParts";
    return parse(relative(slot(this, "RelativeTimeFormat", where), value, unit, "rf.parts", where));
  },
}, "rf");
