package cell_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/berth-dev/berth/cell"
)

func TestMachineMemory(t *testing.T) {
	const total = "MemTotal:        2097152 kB\nMemFree:          1 kB\n"
	for name, tc := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"machine": {map[string]string{"proc/meminfo": total}, 2 << 30},
		"version 2": {map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/a/b\n",
			"cg/a/b/memory.max": "max\n", "cg/a/memory.max": "1073741824\n"}, 1 << 30},
		"version 2, in a container": {map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/gone\n",
			"cg/memory.max": "536870912\n"}, 512 << 20},
		"version 1": {map[string]string{"proc/meminfo": total, "proc/self/cgroup": "5:cpu,memory:/a\n3:cpu:/b\n",
			"cg/memory/a/memory.limit_in_bytes": "268435456\n", "cg/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 256 << 20},
		"cgroup over the machine": {map[string]string{"proc/meminfo": total, "proc/self/cgroup": "0::/\n",
			"cg/memory.max": "99999999999999\n"}, 2 << 30},
		"garbage": {map[string]string{"proc/meminfo": "MemTotal: 2097152 kB\n", "proc/self/cgroup": "x\n0::\n",
			"cg/memory.max": "?\n"}, 2 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tc.files {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := cell.ReadMemory(filepath.Join(dir, "proc"), filepath.Join(dir, "cg")); got != tc.want {
				t.Errorf("%d, want %d", got, tc.want)
			}
		})
	}
	if cell.DefaultHostMemory() < 64<<20 {
		t.Errorf("default of %d bytes", cell.DefaultHostMemory())
	}
}
