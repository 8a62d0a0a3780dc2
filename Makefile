# make demo    builds the programs, runs a talker with a listener, and a short benchmark
# make check   what a change needs before a commit, in seconds
# make test    all checks: format, lints, tidy, tests, fuzz corpus, model checking
# make help    all targets

.DEFAULT_GOAL := help
.PHONY: help programs bridge bench-bridge bench-cpp network-tools bridge-lint test-bridge cpp cpp-tools cpp-test-tools cpp-tests test-cpp cpp-headers interop-zenoh demo check test test-rust-and-bridge dist browser lint format-python format-c micro-tools micro-host micro-firmware micro-check micro-fuzz micro-chaos python test-wheel stubs test-python test-pairs loom fuzz chaos chaos-programs chaos-run components-chaos launch-chaos kill tsan asan cpp-sanitizers cross miri cov deny bench

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# A program that a shell starts in the background ignores SIGINT, and so do its children. But tests interrupt programs
# with SIGINT. So the default action is restored.
WITH_SIGINT := env --default-signal=INT,QUIT
# A comma in an argument of a function of make.
, := ,

# Features are those of the whole workspace in each build, so that nothing is compiled twice.
PROGRAMS := --workspace --bin saltus --bin saltus-robot --bin saltus-bench
programs: ## the programs saltus, saltus-robot and saltus-bench, in target/release
	cargo build --release $(PROGRAMS)

DENY := target/tools/bin/cargo-deny
$(DENY):
	CARGO_PROFILE_DEV_DEBUG=false cargo install --quiet --locked --debug cargo-deny@0.20.2 --root target/tools

# A workspace of its own, because zenoh brings about 240 crates. Both share the target folder.
BRIDGE := cd bridge && cargo
bridge: programs ## the program saltus-bridge, which `saltus bridge` runs, in target/release
	$(BRIDGE) build --release --bin saltus-bridge

bench-bridge: bridge ## what `saltus bench bridge` needs, in target/release
	$(BRIDGE) build --release --bin bare-zenoh --bin saltus-delay

bridge-lint: $(DENY) ## format, lints, and licences of the bridge
	$(BRIDGE) fmt --check
	$(BRIDGE) clippy --all-targets -- -D warnings
	cd bridge && RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps
	cd bridge && $(abspath $(DENY)) --workspace check licenses bans sources

# What the tests of two hosts need to make networks.
NETWORK_PACKAGES := iproute2 nftables util-linux
network-tools:
	dpkg -s $(NETWORK_PACKAGES) >/dev/null 2>&1 || \
		{ $$(command -v sudo) apt-get update -qq && $$(command -v sudo) apt-get install -y --no-install-recommends $(NETWORK_PACKAGES); }

# All rules between two hosts take as long as half of the other tests, and mostly wait for a network that loses packets.
test-bridge: bridge-lint network-tools ## the bridge: lints, tests, and all rules of conformance between two hosts
	cargo build --workspace --bin subject
	$(BRIDGE) build --bin saltus-delay
	$(BRIDGE) test --no-run
	tests/beside.sh $(WITH_SIGINT) sh -c "$(BRIDGE) test --no-fail-fast -- --skip all_rules_are_kept" -- \
		$(WITH_SIGINT) sh -c "$(BRIDGE) test --test conformance"

# Programs of others that follow rmw_zenoh's conventions. Nothing of them is in this tree.
INTEROP := target/interop
$(INTEROP)/venv/installed:
	$(PYTHON) -m venv $(INTEROP)/venv
	$(INTEROP)/venv/bin/pip install --quiet eclipse-zenoh==1.10.2 zenoh-ros2-sdk==0.1.8
	touch $@

