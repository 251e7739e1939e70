// Asks a JavaScript engine with full ICU for everything that the Go side of
// this package must know, by formatting samples and taking the parts apart.
// It runs as a cell of a code-mode host and in Node; see main.go. The global
// ZONES holds the time zone names to ask about.
"use strict";
const print = typeof text === "function" ? text : (s) => process.stdout.write(s);
const LOCALES = ["en", "en-GB", "en-CA", "en-AU", "en-IN", "de", "fr", "es", "it", "pt", "ja", "zh"];
const TEXT = ["narrow", "short", "long"], NUM = ["numeric", "2-digit"], HCS = ["h11", "h12", "h23", "h24"];

// intern returns a function giving each distinct string its number in table.
function intern(table) {
  const seen = new Map(table.map((s, i) => [s, i]));
  return (s) => {
    if (!seen.has(s)) { seen.set(s, table.length); table.push(s); }
    return seen.get(s);
  };
}

// ---- dates ----------------------------------------------------------------

const at = (y, mo, d, h = 4, mi = 6, s = 7, ms = 89) => { const t = new Date(Date.UTC(2000, mo, d, h, mi, s, ms)); t.setUTCFullYear(y); return t; };
const BASE = at(2004, 2, 5);

// dateCoder turns formatters into patterns: text with fields such as {y},
// {MM} and {M:3}, the third list of names.
function dateCoder(lists) {
  const list = intern(lists);
  const sample = (f, type, dates) => dates.map((d) => f.formatToParts(d).filter((p) => p.type === type).map((p) => p.value)[0]).join("|");
  const months = [...Array(12).keys()].map((m) => at(2004, m, 5));
  const days = [...Array(7).keys()].map((d) => at(2004, 1, 1 + d)); // 2004-02-01 is a Sunday
  const hours = [...Array(48).keys()].map((h) => at(2004, 2, 5, h >> 1, h & 1 ? 30 : 0, h & 1 ? 30 : 0, 0));
  const eras = [at(-100, 2, 5), BASE];
  const cycles = { h11: "K", h12: "h", h23: "H", h24: "k" };
  const field = (f, type, value, tz) => {
    const twice = (c) => (value.length > 1 && /^0/.test(value) ? c + c : c);
    switch (type) {
      case "literal": return value;
      case "year": return /^\d{2}$/.test(value) ? "{yy}" : "{y}";
      case "month": return /^0?\d$/.test(value) ? "{" + twice("M") + "}" : "{M:" + list(sample(f, "month", months)) + "}";
      case "day": return "{" + twice("d") + "}";
      case "weekday": return "{E:" + list(sample(f, "weekday", days)) + "}";
      case "era": return "{G:" + list(sample(f, "era", eras)) + "}";
      case "dayPeriod": return "{a:" + list(sample(f, "dayPeriod", hours)) + "}";
      case "hour": return "{" + twice(cycles[f.resolvedOptions().hourCycle]) + "}";
      case "minute": return "{" + twice("m") + "}";
      case "second": return "{" + twice("s") + "}";
      case "fractionalSecond": return "{S}";
      case "timeZoneName": return "{z}";
    }
    throw new Error("date part " + type + " " + value);
  };
  const pattern = (f) => f.formatToParts(BASE).map((p) => field(f, p.type, p.value)).join("");
  const MARK = { startRange: "\u0001", endRange: "\u0002", shared: "\u0003" };
  // A range pattern switches sources with control characters; it begins shared.
  const range = (f, a, b) => {
    let source = "shared", out = "";
    const parts = f.formatRangeToParts(a, b);
    const single = parts.every((p) => p.source === "shared");
    for (const p of parts) {
      if (p.source !== source) { out += MARK[p.source]; source = p.source; }
      out += field(f, p.type, p.value);
    }
    return single ? "" : out;
  };
  return { pattern, range };
}

