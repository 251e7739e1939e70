package intl

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// maxExponent bounds the powers of ten of a decimal: beyond it a text counts
// as infinite or zero, as a Number would.
const maxExponent = 9999

// A decimal is an exact number: 0.d1d2d3… × 10^point, without leading or
// trailing zeros; zero has no digits.
type decimal struct {
	neg, inf, nan bool
	digits        []byte // '0' to '9'
	point         int
}

// parseDecimal reads what String makes of a Number or BigInt, or a decimal text.
func parseDecimal(s string) (decimal, error) {
	var d decimal
	if s == "NaN" {
		return decimal{nan: true}, nil
	}
	switch {
	case strings.HasPrefix(s, "-"):
		d.neg, s = true, s[1:]
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	}
	if s == "Infinity" {
		d.inf = true
		return d, nil
	}
	mantissa, exp := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.ParseInt(strings.TrimPrefix(s[i+1:], "+"), 10, 32)
		if err != nil {
			e = 1 << 30
			if strings.HasPrefix(s[i+1:], "-") {
				e = -e
			}
		}
		mantissa, exp = s[:i], int(e)
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	if whole+frac == "" || whole != "" && !isDigits(whole) || frac != "" && !isDigits(frac) {
		return d, fmt.Errorf("%w: number %.40q", errOp, s)
	}
	d.digits, d.point = []byte(whole+frac), len(whole)+exp
	d.trim()
	if len(d.digits) > 0 && d.point > maxExponent {
		return decimal{neg: d.neg, inf: true}, nil
	}
	if d.point < -maxExponent {
		return decimal{neg: d.neg}, nil
	}
	return d, nil
}

// trim drops zeros at both ends.
func (d *decimal) trim() {
	i := 0
	for i < len(d.digits) && d.digits[i] == '0' {
		i++
	}
	d.digits, d.point = d.digits[i:], d.point-i
	n := len(d.digits)
	for n > 0 && d.digits[n-1] == '0' {
		n--
	}
	d.digits = d.digits[:n]
	if n == 0 {
		d.point = 0
	}
}

func (d decimal) zero() bool { return !d.inf && !d.nan && len(d.digits) == 0 }

// finite tells that the digits count.
func (d decimal) finite() bool { return !d.inf && !d.nan }

// shift multiplies by a power of ten.
func (d decimal) shift(n int) decimal {
	if d.finite() && len(d.digits) > 0 {
		d.point += n
	}
	return d
}

// exponent is that of scientific notation; 0 for zero.
func (d decimal) exponent() int {
	if len(d.digits) == 0 {
		return 0
	}
	return d.point - 1
}

// roundUp decides whether to go away from zero, given how what is cut off
// compares with half a unit (-1, 0, 1; it is not nothing) and whether the last
// kept digit is odd.
func roundUp(mode string, neg bool, half int, odd bool) bool {
	switch mode {
	case "ceil":
		return !neg
	case "floor":
		return neg
	case "expand":
		return true
	case "trunc":
		return false
	}
	if half != 0 {
		return half > 0
	}
	switch mode {
	case "halfCeil":
		return !neg
	case "halfFloor":
		return neg
	case "halfTrunc":
		return false
	case "halfEven":
		return odd
	}
	return true // halfExpand
}

// keep rounds to n digits; n may be 0 or negative.
func (d decimal) keep(n int, mode string) decimal {
	if !d.finite() || n >= len(d.digits) {
		return d
	}
	half, odd := -1, false
	if n >= 0 {
		switch c := d.digits[n]; {
		case c > '5' || c == '5' && len(d.digits) > n+1:
			half = 1
		case c == '5':
			half = 0
		}
		odd = n > 0 && (d.digits[n-1]-'0')%2 == 1
	}
	up := roundUp(mode, d.neg, half, odd)
	out := decimal{neg: d.neg, digits: append([]byte(nil), d.digits[:max(n, 0)]...), point: d.point}
	if up {
		i := len(out.digits) - 1
		for i >= 0 && out.digits[i] == '9' {
			out.digits[i] = '0'
			i--
		}
		switch {
		case i >= 0:
			out.digits[i]++
		case n > 0:
			out.digits, out.point = append([]byte{'1'}, out.digits...), out.point+1
		default: // a unit of the last place that is kept
			out.digits, out.point = []byte{'1'}, out.point-n+1
		}
	}
	out.trim()
	return out
}

// fraction rounds to at most n fraction digits, to a multiple of increment.
func (d decimal) fraction(n, increment int, mode string) decimal {
	if increment <= 1 || !d.finite() {
		return d.keep(d.point+n, mode)
	}
	// The number of increments is a division that is exact with a few digits
	// more: all increments divide a power of ten.
	q := d.quotient(n, increment)
	q = q.keep(q.point, mode)
	v, _ := new(big.Int).SetString(q.integerText(), 10)
	v.Mul(v, big.NewInt(int64(increment)))
	out := decimal{neg: d.neg, digits: []byte(v.String())}
	out.point = len(out.digits) - n
	out.trim()
	return out
}

// quotient is d × 10^n / increment; the increments' only factors are 2 and 5.
func (d decimal) quotient(n, increment int) decimal {
	const extra = 16 // 5000 = 2^3 × 5^4
	v, ok := new(big.Int).SetString(string(d.digits)+strings.Repeat("0", extra), 10)
	if !ok {
		return d
	}
	v.Quo(v, big.NewInt(int64(increment)))
	q := decimal{neg: d.neg, digits: []byte(v.String())}
	q.point = d.point + n + len(q.digits) - len(d.digits) - extra
	q.trim()
	return q
}

// integerText is the integer part in plain digits.
func (d decimal) integerText() string {
	if d.point <= 0 {
		return "0"
	}
	if d.point >= len(d.digits) {
		return string(d.digits) + strings.Repeat("0", d.point-len(d.digits))
	}
	return string(d.digits[:d.point])
}

// fractionText is the fraction part with at least n digits.
func (d decimal) fractionText(n int) string {
	out := ""
	if d.point < len(d.digits) {
		out = strings.Repeat("0", max(-d.point, 0)) + string(d.digits[max(d.point, 0):])
	}
	if len(out) < n {
		out += strings.Repeat("0", n-len(out))
	}
	return out
}
