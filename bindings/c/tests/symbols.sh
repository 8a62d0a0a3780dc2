#!/bin/sh
# Checks that libsaltus exports the functions of the file of its ABI, each with its version and nothing else, and that it has its soname.
# Usage: symbols.sh LIBRARY FILE
set -eu
exported=$(nm -D --defined-only "$1" | sed -n 's/^[0-9a-f]* [^A] //p' | sort)
declared=$(sed -n 's/^[^(]*[ *]\(saltus_[a-z0-9_]*\)(.*/\1@@SALTUS_0.1/p' "$2" | sort -u)
test -n "$declared"
if [ "$exported" != "$declared" ]; then
  echo "expected the symbols of $2, found others in $1:"
  { echo "$declared"; echo "$exported"; } | sort | uniq -u
  exit 1
fi
readelf -d "$1" | grep -q 'SONAME.*\[libsaltus\.so\.0\]' || { echo "expected the soname libsaltus.so.0"; exit 1; }
