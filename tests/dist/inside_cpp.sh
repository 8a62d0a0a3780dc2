#!/usr/bin/env bash
# Runs in the root of `try_cpp.sh`: builds a new package in C++ and one in C against the archive, and runs their nodes.
set -euo pipefail
cd /trial
for program in rustc cargo ros2; do
    if command -v "$program"; then
        echo "this root has $program" >&2
        exit 1
    fi
done
# Not in /opt/saltus, which the setup files name: the archive may be unpacked anywhere.
tar xzf saltus-cpp-*.tar.gz
. /trial/saltus/setup.bash

talker=
trap 'test -z "$talker" || kill "$talker" 2>/dev/null || true' EXIT
# Builds a package that `saltus new` makes, and receives a message from its talker.
try_package() {
    local language=$1 name=$2
    echo "--- a package in $language"
    saltus new "$name" --lang "$language"
    cmake -S "$name" -B "build/$name" -DCMAKE_INSTALL_PREFIX="/trial/install/$name" -DBUILD_TESTING=OFF
    cmake --build "build/$name"
    cmake --install "build/$name"
    # A shell lets the programs that it starts in the background ignore SIGINT.
    env --default-signal=INT "install/$name/lib/$name/talker" >/dev/null &
    talker=$!
    timeout 60 saltus topic echo --once /status
    kill -INT "$talker"
    wait "$talker"
    talker=
}
try_package cpp patrol
try_package c lamp
saltus doctor
