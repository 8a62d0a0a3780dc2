#!/bin/sh
# Builds and runs the tests of ament_index_cpp; common.sh explains the arguments.
. "$(dirname "$0")/../../rcutils/test/common.sh"
test_folder=$bindings/ament_index_cpp/test

if [ "$mode" = plain ]; then
  for compiler in g++ clang++; do
    headers ament_index_cpp $compiler c++17
    headers ament_index_cpp $compiler c++20
  done
fi

library ament_index_cpp
program ament_index_cpp "$test_folder"/*.cpp -lament_index_cpp
