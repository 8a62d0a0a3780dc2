#!/bin/sh
# Builds and runs the tests of rcpputils; common.sh explains the arguments.
. "$(dirname "$0")/../../rcutils/test/common.sh"
test_folder=$bindings/rcpputils/test

if [ "$mode" = plain ]; then
  for compiler in g++ clang++; do
    headers rcpputils $compiler c++17
    headers rcpputils $compiler c++20
  done
fi
library rcutils
library rcpputils -lrcutils
program rcpputils "$test_folder"/*.cpp -lrcpputils -lrcutils
