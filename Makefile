# Everything that one does with this repository. `make` alone lists it.

VERSION   := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS   := -s -w -X main.version=$(VERSION)
# What `cross` compiles for: one architecture each is enough to find a platform's missing file.
PLATFORMS := linux/amd64 darwin/arm64 windows/amd64
# A cache of its own for each clone: golangci-lint's shared one answers with the paths of the clone that was linted first.
LINT      := GOLANGCI_LINT_CACHE=$(CURDIR)/bin/lint-cache go tool -modfile=$(CURDIR)/tools/golangci-lint.mod golangci-lint
# Modules inside this one, whose dependencies stay out of ours.
NESTED    := $(shell find . -mindepth 2 -name go.mod -not -path '*/testdata/*' -exec dirname {} \;)
# Never from the cache: real sockets, clocks and commands are tested, which the cache does not see.
TEST      := go test -race -count=1 -timeout 10m
# How long each fuzz target runs.
FUZZTIME  ?= 10s

SHELL         := bash
.DEFAULT_GOAL := help
.NOTPARALLEL:

# $(call in-nested,COMMAND) runs a command in each nested module, and stops at the first that fails.
in-nested = @for dir in $(NESTED); do echo "in $$dir: $(1)"; (cd $$dir && $(1)) || exit 1; done

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/faultsrv
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/faultsrv

.PHONY: release
release: ## Build the archives, SBOMs and checksums of a release, in dist/
	rm -rf dist
	go run ./tools/release -version '$(VERSION)' -time "$$(git log -1 --format=%ct)" -out dist

.PHONY: verdicts
verdicts: build ## Judge the reference client, net/http and curl, and say what each keeps
	@tools/verdicts.sh bin/faultsrv

.PHONY: demo
demo: build ## Show what a retry may cost: one order, three clients
	@bin/faultsrv demo --out out/demo

# What the drivers of clients need from npm, pinned by their lock files; npm writes the file when all is there.
NODE_DRIVERS := $(patsubst %/package-lock.json,%/node_modules/.package-lock.json,$(shell find suites/clients -name package-lock.json -not -path '*/node_modules/*'))
%/node_modules/.package-lock.json: %/package-lock.json
	npm ci --prefix $* --no-audit --no-fund --loglevel=error

# The libraries of the Java drivers, from Debian.
JARS := $(subst $() ,:,$(patsubst %,/usr/share/java/%.jar,gson okhttp okio httpclient httpcore))

# What is built of the drivers, each where its profile looks for it.
.PHONY: drivers
drivers: $(NODE_DRIVERS) ## Build the drivers of the clients, at the versions that their lock files pin
	cd suites/clients/go && go build -o bin/ ./...
	cd suites/clients/proxies && go build -o bin/ ./nginx ./haproxy
	go build -o suites/clients/godriver/ ./suites/clients/godriver
	cd suites/clients/java && javac -Xlint:all,-path -Werror -d bin -cp $(JARS) */*.java

.PHONY: clients
clients: ## Install and build all that the clients of suites/clients need
	@tools/clients.sh
	@$(MAKE) --no-print-directory drivers

.PHONY: matrix
matrix: build drivers ## Judge all clients, and write who keeps which contract to docs/matrix (make clients comes first)
	rm -rf out/matrix
	bin/faultsrv matrix --out out/matrix
	rm -f docs/matrix/*.json
	cp out/matrix/*.json out/matrix/matrix.md docs/matrix/

# The five that are judged for each change, of four languages; all clients take minutes.
PINNED := curl nethttp go-retryablehttp urllib3 undici

.PHONY: matrix-check
matrix-check: build drivers ## Judge five pinned clients, and fail when a verdict is not that of docs/matrix
	bin/faultsrv matrix $(addprefix --client ,$(PINNED)) --check docs/matrix --out out/matrix-check

.PHONY: matrix-accept
matrix-accept: ## Take what matrix-check found for what is right: read the difference before it is committed
	cp out/matrix-check/*.json docs/matrix/
	bin/faultsrv report matrix docs/matrix --out docs/matrix/matrix.md

.PHONY: test
test: drivers ## Run every test, with the race detector
	$(TEST) ./...
	$(call in-nested,$(TEST) ./...)

.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME (10s)
	@tools/fuzz.sh $(FUZZTIME)

.PHONY: generate
generate: ## Make the generated files anew
	go generate ./...

.PHONY: fresh
fresh: ## Fail when a generated file is stale
	@tools/fresh.sh go generate ./...

.PHONY: format
format: ## Fail when a file is not as gofmt writes it
	@stale=$$(gofmt -l .) || exit 1; \
	if [ -n "$$stale" ]; then printf 'not as gofmt writes them; run gofmt -w on:\n%s\n' "$$stale" >&2; exit 1; fi

.PHONY: vet
vet: ## Run go vet
	go vet ./...
	$(call in-nested,go vet ./...)

.PHONY: reliability
reliability: ## Judge the reference client 50 times, half of them on a busy machine: the same verdicts each time
	go test ./suites -run 'TestVerdictsDoNotFlicker' -count=1 -timeout 30m -args -repeats=50

.PHONY: bench-client
bench-client: ## Compare what the reference client and its breaker cost with what others do
	cd bench && go run .

# What bench-server compares with: programs that Go builds, and packages pinned by a lock file.
PEERS         := bin/peers
PEER_PACKAGES := bench/server/peers/node_modules
$(PEER_PACKAGES)/.package-lock.json: bench/server/peers/package-lock.json
	npm ci --prefix bench/server/peers --no-audit --no-fund --loglevel=error

.PHONY: bench-server
bench-server: build $(PEER_PACKAGES)/.package-lock.json ## Measure the fault server beside those of others; BENCH="-quick" for a look, BENCH="-write docs/benchmarks.md" to keep it
	cd bench && go build -o ../$(PEERS)/go-httpbin github.com/mccutchen/go-httpbin/v2/cmd/go-httpbin
	cd bench && go build -o ../$(PEERS)/toxiproxy github.com/Shopify/toxiproxy/v2/cmd/server
	cd bench && go build -o ../bin/bench-server ./server
	@bin/bench-server -faultsrv bin/faultsrv -peers $(PEERS) -packages $(PEER_PACKAGES) $(BENCH)

.PHONY: mutants
mutants: ## Judge each mutant by the whole catalogue and compare with the reviewed table
	go test ./suites/mutants -run TestMutantsAreCaught -count=1 -timeout 30m -args -table

.PHONY: lint
lint: ## Run golangci-lint, pinned in tools/golangci-lint.mod
	$(LINT) run ./...
	$(call in-nested,$(LINT) run --config $(CURDIR)/.golangci.yml ./...)

.PHONY: cross
cross: ## Compile everything, tests too, for Linux, macOS and Windows
	@export CGO_ENABLED=0; for platform in $(PLATFORMS); do \
	  echo "compile for $$platform"; \
	  export GOOS=$${platform%/*} GOARCH=$${platform#*/}; \
	  go build ./... && go vet ./... || exit 1; \
	done

.PHONY: check
check: format vet fresh cross lint test ## Everything that must hold before a change lands

.PHONY: clean
clean: ## Remove what was built and written
	rm -rf bin dist out