PEERS := tests/interop/peers
# In the target folder of the bridge, because half of their crates are the same.
PEER := target/debug/hiroz-peer
$(PEER): $(PEERS)/Cargo.lock $(PEERS)/Cargo.toml $(wildcard $(PEERS)/src/*.rs)
	cd $(PEERS) && cargo fmt --check && cargo build --quiet --locked --target-dir $(CURDIR)/target
	touch $@

interop-zenoh: test-wheel $(INTEROP)/venv/installed $(PEER) ## nodes of ros2-client, hiroz and zenoh-ros2-sdk beside Saltus, with a bridge
	cargo build --workspace --bin saltus --bin subject
	$(BRIDGE) build
	$(WITH_SIGINT) $(PYTHON) tests/interop/zenoh/run.py

# What C++ packages and their tests need.
CPP_PACKAGES := clang cmake g++ libbullet-dev libeigen3-dev libgtest-dev liborocos-kdl-dev libtinyxml2-dev
cpp-tools:
	dpkg -s $(CPP_PACKAGES) >/dev/null 2>&1 || \
		{ $$(command -v sudo) apt-get update -qq && $$(command -v sudo) apt-get install -y --no-install-recommends $(CPP_PACKAGES); }

# What the tests of the CMake commands need besides.
CPP_TEST_PACKAGES := libconsole-bridge-dev libgmock-dev liblz4-dev libsqlite3-dev liburdfdom-headers-dev libyaml-cpp-dev libyaml-dev \
	libzstd-dev pybind11-dev python3-pytest zsh
COLCON := target/tools/colcon/bin/colcon
cpp-test-tools: cpp-tools $(COLCON)
	dpkg -s $(CPP_TEST_PACKAGES) >/dev/null 2>&1 || \
		{ $$(command -v sudo) apt-get update -qq && $$(command -v sudo) apt-get install -y --no-install-recommends $(CPP_TEST_PACKAGES); }

# cpp_build FOLDER,PROFILE,OPTIONS: builds libsaltus and the C++ packages in the folder.
define cpp_build
	cmake -S bindings/cpp -B $(1) -DSALTUS_PROGRAM=$(CURDIR)/target/$(2)/saltus \
		-DSALTUS_STATIC_LIBRARY=$(CURDIR)/target/$(2)/libsaltus_c.a $(3) >/dev/null
	cmake --build $(1) --parallel 2 >/dev/null
endef
# cpp_install FOLDER,PREFIX: installs them, with the CMake packages of ament_cmake and the setup files.
define cpp_install
	cmake --install $(1) --prefix $(2) >/dev/null
	cmake -DPREFIX=$(2) -P bindings/cpp/cmake/install.cmake
endef
CPP_PREFIX ?= target/cpp/install
cpp: cpp-tools ## libsaltus and the C++ packages of ROS 2, installed into CPP_PREFIX (target/cpp/install)
	cargo build --release --workspace --bin saltus --lib
	$(call cpp_build,target/cpp/release,release,-DBUILD_TESTING=OFF)
	$(call cpp_install,target/cpp/release,$(CPP_PREFIX))

cpp-tests: cpp-test-tools
	cargo build --workspace --bin saltus --bin saltus-robot --bin suite --lib
	$(call cpp_build,target/cpp/test,debug,-DBUILD_TESTING=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DCMAKE_C_FLAGS_DEBUG=)

CPP_LIBRARIES := LD_LIBRARY_PATH=target/cpp/test/lib
test-cpp: cpp-tests ## the tests of libsaltus, of the C++ packages and of the CMake commands
	shared=$$(mktemp -d /dev/shm/saltus-cpp-XXXXXX) && trap "rm -rf $$shared" EXIT && \
		SALTUS_SHM_DIR=$$shared $(WITH_SIGINT) ctest --test-dir target/cpp/test --output-on-failure
	$(CPP_LIBRARIES) target/debug/suite target/cpp/test/cpp_subject
	$(CPP_LIBRARIES) target/debug/suite target/cpp/test/native_subject
	$(CPP_LIBRARIES) target/debug/suite target/cpp/test/c_subject
	rm -rf target/cpp/test/install
	$(call cpp_install,target/cpp/test,target/cpp/test/install)
	$(WITH_SIGINT) bindings/cpp/tests/packages/run.sh $(CURDIR)/target/cpp/test/install $(CURDIR)/target/debug/saltus $(CURDIR)/$(COLCON)
	bindings/cpp/tests/cmake/run.sh

cpp-headers: cpp-tests ## each header of the C++ packages alone, with two compilers and C++17 and C++20 (half an hour)
	rm -rf target/cpp/test/install
	$(call cpp_install,target/cpp/test,target/cpp/test/install)
	bindings/cpp/tests/headers.sh $(CURDIR)/target/cpp/test/install

check: ## format, lints, tidy, and the unit tests of what has changed since HEAD and of what uses it; BASE=COMMIT compares with a commit
	cargo xtask check $(if $(BASE),--base $(BASE))

# It prints the time of each stage. `cargo xtask durations` keeps them for the README.
STAGE := tests/stage.sh test
# Programs that mostly compute run beside tests that mostly wait, and get the time that is left. A line that names make itself runs
# even with `make -n`.
BESIDE := tests/beside.sh
WHEN_IDLE := nice -n 19 $(STAGE)
QUIET_MAKE = $(MAKE) --no-print-directory
test: ## formatting, clippy, tidy, all tests, documentation, fuzz corpus, a minute of chaos, model checking, licences
	@tests/stage.sh begin test
	@$(STAGE) format $(MAKE) --no-print-directory format-python format-c
	@$(STAGE) "format of Rust" cargo fmt --all --check
	@$(STAGE) lints cargo clippy --workspace --all-targets -- -D warnings
	@$(STAGE) tidy cargo xtask tidy
	@$(STAGE) browser $(MAKE) --no-print-directory browser
	@$(BESIDE) $(STAGE) "build of the tests" cargo test --workspace --all-targets --no-run -- $(WHEN_IDLE) "C99 client" $(QUIET_MAKE) micro-check
	@$(BESIDE) $(QUIET_MAKE) test-rust-and-bridge -- $(WHEN_IDLE) models $(QUIET_MAKE) loom
	@$(STAGE) "tests of documentation" cargo test --workspace --doc
	@$(STAGE) documentation env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
	@$(STAGE) "build of the wheel" $(MAKE) --no-print-directory test-wheel
	@$(STAGE) "C and C++" $(MAKE) --no-print-directory test-cpp
	@$(STAGE) "tests in Python" $(MAKE) --no-print-directory test-python
	@$(STAGE) "pairs of languages" $(MAKE) --no-print-directory test-pairs
	@$(STAGE) "build for chaos" $(MAKE) --no-print-directory chaos-programs
	@$(BESIDE) $(STAGE) chaos $(QUIET_MAKE) chaos-run CHAOS_SECONDS=60 CHAOS_SEED=1 -- $(WHEN_IDLE) "build of the peers" $(QUIET_MAKE) $(PEER)
	@$(STAGE) "interop with Zenoh" $(MAKE) --no-print-directory interop-zenoh
	@$(STAGE) licences $(MAKE) --no-print-directory deny
	@tests/stage.sh end test

# A part of `make test`.
test-rust-and-bridge:
	@$(STAGE) "tests in Rust" $(WITH_SIGINT) cargo test --workspace --all-targets --no-fail-fast
	@$(STAGE) bridge $(MAKE) --no-print-directory test-bridge

browser: ## the browser in which the page of saltus view is tested
	command -v chromium >/dev/null || { $$(command -v sudo) apt-get update -qq && \
		$$(command -v sudo) apt-get install -y --no-install-recommends chromium; }

# What the C99 client needs to be built, checked and run.
MICRO_PACKAGES := clang clang-format cmake cppcheck gcc-arm-linux-gnueabihf gcc-arm-none-eabi gcc-s390x-linux-gnu \
	libc6-dev-armhf-cross libc6-dev-s390x-cross libnewlib-arm-none-eabi qemu-system-arm qemu-user
micro-tools:
	dpkg -s $(MICRO_PACKAGES) >/dev/null 2>&1 || \
		{ $$(command -v sudo) apt-get update -qq && $$(command -v sudo) apt-get install -y --no-install-recommends $(MICRO_PACKAGES); }
	$(CLANG_RUNTIME)

# The sanitizers of clang, which clang only recommends. The name of the package has the version.
CLANG_RUNTIME = runtime=libclang-rt-$$(clang -dumpversion | cut -d. -f1)-dev; dpkg -s $$runtime >/dev/null 2>&1 || \
	$$(command -v sudo) apt-get install -y --no-install-recommends $$runtime

# The lock lets the processes of the tests build one after the other.
MICRO := mkdir -p target/micro && flock target/micro/lock
micro-host: ## the C99 client for this host, with its applications and tests
	$(MICRO) sh -c "cmake -S micro -B target/micro/host >/dev/null && cmake --build target/micro/host --parallel 2 >&2"

MICRO_FIRMWARE = cmake -S micro/firmware -B target/micro/$(1) -DBOARD=$(1) -DCMAKE_TOOLCHAIN_FILE=toolchain.cmake \
	>/dev/null && cmake --build target/micro/$(1) --parallel 2 >&2
micro-firmware: ## the firmware for the boards that QEMU emulates
	$(MICRO) sh -c "$(call MICRO_FIRMWARE,mps2-an386) && $(call MICRO_FIRMWARE,mps2-an505)"

# A system with 32 bits, and one with big-endian numbers. QEMU runs the tests.
MICRO_CROSS = cmake -S micro -B target/micro/$(1) -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_C_COMPILER=$(1)-gcc >/dev/null && \
	cmake --build target/micro/$(1) --parallel 2 >/dev/null && \
	for test in framing "vectors spec/vectors/rosbags_cdr.txt" sizes; do \
		qemu-$(2) -L /usr/$(1) target/micro/$(1)/$$test || exit 1; \
	done
CPPCHECK := cppcheck --quiet --error-exitcode=1 --std=c99 --enable=warning,style,performance,portability \
	--suppress=missingIncludeSystem -Imicro/include -Imicro/msgs
micro-check: micro-tools micro-host ## the C99 client: warnings, cppcheck with MISRA, CDR and framing on 64 and 32 bits and big-endian
	cmake -S micro -B target/micro/clang -DCMAKE_C_COMPILER=clang >/dev/null
	cmake --build target/micro/clang --parallel 2 >/dev/null
	$(CPPCHECK) --addon=misra --suppressions-list=micro/misra-deviations.txt -Imicro/src micro/src/*.c
	$(CPPCHECK) -Imicro/apps -Imicro/port/posix micro/apps/*.c micro/port/posix/*.c micro/tests/*.c \
		micro/examples/*.c micro/bench/b*.c micro/bench/c*.c
	target/micro/host/framing
	target/micro/host/vectors spec/vectors/rosbags_cdr.txt
	target/micro/host/fuzz fuzz/corpus/micro/*
	$(call MICRO_CROSS,arm-linux-gnueabihf,arm)
	$(call MICRO_CROSS,s390x-linux-gnu,s390x)

PYTHON ?= python3
VENV ?= target/venv

# On Debian, venv is a separate package.
$(VENV)/bin/pip:
	$(PYTHON) -c "import ensurepip, venv" || $$(command -v sudo) apt-get install -y python3-venv
	$(PYTHON) -m venv $(VENV)

python: $(VENV)/bin/pip ## the Python package and its command, installed into target/venv
	$(VENV)/bin/pip install --quiet ".[test]"

# The package that the tests use has the programs of the tests in Rust. So they are compiled once.
test-wheel: $(VENV)/bin/pip
	cargo build --workspace --bin saltus --bin saltus-robot --bin saltus-bench
	SALTUS_PROGRAMS=$(CURDIR)/target/debug $(VENV)/bin/pip install --quiet ".[test]"

stubs: python ## the type stubs (.pyi) of the message classes, generated from their definitions
	$(VENV)/bin/python -m saltus._stubs bindings/python/saltus/msgs

test-python: test-wheel ## the tests of the Python package
	cargo build --workspace --bin suite
	$(WITH_SIGINT) timeout --signal=KILL 900 $(VENV)/bin/python -m pytest -n 2
	target/debug/suite $(VENV)/bin/python tests/conformance/subject.py
	$(WITH_SIGINT) $(VENV)/bin/python tests/interop/ros_scripts/run.py tests/interop/ros_scripts/scripts.yaml

test-pairs: cpp-tests test-wheel ## topics, services and actions between each two of Rust, C++, C and Python
	cargo build --workspace --bin subject --bin pairs
	$(CPP_LIBRARIES) target/debug/pairs rust=target/debug/subject cpp=target/cpp/test/cpp_subject c=target/cpp/test/c_subject \
		"python=$(VENV)/bin/python tests/conformance/subject.py"

RUFF := target/tools/ruff/bin/ruff
$(RUFF): $(VENV)/bin/pip
	$(PYTHON) -m venv target/tools/ruff
	target/tools/ruff/bin/pip install --quiet ruff==0.17.6

$(COLCON): $(VENV)/bin/pip
	$(PYTHON) -m venv target/tools/colcon
	target/tools/colcon/bin/pip install --quiet colcon-common-extensions==0.3.0 colcon-core==0.21.3 colcon-cmake==0.2.30 colcon-ros==0.5.0

format-python: $(RUFF) ## the format of Python, and its lints
	$(RUFF) format --check --quiet
	$(RUFF) check --quiet

format-c: micro-tools ## the format of the C99 client
	git ls-files 'micro/*.[ch]' ':!micro/msgs' | xargs clang-format --dry-run --Werror

DEMO := tests/stage.sh demo
demo: ## a talker and a listener, components as processes and in one process with their cost, and a short benchmark
	@tests/stage.sh begin demo
	@$(DEMO) "build" cargo build --release $(PROGRAMS) --example talker --example listener \
		--bin camera --bin detector --bin tracker --bin composed
	@$(DEMO) "a talker and a listener, two seconds" examples/talk.sh target/release/examples
	@$(DEMO) "three components, as three processes and in one" examples/perception/demo.sh target/release
	@$(DEMO) "a short benchmark (all options: saltus bench topic --help)" \
		target/release/saltus bench topic --peers saltus --sizes 64,65536,1048576 --iterations 2000 --seconds 3
	@tests/stage.sh end demo

dist: ## archives of the programs and of the packages for C and C++, and a wheel, in target/dist, tried in small roots; needs root
	tests/dist/build.sh
	tests/dist/build_cpp.sh
	tests/dist/try.sh
	tests/dist/try_cpp.sh

deny: $(DENY) ## licences, versions and sources of all dependencies
	$(DENY) --workspace check licenses bans sources

# Address sanitizer and coverage need unstable flags of the pinned compiler.
FUZZ_SECONDS ?= 60
fuzz: ## each fuzz target for FUZZ_SECONDS (60)
	command -v cargo-fuzz >/dev/null || cargo install --locked cargo-fuzz@0.13.2
	for target in cdr definition description launch map registry rmw text tree urdf world xrce-agent xrce-client xrce-framing; do \
		case $$target in map) most=512;; *) most=64;; esac; \
		RUSTC_BOOTSTRAP=1 cargo fuzz run --fuzz-dir fuzz/targets --target-dir target/fuzz $$target \
			$$(mktemp -d) fuzz/corpus/$$target -- -max_total_time=$(FUZZ_SECONDS) -malloc_limit_mb=$$most -rss_limit_mb=1024 || exit 1; \
	done

micro-fuzz: ## the C99 client with clang's fuzzer, for FUZZ_SECONDS (60)
	$(CLANG_RUNTIME)
	cmake -S micro -B target/micro/fuzz -DCMAKE_C_COMPILER=clang -DSALTUS_MICRO_FUZZER=ON >/dev/null
	cmake --build target/micro/fuzz --parallel 2 --target fuzz >/dev/null
	target/micro/fuzz/fuzz $$(mktemp -d) fuzz/corpus/micro -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=1024

CHAOS_SECONDS ?= 600
# The same seed repeats the same actions. If no seed is given, each run uses a different one. `make test` gives one.
CHAOS_SEED ?= $(shell date +%s)
chaos: chaos-programs chaos-run ## random events (kills, removed files, ...) for CHAOS_SECONDS (600), chosen by CHAOS_SEED; needs root
chaos-programs: test-wheel
	cargo build --workspace --bin actor --bin chaos --example copy
chaos-run:
	$(WITH_SIGINT) target/debug/chaos --seconds $(CHAOS_SECONDS) --seed $(CHAOS_SEED) --python $(VENV)/bin/python

components-chaos: ## a thousand loads of components under traffic, 200 kills of components
	SALTUS_LOADS=1000 SALTUS_KILLS=200 $(WITH_SIGINT) cargo test --workspace --test packages churn -- --nocapture --test-threads 1

launch-chaos: ## a hundred kills of launchers and their guards at random instants
	SALTUS_LAUNCH_KILLS=100 SALTUS_LAUNCH_SEED=$(CHAOS_SEED) $(WITH_SIGINT) cargo test --workspace --test launch random_instants -- --nocapture

MICRO_ROUNDS ?= 50
micro-chaos: ## the C99 client: MICRO_ROUNDS (50) kills of the agent, four times as many resets, and a million junk datagrams
	SALTUS_MICRO_ROUNDS=$(MICRO_ROUNDS) SALTUS_MICRO_JUNK=1000000 \
		cargo test --release --workspace --test chaos -- --nocapture --test-threads 1

KILL_ROUNDS ?= 500
kill: ## kills of processes at random times, in KILL_ROUNDS rounds (500)
	SALTUS_KILL_ROUNDS=$(KILL_ROUNDS) cargo test --release --workspace --test kill --test calls -- --nocapture --test-threads 1

# Sanitizers need unstable flags of the pinned compiler, and rust-src: the standard library is built with the flags,
# too, because it contains the synchronization that we use. The flags are in the environment, so that the programs that
# a test builds are built with them, too.
WITH_SANITIZER = rustup component add rust-src && env --default-signal=INT,QUIT RUSTC_BOOTSTRAP=1 \
	CARGO_UNSTABLE_BUILD_STD=std CARGO_BUILD_TARGET=$$(rustc -vV | sed -n 's/^host: //p')
# `-rdynamic` exports the sanitizer's functions to libraries that a test loads. Three tests are skipped. A check of the
# sanitizer fails and ends a forked child when the child drops a thread of its parent. Signals don't end a forked
# child. The sanitizer's terabytes of shadow memory can't be locked.
NOT_IN_TSAN := --skip a_forked_childs_handles_are_inert --skip a_signal_to_a_forked_child_ends_the_child \
	--skip locking_all_memory_locks_what_is_used
tsan: ## the tests of shared memory, nodes, executors, actions and state machines under ThreadSanitizer
	$(WITH_SANITIZER) CARGO_TARGET_DIR=$(CURDIR)/target/tsan RUSTFLAGS="-Zsanitizer=thread -Clink-arg=-rdynamic" \
		TSAN_OPTIONS=die_after_fork=0 SALTUS_TEST_NODES=500 cargo test --no-fail-fast --tests \
		-p saltus-memory -p saltus-graph -p saltus-host -p saltus-node -p saltus-executor -p saltus-action -p saltus-machine -- $(NOT_IN_TSAN)

WITH_ASAN = $(WITH_SANITIZER) CARGO_TARGET_DIR=$(CURDIR)/target/asan RUSTFLAGS=-Zsanitizer=address
# A forked child inherits memory of its parent's other threads. The sanitizer reports that memory as a leak, but it is
# not one.
FORKS := a_forked_child_does_not_keep_its_dead_parent_in_the_graph
asan: ## the end-to-end tests under AddressSanitizer
	$(WITH_ASAN) cargo test --tests -p saltus-e2e -- --test-threads 1 --skip $(FORKS)
	$(WITH_ASAN) ASAN_OPTIONS=detect_leaks=0 cargo test -p saltus-e2e --test membership -- $(FORKS)

# Clang and rustc share their sanitizers, since clang 16: an older runtime lacks functions that rustc calls. The code of interfaces is generated by a program without one.
# cpp_sanitized FOLDER,FLAGS of clang,FLAG of rustc,OPTIONS of the sanitizers: builds and runs the tests of C and C++.
define cpp_sanitized
	$(WITH_SANITIZER) CARGO_TARGET_DIR=$(CURDIR)/target/$(1) RUSTFLAGS=$(3) cargo build -p saltus-c --lib
	cmake -S bindings/cpp -B target/cpp/$(1) -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang-16 -DCMAKE_CXX_COMPILER=clang++-16 \
		-DCMAKE_C_FLAGS="$(2) -O1 -g1" -DCMAKE_CXX_FLAGS="$(2) -O1 -g1" -DSALTUS_PROGRAM=$(CURDIR)/target/debug/saltus \
		-DSALTUS_STATIC_LIBRARY=$$(echo $(CURDIR)/target/$(1)/*/debug/libsaltus_c.a) -DBUILD_TESTING=ON >/dev/null
	cmake --build target/cpp/$(1) --parallel 2 >/dev/null
	shared=$$(mktemp -d /dev/shm/saltus-cpp-XXXXXX) && trap "rm -rf $$shared" EXIT && \
		SALTUS_SHM_DIR=$$shared $(4) $(WITH_SIGINT) ctest --test-dir target/cpp/$(1) --output-on-failure
	for subject in cpp native c; do \
		LD_LIBRARY_PATH=target/cpp/$(1)/lib $(4) $(WITH_SIGINT) target/debug/suite target/cpp/$(1)/$${subject}_subject || exit 1; \
	done