function* dateCombos() {
  for (const weekday of [undefined, ...TEXT]) for (const era of [undefined, "short"]) for (const year of [undefined, ...NUM])
    for (const month of [undefined, ...NUM, ...TEXT]) for (const day of [undefined, ...NUM]) yield { weekday, era, year, month, day };
}
function* timeCombos(periods) {
  for (const tz of [undefined, "short"]) for (const dayPeriod of periods) for (const hour of [undefined, ...NUM])
    for (const minute of [undefined, ...NUM]) for (const second of [undefined, ...NUM])
      for (const hourCycle of hour ? HCS : [undefined]) yield { timeZoneName: tz, dayPeriod, hour, minute, second, hourCycle };
}
const empty = (o) => Object.entries(o).every(([k, v]) => v === undefined || k === "hourCycle");

function dates(locale) {
  const lists = [], pats = [], ranges = [];
  const coder = dateCoder(lists), pat = intern(pats), rng = intern(ranges);
  const make = (o) => new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...o });
  const out = { lists, pats, ranges };
  out.date = [], out.dateRange = [];
  for (const o of dateCombos()) {
    if (empty(o)) { out.date.push(-1); out.dateRange.push(-1, -1, -1); continue; }
    const f = make(o);
    out.date.push(pat(coder.pattern(f)));
    for (const b of [at(2006, 4, 8), at(2004, 4, 8), at(2004, 2, 8)]) out.dateRange.push(rng(coder.range(f, BASE, b)));
  }
  out.time = [];
  for (const o of timeCombos([undefined, "short"])) out.time.push(empty(o) ? -1 : pat(coder.pattern(make(o))));
  out.timeRange = [];
  for (const o of timeCombos([undefined])) {
    if (empty(o)) { out.timeRange.push(-1, -1, -1, -1); continue; }
    const f = make(o);
    for (const b of [at(2004, 2, 5, 16, 8, 9), at(2004, 2, 5, 5, 8, 9), at(2004, 2, 5, 4, 8, 9), at(2004, 2, 5, 4, 6, 9)])
      out.timeRange.push(rng(coder.range(f, BASE, b)));
  }
  // The lists that stand for other widths of an era and a day period.
  out.eras = TEXT.map((era) => +/\{G:(\d+)\}/.exec(coder.pattern(make({ era, year: "numeric" })))[1]);
  out.periods = TEXT.map((dayPeriod) => +/\{a:(\d+)\}/.exec(coder.pattern(make({ dayPeriod, hour: "numeric", minute: "2-digit", hourCycle: "h12" })))[1]);
  // How a date and a time are joined, by the width of the month.
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const between = (o, t) => {
    const f = make({ ...o, ...t }), p = coder.pattern(f), d = coder.pattern(make(o)), c = coder.pattern(make(t));
    return p.startsWith(d) && p.endsWith(c) ? p.slice(d.length, p.length - c.length) : "?" + p;
  };
  out.join = [{ weekday: "long", year: "numeric", month: "long", day: "numeric" }, { year: "numeric", month: "long", day: "numeric" },
    { year: "numeric", month: "short", day: "numeric" }, { year: "numeric", month: "numeric", day: "numeric" }].map((o) => between(o, time));
  // A weekday alone with a time has patterns of its own.
  out.weekdayTime = [];
  for (const weekday of TEXT) for (const o of timeCombos([undefined])) out.weekdayTime.push(o.hour ? pat(coder.pattern(make({ weekday, ...o }))) : -1);
  out.dateStyle = [], out.dateStyleRange = [], out.timeStyle = [], out.joinStyle = [];
  for (const dateStyle of ["full", "long", "medium", "short"]) {
    const f = make({ dateStyle });
    out.dateStyle.push(pat(coder.pattern(f)));
    for (const b of [at(2006, 4, 8), at(2004, 4, 8), at(2004, 2, 8)]) out.dateStyleRange.push(rng(coder.range(f, BASE, b)));
    out.joinStyle.push(between({ dateStyle }, { timeStyle: "short" }));
  }
  for (const timeStyle of ["full", "long", "medium", "short"]) for (const hourCycle of HCS) {
    const f = make({ timeStyle, hourCycle });
    out.timeStyle.push(pat(coder.pattern(f)));
  }
  const hc = (o) => make({ hour: "numeric", ...o }).resolvedOptions().hourCycle;
  out.cycles = [hc({}), hc({ hour12: true }), hc({ hour12: false })];
  // The text between two dates, and between a date and a range of times.
  const both = make({ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", hourCycle: "h23" });
  out.twoDates = coder.range(both, BASE, at(2004, 2, 8));
  out.oneDate = coder.range(both, BASE, at(2004, 2, 5, 5, 8));
  return out;
}

// ---- numbers --------------------------------------------------------------

const INT = new Set(["integer", "group", "decimal", "fraction", "exponentSeparator", "exponentMinusSign", "exponentInteger"]);
// template replaces the digits by {n} and wraps whatever is not literal.
function template(parts) {
  let out = "", was = false;
  for (const p of parts) {
    if (INT.has(p.type) || p.type === "infinity" || p.type === "nan") { if (!was) out += "{n}"; was = true; continue; }
    was = false;
    out += p.type === "literal" ? p.value : "{" + p.type + ":" + p.value + "}";
  }
  return out;
}
// One number for each plural category that the locale has.
function pluralSamples(locale) {
  const rules = new Intl.PluralRules(locale), out = {};
  for (const n of [1, 0, 2, 3, 5, 1.5, 1000000]) out[rules.select(n)] ??= n;
  return out;
}
const forms = (samples, f) => {
  const all = Object.fromEntries(Object.entries(samples).map(([k, n]) => [k, f(n)]));
  const other = all.other ?? Object.values(all)[0];
  return Object.values(all).every((v) => v === other) ? other : all;
};

function numbers(locale) {
  const nf = (o) => new Intl.NumberFormat(locale, o);
  const part = (f, n, type) => f.formatToParts(n).find((p) => p.type === type)?.value ?? "";
  const d = nf({ signDisplay: "always", maximumFractionDigits: 2 });
  const out = {
    decimal: part(d, 1.5, "decimal"), group: part(d, 12345678, "group"), minus: part(d, -1, "minusSign"), plus: part(d, 1, "plusSign"),
    percent: part(nf({ style: "percent" }), 1, "percentSign"), exponent: part(nf({ notation: "scientific" }), 1e9, "exponentSeparator"),
    expMinus: part(nf({ notation: "scientific" }), 1e-9, "exponentMinusSign"),
    infinity: part(d, Infinity, "infinity"), nan: part(d, NaN, "nan"),
    currencyDecimal: part(nf({ style: "currency", currency: "EUR" }), 1.5, "decimal"), currencyGroup: part(nf({ style: "currency", currency: "EUR" }), 12345678, "group"),
    minGrouping: /\D/.test(nf({}).format(1234)) ? 1 : 2,
    currencyMinGrouping: nf({ style: "currency", currency: "EUR", maximumFractionDigits: 0 }).formatToParts(1234).some((p) => p.type === "group") ? 1 : 2,
    groups: nf({}).formatToParts(123456789012).filter((p) => p.type === "integer").map((p) => p.value.length).slice(-2),
    currencyGroups: nf({ style: "currency", currency: "EUR", maximumFractionDigits: 0 }).formatToParts(123456789012).filter((p) => p.type === "integer").map((p) => p.value.length).slice(-2),
  };
  const signs = (o) => [1, -1].map((n) => template(nf(o).formatToParts(n))).concat(template(nf({ ...o, signDisplay: "always" }).formatToParts(1)));
  const cur = { style: "currency", currency: "EUR", currencyDisplay: "narrowSymbol" };
  out.compactPercent = template(nf({ style: "percent", notation: "compact" }).formatToParts(0.02));
  out.patterns = { decimal: signs({}), percent: signs({ style: "percent" }), currency: signs(cur), accounting: signs({ ...cur, currencySign: "accounting" }) };
  out.range = [[1, 2], [1, 1], [-1, 2]].map(([a, b]) => nf({}).formatRange(a, b));
  const samples = pluralSamples(locale);
  const compact = (o) => {
    const list = [];
    for (let e = 3; e < 20; e++) list.push(forms({ one: 10 ** e, part: 1.5 * 10 ** e, other: 2 * 10 ** e }, (n) => {
      const parts = nf({ notation: "compact", maximumFractionDigits: 1, ...o }).formatToParts(n);
      const digits = parts.filter((p) => p.type === "integer").map((p) => p.value).join("");
      return digits.length + template(parts);
    }));
    return list;
  };
  out.compact = { short: compact({ compactDisplay: "short" }), long: compact({ compactDisplay: "long" }),
    currency: compact({ ...cur, compactDisplay: "short" }), currencyLong: compact({ ...cur, compactDisplay: "long" }) };
  return out;
}

function currencies(locale) {
  const out = { symbols: {}, narrow: {}, names: {}, display: {} };
  const samples = pluralSamples(locale), display = new Intl.DisplayNames(locale, { type: "currency", fallback: "none" });
  for (const currency of Intl.supportedValuesOf("currency")) {
    const nf = (currencyDisplay) => new Intl.NumberFormat(locale, { style: "currency", currency, currencyDisplay, maximumFractionDigits: 0 });
    const get = (display, n) => nf(display).formatToParts(n).find((p) => p.type === "currency").value;
    const s = get("symbol", 5), n = get("narrowSymbol", 5);
    if (s !== currency) out.symbols[currency] = s;
    if (n !== s) out.narrow[currency] = n;
    out.names[currency] = forms(samples, (v) => get("name", v));
    const d = display.of(currency);
    if (d !== undefined && d !== (out.names[currency].one ?? out.names[currency].other ?? out.names[currency])) out.display[currency] = d;
  }
  out.nameForms = forms(samples, (v) => template(new Intl.NumberFormat(locale, { style: "currency", currency: "EUR", currencyDisplay: "name" }).formatToParts(v)).replace(/\{currency:[^}]*\}/, "{c}"));
  return out;
}

