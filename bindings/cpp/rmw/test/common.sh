# Shared by the build.sh of each package: build.sh [plain|address] [g++|clang++] compiles the headers alone, builds the
# libraries and the test program into $SALTUS_CPP_OUT, and runs it. It needs the generated messages in target/cpp.
set -eu
mode=${1:-plain}
cxx=${2:-g++}
bindings=$(cd "$(dirname "$0")/../.." && pwd)
built=$(cd "$bindings/../.." && pwd)/target/cpp
out=${SALTUS_CPP_OUT:-${TMPDIR:-/tmp}/saltus-cpp-rmw}/$mode-$cxx
mkdir -p "$out"
export LD_LIBRARY_PATH="$out:$built/lib:${LD_LIBRARY_PATH:-}"

c_warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
warnings="$c_warnings -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual"
case $mode in
  plain) sanitize="-O2" ;;
  address) sanitize="-O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" ;;
  *) echo "usage: $0 [plain|address] [g++|clang++]" >&2; exit 2 ;;
esac
flags="-std=c++17 -g -fPIC -UNDEBUG $warnings $sanitize"
# gcc's inlining with sanitizers warns about variables of the standard library.
test "$mode$cxx" != "addressg++" || flags="$flags -Wno-maybe-uninitialized"

includes="-isystem /usr/include/eigen3 -isystem /usr/include/bullet"
for package in rcutils rcpputils rosidl_runtime_c rosidl_runtime_cpp rosidl_typesupport_c rosidl_typesupport_cpp \
  rosidl_typesupport_interface rosidl_typesupport_introspection_cpp saltus_cpp rmw rcl rcl_action rcl_lifecycle tracetools \
  tf2 tf2_geometry_msgs tf2_eigen tf2_kdl tf2_bullet tf2_sensor_msgs sensor_msgs
do
  includes="$includes -I$bindings/$package/include"
done
for package in builtin_interfaces std_msgs geometry_msgs sensor_msgs; do
  includes="$includes -I$built/rosidl_cpp/$package"
done


# library <package>: builds lib<package>.so from all sources of the package, if one is newer.
library() {
  package=$1
  if [ -z "$(find "$bindings/$package/src" "$bindings"/*/include -newer "$out/lib$package.so" 2>&1 | head -n 1)" ]; then
    return
  fi
  "$cxx" $flags -fvisibility=hidden $includes -shared -o "$out/lib$package.so" "$bindings/$package"/src/*.cpp -L"$out"
}

# headers <package> <compiler> <standard>: compiles each header alone, twice.
headers() {
  package=$1 compiler=$2 standard=$3
  sources=$out/headers-$package
  rm -rf "$sources"
  mkdir -p "$sources"
  extension=cpp
  pattern='*.h*'
  used_warnings=$warnings
  if [ "$standard" = c99 ]; then
    extension=c
    pattern='*.h'
    used_warnings=$c_warnings
  fi
  for header in $(cd "$bindings/$package/include" && find . -name "$pattern" | sed 's|^\./||'); do
    name=$(echo "$header" | tr '/.' '__')
    printf '#include "%s"\n#include "%s"\nint %s_;\n' "$header" "$header" "$name" > "$sources/$name.$extension"
  done
  "$compiler" -std="$standard" $used_warnings -fsyntax-only $includes "$sources"/*."$extension"
  echo "headers of $package: $compiler $standard ok ($(ls "$sources" | wc -l))"
}

# all_headers <package> [c99]: with both compilers and standards, only in the mode plain.
all_headers() {
  test "$mode" = plain || return 0
  for compiler in g++ clang++; do
    headers "$1" $compiler c++17
    headers "$1" $compiler c++20
  done
  if [ "${2:-}" = c99 ]; then
    headers "$1" gcc c99
    headers "$1" clang c99
  fi
}

# program <package> [argument...]: builds the test program from the files in test/, and runs it.
program() {
  package=$1
  shift
  objects=
  for source in "$bindings/$package"/test/*.c; do
    test -e "$source" || continue
    object=$out/$package-$(basename "$source").o
    gcc -std=c99 -g $c_warnings $sanitize $includes -c -o "$object" "$source"
    objects="$objects $object"
  done
  "$cxx" $flags $includes -o "$out/test_$package" "$bindings/$package"/test/*.cpp $objects -L"$out" -L"$built/lib" "$@" \
    -lgtest -lgtest_main -lpthread -Wl,-rpath-link,"$built/lib"
  echo "test_$package ($mode, $cxx)"
  "$out/test_$package" --gtest_brief=1
}
