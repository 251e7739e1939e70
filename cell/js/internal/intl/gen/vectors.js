// Writes what an engine with full ICU answers to expressions of all kinds: the
// vectors under conformance/codemode/intl. It runs as a cell of a code-mode
// host; see main.go. Expressions are chosen by a generator with a fixed seed.
"use strict";
let seed = 20240229;
const random = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % n; };
const pick = (list) => list[random(list.length)];
const maybe = (list, odds = 2) => (random(odds) === 0 ? pick(list) : undefined);
const opt = (o) => { const e = Object.entries(o).filter(([, v]) => v !== undefined); return "{" + e.map(([k, v]) => k + ":" + JSON.stringify(v)).join(",") + "}"; };
const show = (v) => (typeof v === "string" ? v : typeof v === "object" && v !== null ? JSON.stringify(v) : String(v));
const run = (e) => { try { return show((0, eval)("(" + e + ")")); } catch (x) { return x.name + ": " + x.message; } };
const sets = {};
const add = (set, ...exprs) => { for (const e of exprs) (sets[set] ??= new Map()).set(e, run(e)); };

const OTHER = ["en-GB", "en-CA", "en-AU", "en-IN", "de", "fr", "es", "it", "pt-BR", "ja", "zh"];
const ENGLISH = "en-US";
const T = ["narrow", "short", "long"], N = ["numeric", "2-digit"];
const TIMES = [0, 1709251199999, 1078459567089, 951782400000, -62198755200000, -62135596800001, -377705116800000, 8640000000000000, 1710054000000, 1710053999999, 1730613600000, 1711846800000, 1698541200000,
  1582934400000, 1719792000000, 1767225599999, -14182980000, 43200000, 45000000, 86399000, 1893456000000, 253402300800000, -1e12];
const ZONES = ["UTC", "America/New_York", "America/Los_Angeles", "Europe/London", "Europe/Berlin", "Asia/Kolkata", "Asia/Tokyo", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca", "Europe/Dublin",
  "Pacific/Apia", "Asia/Kathmandu", "America/Sao_Paulo", "Asia/Tehran", "Pacific/Chatham", "America/Phoenix", "Europe/Moscow", "Asia/Shanghai", "Africa/Cairo", "+05:30", "-0330"];
const dateFields = () => ({ weekday: maybe(T, 3), era: maybe(T, 8), year: maybe(N), month: maybe([...N, ...T]), day: maybe(N) });
const timeFields = () => ({ dayPeriod: maybe(T, 10), hour: maybe(N), minute: maybe(N), second: maybe(N, 3), fractionalSecondDigits: maybe([1, 2, 3], 10) });
const cycle = () => (random(3) ? {} : random(2) ? { hour12: pick([true, false]) } : { hourCycle: pick(["h11", "h12", "h23", "h24"]) });
const NAMES = ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"];

function dateCase(set, locale, methods) {
  const kind = random(6), zone = random(3) ? "UTC" : pick(ZONES);
  let o;
  if (kind === 0) o = { dateStyle: maybe(["full", "long", "medium", "short"], 1), timeStyle: maybe(["full", "long", "medium", "short"]) };
  else if (kind === 1) o = timeFields();
  else if (kind === 2) o = { ...dateFields(), ...timeFields() };
  else o = dateFields();
  if (kind !== 0 && random(8) === 0) o.timeZoneName = pick(NAMES);
  o = { ...o, ...cycle(), timeZone: zone };
  const f = `new Intl.DateTimeFormat("${locale}",${opt(o)})`, t = pick(TIMES), m = pick(methods);
  const later = t + pick([1000, 120000, 3600000, 43200000, 86400000, 40 * 86400000, 800 * 86400000]);
  if (m === "format") add(set, `${f}.format(${t})`);
  if (m === "formatToParts") add(set, `${f}.formatToParts(${t})`);
  if (m === "resolvedOptions") add(set, `${f}.resolvedOptions()`);
  if (m === "formatRange" && later < 8.64e15) add(set, `${f}.formatRange(${t},${later})`);
  if (m === "formatRangeToParts" && later < 8.64e15) add(set, `${f}.formatRangeToParts(${t},${later})`);
}
for (let i = 0; i < 700; i++) dateCase("date-en", ENGLISH, ["format", "format", "format", "formatToParts", "resolvedOptions"]);
for (let i = 0; i < 900; i++) dateCase("date-locales", pick(OTHER), ["format", "format", "format", "formatToParts", "resolvedOptions"]);
for (let i = 0; i < 350; i++) dateCase("date-range-en", ENGLISH, ["formatRange", "formatRange", "formatRangeToParts"]);
for (let i = 0; i < 350; i++) dateCase("date-range-locales", pick(OTHER), ["formatRange"]);
for (const z of ZONES) for (const timeZoneName of NAMES) for (const t of [1705320000000, 1721044800000, 63158400000, -2840140800000])
  if (random(3)) add("zones", `new Date(${t}).toLocaleString("${random(2) ? ENGLISH : pick(OTHER)}",${opt({ timeZone: z, timeZoneName, hour: "numeric", day: "numeric" })})`);
