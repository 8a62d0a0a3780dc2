# make demo   builds Saltus, runs a talker with a listener, and a short bake-off
# make test   everything that must hold: format, lints, tidy, tests, fuzz corpus, model checking
# make help   all targets

.DEFAULT_GOAL := help
.PHONY: help demo test loom

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: ## formatting, clippy, tidy, all tests, doc tests, fuzz corpus, model checking
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo xtask tidy
	cargo test --workspace --all-targets
	cargo test --workspace --doc
	$(MAKE) loom

# At most three involuntary context switches per run: beyond that loom's search grows without
# finding more (its documentation says two or three catch nearly all bugs).
loom: ## every interleaving of the shared-memory protocols
	LOOM_MAX_PREEMPTIONS=3 RUSTFLAGS="--cfg loom" cargo test --release -p saltus-shm --lib
