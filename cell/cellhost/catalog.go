package cellhost

import (
	"slices"

	"github.com/berth-dev/berth/cell"
	"github.com/berth-dev/berth/cell/codemode"
)

// target is what a tool call says again. Spec: codemode §7.
type target struct {
	name codemode.WireToolName
	kind codemode.WireToolKind
}

// catalog is the most recent revision of a session's tools; 0 means none.
type catalog struct {
	revision    uint64
	definitions []codemode.WireToolDefinition
	tools       []cell.Tool
}

// tools returns the tools of an execute. A revision defines them once; later
// executes of the same revision may come without. Only the highest is kept: an
// older one can still be sent in full. Spec: codemode §15.
func (s *session) tools(r *codemode.WireExecuteRequest) ([]cell.Tool, error) {
	if r.CatalogRevision == nil {
		return convertTools(r.EnabledTools), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch revision := *r.CatalogRevision; {
	case revision == 0:
		return nil, codemode.InvalidCatalog()
	case revision == s.catalog.revision && len(r.EnabledTools) == 0:
		return s.catalog.tools, nil
	case revision == s.catalog.revision && !slices.EqualFunc(r.EnabledTools, s.catalog.definitions, sameTool):
		return nil, codemode.ConflictingCatalog()
	case revision == s.catalog.revision:
		return s.catalog.tools, nil
	case len(r.EnabledTools) == 0:
		return nil, codemode.UnknownCatalog()
	case revision < s.catalog.revision:
		return convertTools(r.EnabledTools), nil
	default:
		s.catalog = catalog{revision: revision, definitions: r.EnabledTools, tools: convertTools(r.EnabledTools)}
		return s.catalog.tools, nil
	}
}

func sameTool(a, b codemode.WireToolDefinition) bool {
	return a.Name == b.Name && a.Description == b.Description && a.Kind == b.Kind &&
		a.ToolName.Name == b.ToolName.Name && same(a.ToolName.Namespace, b.ToolName.Namespace)
}

func same(a, b *string) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func convertTools(definitions []codemode.WireToolDefinition) []cell.Tool {
	tools := make([]cell.Tool, len(definitions))
	for i, d := range definitions {
		tools[i] = cell.Tool{Name: d.Name, Description: d.Description, Target: target{d.ToolName, d.Kind}}
	}
	return tools
}
