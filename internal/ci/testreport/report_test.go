package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	for _, tt := range []struct {
		name   string
		in     string
		want   string
		wantOK bool
	}{
		{
			name: "passing tests are counted, not shown",
			in: `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA/sub"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`,
			want:   "ok  \tp\t0.1s\n2 passed, 0 failed\n",
			wantOK: true,
		},
		{
			name: "a failing test is shown",
			in: `{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: no\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- FAIL: TestA (0.00s)\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`,
			want: "    a_test.go:3: no\n--- FAIL: TestA (0.00s)\nFAIL\tp\t0.1s\n1 passed, 1 failed\n",
		},
		{
			name: "a package that does not build is a failure",
			in: `{"ImportPath":"p","Action":"build-output","Output":"p/a.go:1:1: syntax error\n"}
{"Action":"pass","Package":"q","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`,
			want: "p/a.go:1:1: syntax error\nFAIL\tp [build failed]\n1 passed, 1 failed\n",
		},
		{
			name: "a test that took its package down is shown",
			in: `{"Action":"output","Package":"p","Test":"TestA","Output":"panic: gone\n"}
{"Action":"fail","Package":"p"}
`,
			want: "panic: gone\n0 passed, 1 failed\n",
		},
		{
			name: "a skipped test is not well",
			in: `{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"p","Test":"TestB"}
`,
			want: "skipped: p TestB: a skipped test tests nothing\n1 passed, 0 failed\n",
		},
		{
			name: "a package without tests is fine beside one with tests",
			in: `{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q"}
{"Action":"pass","Package":"p","Test":"TestA"}
`,
			want:   "?   \tq\t[no test files]\n1 passed, 0 failed\n",
			wantOK: true,
		},
		{
			name: "no test at all",
			in:   "go: no module here\n",
			want: "go: no module here\nno test ran\n0 passed, 0 failed\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			if ok := report(strings.NewReader(tt.in), &out); ok != tt.wantOK {
				t.Errorf("report says %v, want %v", ok, tt.wantOK)
			}
			if diff := cmp.Diff(tt.want, out.String()); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}