function units(locale) {
  const samples = pluralSamples(locale), all = Intl.supportedValuesOf("unit"), out = { unit: {}, per: {}, compound: {} };
  const fmt = (unit, unitDisplay, v) => template(new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay }).formatToParts(v));
  for (const style of ["short", "narrow", "long"]) {
    const get = (unit) => forms(samples, (v) => fmt(unit, style, v));
    const unit = (out.unit[style] = {}), per = (out.per[style] = {}), odd = (out.compound[style] = {});
    for (const u of all) unit[u] = get(u);
    // What "per hour" adds is seen behind bits; what does not follow is listed.
    const tail = (t) => { const m = /^(.*)\{unit:([^}]*)\}(.*)$/.exec(t); return m && { head: m[1], unit: m[2], rest: m[3] }; };
    const base = tail(fmt("bit", style, 5));
    for (const u of all) {
      const t = tail(fmt("bit-per-" + u, style, 5));
      per[u] = t && base && t.head === base.head && t.unit.startsWith(base.unit) ? t.unit.slice(base.unit.length) : "?";
    }
    for (const a of all) for (const b of all) {
      if (a === b) continue;
      const got = get(a + "-per-" + b), want = forms(samples, (v) => {
        const t = tail(fmt(a, style, v));
        return t ? t.head + "{unit:" + t.unit + per[b] + "}" + t.rest : "?";
      });
      if (JSON.stringify(got) !== JSON.stringify(want)) odd[a + "-per-" + b] = got;
    }
  }
  return out;
}

