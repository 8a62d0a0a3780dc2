#!/usr/bin/env bash
# Tries the archive of `build_cpp.sh` in a root folder that contains Debian, GCC and CMake, but no Rust and no Saltus.
# Needs root.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/dist/root.sh
make_root g++,cmake,make
cp target/dist/saltus-cpp-*.tar.gz tests/dist/inside_cpp.sh "$root/trial/"
run_in_root inside_cpp.sh
