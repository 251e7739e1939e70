// Command gen asks a code-mode host, whose engine has full ICU. It runs
// extract.js there and packs the answer as data/locales.zip, one file for each
// locale and subject; a region's file that equals its language's is left out.
// With -vectors it runs vectors.js instead and writes what the host answered
// to expressions of all kinds, the vectors that the tests hold us to; go test
// -update then adds to those where we differ what we answer.
//
//	go run ./cell/js/internal/intl/gen -host path/to/codex-code-mode-host [-vectors]
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
	"slices"
	"strings"
)

//go:embed extract.js
var extractScript string

//go:embed vectors.js
var vectorScript string

func main() {
	host := flag.String("host", "", "code-mode host to ask")
	vectors := flag.Bool("vectors", false, "write vectors, not data")
	flag.Parse()
	work := writeData
	if *vectors {
		work = writeVectors
	}
	if err := work(*host); err != nil {
		log.Fatal(err)
	}
}

// writeVectors writes a file for each set, a line for each expression.
func writeVectors(host string) error {
	answer, err := ask(host, vectorScript)
	if err != nil {
		return err
	}
	var sets map[string][]json.RawMessage
	if err := json.Unmarshal(answer, &sets); err != nil {
		return fmt.Errorf("decode answer: %w", err)
	}
	for name, rows := range sets {
		var b bytes.Buffer
		b.WriteString("{\"description\": \"Expressions, what the 0.144 host answers with LANG=en_US.UTF-8 and TZ=UTC, and third what berth answers if it is known to differ.\",\n\"vectors\": [\n")
		for i, row := range rows {
			if i > 0 {
				b.WriteString(",\n")
			}
			b.Write(row)
		}
		b.WriteString("\n]}\n")
		if err := os.WriteFile(filepath.Join("conformance/codemode/intl", name+".json"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func writeData(host string) error {
	zones, err := zoneNames()
	if err != nil {
		return fmt.Errorf("list time zones: %w", err)
	}
	list, err := json.Marshal(zones)
	if err != nil {
		return err
	}
	answer, err := ask(host, "globalThis.ZONES = "+string(list)+";\n"+extractScript)
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
	return os.WriteFile("cell/js/internal/intl/data/locales.zip", packed, 0o644)
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
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	zr, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
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
func ask(host, script string) ([]byte, error) {
	cmd := exec.Command(host)
	cmd.Env = append(os.Environ(), "LANG=en_US.UTF-8", "TZ=UTC")
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
	source, err := json.Marshal(script)
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
