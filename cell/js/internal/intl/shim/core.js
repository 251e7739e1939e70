"use strict";
const { apply, construct, defineProperty, ownKeys, create, stringify, parse, slice, charCodeAt, weakGet, weakSet, mapGet, mapSet, mapSize, mapClear, split } = P;
const TypeError = P.TypeError, RangeError = P.RangeError, Object = P.Object, String = P.String, Number = P.Number;
const Intl = {};

// ask calls the Go side: its answer is "=" and the result, or "!" and the
// message of a RangeError.
function ask(op, args) {
  const answer = call(op, args);
  if (answer[0] === "!") throw new RangeError(slice(answer, 1));
  return slice(answer, 1);
}

// str is String(v), but a symbol is refused. The engine makes template literals
// with a method that programs can change, so there are none here.
function str(v) {
  if (typeof v === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
  return String(v);
}

// flat is the JSON of an object of texts, numbers and booleans. The engine's own
// may be led astray by what a program defines on Object.prototype.
function flat(r) {
  const names = ownKeys(r);
  let out = "";
  for (let i = 0; i < names.length; i++) {
    const v = r[names[i]];
    if (v !== undefined) out += (out === "" ? "{" : ",") + stringify(names[i]) + ":" + (typeof v === "string" ? stringify(v) : String(v));
  }
  return out + "}";
}

const isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";

function hidden(holder, name, value) {
  defineProperty(holder, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}

function own(holder, name, value) {
  defineProperty(holder, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

// Array methods of the program's realm may be changed; these use none.
function append(list, value) {
  own(list, list.length, value);
}

function includes(list, value) {
  for (let i = 0; i < list.length; i++) if (list[i] === value) return true;
  return false;
}

// ---- objects and their hidden state -----------------------------------------

const slots = new P.WeakMap();

// receiver is how messages name what a method was called on.
function receiver(v) {
  if (typeof v === "function") return str(v);
  if (!isObject(v)) return typeof v === "symbol" ? P.symbolText(v) : str(v);
  let name = "Object";
  try {
    const c = v.constructor;
    if (typeof c === "function" && typeof c.name === "string" && c.name !== "") name = c.name;
  } catch { /* a getter that throws names nothing */ }
  return "#<" + name + ">";
}

function slot(v, kind, method) {
  const s = isObject(v) ? weakGet(slots, v) : undefined;
  if (s === undefined || s.kind !== kind) {
    // V8 has another message where another object may stand in for the receiver.
    const unwrapped = method === "Unwrap" + kind;
    const name = unwrapped && !isObject(v) ? "Intl." + kind + ".prototype.resolvedOptions" : method;
    throw new TypeError("Method " + name + " called on incompatible receiver " + str(name === "UnwrapNumberFormat" ? undefined : receiver(v)));
  }
  return s;
}

function methods(holder, from) {
  const names = ownKeys(from);
  for (let i = 0; i < names.length; i++) {
    const d = P.getOwnPropertyDescriptor(from, names[i]);
    defineProperty(holder, names[i], P.hasOwn(d, "value")
      ? { __proto__: null, value: d.value, writable: true, enumerable: false, configurable: true }
      : { __proto__: null, get: d.get, set: undefined, enumerable: false, configurable: true });
  }
}

// service makes a constructor of Intl. init(state, locales, options) fills the
// hidden state; callable ones may be called without new.
function service(name, length, init, callable, proto, op) {
  const F = function (locales, options) {
    if (new.target === undefined && !callable) throw new TypeError("Constructor Intl." + name + " requires 'new'");
    const o = construct(Object, [], new.target === undefined ? F : new.target);
    const s = { __proto__: null, kind: name, key: "", bound: undefined };
    init(s, locales, options);
    weakSet(slots, o, s);
    return o;
  };
  defineProperty(F, "name", { __proto__: null, value: name, configurable: true });
  defineProperty(F, "length", { __proto__: null, value: length, configurable: true });
  defineProperty(F, "prototype", { __proto__: null, writable: false });
  const where = callable && name !== "Collator" ? "Unwrap" + name : "Intl." + name + ".prototype.resolvedOptions";
  if (op !== "") methods(F.prototype, { resolvedOptions() { return resolved(slot(this, name, where)); } });
  methods(F.prototype, proto);
  defineProperty(F.prototype, P.toStringTag, { __proto__: null, value: "Intl." + name, configurable: true });
  if (op !== "") methods(F, {
    supportedLocalesOf(locales, options = undefined) {
      const list = localeList(locales);
      if (options !== undefined) option(toObject(options, "Intl." + name + ".supportedLocalesOf"), "localeMatcher", MATCHERS, undefined, "Intl." + name + ".supportedLocalesOf");
      return parse(ask("supported", op + "\n" + list));
    },
  });
  hidden(Intl, name, F);
  return F;
}

// resolved makes a fresh object of the resolved options that are the key.
function resolved(s) {
  const from = parse(s.key), out = {}, names = ownKeys(from);
  for (let i = 0; i < names.length; i++) if (charCodeAt(names[i], 0) !== 95) own(out, names[i], from[names[i]]);
  return out;
}

// ---- options ----------------------------------------------------------------

const MATCHERS = ["lookup", "best fit"];

function toObject(v, where) {
  if (v === null || v === undefined) throw new TypeError(where + " called on null or undefined");
  return Object(v);
}

function coerceOptions(v, where) {
  return v === undefined ? create(null) : toObject(v, where);
}

function objectOptions(v) {
  if (v === undefined) return create(null);
  if (!isObject(v)) throw new TypeError("invalid_argument");
  return v;
}

// option reads a text that is one of values, or any if values is undefined.
function option(options, name, values, fallback, where) {
  let v = options[name];
  if (v === undefined) return fallback;
  v = str(v);
  if (values !== undefined && !includes(values, v)) throw new RangeError("Value " + str(v) + " out of range for " + where + " options property " + name);
  return v;
}

function flag(options, name) {
  const v = options[name];
  return v === undefined ? undefined : !!v;
}

function numberIn(v, name, least, most, fallback) {
  if (v === undefined) return fallback;
  v = Number(v);
  if (!(v >= least && v <= most)) throw new RangeError(name + " value is out of range.");
  return P.floor(v);
}

// typeName checks the form of a calendar or numbering system.
function typeName(options, name) {
  const v = option(options, name, undefined, undefined, "");
  if (v === undefined) return undefined;
  const pieces = split(v, "-");
  for (let i = 0; i < pieces.length; i++) {
    const s = pieces[i];
    let ok = s.length >= 3 && s.length <= 8;
    for (let k = 0; ok && k < s.length; k++) {
      const c = charCodeAt(s, k);
      ok = (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122);
    }
    if (!ok) throw new RangeError("Invalid " + name + " : " + str(v));
  }
  return P.toLowerCase(v);
}

// ---- locales ----------------------------------------------------------------

const canonicals = new P.Map();

function canonical(tag) {
  let c = mapGet(canonicals, tag);
  if (c === undefined) {
    c = ask("canon", tag);
    if (mapSize(canonicals) > 100) mapClear(canonicals);
    mapSet(canonicals, tag, c);
  }
  return c;
}

// localeList canonicalizes what a program gave for locales: tags between commas.
function localeList(locales) {
  if (locales === undefined) return "";
  if (typeof locales === "string") return canonical(locales);
  const tagged = isObject(locales) ? weakGet(slots, locales) : undefined;
  if (tagged !== undefined && tagged.kind === "Locale") return tagged.tag;
  if (locales === null) throw new TypeError("Cannot convert undefined or null to object");
  const o = Object(locales), n = P.trunc(Number(o.length)) || 0;
  let out = ",";
  for (let i = 0; i < n; i++) {
    if (!(i in o)) continue;
    const v = o[i];
    if (typeof v !== "string" && !isObject(v)) throw new TypeError("Language ID should be string or object.");
    const s = isObject(v) ? weakGet(slots, v) : undefined;
    const tag = s !== undefined && s.kind === "Locale" ? s.tag : canonical(str(v));
    if (P.indexOf(out, "," + tag + ",") < 0) out += tag + ",";
  }
  return out === "," ? "" : slice(out, 1, -1);
}

methods(Intl, {
  getCanonicalLocales(locales) {
    const list = localeList(locales);
    return list === "" ? [] : split(list, ",");
  },
  supportedValuesOf(key) {
    const k = str(key);
    if (!includes(["calendar", "collation", "currency", "numberingSystem", "timeZone", "unit"], k)) throw new RangeError("Invalid key : " + str(k));
    return parse(ask("values", k));
  },
});

// cached keeps the formatters that toLocale… methods make for plain locales.
const kept = new P.Map();
function cached(kind, locales, options, make) {
  if (options !== undefined || (locales !== undefined && typeof locales !== "string")) return make(locales, options);
  const k = kind + (locales === undefined ? "" : "/" + locales);
  let f = mapGet(kept, k);
  if (f === undefined) {
    f = make(locales, undefined);
    if (mapSize(kept) > 100) mapClear(kept);
    mapSet(kept, k, f);
  }
  return f;
}
