
// ---- durations --------------------------------------------------------------

const PARTS = ["years", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];
const HOURS = 4, SECONDS = 6, MILLISECONDS = 7;
const isNumeric = (style) => style === "numeric" || style === "2-digit" || style === "fractional";

// partStyle settles how one unit is shown. Spec: ECMA-402 GetDurationUnitOptions.
function partStyle(o, i, base, previous) {
  const name = PARTS[i], where = "Intl.DurationFormat";
  const allowed = i < HOURS ? ["long", "short", "narrow"] : i <= SECONDS ? ["long", "short", "narrow", "numeric", "2-digit"] : ["long", "short", "narrow", "numeric"];
  const clock = name === "minutes" || name === "seconds";
  let style = option(o, name, allowed, undefined, where), display = "always";
  if (style === undefined) {
    if (base === "digital") {
      if (i < HOURS || i > SECONDS) display = "auto";
      style = i < HOURS ? "short" : "numeric";
    } else if (isNumeric(previous)) {
      if (!clock) display = "auto";
      style = "numeric";
    } else {
      display = "auto";
      style = base;
    }
  }
  if (style === "numeric" && i >= MILLISECONDS) {
    style = "fractional";
    display = "auto";
  }
  display = option(o, name + "Display", ["auto", "always"], display, where);
  if ((display === "always" && style === "fractional") || (previous === "fractional" && style !== "fractional") || (isNumeric(previous) && !isNumeric(style)))
    throw new RangeError("Invalid object : #<Object>"); // V8's words
  if (clock && (previous === "numeric" || previous === "2-digit")) style = "2-digit";
  return { __proto__: null, style, display };
}

function initDuration(s, locales, options) {
  const where = "Intl.DurationFormat";
  const r = { __proto__: null, locales: localeList(locales) };
  const o = objectOptions(options);
  option(o, "localeMatcher", MATCHERS, undefined, where);
  r.numberingSystem = typeName(o, "numberingSystem");
  const style = option(o, "style", ["long", "short", "narrow", "digital"], "short", where);
  const from = parse(ask("rf.new", flat(r)));
  const key = { __proto__: null, locale: from.locale, numberingSystem: from.numberingSystem, style };
  let previous = "";
  for (let i = 0; i < PARTS.length; i++) {
    const p = partStyle(o, i, style, previous);
    key[PARTS[i]] = p.style === "fractional" ? "numeric" : p.style;
    key[PARTS[i] + "Display"] = p.display;
    previous = p.style;
    s[PARTS[i]] = p;
  }
  const digits = numberIn(o.fractionalDigits, "fractionalDigits", 0, 9, undefined);
  if (digits !== undefined) key.fractionalDigits = digits;
  s.digits = digits;
  s.locale = from.locale;
  s.nu = from.numberingSystem;
  s.list = ask("lf.new", flat({ __proto__: null, locales: from.locale, type: "unit", style: style === "digital" ? "short" : style }));
  s.key = flat(key);
}

// durationOf reads a duration: whole numbers of one sign. The words are V8's.
function durationOf(v) {
  if (!isObject(v)) throw new TypeError("Temporal error: Duration argument must be an object.");
  const d = { __proto__: null, sign: 0 };
  let any = false;
  const names = ["days", "hours", "microseconds", "milliseconds", "minutes", "months", "nanoseconds", "seconds", "weeks", "years"];
  for (let i = 0; i < names.length; i++) {
    const x = v[names[i]];
    d[names[i]] = 0;
    if (x === undefined) continue;
    any = true;
    const n = Number(x);
    if (n - n !== 0 || P.trunc(n) !== n) throw new RangeError("Temporal error: Number not integral.");
    const sign = n > 0 ? 1 : n < 0 ? -1 : 0;
    if (sign * d.sign < 0) throw new RangeError("Invalid object : #<Object>");
    if (sign !== 0) d.sign = sign;
    d[names[i]] = n + 0;
  }
  if (!any) throw new TypeError("Temporal error: Duration argument must contain at least one date/time field.");
  return d;
}

