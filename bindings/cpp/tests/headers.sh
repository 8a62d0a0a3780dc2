#!/bin/sh
# Compiles each header of the C++ packages alone, twice in a file, without warnings, with the compilers and versions of C++ that
# packages use. It takes half an hour, so it is not a part of `make test`, where all headers are compiled together.
# Usage: headers.sh PREFIX, where the packages are installed
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
prefix=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/saltus-headers.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual -Werror"

for folder in "$here"/*/include; do
  (cd "$folder" && find . -name '*.h' -o -name '*.hpp') | sed 's,^\./,,'
done | sort -u >"$work/headers"
# Headers of other packages, such as those of messages, are headers of the system: compilers don't warn about them.
includes=
for folder in "$prefix"/include/*; do
  if [ -d "$here/$(basename "$folder")/include" ]; then option=-I; else option="-isystem "; fi
  includes="$includes $option$folder"
done
includes="$includes $(pkg-config --cflags-only-I eigen3 orocos-kdl bullet 2>/dev/null | sed 's/-I/-isystem /g')"

cat >"$work/check" <<'END'
#!/bin/sh
printf '#include <%s>\n#include <%s>\n' "$1" "$1" >"$work/$$.cpp"
if ! $compile "$work/$$.cpp" >"$work/$$.out" 2>&1; then
  echo "FAILED  $1"
  head -n 20 "$work/$$.out"
fi
rm "$work/$$.cpp" "$work/$$.out"
END
export work compile
for variant in g++:17 g++:20 clang++:17 clang++:20; do
  compile="${variant%:*} -std=c++${variant#*:} -fsyntax-only $warnings $includes"
  xargs -n 1 -P 2 sh "$work/check" <"$work/headers" >"$work/failed"
  if [ -s "$work/failed" ]; then cat "$work/failed"; exit 1; fi
  echo "headers: $(wc -l <"$work/headers") compile alone with ${variant%:*}, C++${variant#*:}"
done