for (const z of ["US/Pacific", "asia/calcutta", "EUROPE/KIEV", "Etc/GMT+5", "GMT", "etc/utc", "Zulu", "EST5EDT", "Nope/Nowhere", "", "+24:00", "+5", "+0530", "-00:00", "Asia/Saigon", "Japan", "PRC"])
  add("zones", `new Intl.DateTimeFormat("en-US",{timeZone:"${z}"}).resolvedOptions().timeZone`);
// Each side of a change of clocks, minute by minute.
for (const [zone, t] of [["America/New_York", 1710054000000], ["America/New_York", 1730613600000], ["Europe/Berlin", 1711846800000], ["Australia/Lord_Howe", 1712415600000], ["Africa/Casablanca", 1710036000000], ["Pacific/Apia", 1325239200000]])
  for (const d of [-3600001, -1, 0, 3599999]) add("zones", `new Date(${t + d}).toLocaleString("en-US",{timeZone:"${zone}",timeZoneName:"long"})`);
for (const t of TIMES) for (const m of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
  add("methods", `new Date(${t}).${m}()`, `new Date(${t}).${m}("${pick(OTHER)}",{timeZone:"${pick(ZONES)}"})`);
  add("methods", `new Date(${t}).${m}("en-US",${opt({ ...(m === "toLocaleTimeString" ? timeFields() : dateFields()), timeZone: "UTC" })})`);
}

add("methods", "String(new Date(0))", "new Date(1e12).toTimeString()", "String(new Date(NaN))", "new Date(0)+''", "Date.prototype.toString.call(5)");

// ---- numbers
const VALUES = ["0", "-0", "1", "-1", "0.5", "1.5", "2.5", "-2.5", "1.005", "0.000001234", "123", "999.5", "999.9999", "1234", "1234.5", "9999.995", "12345", "123456.789", "999999", "1e6", "1500000", "12345678.9", "1e9", "1.2e12", "1e15", "1e21", "123456789012345678901234567890n", "-12345678901234567890n",
  "NaN", "Infinity", "-Infinity", '"1234567890.12345678901234567890"', '"0.1"', '"-0"', "1e-7", "5e-324", "1.7976931348623157e308", '"1e400"', '" 12 "', '"x"', "undefined", "null", "true", "[]", "[5]", '"0xff"'];
