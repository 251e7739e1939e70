// Package intl gives cells the Intl object and the toLocale… methods: a script
// that holds the objects' shapes and reads options, and the Go side that it
// calls for all formatting. It knows no engine.
//
// What whoever binds it to an engine has to do:
//
//  1. Evaluate [StubSource] once per realm (in a snapshot, say): it evaluates
//     to a function, to be called with load, itself a function. It defines the
//     toLocale… methods, String.prototype.localeCompare and, on globalThis, an
//     accessor Intl that becomes a plain data property when first read or
//     written. It keeps the built-ins that the rest needs, so that a program
//     may change prototypes as it likes. Nothing else happens until a program
//     touches one of them.
//  2. load(P) is called at most once per realm, with the kept built-ins. It
//     evaluates [Source] to a function, calls that with (call, P) and returns
//     the result. Both sources may be compiled to bytecode beforehand. A
//     binder that finds the word Intl in a program may call the function that
//     step 1's function returns, before the program runs: then Intl is a data
//     property from the start.
//  3. call(op, args) passes two strings to [Instance.Call] and returns its
//     string. A Go error means a defect of the binding; throw it.
//
// Strings cross as UTF-8; a lone surrogate may be encoded as if it were a
// scalar value. Frames of both scripts are best left out of stack traces.
//
// An [Instance] decodes its tables when they are first needed and may be
// shared by any number of realms and goroutines. Languages: English (US, GB,
// CA, AU, IN), German, French, Spanish, Italian, Portuguese (BR), Japanese and
// Chinese (simplified); requests for others resolve to the default locale, and
// resolvedOptions and supportedLocalesOf say so. The data under data/ is made
// by gen and never edited. Spec: codemode §11.
package intl