// ---- words ----------------------------------------------------------------

function words(locale) {
  const samples = pluralSamples(locale), out = { relative: {}, list: {} };
  for (const style of ["long", "short", "narrow"]) {
    const always = new Intl.RelativeTimeFormat(locale, { style }), auto = new Intl.RelativeTimeFormat(locale, { style, numeric: "auto" });
    for (const unit of ["second", "minute", "hour", "day", "week", "month", "quarter", "year"]) {
      const names = {};
      for (const n of [-2, -1, 0, 1, 2]) {
        const parts = auto.formatToParts(n, unit);
        if (parts.length === 1 && parts[0].type === "literal") names[n] = parts[0].value;
      }
      out.relative[style + " " + unit] = { past: forms(samples, (n) => t2(always, -n, unit)), future: forms(samples, (n) => t2(always, n, unit)), names };
    }
    for (const type of ["conjunction", "disjunction", "unit"]) {
      const f = new Intl.ListFormat(locale, { style, type });
      const lit = (list) => f.formatToParts(list).filter((p) => p.type === "literal").map((p) => p.value);
      const two = lit(["A", "B"]), four = lit(["A", "B", "C", "D"]);
      out.list[style + " " + type] = [two[0] ?? "", four[0] ?? "", four[1] ?? "", four[2] ?? ""];
    }
  }
  // The plural category of a range, by those of its ends.
  const rules = new Intl.PluralRules(locale);
  out.ranges = {};
  for (const [a, x] of Object.entries(samples)) for (const [b, y] of Object.entries(samples)) if (x <= y) out.ranges[a + " " + b] = rules.selectRange(x, y);
  out.categories = { cardinal: rules.resolvedOptions().pluralCategories, ordinal: new Intl.PluralRules(locale, { type: "ordinal" }).resolvedOptions().pluralCategories };
  const dn = new Intl.DisplayNames(locale, { type: "dateTimeField" });
  out.fields = {};
  for (const f of ["era", "year", "quarter", "month", "weekOfYear", "weekday", "day", "dayPeriod", "hour", "minute", "second", "timeZoneName"]) out.fields[f] = dn.of(f);
  return out;
}
const t2 = (f, n, unit) => f.formatToParts(n, unit).reduce((s, p) => (p.type === "literal" ? s + p.value : s.endsWith("{n}") ? s : s + "{n}"), "");

