package dataurl_test

import (
	"testing"

	"github.com/berth-dev/berth/cell/internal/dataurl"
)

func TestDecode(t *testing.T) {
	for _, c := range []struct{ url, mime, data, fail string }{
		{url: "data:image/png;base64,AAEC", mime: "image/png", data: "\x00\x01\x02"},
		{url: "DATA:text/plain;charset=utf-8,a%20b", mime: "text/plain", data: "a b"},
		{url: "data:;base64,_-8", mime: "application/octet-stream", data: "\xff\xef"},
		{url: "data:,x", mime: "application/octet-stream", data: "x"},
		{url: "data:a/b;base64,YQ", mime: "a/b", data: "a"},
		{url: "data:a/b;base64,????", fail: "data: URL: illegal base64 data at input byte 0"},
		{url: "data:a/b", fail: "data: URL has no comma"},
		{url: "https://h/x.png", fail: "not a data: URL"},
		{url: "", fail: "not a data: URL"},
	} {
		mime, data, err := dataurl.Decode(c.url)
		if c.fail != "" {
			if err == nil || err.Error() != c.fail {
				t.Errorf("%s: %v, want %s", c.url, err, c.fail)
			}
		} else if err != nil || mime != c.mime || string(data) != c.data {
			t.Errorf("%s: %s %q %v", c.url, mime, data, err)
		}
	}
}
