#!/bin/sh
# Builds and runs the tests of class_loader; common.sh explains the arguments.
. "$(dirname "$0")/../../rcutils/test/common.sh"
test_folder=$bindings/class_loader/test

# plugin <name> [argument...]: builds lib<saltus_test_name>.so. Unique symbols would keep it in memory.
plugin() {
  name=$1
  shift
  no_unique=
  test "$cxx" != g++ || no_unique=-fno-gnu-unique
  "$cxx" $flags $no_unique $includes -shared -o "$out/libsaltus_test_$name.so" \
    "$test_folder/plugins/$name.cpp" -L"$out" "$@" -lclass_loader
}

if [ "$mode" = plain ]; then
  for compiler in g++ clang++; do
    headers class_loader $compiler c++17
    headers class_loader $compiler c++20
  done
fi
export TSAN_OPTIONS="suppressions=$test_folder/thread_sanitizer.txt"
library rcutils
library rcpputils -lrcutils
library class_loader -lrcpputils -lrcutils
for name in cats cows linked greedy; do
  plugin $name
done
plugin herd -Wl,--no-as-needed -lsaltus_test_cows
plugin sticky -Wl,-z,nodelete
program class_loader -I"$test_folder/plugins" "$test_folder"/*.cpp \
  -Wl,--no-as-needed -lsaltus_test_linked -Wl,--as-needed -lclass_loader -lrcpputils -lrcutils