endef
# The suppressions have names of functions, which the program of llvm-16 finds.
CPP_TSAN_OPTIONS := TSAN_OPTIONS=die_after_fork=0:suppressions=$(CURDIR)/bindings/cpp/tests/tsan.supp:external_symbolizer_path=/usr/bin/llvm-symbolizer-16
cpp-sanitizers: cpp-tools ## the tests and the conformance of C and C++ under AddressSanitizer with UBSan, and under ThreadSanitizer
	dpkg -s clang-16 libclang-rt-16-dev llvm-16 >/dev/null 2>&1 || \
		$$(command -v sudo) apt-get install -y --no-install-recommends clang-16 libclang-rt-16-dev llvm-16
	cargo build --workspace --bin saltus --bin suite
	$(call cpp_sanitized,asan,-fsanitize=address$(,)undefined -fno-sanitize-recover=all,-Zsanitizer=address,)
	$(call cpp_sanitized,tsan,-fsanitize=thread,-Zsanitizer=thread,$(CPP_TSAN_OPTIONS))

# Debian's cross compiler links the programs. Debian's user emulation (QEMU) runs them. It is registered with the
# kernel, because tests start programs.
CROSS := aarch64-unknown-linux-gnu
CROSS_PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user qemu-user-binfmt
BINFMT := /proc/sys/fs/binfmt_misc
WITH_CROSS := env --default-signal=INT,QUIT CARGO_BUILD_TARGET=$(CROSS) QEMU_LD_PREFIX=/usr/aarch64-linux-gnu \
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
# QEMU 7.2 ends with a failed assertion (plugins/core.c:221) when the forked child of a program with threads starts a
# thread.
NOT_EMULATED := --skip a_forked_child_may_take_part_itself
cross: $(VENV)/bin/pip ## for aarch64: the build, unit, shared-memory and end-to-end tests, and the wheel; needs root
	rustup target add $(CROSS)
	dpkg -s $(CROSS_PACKAGES) >/dev/null 2>&1 || apt-get install -y $(CROSS_PACKAGES)
	test -e $(BINFMT)/status || mount -t binfmt_misc none $(BINFMT)
	test -e $(BINFMT)/qemu-aarch64 || cat /usr/lib/binfmt.d/qemu-aarch64.conf > $(BINFMT)/register
	$(WITH_CROSS) cargo build --workspace --all-targets
	$(WITH_CROSS) cargo test --workspace --lib --bins
	$(WITH_CROSS) cargo test -p saltus-memory -p saltus-host -p saltus-e2e --tests -- --test-threads 1 $(NOT_EMULATED)
	$(WITH_CROSS) $(VENV)/bin/pip wheel --quiet --no-deps --wheel-dir target/wheels .
	ls target/wheels/*aarch64.whl

MIRI := nightly-2026-05-20
miri: ## the tests that Miri can run (no system calls, not too slow); it finds undefined behaviour
	rustup toolchain install $(MIRI) --profile minimal --component miri,rust-src
	MIRIFLAGS=-Zmiri-disable-isolation cargo +$(MIRI) miri test --target-dir target/miri --tests \
		-p saltus-cdr -p saltus-types -p saltus-param -p saltus-yaml
	MIRIFLAGS=-Zmiri-disable-isolation cargo +$(MIRI) miri test --target-dir target/miri -p saltus-msgs --test bytes
	MIRIFLAGS=-Zmiri-disable-isolation cargo +$(MIRI) miri test --target-dir target/miri -p saltus-idl --lib --test grammar
	MIRIFLAGS=-Zmiri-disable-isolation cargo +$(MIRI) miri test --target-dir target/miri -p saltus-memory -p saltus-graph -p saltus-host --lib -- \
		latency:: times:: arena::tests::classes entry:: queue::

# cargo-llvm-cov is used to set the environment, and not as a wrapper. So programs that the tests build and start are
# measured, too.
WITH_COVERAGE := export CARGO_TARGET_DIR=$(CURDIR)/target/cov && eval "$$(cargo llvm-cov show-env --sh)"
# Tests kill processes, and a killed process may leave an incomplete profile. Such profiles are skipped.
SKIP_INCOMPLETE_PROFILES := --failure-mode all
cov: ## the line coverage of the tests, as a table and as HTML in target/cov/llvm-cov/html
	rustup component add llvm-tools
	cargo llvm-cov --version >/dev/null 2>&1 || cargo install --locked cargo-llvm-cov@0.9.1
	$(WITH_COVERAGE) && cargo llvm-cov clean --workspace && $(WITH_SIGINT) cargo test --workspace --tests
	$(WITH_COVERAGE) && cargo llvm-cov report --html $(SKIP_INCOMPLETE_PROFILES) \
		&& cargo llvm-cov report --summary-only $(SKIP_INCOMPLETE_PROFILES)

# The rows of C++: bench/peers/saltus_cpp, and bench/peers/ros2 on our rclcpp.
bench-cpp: cpp ## the programs of the benchmarks in C++
	dpkg -s libyaml-cpp-dev >/dev/null 2>&1 || $$(command -v sudo) apt-get install -y --no-install-recommends libyaml-cpp-dev
	. $(CPP_PREFIX)/setup.sh && for package in saltus_cpp ros2; do \
		cmake -S bench/peers/$$package -B target/cpp/bench/$$package -DCMAKE_BUILD_TYPE=Release >/dev/null && \
		cmake --build target/cpp/bench/$$package --parallel 2 >/dev/null || exit 1; \
	done
	cmake --install target/cpp/bench/ros2 --prefix target/cpp/bench/install >/dev/null

bench: programs bench-cpp ## all benchmarks of topics, services, actions and Python with the peers, into bench/results (hours)
	target/release/saltus bench topic --install-peers --runs 5 --pin apart,together,free \
		--out bench/results/$$(date -u +%Y-%m-%d)
	for what in service action python; do \
		target/release/saltus bench $$what --runs 5 --pin apart --out bench/results/$$(date -u +%Y-%m-%d)-$$what || exit 1; \
	done

# At most three involuntary context switches per run: beyond that loom's search grows without
# finding more (its documentation says two or three catch nearly all bugs).
loom: ## model checking of the protocols between processes, and between threads
	LOOM_MAX_PREEMPTIONS=3 RUSTFLAGS="--cfg loom" cargo test --profile model -p saltus-memory --lib
	LOOM_MAX_PREEMPTIONS=3 RUSTFLAGS="--cfg model" cargo test --profile model -p saltus-node -p saltus-executor -p saltus-filters -p saltus-tf -p saltus-tf-node \
		-p saltus-view --lib model::
