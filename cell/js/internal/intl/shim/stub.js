// Keeps the built-ins that Intl needs, and defines what leads to it. Nothing is
// loaded before a program touches Intl or one of the methods below.
(function (load) {
  "use strict";
  const { apply, construct, defineProperty, getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { bind, call } = Function.prototype;
  const uncurry = (f) => apply(bind, call, [f]); // f's this becomes its first argument
  const P = {
    __proto__: null,
    apply, construct, defineProperty, getOwnPropertyDescriptor, ownKeys,
    Object, String, Number, BigInt, TypeError, RangeError, Map, WeakMap,
    create: Object.create, is: Object.is,
    stringify: JSON.stringify, parse: JSON.parse, now: Date.now,
    floor: Math.floor, min: Math.min, trunc: Math.trunc,
    toPrimitive: Symbol.toPrimitive, iterator: Symbol.iterator, toStringTag: Symbol.toStringTag,
    iteratorPrototype: getPrototypeOf(getPrototypeOf([][Symbol.iterator]())),
    slice: uncurry(String.prototype.slice), charCodeAt: uncurry(String.prototype.charCodeAt), trim: uncurry(String.prototype.trim),
    indexOf: uncurry(String.prototype.indexOf), split: uncurry(String.prototype.split), replaceAll: uncurry(String.prototype.replaceAll),
    toUpperCase: uncurry(String.prototype.toUpperCase), toLowerCase: uncurry(String.prototype.toLowerCase), normalize: uncurry(String.prototype.normalize),
    numberValue: uncurry(Number.prototype.valueOf), bigintValue: uncurry(BigInt.prototype.valueOf), dateValue: uncurry(Date.prototype.getTime),
    hasOwn: Object.hasOwn, symbolText: uncurry(Symbol.prototype.toString),
    mapGet: uncurry(Map.prototype.get), mapSet: uncurry(Map.prototype.set), mapSize: uncurry(getOwnPropertyDescriptor(Map.prototype, "size").get), mapClear: uncurry(Map.prototype.clear),
    weakGet: uncurry(WeakMap.prototype.get), weakSet: uncurry(WeakMap.prototype.set),
  };
  let impl = () => {
    const loaded = load(P);
    impl = () => loaded;
    return loaded;
  };
  const define = (holder, methods) => {
    const names = ownKeys(methods);
    for (let i = 0; i < names.length; i++) {
      defineProperty(holder, names[i], { __proto__: null, value: methods[names[i]], writable: true, enumerable: false, configurable: true });
    }
  };
  define(Number.prototype, { toLocaleString(locales = undefined, options = undefined) { return impl().number(this, locales, options); } });
  define(BigInt.prototype, { toLocaleString(locales = undefined, options = undefined) { return impl().bigint(this, locales, options); } });
  define(Date.prototype, {
    toLocaleString(locales = undefined, options = undefined) { return impl().date(this, locales, options, "toLocaleString"); },
    toLocaleDateString(locales = undefined, options = undefined) { return impl().date(this, locales, options, "toLocaleDateString"); },
    toLocaleTimeString(locales = undefined, options = undefined) { return impl().date(this, locales, options, "toLocaleTimeString"); },
  });
  define(String.prototype, {
    localeCompare(that, locales = undefined, options = undefined) { return impl().compare(this, that, locales, options); },
    toLocaleUpperCase(locales = undefined) { return impl().upper(this, locales); },
    toLocaleLowerCase(locales = undefined) { return impl().lower(this, locales); },
  });
  // The engine's own texts lack the name of the time zone.
  const { toString: dateText, toTimeString: timeText } = Date.prototype;
  define(Date.prototype, {
    toString() { return impl().dated(this, dateText, "toString"); },
    toTimeString() { return impl().dated(this, timeText, "toTimeString"); },
  });
  const list = { toLocaleString(locales = undefined, options = undefined) { return impl().list(this, locales, options); } };
  define(Array.prototype, list);
  define(getPrototypeOf(Uint8Array.prototype), { toLocaleString(locales = undefined, options = undefined) { return impl().list(this, locales, options); } });

  const settle = (value) => {
    defineProperty(globalThis, "Intl", { __proto__: null, value, writable: true, enumerable: false, configurable: true });
    return value;
  };
  defineProperty(globalThis, "Intl", {
    __proto__: null,
    get: () => settle(impl().Intl),
    set: (value) => { settle(value); },
    enumerable: false,
    configurable: true,
  });
  return () => { settle(impl().Intl); };
})