// withFraction is the exact text of a unit with all smaller ones behind the point.
function withFraction(d, i) {
  const B = P.BigInt;
  let total = B(0), scale = B(1);
  for (let k = PARTS.length - 1; k >= i; k--) {
    total += B(d[PARTS[k]]) * scale;
    if (k > i) scale *= B(1000);
  }
  const negative = total < B(0), abs = negative ? -total : total;
  const rest = String(abs % scale + scale);
  return (negative ? "-" : "") + String(abs / scale) + "." + slice(rest, 1);
}

// numberOf writes one number of a duration as parts with its unit.
function numberOf(s, d, i, first, fraction, extra) {
  const name = PARTS[i], o = { __proto__: null, numberingSystem: s.nu, signDisplay: first ? "auto" : "never", ...extra };
  let value = fraction ? withFraction(d, i) : String(d[name]);
  if (fraction) {
    o.minimumFractionDigits = s.digits === undefined ? 0 : s.digits;
    o.maximumFractionDigits = s.digits === undefined ? 9 : s.digits;
    o.roundingMode = "trunc";
  }
  if (first && d.sign < 0 && +value === 0) value = "-0";
  const parts = parse(ask("nf.parts", numberFormatter(s.locale, o) + "\n" + value));
  for (let k = 0; k < parts.length; k++) own(parts[k], "unit", slice(name, 0, -1));
  return parts;
}

// clockOf writes hours, minutes and seconds with colons, from unit i on.
function clockOf(s, d, i, first) {
  const out = [], shown = (k, v) => v !== 0 || s[PARTS[k]].display !== "auto";
  const seconds = withFraction(d, SECONDS), hasSeconds = shown(SECONDS, +seconds);
  const hasHours = i === HOURS && shown(HOURS, d.hours);
  const hasMinutes = i <= HOURS + 1 && ((hasHours && hasSeconds) || shown(HOURS + 1, d.minutes));
  const has = [hasHours, hasMinutes, hasSeconds];
  for (let k = 0; k < 3; k++) {
    if (!has[k]) continue;
    if (out.length > 0) append(out, { type: "literal", value: ":" });
    const two = s[PARTS[HOURS + k]].style === "2-digit";
    const parts = numberOf(s, d, HOURS + k, first, k === 2, { __proto__: null, useGrouping: false, minimumIntegerDigits: two ? 2 : 1 });
    for (let n = 0; n < parts.length; n++) append(out, parts[n]);
    first = false;
  }
  return out;
}

function durationParts(s, v) {
  const d = durationOf(v), groups = [];
  for (let i = 0; i < PARTS.length; i++) {
    const { style, display } = s[PARTS[i]];
    if (style === "numeric" || style === "2-digit") {
      const clock = clockOf(s, d, i, groups.length === 0);
      if (clock.length > 0) append(groups, clock);
      break;
    }
    const fraction = i >= SECONDS && i < PARTS.length - 1 && s[PARTS[i + 1]].style === "fractional";
    if (display === "always" || (fraction ? +withFraction(d, i) : d[PARTS[i]]) !== 0)
      append(groups, numberOf(s, d, i, groups.length === 0, fraction, { __proto__: null, style: "unit", unit: slice(PARTS[i], 0, -1), unitDisplay: style }));
    if (fraction) break;
  }
  let list = "[";
  for (let i = 0; i < groups.length; i++) list += (i > 0 ? "," : "") + "\"\"";
  const frame = parse(ask("lf.parts", s.list + "\n" + list + "]")), out = [];
  for (let i = 0, g = 0; i < frame.length; i++) {
    if (frame[i].type === "literal") append(out, frame[i]);
    else for (let k = 0, parts = groups[g++]; k < parts.length; k++) append(out, parts[k]);
  }
  return out;
}

service("DurationFormat", 0, initDuration, false, {
  format(duration) {
    const parts = durationParts(slot(this, "DurationFormat", "Intl.DurationFormat.prototype.format"), duration);
    let out = "";
    for (let i = 0; i < parts.length; i++) out += parts[i].value;
    return out;
  },
  formatToParts(duration) { return durationParts(slot(this, "DurationFormat", "Intl.DurationFormat.prototype.formatToParts"), duration); },
}, "du");
