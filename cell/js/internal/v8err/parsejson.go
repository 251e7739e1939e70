package v8err

// parseJSON shapes an error of JSON.parse, whose raw frames follow the place in
// the JSON text.
func (s *Source) parseJSON(out *Shaped, r *Raw, raw []rawFrame) {
	c := &site{src: s, raw: raw[1:], in: r, name: r.Name, message: r.Message, pos: -1}
	if v, ok := c.arg(0); ok {
		if m, bad := jsonError(jsonInput(v)); bad && v.Text != "[object Array]" && v.Text != "#<Array>" {
			c.message = m
		}
	}
	out.Message = c.message
	out.Frames = s.frames(c, r.Limit)
	out.finish()
}

// jsonInput is the text that JSON.parse reads when given v.
func jsonInput(v Value) string {
	if v.Type == "object" {
		return "[object Object]"
	}
	return v.Text
}
