
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
