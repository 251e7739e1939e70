# Everything that people and CI do with this tree. `make help` lists it.
SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

export CGO_ENABLED = 0

VERSION := $(shell git describe --tags --match 'v*' --dirty 2>/dev/null || echo v0.0.0-dev)
COMMIT  := $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.stamped=$(VERSION) -X main.stampedCommit=$(COMMIT)
BUILD    = go build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)'

PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

# The releases of Codex that the tests run, as cell/internal/codextest lists them.
CODEX := 0.144.0 0.171.0

# Build constraints of tests that need more than a bare `go test` has; `make
# test` brings what npm asks for. They are checked like all other code.
TAGS := codex,npm,soak

# Seconds that all fuzz targets take, minutes of soaking, flags for the
# benchmark and for go test.
FUZZ_SECONDS ?= 600
SOAK         ?= 30
BENCHFLAGS   ?=
TESTFLAGS    ?=

.PHONY: help build up tools test test-codex lint bench fuzz soak dist clean

help: ## list these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

build: ## build bin/berth, static and stamped
	@$(BUILD) -o bin/berth ./cmd/berth

up: build ## build, then show each finished wing at work
	@echo "== cells: a program over the tools of a demo MCP server"
	@sed 's/^/  | /' docs/examples/notes.js
	@bin/berth cell run docs/examples/notes.js --mcp 'bin/berth demo-mcp'
	@echo
	@echo "Next: docs/tour.md"

tools: .tools/npm/.ready ## install the programs that tests run against

.tools/npm/.ready: internal/ci/npm/package.json internal/ci/npm/package-lock.json
	@mkdir -p .tools/npm && cp $^ .tools/npm
	@npm ci --prefix .tools/npm --no-audit --no-fund --loglevel=error
	@touch $@

test: tools ## run every test, with what the tests need
	@go test -json -tags npm -timeout 15m $(TESTFLAGS) ./... | go run ./internal/ci/testreport

test-codex: build $(CODEX:%=.tools/codex/%/bin/codex) ## run real Codex clients with berth as their host
	@go test -json -count=1 -tags codex -timeout 15m ./cell/internal/codextest | go run ./internal/ci/testreport

.tools/codex/%/bin/codex:
	npm install --global --no-audit --no-fund --loglevel=error --prefix .tools/codex/$* @openai/codex@$*

lint: build ## format, vet, staticcheck, the house's own rules, start-up cost
	@unformatted=$$(gofmt -l $(wildcard */)); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-clean:"; echo "$$unformatted"; exit 1; fi
	@go vet -tags '$(TAGS)' ./...
	@go tool staticcheck -tags '$(TAGS)' ./...
	@go test ./internal/lint
	@go run ./internal/ci/inittrace bin/berth version

fuzz: ## fuzz every target, FUZZ_SECONDS in all
	@.ci/fuzz $(FUZZ_SECONDS)

bench: build $(CODEX:%=.tools/codex/%/bin/codex) ## every figure beside the peers', in one table
	@go run ./internal/ci/inittrace bin/berth version >&2
	@go run ./bench $(BENCHFLAGS)

soak: build ## have users come and go at hosts, and kill some, for SOAK minutes
	@go test -json -count=1 -tags soak -timeout 0 ./bench/soak -args -for $(SOAK)m | go run ./internal/ci/testreport

dist: ## build for every platform into dist/, with checksums
	@rm -rf dist && mkdir -p dist
	@for p in $(PLATFORMS); do \
		out=dist/berth-$(VERSION)-$${p%/*}-$${p#*/}; echo "$$out"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} $(BUILD) -o "$$out" ./cmd/berth; \
	done
	@cd dist && if command -v sha256sum >/dev/null; then sha256sum berth-*; else shasum -a 256 berth-*; fi > SHA256SUMS
	@cat dist/SHA256SUMS

clean: ## remove what was built
	@rm -rf bin dist
