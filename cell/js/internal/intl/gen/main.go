// Command gen writes data/locales.zip: it runs extract.js in a code-mode host,
// whose engine has full ICU, and packs the answer, one file for each locale and
// subject. A region's file that equals its language's is left out.
//
//	go run ./cell/js/internal/intl/gen -host path/to/codex-code-mode-host
package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

//go:embed extract.js
var script string

func main() {
	host := flag.String("host", "", "code-mode host to ask")
	from := flag.String("from", "", "read its answer from this `file` instead")
	out := flag.String("out", "cell/js/internal/intl/data/locales.zip", "archive to write")
	flag.Parse()
	if err := run(*host, *from, *out); err != nil {
		log.Fatal(err)
	}
}

func run(host, from, out string) error {
	answer, err := os.ReadFile(from)
	if from == "" {
		answer, err = ask(host)
	}
	if err != nil {
		return err
	}
	var data map[string]map[string]json.RawMessage
	if err := json.Unmarshal(answer, &data); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	packed, err := pack(data)
	if err != nil {
		return err
	}
	return os.WriteFile(out, packed, 0o644)
}

// pack makes the archive, the same bytes for the same data.
func pack(data map[string]map[string]json.RawMessage) ([]byte, error) {
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	zw.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	var names []string
	for locale, subjects := range data {
		for subject, raw := range subjects {
			if base, _, ok := strings.Cut(locale, "-"); ok && bytes.Equal(raw, data[base][subject]) {
				continue
			}
			names = append(names, locale+"/"+subject)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		locale, subject, _ := strings.Cut(name, "/")
		w, err := zw.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(data[locale][subject]); err != nil {
			return nil, err
		}
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// zoneNames lists the names that Go knows.
func zoneNames() ([]string, error) {
	zr, err := zip.OpenReader(filepath.Join(runtime.GOROOT(), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return nil, err
	}
	defer zr.Close()
	var names []string
	for _, f := range zr.File {
		if !strings.HasSuffix(f.Name, "/") {
			names = append(names, f.Name)
		}
	}
	return names, nil
}

// ask runs the script as one cell and returns its text.
func ask(host string) ([]byte, error) {
	zones, err := zoneNames()
	if err != nil {
		return nil, fmt.Errorf("list time zones: %w", err)
	}
	list, err := json.Marshal(zones)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(host)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start host: %w", err)
	}
	send := func(v string) {
		_, _ = stdin.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(v))), v...))
	}
	source, err := json.Marshal("globalThis.ZONES = " + string(list) + ";\n" + script)
	if err != nil {
		return nil, err
	}
	send(`{"type":"connection/hello","supportedVersions":[1],"requiredCapabilities":[],"optionalCapabilities":[]}`)
	send(`{"type":"operation/request","id":1,"request":{"method":"session/open","sessionId":"gen"}}`)
	send(`{"type":"operation/request","id":2,"request":{"method":"session/execute","sessionId":"gen","request":{"tool_call_id":"gen","enabled_tools":[],"yield_time_ms":3600000,"source":` + string(source) + `}}}`)
	answer, err := result(stdout)
	return answer, errors.Join(err, stdin.Close(), cmd.Wait())
}

// result reads frames up to the cell's output.
func result(r io.Reader) ([]byte, error) {
	for {
		var n uint32
		if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
			return nil, fmt.Errorf("read frame: %w", err)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(r, body); err != nil {
			return nil, fmt.Errorf("read frame: %w", err)
		}
		var msg struct {
			Type   string `json:"type"`
			Result struct {
				Value struct {
					Result struct {
						Items []struct {
							Text string `json:"text"`
						} `json:"content_items"`
						Error *string `json:"error_text"`
					}
				} `json:"value"`
			} `json:"result"`
		}
		if err := json.Unmarshal(body, &msg); err != nil || msg.Type != "execute/initialResponse" {
			continue
		}
		res := msg.Result.Value.Result
		if res.Error != nil || len(res.Items) != 1 {
			return nil, fmt.Errorf("cell failed: %v", res.Error)
		}
		return []byte(res.Items[0].Text), nil
	}
}
