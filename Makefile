# `make run` and `make test` are the two commands; `make help` lists the rest. Each first runs scripts/setup, which
# installs what is missing and takes no time if nothing is.

PQLAB_CACHE ?= $(HOME)/.cache/pqlab
export CARGO_TARGET_DIR ?= $(PQLAB_CACHE)/target
export PATH := $(if $(CARGO_HOME),$(CARGO_HOME),$(HOME)/.cargo)/bin:$(PATH)

PQLAB := $(CARGO_TARGET_DIR)/release/pqlab
SUITE ?= standard
RUNS ?= 16
PAUSE ?= 20
REPETITIONS ?= 2
export AA SLOWED
PREFIX ?= /usr/local
export PREFIX DESTDIR

.DEFAULT_GOAL := help
.PHONY: help run test build lint vectors wheel sdist install uninstall deb sbom docs workers results reliability bench bench-adapters bench-handshakes bench-stats bench-aa bench-independence bench-between platforms clean setup

help: ## This list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 27
	@echo
	@echo "  SUITE=smoke        with run: another suite, or several"
	@echo "  SUITES='hash kem'  with results: these alone; ESTIMATE=1 says how long, QUICK=1 tries it elsewhere"
	@echo "  LONG=1 ONLY=kill   with reliability: the long form, hours; some figures alone; SEED=2; MINUTES=30 of the fuzzer"
	@echo "  ADAPTERS=liboqs    with bench-adapters: those whose names contain all these words, or --list"
	@echo "  AA=3 SLOWED=3      with bench-aa: how many comparisons of each kind"
	@echo "  RUNS=4 PAUSE=5     with bench-between: how many runs, and seconds between them"
	@echo "  PREFIX, DESTDIR    with install and uninstall: where, $(PREFIX) below DESTDIR"
	@echo "  CARGO_TARGET_DIR   where cargo builds: $(CARGO_TARGET_DIR)"
	@echo "  PQLAB_CACHE        what is kept between builds: $(PQLAB_CACHE)"

run: build ## Measure the standard suite and say where the results are
	@$(PQLAB) run $(SUITE)
	@echo
	@echo "All of it is stored. To see it again: $(PQLAB) show last"

# In the release profile, so that the tested code is the measured code, and the C libraries are built once.
test: ## Run every test, and list at the end what could not be run
	@scripts/setup test
	@scripts/test

build: setup ## Build the release binary
	@scripts/build

vectors: ## Fetch more published vectors for `pqlab verify` into the cache
	@scripts/setup vectors
	@scripts/vectors

wheel: setup ## Build a wheel for Python, with the command, into wheels/ below CARGO_TARGET_DIR
	@scripts/python --wheel "$(CARGO_TARGET_DIR)/wheels"

sdist: setup ## Make a source archive for Python's tools, which builds a wheel, into wheels/ below CARGO_TARGET_DIR
	@scripts/python --sdist "$(CARGO_TARGET_DIR)/wheels"

install: setup ## Install program, manual pages and completions below PREFIX, /usr/local
	@scripts/package install

uninstall: ## Take them away again
	@scripts/package uninstall

deb: ## Make a package for Debian and Ubuntu, in deb/ below CARGO_TARGET_DIR
	@scripts/setup deb
	@scripts/package deb "$(CARGO_TARGET_DIR)/deb"

sbom: setup ## Write what the program is made of, C libraries too, as CycloneDX: sbom/pqlab.cdx.json below CARGO_TARGET_DIR
	@scripts/sbom "$(CARGO_TARGET_DIR)/sbom/pqlab.cdx.json"

docs: setup ## Build the documents of the Python package into docs/ below CARGO_TARGET_DIR, with the notebook executed
	@scripts/python --docs "$(CARGO_TARGET_DIR)/docs"

workers: ## Build the workers in other languages whose tools are there, into the cache
	@scripts/workers

results: build ## On this machine, quiet: one run of each suite, or of SUITES, into docs/results
	@scripts/results $(if $(QUICK),--quick) $(if $(BUSY),--busy) $(if $(ESTIMATE),--estimate) $(SUITES)

reliability: build ## Try to break it: kills, full disks, hostile clients, fuzzers; LONG=1, ONLY='kill full'
	@scripts/setup reliability
	@scripts/reliability $(if $(LONG),--long) $(if $(ONLY),--only $(ONLY)) $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES))

lint: ## Format, clippy, spelling, licences of the dependencies
	@scripts/setup lint
	@scripts/lint

bench: setup ## Benchmarks of pqlab itself: what its own layers cost
	cargo bench --workspace --locked --bench '*'

bench-adapters: setup ## What the adapters cost beside a bare call of each library, for every operation
	cargo bench --workspace --locked --bench adapter -- $(ADAPTERS)

bench-handshakes: setup ## What the tool adds to a TLS handshake beside a bare loop over rustls or libssl: a few minutes
	cargo bench --workspace --locked --bench handshake

bench-stats: setup ## Simulations of the statistics, the long version: how often intervals cover, and verdicts are false
	cargo test --release --locked -p pqlab-stats --tests -- --ignored --nocapture

bench-aa: setup ## On this machine: 100 comparisons of a thing with itself, 30 with one that is 2% slower
	cargo test --workspace --release --locked --test series -- --ignored --nocapture

bench-independence: build ## On this machine: every case of SUITE in company and alone, REPETITIONS times
	@$(PQLAB) doctor --independence $(SUITE) --repetitions $(REPETITIONS)

bench-between: SUITE = standard --algorithm ML-KEM-768 --algorithm Ed25519 --algorithm ML-DSA-65 --algorithm SHA3-256
bench-between: build ## On this machine: RUNS runs with pauses; how many intervals contain what the other runs find
	@$(PQLAB) doctor --between $(RUNS) --pause $(PAUSE) $(SUITE)

platforms: ## Test for AArch64 under emulation, type-check for macOS and FreeBSD: half an hour, and 4 GB below PQLAB_CACHE
	@scripts/platforms

clean: ## Remove what was built; runs and the cache of C libraries stay
	rm -rf "$(CARGO_TARGET_DIR)"/debug "$(CARGO_TARGET_DIR)"/release

setup:
	@scripts/setup
