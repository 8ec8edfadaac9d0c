# `make run` and `make test` are the main targets; `make help` lists all targets. Most targets first
# run scripts/setup, which installs missing tools and otherwise does nothing.

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
.PHONY: help run test mutants build lint vectors wheel sdist install uninstall deb sbom docs book workers results contribute reliability bench bench-adapters bench-protocols bench-stats bench-aa bench-independence bench-between agreement platforms clean setup

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 27
	@echo
	@echo "  SUITE=smoke        run, contribute, bench-independence, bench-between: measure this suite"
	@echo "  RUN=last           contribute: take this stored run"
	@echo "  SUITES='hash kem'  results: measure only these suites"
	@echo "  ESTIMATE=1         results: only print how long each suite takes"
	@echo "  QUICK=1            results: try the script with rough figures; write below PQLAB_CACHE"
	@echo "  BUSY=1             results: measure even if the machine is busy"
	@echo "  LONG=1             reliability: use the long form, which takes hours"
	@echo "  ONLY='kill full'   reliability: measure only these figures"
	@echo "  SEED=2             reliability: use this seed for random choices"
	@echo "  MINUTES=30         reliability: limit fuzzing in the long form to this many minutes"
	@echo "  ADAPTERS=liboqs    bench-adapters: compare only names that contain all these words; --list prints the names"
	@echo "  AA=3 SLOWED=3      bench-aa: make this many comparisons of each kind"
	@echo "  REPETITIONS=1      bench-independence: repeat the measurement this many times"
	@echo "  RUNS=4 PAUSE=5     bench-between: measure this many runs, with pauses in seconds"
	@echo "  PREFIX, DESTDIR    install, uninstall: use the folder DESTDIR/PREFIX; PREFIX is $(PREFIX)"
	@echo "  CARGO_TARGET_DIR   folder for builds: $(CARGO_TARGET_DIR)"
	@echo "  PQLAB_CACHE        folder for tools and C libraries that are kept between builds: $(PQLAB_CACHE)"

run: build ## Measure the standard suite, or SUITE, and print the results
	@$(PQLAB) run $(SUITE)
	@echo
	@echo "The run is stored. To show it again: $(PQLAB) show last"

# Tests use the release profile, so that they test the measured code and build the C libraries only once.
test: ## Run all tests, and list the tests that could not run
	@scripts/setup test
	@scripts/test

mutants: setup ## Verify a catalogue of bugs, and print which check finds which bug
	@cargo build --release --locked --workspace --bin pqlab-mutants
	@$(CARGO_TARGET_DIR)/release/pqlab-mutants

build: setup ## Build the release binary
	@scripts/build

vectors: ## Download additional published vectors for `pqlab verify` into the cache
	@scripts/setup vectors
	@scripts/vectors

wheel: setup ## Build a Python wheel, which includes the command `pqlab`, into wheels/ below CARGO_TARGET_DIR
	@scripts/python --wheel "$(CARGO_TARGET_DIR)/wheels"

sdist: setup ## Build a Python source archive, from which pip can build a wheel, into wheels/ below CARGO_TARGET_DIR
	@scripts/python --sdist "$(CARGO_TARGET_DIR)/wheels"

install: setup ## Install the program, manual pages and shell completions below PREFIX
	@scripts/package install

uninstall: ## Remove what `make install` installed
	@scripts/package uninstall

deb: ## Build a package for Debian and Ubuntu, into deb/ below CARGO_TARGET_DIR
	@scripts/setup deb
	@scripts/package deb "$(CARGO_TARGET_DIR)/deb"

sbom: setup ## Write a CycloneDX bill of materials, with C libraries, to sbom/pqlab.cdx.json below CARGO_TARGET_DIR
	@scripts/sbom "$(CARGO_TARGET_DIR)/sbom/pqlab.cdx.json"

docs: setup book ## Build the book, the Python reference and the executed notebook, into docs/ below CARGO_TARGET_DIR
	@scripts/python --docs "$(CARGO_TARGET_DIR)/docs"

book: setup ## Check links, and build the book from docs/, into docs/book/ below CARGO_TARGET_DIR
	@scripts/book "$(CARGO_TARGET_DIR)/docs/book"

workers: ## Build the workers in other languages whose tools are installed, into the cache
	@scripts/workers

results: build ## Measure each suite, or SUITES, once on this quiet machine, and write its folder in docs/results
	@scripts/results $(if $(QUICK),--quick) $(if $(BUSY),--busy) $(if $(ESTIMATE),--estimate) $(SUITES)

contribute: build ## Measure SUITE, or take the stored run RUN, and write it to docs/results/contributed
	@$(if $(RUN),,$(PQLAB) run $(SUITE))
	@scripts/results --contribute $(or $(RUN),last)

reliability: build ## Try to break pqlab with kills, full disks, hostile clients and fuzzers
	@scripts/setup reliability
	@scripts/reliability $(if $(LONG),--long) $(if $(ONLY),--only $(ONLY)) $(if $(SEED),--seed $(SEED)) $(if $(MINUTES),--minutes $(MINUTES))

lint: ## Check format, clippy, spelling, and the licences of dependencies
	@scripts/setup lint
	@scripts/lint

bench: setup ## Benchmark pqlab itself: the cost of its layers
	cargo bench --workspace --locked --bench '*'

bench-adapters: setup ## Compare each path through an adapter with direct calls to the library
	cargo bench --workspace --locked --bench adapter -- $(ADAPTERS)

bench-protocols: setup ## Compare handshakes, and Merkle Tree Certificates, with a plain loop over the same library; takes minutes
	cargo bench --workspace --locked --bench protocols

bench-stats: setup ## Simulate how often intervals contain the true value, and how often verdicts are false
	cargo test --release --locked -p pqlab-stats --tests -- --ignored --nocapture

bench-aa: setup ## Compare a case with itself 100 times, and with a 2% slower one 30 times, on this machine
	cargo test --workspace --release --locked --test series -- --ignored --nocapture

bench-independence: build ## Measure each case of SUITE with the others and alone, REPETITIONS times, on this machine
	@$(PQLAB) calibrate --independence $(SUITE) --repetitions $(REPETITIONS)

bench-between: SUITE = standard --algorithm ML-KEM-768 --algorithm Ed25519 --algorithm ML-DSA-65 --algorithm SHA3-256
bench-between: build ## Measure RUNS runs on this machine, and count intervals that contain the figures of other runs
	@$(PQLAB) calibrate --between $(RUNS) --pause $(PAUSE) $(SUITE)

agreement: build ## Compare pqlab with the speed programs of liboqs and OpenSSL on this machine; takes eight minutes
	@scripts/agreement

platforms: ## Test for AArch64 under emulation and type-check for macOS and FreeBSD; needs 30 minutes and 4 GB
	@scripts/platforms

clean: ## Remove builds; keep stored runs and cached C libraries
	rm -rf "$(CARGO_TARGET_DIR)"/debug "$(CARGO_TARGET_DIR)"/release

setup:
	@scripts/setup