const MODES = ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"];
const CURRENCIES = ["USD", "EUR", "JPY", "KWD", "CHF", "GBP", "INR", "CNY", "BRL", "MXN", "CAD", "AUD", "KRW", "XXX", "CLF", "ABC"];
const UNITS = ["kilometer", "kilometer-per-hour", "liter", "byte", "megabyte", "celsius", "percent", "mile", "mile-per-gallon", "day", "hour", "second", "kilogram-per-meter", "degree", "foot", "minute-per-kilometer", "year"];
function digits() {
  const o = {};
  if (random(3) === 0) o.minimumFractionDigits = random(4);
  if (random(3) === 0) o.maximumFractionDigits = (o.minimumFractionDigits ?? 0) + random(4);
  if (random(5) === 0) o.minimumSignificantDigits = 1 + random(4);
  if (random(5) === 0) o.maximumSignificantDigits = (o.minimumSignificantDigits ?? 1) + random(4);
  if (random(8) === 0) o.minimumIntegerDigits = 1 + random(5);
  if (random(5) === 0) o.roundingMode = pick(MODES);
  if (random(8) === 0) o.roundingPriority = pick(["auto", "morePrecision", "lessPrecision"]);
  if (random(8) === 0) o.trailingZeroDisplay = "stripIfInteger";
  if (random(12) === 0) { const n = random(4); return { minimumFractionDigits: n, maximumFractionDigits: n, roundingIncrement: pick([2, 5, 10, 25, 50, 5000]) }; }
  return o;
}
function numberCase(set, locale, methods) {
  const o = { style: maybe(["percent", "currency", "currency", "unit"]), ...digits() };
  if (o.style === "currency") { o.currency = pick(CURRENCIES); o.currencyDisplay = maybe(["code", "symbol", "narrowSymbol", "name"]); o.currencySign = maybe(["accounting"], 3); }
  if (o.style === "unit") { o.unit = pick(UNITS); o.unitDisplay = maybe(["short", "narrow", "long"]); }
  o.notation = maybe(["scientific", "engineering", "compact", "compact", "compact"]);
  if (o.notation === "compact") o.compactDisplay = maybe(["short", "long"]);
  o.useGrouping = maybe([true, false, "min2", "always"], 6);
  o.signDisplay = maybe(["never", "always", "exceptZero", "negative"], 5);
  const f = `new Intl.NumberFormat("${locale}",${opt(o)})`, m = pick(methods), v = pick(VALUES);
  if (m === "resolvedOptions") add(set, `${f}.resolvedOptions()`);
  else if (m === "range") add(set, `${f}.formatRange(${random(100)},${random(20000)})`);
  else add(set, `${f}.${m}(${v})`);
}
for (let i = 0; i < 900; i++) numberCase("number-en", ENGLISH, ["format", "format", "format", "formatToParts", "resolvedOptions"]);
for (let i = 0; i < 900; i++) numberCase("number-locales", pick(OTHER), ["format", "format", "format", "format", "formatToParts"]);
for (let i = 0; i < 250; i++) numberCase("number-range", random(2) ? ENGLISH : pick(OTHER), ["range"]);
for (const v of VALUES) add("methods", `Number(${v.endsWith("n") ? v.slice(0, -1) : v}).toLocaleString()`, `new Intl.NumberFormat("en-IN").format(${v})`);
for (const l of [...OTHER, ENGLISH]) for (const v of ["1234", "12345", "1234567.891", "123456789012345678901234567890n", "-0.5"]) add("methods", `(${v}).toLocaleString("${l}")`);
for (let e = 0; e < 17; e++) for (const c of ["short", "long"]) for (const l of [ENGLISH, pick(OTHER)]) for (const m of [1, 1.5, 9.996])
  add("compact", `new Intl.NumberFormat("${l}",{notation:"compact",compactDisplay:"${c}"}).format(${m}e${e})`);

