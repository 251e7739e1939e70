package cells

import (
	"context"
	"fmt"
	"time"
)

// A computing cell is bound by the JavaScript engine alone. No target: an
// interpreter without a JIT is slower than V8, and the table says how much.
func computeFigures() []figure {
	const group = "Computing"
	of := func(name string, source func(b *bed) string) figure {
		return figure{group: group, name: name, rounds: 3,
			lines: []line{{name: name, unit: "ms", reduce: median}},
			measure: func(ctx context.Context, b *bed) ([][]float64, error) {
				h, err := b.host(ctx)
				if err != nil {
					return nil, err
				}
				begun := time.Now()
				if _, err := h.run(ctx, h.session, source(b)); err != nil {
					return nil, err
				}
				return [][]float64{{milliseconds(time.Since(begun))}}, nil
			}}
	}
	return []figure{
		of("fib(30)", func(b *bed) string {
			return fmt.Sprintf(`const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2); text(fib(%d));`, 30-min(20, b.shrink-1))
		}),
		of("JSON: 10 MB made, parsed, filtered, made", func(b *bed) string {
			return fmt.Sprintf(`const rows = Array.from({ length: %d }, (_, n) => ({ id: n, name: "item " + n, tags: ["a", "b", "c"], price: n * 1.25, ok: n %% 3 === 0 }));
const kept = JSON.parse(JSON.stringify(rows)).filter((row) => row.ok && row.tags.includes("b"));
text(JSON.stringify(kept).length);`, b.n(135_000))
		}),
		of("regular expression over 10 MB", func(b *bed) string {
			return fmt.Sprintf(`const log = "2026-01-02T03:04:05Z INFO request id=12345 took 17ms path=/a/b/c\n".repeat(%d);
let sum = 0;
for (const m of log.matchAll(/id=(\d+) took (\d+)ms/g)) sum += Number(m[2]);
text(sum);`, b.n(155_000))
		}),
	}
}
