// The part of a cell's environment that is JavaScript: what the engine lacks.
// It runs once, when the template is built. Its value is a function of the
// natives that only it may call, and that function's value is kept for the Go
// side. Everything it needs later is captured here, out of the program's reach.
(function (natives) {
  "use strict";
  const { create, defineProperty, defineProperties, getPrototypeOf, setPrototypeOf } = Object;
  const { apply, construct } = Reflect;
  const { floor } = Math;
  const FunctionPrototype = Function.prototype;
  const PromiseResolve = Promise.resolve.bind(Promise);
  const PromiseReject = Promise.reject.bind(Promise);
  const then = Promise.prototype.then;
  const TypeErrorCtor = TypeError;
  const ReferenceErrorCtor = ReferenceError;
  const ErrorCtor = Error;
  const ObjectCtor = Object;
  const NumberCtor = Number;
  const ArrayCtor = Array;
  const PromiseCtor = Promise;
  const MapCtor = Map;

  // method makes a built-in: not a constructor, with a name and a length.
  const method = (holder, key, length, f, name) => {
    setPrototypeOf(f, FunctionPrototype); // async ones have another
    defineProperty(f, "name", { value: name ?? (typeof key === "symbol" ? `[${key.description}]` : key), configurable: true });
    defineProperty(f, "length", { value: length, configurable: true });
    defineProperty(holder, key, { value: f, writable: true, enumerable: false, configurable: true });
  };
  const getter = (holder, key, get) => {
    defineProperty(get, "name", { value: `get ${key}`, configurable: true });
    defineProperty(holder, key, { get, enumerable: false, configurable: true });
  };
  const tagged = (proto, tag) =>
    defineProperty(proto, Symbol.toStringTag, { value: tag, writable: false, enumerable: false, configurable: true });
  const put = (target, i, value) => defineProperty(target, i, { value, writable: true, enumerable: true, configurable: true });
  const isObject = (v) => (typeof v === "object" && v !== null) || typeof v === "function";

  // What the engine has and V8 has not.
  for (const name of ["Atomics", "SharedArrayBuffer", "InternalError", Symbol.toStringTag]) delete globalThis[name];
  for (const name of ["fileName", "lineNumber", "columnNumber"]) delete FunctionPrototype[name];
  delete Set.groupBy;
  setPrototypeOf(globalThis, create(ObjectCtor.prototype, { constructor: { value: ObjectCtor, writable: true, configurable: true } }));

  // The C library reads the time zone's file when it is first asked, for all
  // isolates; once there is a sandbox it could not.
  new Date(0).getTimezoneOffset();

  // Built-ins show their source as V8's do.
  const functionText = FunctionPrototype.toString;
  const { endsWith, slice, startsWith } = String.prototype;
  const nativeBody = " {\n    [native code]\n}";
  method(FunctionPrototype, "toString", 0, { toString() {
    if (typeof this !== "function") throw new TypeErrorCtor("Function.prototype.toString requires that 'this' be a Function");
    const text = apply(functionText, this, []);
    if (!apply(endsWith, text, [nativeBody])) return text;
    if (apply(startsWith, text, ["function bound "])) return "function () { [native code] }";
    return apply(slice, text, [0, -nativeBody.length]) + " { [native code] }";
  } }.toString);

  // Errors, as V8 has them.
  ErrorCtor.stackTraceLimit = 10;
  method(ErrorCtor, "captureStackTrace", 2, natives.captureStackTrace);

  // Explicit resource management.
  for (const name of ["dispose", "asyncDispose"]) {
    if (!(name in Symbol)) {
      defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`), writable: false, enumerable: false, configurable: false });
    }
  }
  const { dispose, asyncDispose, iterator, asyncIterator } = Symbol;

  if (typeof SuppressedError === "undefined") {
    const SuppressedErrorCtor = function SuppressedError(error, suppressed, message) {
      const self = new.target === undefined || new.target === SuppressedErrorCtor
        ? natives.newError(SuppressedErrorCtor.prototype, message)
        : natives.newError(new.target.prototype, message);
      defineProperty(self, "error", { value: error, writable: true, enumerable: false, configurable: true });
      defineProperty(self, "suppressed", { value: suppressed, writable: true, enumerable: false, configurable: true });
      return self;
    };
    defineProperty(SuppressedErrorCtor, "length", { value: 3, configurable: true });
    setPrototypeOf(SuppressedErrorCtor, ErrorCtor);
    const proto = create(ErrorCtor.prototype);
    defineProperty(SuppressedErrorCtor, "prototype", { value: proto, writable: false, enumerable: false, configurable: false });
    defineProperties(proto, {
      constructor: { value: SuppressedErrorCtor, writable: true, enumerable: false, configurable: true },
      name: { value: "SuppressedError", writable: true, enumerable: false, configurable: true },
      message: { value: "", writable: true, enumerable: false, configurable: true },
    });
    defineProperty(globalThis, "SuppressedError", { value: SuppressedErrorCtor, writable: true, enumerable: false, configurable: true });
  }
  const suppressed = (error, before) => new globalThisSuppressedError(error, before, "An error was suppressed during disposal");
  const globalThisSuppressedError = SuppressedError;

  const IteratorPrototype = Iterator.prototype;
  if (!(dispose in IteratorPrototype)) {
    method(IteratorPrototype, dispose, 0, { f() {
      const close = this.return;
      if (close !== undefined && close !== null) apply(close, this, []);
    } }.f, "[Symbol.dispose]");
  }
  const AsyncIteratorPrototype = getPrototypeOf(getPrototypeOf(async function* () {}.prototype));
  if (!(asyncDispose in AsyncIteratorPrototype)) {
    method(AsyncIteratorPrototype, asyncDispose, 0, { f() {
      try {
        const close = this.return;
        if (close === undefined || close === null) return PromiseResolve(undefined);
        return apply(then, PromiseResolve(apply(close, this, [])), [() => undefined]);
      } catch (e) {
        return PromiseReject(e);
      }
    } }.f, "[Symbol.asyncDispose]");
  }

  // disposer finds the method that disposes of a resource.
  const disposer = (value, async) => {
    if (value === null || value === undefined) return undefined;
    if (!isObject(value)) throw new TypeErrorCtor("An object is expected with `using` declarations");
    const wanted = async ? value[asyncDispose] : undefined;
    if (wanted !== undefined && wanted !== null) return callable(wanted, "Symbol.asyncDispose");
    const f = callable(value[dispose], "Symbol.dispose");
    return async ? function () { apply(f, this, []); } : f;
  };
  const callable = (f, name) => {
    if (typeof f !== "function") throw new TypeErrorCtor(`Symbol(${name}) is not a function`);
    return f;
  };

  const makeStack = (name, async) => {
    const key = async ? asyncDispose : dispose;
    const verb = async ? "disposeAsync" : "dispose";
    let state; // reads #state, or undefined
    const Stack = class {
      #disposed = false;
      #entries = [];
      static { state = (v) => (isObject(v) && #entries in v ? v : undefined); }
      static adopt(from) {
        const to = new Stack();
        to.#entries = from.#entries;
        from.#entries = [];
        from.#disposed = true;
        return to;
      }
      disposed() { return this.#disposed; }
      push(entry) { put(this.#entries, this.#entries.length, entry); }
      take() {
        const e = this.#entries;
        this.#entries = [];
        this.#disposed = true;
        return e;
      }
    };
    const { adopt } = Stack;
    const { disposed, push, take } = Stack.prototype;
    for (const k of ["adopt"]) delete Stack[k];
    for (const k of ["disposed", "push", "take"]) delete Stack.prototype[k];
    const own = (self, what) => {
      if (state(self) === undefined) {
        throw new TypeErrorCtor(`Method ${what === "disposed" ? "get " : ""}${name}.prototype.${what} called on incompatible receiver ${natives.display(self)}`);
      }
      return self;
    };
    const live = (self, what) => {
      if (apply(disposed, own(self, what), [])) {
        throw new ReferenceErrorCtor(`Cannot call ${name}.prototype.${what} on an already-disposed ${name}`);
      }
      return self;
    };
    const proto = Stack.prototype;
    const Public = function () {
      if (new.target === undefined) throw new TypeErrorCtor(`Constructor ${name} requires 'new'`);
      return construct(Stack, [], new.target);
    };
    defineProperty(Public, "name", { value: name, configurable: true });
    defineProperty(Public, "prototype", { value: proto, writable: false, enumerable: false, configurable: false });
    defineProperty(proto, "constructor", { value: Public, writable: true, enumerable: false, configurable: true });
    getter(proto, "disposed", { f() { return apply(disposed, own(this, "disposed"), []); } }.f);
    method(proto, "use", 1, { f(value) {
      live(this, "use");
      const f = disposer(value, async);
      if (f !== undefined) apply(push, this, [{ f, self: value, args: [] }]);
      return value;
    } }.f);
    method(proto, "adopt", 2, { f(value, onDispose) {
      live(this, "adopt");
      if (typeof onDispose !== "function") throw new TypeErrorCtor(`${natives.display(onDispose)} is not a function`);
      apply(push, this, [{ f: onDispose, self: undefined, args: [value] }]);
      return value;
    } }.f);
    method(proto, "defer", 1, { f(onDispose) {
      live(this, "defer");
      if (typeof onDispose !== "function") throw new TypeErrorCtor(`${natives.display(onDispose)} is not a function`);
      apply(push, this, [{ f: onDispose, self: undefined, args: [] }]);
    } }.f);
    method(proto, "move", 0, { f() { return adopt(live(this, "move")); } }.f);
    const run = { f() {
      if (apply(disposed, own(this, verb), [])) return;
      const entries = apply(take, this, []);
      let failed = false, error;
      for (let i = entries.length - 1; i >= 0; i--) {
        try {
          apply(entries[i].f, entries[i].self, entries[i].args);
        } catch (e) {
          error = failed ? suppressed(e, error) : e;
          failed = true;
        }
      }
      if (failed) throw error;
    } }.f;
    const runAsync = { async f() {
      if (apply(disposed, own(this, verb), [])) return;
      const entries = apply(take, this, []);
      let failed = false, error;
      for (let i = entries.length - 1; i >= 0; i--) {
        try {
          await apply(entries[i].f, entries[i].self, entries[i].args);
        } catch (e) {
          error = failed ? suppressed(e, error) : e;
          failed = true;
        }
      }
      if (failed) throw error;
    } }.f;
    const f = async ? runAsync : run;
    method(proto, verb, 0, f);
    defineProperty(proto, key, { value: f, writable: true, enumerable: false, configurable: true });
    tagged(proto, name);
    defineProperty(globalThis, name, { value: Public, writable: true, enumerable: false, configurable: true });
  };
  if (typeof DisposableStack === "undefined") makeStack("DisposableStack", false);
  if (typeof AsyncDisposableStack === "undefined") makeStack("AsyncDisposableStack", true);

  if (typeof ArrayCtor.fromAsync !== "function") {
    const isConstructor = natives.isConstructor;
    const toLength = (v) => {
      const n = NumberCtor(v);
      return n > 0 ? (n < 2 ** 53 - 1 ? floor(n) : 2 ** 53 - 1) : 0;
    };
    method(ArrayCtor, "fromAsync", 1, { async f(items, mapper, thisArg) {
      if (mapper !== undefined && typeof mapper !== "function") throw new TypeErrorCtor(`${natives.display(mapper)} is not a function`);
      const C = this;
      if (items === null || items === undefined) {
        throw new TypeErrorCtor(`Cannot read properties of ${items} (reading 'Symbol(Symbol.asyncIterator)')`);
      }
      const usingAsync = items[asyncIterator];
      const usingSync = usingAsync === undefined || usingAsync === null ? items[iterator] : undefined;
      let k = 0;
      if ((usingAsync !== undefined && usingAsync !== null) || (usingSync !== undefined && usingSync !== null)) {
        const result = isConstructor(C) ? new C() : [];
        const from = { __proto__: null, [usingSync === undefined || usingSync === null ? asyncIterator : iterator]: () => apply(usingSync ?? usingAsync, items, []) };
        for await (const value of from) {
          put(result, k, mapper === undefined ? value : await apply(mapper, thisArg, [value, k]));
          k++;
        }
        result.length = k;
        return result;
      }
      const like = ObjectCtor(items);
      const n = toLength(like.length);
      const result = isConstructor(C) ? new C(n) : new ArrayCtor(n);
      for (; k < n; k++) {
        let value = await like[k];
        if (mapper !== undefined) value = await apply(mapper, thisArg, [value, k]);
        put(result, k, value);
      }
      result.length = n;
      return result;
    } }.f);
  }

  // CallSites for Error.prepareStackTrace. A frame is [function, file, line,
  // column, type, method, top level, constructor, async, text].
  class CallSite {
    #f;
    constructor(frame) { this.#f = frame; }
    getThis() { return undefined; }
    getTypeName() { return this.#f[4]; }
    getFunction() { return undefined; }
    getFunctionName() { return this.#f[0]; }
    getMethodName() { return this.#f[5]; }
    getFileName() { return this.#f[1]; }
    getLineNumber() { return this.#f[2]; }
    getColumnNumber() { return this.#f[3]; }
    getEvalOrigin() { return undefined; }
    getScriptNameOrSourceURL() { return this.#f[1]; }
    getScriptHash() { return ""; }
    getEnclosingLineNumber() { return this.#f[2]; }
    getEnclosingColumnNumber() { return this.#f[3]; }
    getPosition() { return 0; }
    getPromiseIndex() { return null; }
    isToplevel() { return this.#f[6]; }
    isNative() { return false; }
    isConstructor() { return this.#f[7]; }
    isAsync() { return this.#f[8]; }
    isEval() { return false; }
    isPromiseAll() { return false; }
    toString() { return this.#f[9]; }
  }
  const { parse } = JSON;
  const callSites = (json) => {
    const frames = parse(json);
    for (let i = 0; i < frames.length; i++) {
      frames[i] = new CallSite(frames[i]);
    }
    return frames;
  };

  // What later hosts add. Spec: codemode §15.
  const { block } = natives;
  const over = (items, method) => ({ __proto__: null, [iterator]: () => apply(method, items, []) });
  const content = { content(value) {
    const method = typeof value === "string" ? undefined : value?.[iterator];
    if (typeof method !== "function") {
      block(value);
      return;
    }
    for (const item of over(value, method)) block(item);
  } }.content;

  // as_settled yields results in the order in which they arrive.
  const settleAll = (promises) => {
    const arrived = [];
    const queue = { arrived, waiting: 0, notify: undefined, done: false };
    const arrive = (result) => {
      queue.waiting--;
      if (queue.done) return;
      put(arrived, arrived.length, result);
      queue.notify?.();
    };
    const watch = (index, promise) => {
      queue.waiting++;
      apply(then, PromiseResolve(promise), [
        (value) => arrive({ index, status: "fulfilled", value }),
        (reason) => arrive({ index, status: "rejected", reason }),
      ]);
    };
    const named = promises instanceof MapCtor;
    let index = 0;
    try {
      for (const item of promises) named ? watch(item[0], item[1]) : watch(index++, item);
    } catch (e) {
      queue.done = true;
      throw e;
    }
    return queue;
  };
  async function* results(queue) {
    try {
      for (let next = 0; ; next++) {
        if (next === queue.arrived.length) {
          if (queue.waiting === 0) return;
          await new PromiseCtor((resolve) => { queue.notify = resolve; });
          queue.notify = undefined;
        }
        const result = queue.arrived[next];
        queue.arrived[next] = undefined;
        yield result;
      }
    } finally {
      queue.done = true;
    }
  }
  const as_settled = { as_settled(promises) { return results(settleAll(promises)); } }.as_settled;
  const stream_settled = { async stream_settled(promises, emit) {
    if (typeof emit !== "function") throw new TypeErrorCtor("stream_settled requires a callback");
    for await (const result of as_settled(promises)) await emit(result);
  } }.stream_settled;

  return { callSites, content, as_settled, stream_settled };
})
