#!/bin/sh
# Builds and runs the tests of tf2; common.sh explains the arguments.
. "$(dirname "$0")/../../rcutils/test/common.sh"
test_folder=$bindings/tf2/test
includes="$includes -I$test_folder/stand_ins"

if [ "$mode" = plain ]; then
  for compiler in g++ clang++; do
    headers tf2 $compiler c++17
    headers tf2 $compiler c++20
  done
fi
library tf2
program tf2 "$test_folder"/*.cpp -ltf2
