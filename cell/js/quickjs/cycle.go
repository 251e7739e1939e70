package quickjs

import (
	"unsafe"

	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js/internal/v8err"
)

// maxCycleSteps is how many properties are looked at for the circle that
// JSON.stringify has run into.
const maxCycleSteps = 20_000

// cycleSearch walks objects as JSON.stringify does, but runs none of the
// program's code: accessors, proxies and toJSON are left out.
type cycleSearch struct {
	*isolate
	path  []cycleStep
	at    map[uintptr]int  // objects on the path to where
	done  map[uintptr]bool // objects that lead to no circle
	steps int
}

// cycleStep is an object on the path, and the keys that are still to be followed.
type cycleStep struct {
	object value
	link   v8err.Link
	keys   []v8err.Link
}

// cycle is the circle that the running JSON.stringify has found; nil if it
// cannot be found without running the program's code.
func (i *isolate) cycle() []v8err.Link {
	root := i.subject
	if f := i.frame(); f != nil && i.bytecode(f.Fcur_func) == nil && f.Farg_count > 0 && f.Farg_buf != 0 {
		root = *(*value)(unsafe.Add(nil, f.Farg_buf))
	}
	if !isObject(root) {
		return nil
	}
	s := cycleSearch{isolate: i, at: make(map[uintptr]int), done: make(map[uintptr]bool)}
	s.push(root, v8err.Link{})
	for len(s.path) > 0 && s.steps < maxCycleSteps {
		top := &s.path[len(s.path)-1]
		if len(top.keys) == 0 {
			s.done[pointer(top.object)] = true
			delete(s.at, pointer(top.object))
			s.path = s.path[:len(s.path)-1]
			continue
		}
		link := top.keys[0]
		top.keys = top.keys[1:]
		if start, ok := s.follow(top.object, link); ok {
			return s.circle(start, link)
		}
	}
	return nil
}

// follow goes to the object behind a key. If that is on the path already, it
// returns where.
func (s *cycleSearch) follow(object value, link v8err.Link) (start int, ok bool) {
	v, ok := s.ownValue(object, link.Key)
	if !ok {
		return 0, false
	}
	defer s.drop(v) // object keeps it alive
	if !isObject(v) || class(v) == lib.EJS_CLASS_PROXY || lib.XJS_IsFunction(s.tls(), s.ctx, v) != 0 || s.done[pointer(v)] {
		return 0, false
	}
	if start, ok = s.at[pointer(v)]; !ok {
		s.push(v, link)
	}
	return start, ok
}

// push puts an object on the path.
func (s *cycleSearch) push(object value, link v8err.Link) {
	link.Class = s.className(object)
	s.at[pointer(object)] = len(s.path)
	s.path = append(s.path, cycleStep{object: object, link: link, keys: s.keys(object)})
}

// circle is the path from start on, closed by the step link.
func (s *cycleSearch) circle(start int, link v8err.Link) []v8err.Link {
	out := []v8err.Link{{Class: s.path[start].link.Class}}
	for _, step := range s.path[start+1:] {
		out = append(out, step.link)
	}
	return append(out, link)
}

// keys are the keys of an object that JSON.stringify visits, in order.
func (s *cycleSearch) keys(object value) []v8err.Link {
	const word = int(unsafe.Sizeof(uintptr(0)))
	p := s.tls().Alloc(2 * word)
	defer s.tls().Free(2 * word)
	table, count := p, p+uintptr(word)
	if lib.XJS_GetOwnPropertyNames(s.tls(), s.ctx, table, count, object, lib.MJS_GPN_STRING_MASK|lib.MJS_GPN_ENUM_ONLY) < 0 {
		s.drop(s.caught())
		s.steps = maxCycleSteps
		return nil
	}
	names, n := *(*uintptr)(unsafe.Add(nil, table)), *(*uint32)(unsafe.Add(nil, count))
	defer lib.XJS_FreePropertyEnum(s.tls(), s.ctx, names, n)
	var out []v8err.Link
	for k := uintptr(0); k < uintptr(n) && s.steps < maxCycleSteps; k++ {
		s.steps++
		e := (*lib.TJSPropertyEnum)(unsafe.Add(nil, names+k*unsafe.Sizeof(lib.TJSPropertyEnum{})))
		v := lib.XJS_AtomToString(s.tls(), s.ctx, e.Fatom)
		name, _ := s.text(v)
		s.drop(v)
		out = append(out, v8err.Link{Key: name, Index: class(object) == lib.EJS_CLASS_ARRAY && name != "" && name[0] <= '9'})
	}
	return out
}
