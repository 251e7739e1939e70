package quickjs

// rawError is a new error as the engine makes it.
type rawError struct {
	Name, Message string
	Stack         string // the engine's
	Thrown        bool   // by the engine, not made by the program
}

// shapedError is what V8 would have made of it.
type shapedError struct {
	Message   string
	Stack     string
	CallSites string // JSON
}

func (i *isolate) shapeError(in rawError, limit int) shapedError {
	return shapedError{Message: in.Message, Stack: in.Name + ": " + in.Message + "\n" + in.Stack, CallSites: "[]"}
}
func (i *isolate) failCompile() { i.fail(i.caught()) }

type lowered struct{}
