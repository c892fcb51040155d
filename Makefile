# The developer's menu: thin names, the work is in setup/, CMakePresets.json and ctest.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := menu
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
# Compiler warnings stop CI, and only there: an editor's half-done line should still build.
WERROR := $(if $(filter true 1,$(CI)),ON,OFF)

configure = setup/configure.sh $(1) $(WERROR)
compile = setup/compile.sh $(1) $(JOBS)

.PHONY: menu
menu:
	@echo 'make ...'
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 20

.PHONY: run
run: build ## build, and serve on this machine, with an embedded PostgreSQL and demo secrets
	@exec build/release/pawl serve --dev

.PHONY: test
test: deps ## the whole test suite
	@setup/node.sh
	@$(call configure,dev)
	@$(call compile,dev)
	@setup/ctest.sh build/dev $(JOBS)

.PHONY: build
build: deps-run ## the release program: build/release/pawl
	@$(call configure,release)
	@$(call compile,release)

.PHONY: deps
deps: ## install and build the dependencies (the other targets do it when needed)
	@setup/deps.sh

.PHONY: deps-run
deps-run:
	@setup/deps.sh --for run

.PHONY: fmt
fmt: ## format the C++ files
	@setup/format.sh

.PHONY: tidy
tidy: deps ## formatting, clang-tidy, and the rules of the tree
	@$(call configure,dev)
	@setup/tidy.sh build/dev $(JOBS)

.PHONY: container-test
container-test: ## build the image without a Docker engine, and test it (needs root)
	@setup/container-test.sh

.PHONY: test-on
test-on: ## the whole test suite on another Debian release: RELEASE=trixie (needs root)
	@setup/test-on.sh $(RELEASE) $(WHAT)

.PHONY: bench
bench: build ## measure Pawl, pgbench and other receivers (PAWL_BENCH_PEERS=none: without those)
	@bench/run.sh
	@[ "$$PAWL_BENCH_PEERS" = none ] || setup/node.sh bench/peers
	@bench/peers/run.sh

.PHONY: proof
proof: deps ## the long crash tests: thousands of payments and deliveries under kill -9
	@$(call configure,dev)
	@$(call compile,dev)
	@setup/proof.sh build/dev

.PHONY: soak
soak: deps ## the long crash tests with new seeds, repeatedly (SOAK_MINUTES=60)
	@$(call configure,dev)
	@$(call compile,dev)
	@setup/soak.sh build/dev

.PHONY: mutations
mutations: deps ## break each promise on purpose, and name the test that fails (ONLY="name name")
	@setup/node.sh
	@$(call configure,dev)
	@$(call compile,dev) --target pawl_mutations
	@build/dev/pawl_mutations build/mutations $(JOBS) -DPAWL_WERROR=$(WERROR) $(ONLY)

.PHONY: fuzz
fuzz: deps ## hostile bytes, with sanitizers (PAWL_FUZZ_SECONDS=600)
	@setup/deps.sh --flavour asan
	@$(call configure,asan)
	@$(call compile,asan) --target http_gate_fuzz http_framing_fuzz
	@setup/fuzz.sh build/asan

.PHONY: sanitize
sanitize: deps ## unit tests and stops of the server under sanitizers (ONLY=asan or ONLY=tsan)
	@setup/sanitize.sh $(JOBS) $(WERROR) $(ONLY)

.PHONY: bench-jobs
bench-jobs: build ## measure jobs of Pawl, graphile-worker and pg-boss (PAWL_BENCH_MINUTES=10 for the long form)
	@setup/node.sh
	@bench/jobs/run.sh

.PHONY: clean
clean: ## remove the builds (not the libraries, see setup/README.md)
	@rm -rf build