// ---- words
for (const l of [ENGLISH, "de", "fr", "es", "it", "pt-BR", "ja", "zh"]) {
  for (const n of ["0", "1", "1.5", "2", "3", "4", "11", "12", "13", "21", "22", "23", "101", "111", "800", "1000000", "-1", "NaN", "Infinity", "1e6", "2e6"]) for (const type of ["cardinal", "ordinal"])
    if (random(2)) add("plural", `new Intl.PluralRules("${l}",{type:"${type}"}).select(${n})`);
  add("plural", `new Intl.PluralRules("${l}",{minimumFractionDigits:1}).select(1)`, `new Intl.PluralRules("${l}").resolvedOptions()`, `new Intl.PluralRules("${l}",{type:"ordinal",maximumSignificantDigits:2}).resolvedOptions()`,
    `new Intl.PluralRules("${l}").selectRange(0,1)`, `new Intl.PluralRules("${l}").selectRange(1,2)`, `new Intl.PluralRules("${l}").selectRange(2,5)`, `new Intl.PluralRules("${l}",{notation:"compact"}).select(1000000)`);
  for (const unit of ["second", "minutes", "hour", "days", "week", "months", "quarter", "years"]) for (const v of ["0", "-0", "1", "-1", "2", "-2", "5.5", "-1000"]) {
    if (random(3)) continue;
    add("relative", `new Intl.RelativeTimeFormat("${l}",${opt({ numeric: maybe(["auto"]), style: maybe(["short", "narrow"]) })}).format(${v},"${unit}")`);
    if (!random(3)) add("relative", `new Intl.RelativeTimeFormat("${l}",${opt({ numeric: maybe(["auto"]) })}).formatToParts(${v},"${unit}")`);
  }
  for (const type of ["conjunction", "disjunction", "unit"]) for (const style of ["long", "short", "narrow"]) for (const list of [[], ["A"], ["A", "B"], ["A", "B", "C"], ["A", "B", "C", "D"], ["padre", "hijo"], ["x", "ocho", "8", "otro"]])
    if (random(3)) add("list", `new Intl.ListFormat("${l}",${opt({ type, style })}).format(${JSON.stringify(list)})`);
  add("list", `new Intl.ListFormat("${l}").formatToParts(["a","b","c"])`, `new Intl.ListFormat("${l}").resolvedOptions()`, `new Intl.RelativeTimeFormat("${l}").resolvedOptions()`);
  for (const [type, codes] of [["currency", ["USD", "EUR", "JPY", "xyz"]], ["dateTimeField", ["year", "weekOfYear"]]]) for (const c of codes) add("names", `new Intl.DisplayNames("${l}",{type:"${type}"}).of("${c}")`);
}
for (const [type, codes] of [["region", ["US", "de", "419", "ZZ", "XK"]], ["language", ["en", "fr-CA", "pt-BR", "zh-Hans", "de-DE", "sr-Latn", "xx"]], ["script", ["Latn", "hant"]]]) for (const c of codes) add("names", `new Intl.DisplayNames("en",{type:"${type}"}).of("${c}")`);

