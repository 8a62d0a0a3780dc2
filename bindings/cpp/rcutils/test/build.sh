#!/bin/sh
# Builds and runs the tests of rcutils; common.sh explains the arguments.
. "$(dirname "$0")/common.sh"
test_folder=$bindings/rcutils/test
c_warnings=$(echo "$warnings" | sed 's/-Wold-style-cast//; s/-Wnon-virtual-dtor//; s/-Woverloaded-virtual//')

if [ "$mode" = plain ]; then
  for compiler in g++ clang++; do
    headers rcutils $compiler c++17
    headers rcutils $compiler c++20
  done
  (warnings=$c_warnings && headers rcutils gcc c99 && headers rcutils clang c99)
fi
library rcutils
gcc -std=c99 -g $c_warnings $sanitize $includes -c -o "$out/c_user.o" "$test_folder/c_user.c"
program rcutils "$test_folder"/*.cpp "$out/c_user.o" -lrcutils