function names(locale) {
  const out = { region: {}, language: {}, script: {} };
  const A = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"], a = A.map((c) => c.toLowerCase());
  const get = (type, code) => { try { return new Intl.DisplayNames(locale, { type, fallback: "none" }).of(code); } catch { return undefined; } };
  for (const x of A) for (const y of A) { const v = get("region", x + y); if (v && v !== x + y) out.region[x + y] = v; }
  for (const code of ["001", "150", "419", "019", "002", "142", "009"]) out.region[code] = get("region", code);
  for (const x of a) for (const y of a) { const v = get("language", x + y); if (v) out.language[x + y] = v; }
  for (const code of ["en-US", "en-GB", "en-AU", "en-CA", "de-AT", "de-CH", "fr-CA", "fr-CH", "es-419", "es-ES", "es-MX", "pt-BR", "pt-PT", "zh-Hans", "zh-Hant", "fil", "haw", "yue", "gsw", "tlh", "tok", "ast", "ckb", "chr", "hmn", "und"]) {
    const v = get("language", code);
    if (v) out.language[code] = v;
  }
  for (const code of ["Latn", "Cyrl", "Grek", "Arab", "Hebr", "Hans", "Hant", "Hani", "Jpan", "Kore", "Hang", "Hira", "Kana", "Deva", "Thai", "Armn", "Geor", "Beng", "Taml", "Telu", "Ethi", "Khmr", "Laoo", "Mong", "Tibt", "Zsye", "Zyyy"]) {
    const v = get("script", code);
    if (v) out.script[code] = v;
  }
  return out;
}

// ---- time zones -----------------------------------------------------------