// ---- collation and segments
const WORDS = ["a", "A", "b", "B", "ä", "Ä", "z", "Z", "é", "e", "É", "resume", "résumé", "Résumé", "rose", "rosé", "10", "2", "1", "a1", "a10", "a2", "_x", "-x", "x", " x", "x y", "xy", "x-y", "ß", "ss", "SS", "æ", "ae", "Æ", "œ", "oe", "ø", "o", "ö", "ñ", "n", "o", "ﬁ", "fi", "日", "本", "あ", "ア", "가", "я", "Я", "ё", "α", "Ω", "$", "€", "1/2", "½", "", "co-op", "coop", "CO-OP", "😀", "file10.txt", "file9.txt", "File9.txt", "ﬀ", "ａ", "Ａ", "…", "'a'", "\"a\"", "naïve", "naive"];
const COLLATE = [{}, {}, { sensitivity: "base" }, { sensitivity: "accent" }, { sensitivity: "case" }, { numeric: true }, { caseFirst: "upper" }, { ignorePunctuation: true }];
for (let i = 0; i < 500; i++) add("collate", `${JSON.stringify(pick(WORDS))}.localeCompare(${JSON.stringify(pick(WORDS))},${JSON.stringify(pick([ENGLISH, ENGLISH, "de", "es", "fr"]))},${opt(pick(COLLATE))})`);
for (const o of COLLATE) add("collate", `${JSON.stringify(WORDS)}.sort(new Intl.Collator("en",${opt(o)}).compare).join(" ")`);
add("collate", `new Intl.Collator("en-u-kn-true-kf-upper").resolvedOptions()`, `new Intl.Collator("en",{numeric:true}).resolvedOptions()`, `["b","a","C"].sort(Intl.Collator().compare)`);
for (const s of ["Hello, world! It's 3.14 o'clock.", "e\u0301a\u0308👨‍👩‍👧🇩🇪🇫🇷\r\n한국", "Mr. Smith went. \"Really?\" he said! Ok…", "", "a", "can't won’t foo_bar x.y 1,000.5 a:b", "👍🏽 flags 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "नमस्ते दुनिया", "привет, мир"]) for (const granularity of ["grapheme", "word", "sentence"])
  add("segment", `[...new Intl.Segmenter("en",{granularity:"${granularity}"}).segment(${JSON.stringify(s)})].map(x=>x.segment+(x.isWordLike?"+":"")+x.index).join("|")`);

for (const t of ['"en-US"', '"zh-Hans-CN-u-nu-latn-hc-h12"', '"de-u-kn-kf-upper"', '"en",{region:"GB",hourCycle:"h23",numeric:true,calendar:"gregory"}', '"pt"', '"zh-TW"', '"en-Latn-US"', '"x"', '5', '"en",{language:"1"}', '"fr-Latn-CA",{script:"Cyrl"}'])
  for (const get of ["", ".language", ".script", ".region", ".baseName", ".hourCycle", ".numberingSystem", ".numeric", ".caseFirst", ".calendar", ".maximize()", ".minimize()"]) if (random(2)) add("locale", "String((new Intl.Locale(" + t + "))" + get + ")");
add("locale", "Intl.Locale.length", "Intl.Locale()", "new Intl.NumberFormat(new Intl.Locale('de')).format(1234.5)", "Intl.getCanonicalLocales([new Intl.Locale('fr'),'en'])", "Object.prototype.toString.call(new Intl.Locale('en'))", "new Intl.Locale()", "JSON.stringify(new Intl.Locale('en'))");

for (const d of ["{hours:1,minutes:30}", "{years:1,months:2,weeks:3,days:4,hours:5,minutes:6,seconds:7,milliseconds:8,microseconds:9,nanoseconds:10}", "{seconds:0}", "{minutes:-5,seconds:-3}", "{hours:0,minutes:5,seconds:3}", "{hours:12345}", "{seconds:1,milliseconds:500}", "{days:1}", "{}", "5", "{hours:1.5}", "{hours:1,minutes:-1}"])
  for (const [l, o] of [["en", ""], ["en", ",{style:'long'}"], ["en", ",{style:'narrow'}"], ["en", ",{style:'digital'}"], ["de", ",{style:'long'}"], ["fr", ""], ["ja", ",{style:'long'}"], ["en", ",{hours:'2-digit'}"], ["en", ",{style:'digital',fractionalDigits:2}"], ["en", ",{minutes:'numeric',secondsDisplay:'auto'}"], ["en", ",{style:'long',milliseconds:'numeric'}"]])
    add("duration", "new Intl.DurationFormat('" + l + "'" + o + ").format(" + d + ")");
for (const o of ["", ",{style:'digital'}", ",{hours:'numeric',fractionalDigits:3}", ",{style:'x'}", ",{minutes:'numeric',seconds:'long'}", ",{fractionalDigits:10}", ",null"]) add("duration", "new Intl.DurationFormat('en'" + o + ").resolvedOptions()");
add("duration", "new Intl.DurationFormat('en',{style:'digital'}).formatToParts({days:1,hours:2,seconds:3})", "Intl.DurationFormat()", "Intl.DurationFormat.length", "Intl.DurationFormat.supportedLocalesOf('en')", "Object.getOwnPropertyNames(Intl.DurationFormat.prototype)", "String(new Intl.DurationFormat('en'))", "Intl.DurationFormat.prototype.format.call({},{})");

// ---- shapes and errors
for (const c of ["DateTimeFormat", "NumberFormat", "Collator", "PluralRules", "RelativeTimeFormat", "ListFormat", "Segmenter", "DisplayNames"]) {
  add("shape", `Intl.${c}.length`, `Intl.${c}.name`, `Object.getOwnPropertyNames(Intl.${c})`, `Object.getOwnPropertyNames(Intl.${c}.prototype)`, `String(Intl.${c}.prototype)`, `JSON.stringify(Object.getOwnPropertyDescriptor(Intl,"${c}"))`, `Intl.${c}()`,
    `Object.getOwnPropertyNames(Intl.${c}.prototype).map(k=>{const d=Object.getOwnPropertyDescriptor(Intl.${c}.prototype,k),f=d.value??d.get;return k+" "+f.length+" "+f.name+" "+d.enumerable+" "+d.writable+" "+("prototype" in f)})`,
    `Intl.${c}.supportedLocalesOf(["en-US","de","pt-BR"])`, `Intl.${c}.supportedLocalesOf.length`, `new Intl.${c}("i",{type:"region"})`, `new Intl.${c}("en",null)`, `Intl.${c}.prototype.resolvedOptions.call({})`, `Intl.${c}.prototype.resolvedOptions.call(5)`, `Intl.${c}.prototype.resolvedOptions.call(undefined)`,
    `class X extends Intl.${c}{}, new (class X extends Intl.${c}{})("en",{type:"region"}) instanceof Intl.${c}`, `Object.prototype.toString.call(new Intl.${c}("en",{type:"region"}))`.replace(/region/, c === "DisplayNames" ? "region" : c === "ListFormat" ? "unit" : c === "PluralRules" ? "ordinal" : "region"));
}
add("shape", "String(Intl)", "typeof Intl", "Intl.getCanonicalLocales.length", "Intl.supportedValuesOf.length", "Number.prototype.toLocaleString.length", "Date.prototype.toLocaleDateString.length", "String.prototype.localeCompare.length", "String.prototype.localeCompare.name", "Array.prototype.toLocaleString.length", "'prototype' in Date.prototype.toLocaleString",
  "new Intl.DateTimeFormat('en').format.name", "new Intl.DateTimeFormat('en').format.length", "new Intl.NumberFormat('en').format===new Intl.NumberFormat('en').format", "(f=>f.format===f.format)(new Intl.NumberFormat('en'))", "new Intl.DateTimeFormat('en').format(NaN)", "new Intl.DateTimeFormat('en').format(8.64e15+1)", "new Intl.DateTimeFormat('en').formatRange(1)", "new Intl.DateTimeFormat('en').formatRange(1,NaN)", "new Intl.NumberFormat('en').formatRange(1)", "new Intl.NumberFormat('en').formatRange(1,NaN)", "new Intl.PluralRules('en').selectRange(NaN,1)", "new Intl.PluralRules('en').selectRange(1)",
  "new Date(NaN).toLocaleString()", "new Date(0).toLocaleDateString('en',{timeStyle:'short'})", "new Date(0).toLocaleTimeString('en',{dateStyle:'short'})", "new Intl.DateTimeFormat('en',{dateStyle:'short',hour:'numeric'})", "Date.prototype.toLocaleString.call(1)", "Number.prototype.toLocaleString.call('1')", "BigInt.prototype.toLocaleString.call(1)", "String.prototype.localeCompare.call(null,'a')", "String.prototype.toLocaleUpperCase.call(undefined)",
  "new Intl.NumberFormat('en',{style:'foo'})", "new Intl.NumberFormat('en',{style:'currency'})", "new Intl.NumberFormat('en',{style:'currency',currency:'US'})", "new Intl.NumberFormat('en',{style:'unit'})", "new Intl.NumberFormat('en',{style:'unit',unit:'foo'})", "new Intl.NumberFormat('en',{maximumFractionDigits:101})", "new Intl.NumberFormat('en',{minimumFractionDigits:5,maximumFractionDigits:2})", "new Intl.NumberFormat('en',{maximumSignificantDigits:0})", "new Intl.NumberFormat('en',{roundingIncrement:3})", "new Intl.NumberFormat('en',{roundingIncrement:5,maximumSignificantDigits:2})", "new Intl.NumberFormat('en',{roundingIncrement:5})", "new Intl.NumberFormat('en',{useGrouping:'foo'})", "new Intl.NumberFormat('en',{useGrouping:'true'}).resolvedOptions().useGrouping", "new Intl.NumberFormat('en',{numberingSystem:'f'})", "new Intl.NumberFormat('en',{notation:'x'})", "new Intl.NumberFormat('en').format(Symbol())", "new Intl.NumberFormat('en').format({valueOf(){return 7}})", "new Intl.NumberFormat('en').format({[Symbol.toPrimitive](h){return h==='number'?8:0}})",
  "new Intl.DateTimeFormat('en',{fractionalSecondDigits:4})", "new Intl.DateTimeFormat('en',{hour:'foo'})", "new Intl.DateTimeFormat('en',{timeZone:'Foo/Bar'})", "new Intl.DateTimeFormat('en',{calendar:'x'})", "new Intl.RelativeTimeFormat('en').format(1,'foo')", "new Intl.RelativeTimeFormat('en').format(Infinity,'day')", "new Intl.RelativeTimeFormat('en').formatToParts(NaN,'day')", "new Intl.ListFormat('en').format([1])", "new Intl.ListFormat('en').format(null)", "new Intl.ListFormat('en').format()", "new Intl.ListFormat('en').format('abc')", "new Intl.ListFormat('en',5)", "new Intl.Segmenter('en',5)", "new Intl.Segmenter('en',{granularity:'x'})", "new Intl.Segmenter('en').segment(Symbol())", "new Intl.Segmenter('en').segment('abc').containing(1)", "new Intl.Segmenter('en',{granularity:'word'}).segment('ab cd').containing(3)", "new Intl.Segmenter('en').segment('abc').containing(9)", "String(new Intl.Segmenter('en').segment('abc')[Symbol.iterator]())", "Object.prototype.toString.call(new Intl.Segmenter('en').segment('abc'))",
  "new Intl.DisplayNames('en')", "new Intl.DisplayNames('en',{})", "new Intl.DisplayNames('en',{type:'x'})", "new Intl.DisplayNames('en',{type:'region'}).of('x')", "new Intl.DisplayNames('en',{type:'region',fallback:'none'}).of('QQ')", "new Intl.DisplayNames('en',{type:'language'}).resolvedOptions()",
  "Intl.getCanonicalLocales(['EN-us','zh-hans-cn','iw','de-u-co-phonebk','sr-latn','en-t-fr','en-US-u-nu-latn-ca-gregory'])", "Intl.getCanonicalLocales('en_US')", "Intl.getCanonicalLocales('')", "Intl.getCanonicalLocales(5)", "Intl.getCanonicalLocales([5])", "Intl.getCanonicalLocales(null)", "Intl.getCanonicalLocales()", "Intl.getCanonicalLocales(['en','en'])", "Intl.getCanonicalLocales({length:1,0:'DE'})", "Intl.supportedValuesOf('foo')", "Intl.supportedValuesOf('timeZone').length>400", "Intl.supportedValuesOf('unit').join()", "Intl.DateTimeFormat.supportedLocalesOf('en',{localeMatcher:'foo'})", "Intl.DateTimeFormat.supportedLocalesOf(['en-US','de-XX','en-u-nu-latn'])",
  "[1234.5,[2,3],null,undefined,new Date(0)].toLocaleString('de',{timeZone:'UTC'})", "[].toLocaleString()", "(a=>{a.push(a,1);return a.toLocaleString()})([])", "new Float64Array([1234.5,NaN]).toLocaleString('en')", "Array.prototype.toLocaleString.call({length:2,0:1,1:2})", "'i'.toLocaleUpperCase('tr')", "'I'.toLocaleLowerCase('tr')", "'iI'.toLocaleUpperCase('en')", "'ß'.toLocaleUpperCase('de')", "'a'.toLocaleUpperCase('i')", "'a'.localeCompare('b','i')", "'a'.localeCompare()", "(5).toLocaleString('xx-invalid-locale-zzzzzzzzzzzz')", "new Intl.NumberFormat('ar-u-nu-latn').format===undefined", "new Intl.NumberFormat('en-u-nu-arab').resolvedOptions().locale", "new Intl.NumberFormat('en-u-nu-deva',{numberingSystem:'latn'}).resolvedOptions().locale", "new Intl.DateTimeFormat('en-u-hc-h23',{hour:'numeric'}).resolvedOptions().locale", "new Intl.DateTimeFormat('en-u-hc-h23',{hour:'numeric',hour12:true}).resolvedOptions().locale", "new Intl.NumberFormat('en-u-nu-deva').format(1234.5)", "new Intl.NumberFormat('de-DE').resolvedOptions().locale", "new Intl.NumberFormat(['de-u-nu-foo']).resolvedOptions().locale", "new Intl.NumberFormat('en',Object.create({style:'percent'})).format(0.5)");

(typeof text === "function" ? text : console.log)(JSON.stringify(Object.fromEntries(Object.entries(sets).map(([k, m]) => [k, [...m]]))));
