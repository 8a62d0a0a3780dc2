# Shared by the build.sh of each package: build.sh [plain|address|thread] [g++|clang++] builds the libraries and the
# test program into $SALTUS_CPP_OUT, and runs it.
set -eu
mode=${1:-plain}
cxx=${2:-g++}
bindings=$(cd "$(dirname "$0")/../.." && pwd)
out=${SALTUS_CPP_OUT:-${TMPDIR:-/tmp}/saltus-cpp}/$mode-$cxx
mkdir -p "$out"
export LD_LIBRARY_PATH="$out:${LD_LIBRARY_PATH:-}"

warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual"
warnings="$warnings -Werror"
case $mode in
  plain) sanitize="-O2" ;;
  address) sanitize="-O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer" ;;
  thread) sanitize="-O1 -fsanitize=thread" ;;
  *) echo "usage: $0 [plain|address|thread] [g++|clang++]" >&2; exit 2 ;;
esac
flags="-std=c++17 -g -fPIC $warnings $sanitize"
link=-Wl,--no-undefined
if [ "$mode" != plain ]; then
  # clang's sanitizers stay undefined in libraries, and gcc's inlining with them warns about std::regex.
  link=
  test "$cxx" != g++ || flags="$flags -Wno-maybe-uninitialized"
fi
includes=
for package in rcutils rcpputils ament_index_cpp class_loader tf2; do
  includes="$includes -I$bindings/$package/include"
done

# library <package> [argument...]: builds lib<package>.so from all sources of the package, if one is newer.
library() {
  package=$1
  shift
  if [ -z "$(find "$bindings/$package/src" "$bindings"/*/include -newer "$out/lib$package.so" 2>&1 | head -n 1)" ]; then
    return
  fi
  "$cxx" $flags -fvisibility=hidden $includes -shared $link -o "$out/lib$package.so" \
    "$bindings/$package"/src/*.cpp "$@" -L"$out" -ldl -lpthread $sanitize
}

# headers <package> <compiler> <standard> [argument...]: compiles each header alone.
headers() {
  package=$1 compiler=$2 standard=$3
  shift 3
  sources=$out/headers-$package
  rm -rf "$sources"
  mkdir -p "$sources"
  extension=cpp
  test "$standard" != c99 || extension=c
  for header in $(cd "$bindings/$package/include" && find . -name '*.h' -o -name '*.hpp' | sed 's|^\./||'); do
    name=$(echo "$header" | tr '/.' '__')
    printf '#include "%s"\n#include "%s"\nint %s_;\n' "$header" "$header" "$name" > "$sources/$name.$extension"
  done
  "$compiler" -std="$standard" $warnings -fsyntax-only $includes "$@" "$sources"/*."$extension"
  echo "headers of $package: $compiler $standard ok ($(ls "$sources" | wc -l))"
}

# program <package> <sources and arguments>: builds and runs the test program.
program() {
  package=$1
  shift
  "$cxx" $flags $includes -o "$out/test_$package" "$@" -L"$out" -lgtest -lgtest_main -ldl -lpthread
  echo "test_$package ($mode, $cxx)"
  "$out/test_$package" --gtest_brief=1
}
