package v8err

// parseCode shapes the error of code that did not parse: the module's own, or
// what eval and Function were given.
func (s *Source) parseCode(out *Shaped, r *Raw, raw []rawFrame) {
	where := &raw[0]
	c := &site{src: s, raw: raw[1:], in: r, name: r.Name, message: r.Message, pos: -1}
	if where.file == s.file {
		s.syntax(c, where)
	}
	out.Name, out.Message = c.name, c.message
	out.Frames = s.frames(c, r.Limit)
	out.finish()
}

func (s *Source) syntax(c *site, where *rawFrame) {}
