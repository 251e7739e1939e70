package v8err

// shapeParse shapes the error of a text that did not parse.
func (s *Source) shapeParse(out *Shaped, r *Raw, raw []rawFrame) {
	out.finish()
}

func (c *site) regexp() {}