const STYLES = ["long", "short", "longGeneric", "shortGeneric"];
function zoneNames(locale, zones, periods) {
  const pool = [], put = intern(pool), out = { pool, meta: [], generic: [] };
  const cache = new Map();
  const name = (tz, style, t) => {
    const k = tz + style;
    if (!cache.has(k)) cache.set(k, new Intl.DateTimeFormat(locale, { timeZone: tz, timeZoneName: style }));
    return cache.get(k).formatToParts(t).find((p) => p.type === "timeZoneName").value;
  };
  // The names of each metazone, standard and summer, seen where it is used;
  // -1 where the offset stands in for a name.
  const offset = /^(GMT|UTC)?[+−-]?\d|^(GMT|UTC)[+−-]/;
  const seen = (s) => put(offset.test(s) ? "" : s);
  for (const m of periods.meta) {
    const std = m.std && [name(m.std[0], "long", m.std[1]), name(m.std[0], "short", m.std[1])];
    const dst = m.dst && [name(m.dst[0], "long", m.dst[1]), name(m.dst[0], "short", m.dst[1])];
    out.meta.push([...(std ? std.map(seen) : [-1, -1]), ...(dst ? dst.map(seen) : [-1, -1])]);
  }
  out.offsets = [];
  for (const style of ["shortOffset", "longOffset"]) for (const z of ["Asia/Tokyo", "Etc/GMT+5", "UTC", "Asia/Calcutta"]) out.offsets.push(name(z, style, BASE));
  const now = Date.UTC(2026, 0, 15);
  for (const z of zones) out.generic.push(seen(name(z, "longGeneric", now)), seen(name(z, "shortGeneric", now)));
  return out;
}

// metazones finds, by the English names of each half year since 1970, which
// zones share their names and when a zone moved from one set to another.
function metazones(zones) {
  const meta = [], key = new Map(), zonePeriods = {};
  const from = Date.UTC(1970, 0, 1), to = Date.UTC(2037, 0, 1), step = 30 * 864e5;
  for (const z of zones) {
    const long = new Intl.DateTimeFormat("en-US", { timeZone: z, timeZoneName: "long" }), off = new Intl.DateTimeFormat("en-US", { timeZone: z, timeZoneName: "longOffset" });
    const gen = new Intl.DateTimeFormat("en-US", { timeZone: z, timeZoneName: "longGeneric" });
    const one = (f, t) => f.formatToParts(t).find((p) => p.type === "timeZoneName").value;
    const id = (t) => stem(one(long, t));
    let list = [];
    let last = null;
    for (let t = from; t < to; t += step) {
      const k = id(t);
      if (k === last) continue;
      let lo = t - step, hi = t;
      if (last !== null) for (;;) {
        const mid = Math.floor((lo + hi) / 2 / 9e5) * 9e5;
        if (mid <= lo || hi - lo <= 9e5) break;
        if (id(mid) === last) lo = mid; else hi = mid;
      }
      list.push([last === null ? null : hi / 1000, k, t]);
      last = k;
    }
    list = joinSummers(list);
    for (const e of list) {
      if (!key.has(e[1])) { key.set(e[1], meta.length); meta.push({ name: e[1], std: e[1] === "GMT+" ? undefined : null, dst: undefined }); }
      const m = meta[key.get(e[1])];
      if (e[1] === "GMT+") continue;
      const end = list[list.indexOf(e) + 1]?.[0] * 1000 || to;
      if (e[3]) { m.std ??= [z, e[2]]; m.dst ??= [z, e[3]]; continue; }
      for (let t = e[2]; t < end && !(m.std && m.dst); t += step) if (isSummer(one(long, t))) m.dst ??= [z, t]; else m.std ??= [z, t];
    }
    zonePeriods[z] = list.flatMap(([t, k]) => [t, key.get(k)]);
  }
  return { meta, zones: zonePeriods };
}
// joinSummers makes one period of names that take turns each summer, such as
// Greenwich Mean Time and British Summer Time.
function joinSummers(list) {
  const out = [];
  for (let i = 0; i < list.length; i++) {
    let n = i;
    while (n + 2 < list.length && list[n + 2][1] === list[i + ((n + 2 - i) & 1)][1]) n++;
    if (n - i < 4 || list[i][1] === "GMT+" || list[i + 1][1] === "GMT+") { out.push(list[i]); continue; }
    const summer = new Date(list[i + 1][2]).getUTCMonth();
    const dst = summer > 1 && summer < 9 ? i + 1 : i + 2; // the northern summer comes second or third
    const std = dst === i + 1 ? i + 2 : i + 1;
    out.push([list[i][0], list[std][1] + "/" + list[dst][1], list[std][2], list[dst][2]]);
    i = n + 1;
  }
  return out;
}
const isSummer = (n) => /(Daylight|Summer) Time$/.test(n);
const stem = (n) => (/^GMT($|[+-])/.test(n) ? "GMT+" : n.replace(/ (Standard|Daylight|Summer) Time$/, " Time"));

