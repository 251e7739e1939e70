package quickjs

import (
	"strings"

	lib "modernc.org/libquickjs"

	"github.com/berth-dev/berth/cell/js"
)

// publish puts the program's globals on the global object, in the order in which
// published hosts do. It reports false when memory was refused.
// Spec: codemode §11.3.
func (i *isolate) publish(p js.Program) bool {
	global := lib.XJS_GetGlobalObject(i.tls(), i.ctx)
	defer i.drop(global)
	i.publishTools(global, p.Tools)
	later := p.Dialect != js.Base
	for magic, h := range i.thread.helpers[:preludeMagic] {
		if h.name == "audio" && !later {
			continue
		}
		i.define(global, h.name, i.newFunction(address(callHelper), magic), lib.MJS_PROP_C_W_E)
		if h.name == "text" && later {
			i.define(global, "content", i.get(i.extras, "content"), lib.MJS_PROP_C_W_E)
		}
	}
	if later {
		for _, name := range []string{"as_settled", "stream_settled"} {
			i.define(global, name, i.get(i.extras, name), lib.MJS_PROP_C_W_E)
		}
	}
	return !i.stopped()
}

func (i *isolate) publishTools(global value, catalogue []js.Tool) {
	tools := lib.XJS_NewObject(i.tls(), i.ctx)
	all := lib.XJS_NewArray(i.tls(), i.ctx)
	i.define(global, "tools", i.dup(tools), lib.MJS_PROP_C_W_E)
	i.define(global, "ALL_TOOLS", i.dup(all), lib.MJS_PROP_C_W_E)
	for k, t := range catalogue[:min(len(catalogue), maxTools)] {
		if i.stopped() {
			break
		}
		name := identifier(t.Name)
		i.define(tools, name, i.newTool(k), lib.MJS_PROP_C_W_E)
		entry := lib.XJS_NewObject(i.tls(), i.ctx)
		i.define(entry, "name", i.newString(name), lib.MJS_PROP_C_W_E)
		i.define(entry, "description", i.newString(t.Description), lib.MJS_PROP_C_W_E)
		lib.XJS_DefinePropertyValueUint32(i.tls(), i.ctx, all, uint32(k), entry, lib.MJS_PROP_C_W_E)
	}
	i.drop(tools)
	i.drop(all)
}

// newTool makes the function of the tool at an index of the catalogue.
func (i *isolate) newTool(index int) value {
	return i.newFunction(address(callTool), int(int16(index)))
}

// maxTools is how many tools a program can have: the engine keeps 16 bits.
const maxTools = 1 << 16

// identifier is a tool's name as a JavaScript identifier: what cannot stand in
// one becomes "_". Spec: codemode §11.3.
func identifier(name string) string {
	if name == "" {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r == '$', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, firstLetter(name))
}

func firstLetter(name string) string {
	if c := name[0]; c >= '0' && c <= '9' {
		return "_" + name[1:]
	}
	return name
}
