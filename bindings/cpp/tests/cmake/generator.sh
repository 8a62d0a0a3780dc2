#!/bin/sh
# Stands in for the program saltus: for each type it writes a header and a source file with one function. The number that the
# function returns is the first number in the definition. A field of the type "wrong" is an error.
# For C it writes another source file.
# Arguments: interface codegen --lang cpp|c --output <folder> <types>...
set -eu
language=$4
case "$1 $2 $3 $4 $5" in
  "interface codegen --lang cpp --output" | "interface codegen --lang c --output") ;;
  *) exit 64 ;;
esac
output=$6
shift 6

# Prints the path of the definition of a type.
definition() {
  package=${1%%/*}
  for folder in $(echo "$SALTUS_INTERFACE_PATH" | tr : ' '); do
    if [ -e "$folder/package.xml" ]; then
      grep -q "<name>$package<" "$folder/package.xml" || continue
      found=$(ls "$folder/${1#*/}".* 2>/dev/null || true)
    else
      found=$(ls "$folder/$1".* 2>/dev/null || true)
    fi
    if [ -n "$found" ]; then echo "$found" && return; fi
  done
  echo "saltus: unknown type \`$1\` (used at $2)" >&2
  return 1
}

for type in "$@"; do
  file=$(definition "$type" "the command line")
  if line=$(grep -n "^wrong " "$file"); then
    echo "saltus: $file:${line%%:*}:1: expected a type" >&2
    exit 1
  fi
  name=$(echo "${type##*/}" | sed 's/\([a-z0-9]\)\([A-Z]\)/\1_\2/g' | tr A-Z a-z)
  base=${type%/*}/$name
  detail=$output/${type%/*}/detail
  mkdir -p "$detail"
  includes=
  for used in $(sed -n 's,^\([a-z0-9_]*\)/\([A-Za-z0-9]*\) .*,\1/msg/\2,p' "$file"); do
    definition "$used" "$file" > /dev/null
    includes="$includes#include \"$(echo "$used" | tr A-Z a-z).hpp\"
"
  done
  function=$(echo "$base" | tr / _)
  number=$(grep -o '[0-9][0-9]*' "$file" | head -n 1)
  if [ "$language" = c ]; then
    echo "#include \"$base.hpp\"" > "$output/$base.h"
    echo "#include <support.hpp>" > "$detail/${name}__functions.cpp"
    continue
  fi
  {
    printf '#pragma once\n%s#include <runtime.hpp>\nint %s();\n' "$includes" "$function"
  } > "$detail/${name}__struct.hpp"
  echo "#include \"${type%/*}/detail/${name}__struct.hpp\"" > "$output/$base.hpp"
  source=$detail/${name}__type_support.cpp
  printf '#include "%s.hpp"\n#include <support.hpp>\nint %s() { int unused; return %s; }\n' \
    "$base" "$function" "${number:-0}" > "$source.new"
  # A file that has the same text already keeps its time.
  if cmp -s "$source.new" "$source"; then rm "$source.new"; else mv "$source.new" "$source"; fi
  echo "#include \"$base.hpp\""
done