// ---- collation ------------------------------------------------------------

// collation sorts the characters that have no decomposition. A character is
// preceded by U+0001 if only an accent tells it from the one before, by U+0002
// if only case does, by U+0003 if nothing does; a run of code points one
// primary step apart is first U+0004 last.
function collation() {
  const [base, accent, variant] = ["base", "accent", "variant"].map((sensitivity) => new Intl.Collator("en", { sensitivity }));
  const shifted = new Intl.Collator("en", { ignorePunctuation: true });
  const letters = [], marks = [];
  let ignored = "", variable = "";
  for (let c = 1; c < 0x10000; c++) {
    if ((c >= 0x3400 && c < 0xa000) || (c >= 0xac00 && c < 0xfb00)) continue;
    const s = String.fromCharCode(c);
    if (!/\p{Assigned}/u.test(s) || s.normalize("NFKD") !== s) continue;
    if (variant.compare(s, "") === 0) ignored += s;
    else if (base.compare(s, "") === 0) marks.push(s);
    else {
      letters.push(s);
      if (shifted.compare("a" + s + "b", "ab") === 0) variable += s;
    }
  }
  const order = (list) => {
    list.sort((a, b) => variant.compare(a, b) || (a < b ? -1 : 1));
    let out = "", run = "";
    const flush = () => { if (run.length > 3) out += run[0] + "\u0004" + run.at(-1); else out += run; run = ""; };
    list.forEach((c, i) => {
      const p = list[i - 1];
      const level = i === 0 || base.compare(p, c) !== 0 ? "" : accent.compare(p, c) !== 0 ? "\u0001" : variant.compare(p, c) !== 0 ? "\u0002" : "\u0003";
      if (level === "" && run !== "" && run.charCodeAt(run.length - 1) + 1 === c.charCodeAt(0)) { run += c; return; }
      flush();
      if (level === "") run = c; else out += level + c;
    });
    flush();
    return out;
  };
  return { letters: order(letters), marks: order(marks), ignored, variable };
}

// ---- all of it ------------------------------------------------------------

const canonical = {};
for (const z of ZONES) {
  try { canonical[z] = new Intl.DateTimeFormat("en-US", { timeZone: z }).resolvedOptions().timeZone; } catch { /* not known to ICU */ }
}
const zones = [...new Set([...Intl.supportedValuesOf("timeZone"), ...Object.values(canonical)])].sort();
const periods = metazones(zones);
const currencyDigits = {}, letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
for (const a of letters) for (const b of letters) for (const c of letters) {
  const currency = a + b + c;
  const n = new Intl.NumberFormat("en-US", { style: "currency", currency }).resolvedOptions().maximumFractionDigits;
  if (n !== 2) currencyDigits[currency] = n;
}
const result = {
  root: {
    root: {
      currencyDigits, currencies: Intl.supportedValuesOf("currency"), units: Intl.supportedValuesOf("unit"),
      numberingSystems: Intl.supportedValuesOf("numberingSystem"), calendars: Intl.supportedValuesOf("calendar"), collations: Intl.supportedValuesOf("collation"),
      zoneValues: Intl.supportedValuesOf("timeZone"),
      digits: Object.fromEntries(Intl.supportedValuesOf("numberingSystem").map((nu) => [nu, new Intl.NumberFormat("en-US-u-nu-" + nu, { useGrouping: false }).format(9876543210)]).filter(([nu, s]) => [...s].length === 10).map(([nu, s]) => [nu, [...s].reverse().join("")])),
    },
    collation: collation(),
    zones: { canonical, zones, periods: periods.zones, meta: periods.meta.map((m) => m.name) },
  },
};
for (const locale of LOCALES) result[locale] = {
  dates: dates(locale), numbers: numbers(locale), currencies: currencies(locale), units: units(locale), words: words(locale),
  zones: zoneNames(locale, zones, periods), names: locale === "en" ? names(locale) : undefined,
};
print(JSON.stringify(result));
