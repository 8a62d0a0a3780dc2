#!/bin/sh
# Checks that the sources of this package use each name of names.txt, except those of names_missing.txt.
# A name that at least five repositories use must be in a program that runs. Usage: check.sh [FOLDER]
set -eu
cd "${1:-$(dirname "$0")}"
awk '
  function fault(text) {
    print "names: " text
    faults += 1
  }
  # A name is used if it stands alone; a method is called or overridden.
  function pattern(name) {
    gsub(/[.]/, "[.]", name)
    if (section == "methods") {
      return "(^|[^A-Za-z0-9_])" name "(<[^;]*>)?[(]"
    }
    return section == "headers" ? "#include \"" name "\"" : "(^|[^A-Za-z0-9_:])" name "([^A-Za-z0-9_]|$)"
  }
  FILENAME == "names_missing.txt" {
    name = $0
    sub(/: .*/, "", name)
    if (name == $0) {
      fault("names_missing.txt: expected \"NAME: REASON\", found: " $0)
    }
    missing[name] = 1
    next
  }
  FILENAME == "names.txt" {
    lines[++count] = $0
    next
  }
  FILENAME ~ /[.](cpp|hpp)$/ {
    line = $0
    sub(/\/\/.*/, "", line)
    if (FILENAME ~ /test_rare[.]cpp$/) {
      rare = rare line "\n"
    } else {
      run = run line "\n"
    }
  }
  END {
    for (i = 1; i <= count; ++i) {
      line = lines[i]
      if (line ~ /^# /) {
        section = substr(line, 3)
        continue
      }
      split(line, parts, " ")
      name = parts[1]
      known[name] = 1
      total += 1
      is_run = run ~ pattern(name)
      is_used = is_run || rare ~ pattern(name)
      if (name in missing) {
        if (is_used) {
          fault(name " is in names_missing.txt, and the sources use it")
        }
      } else if (!is_used) {
        fault("no source uses " name)
      } else if (!is_run && parts[2] >= 5) {
        fault(parts[2] " repositories use " name ", but no test runs it")
      } else {
        used += 1
      }
    }
    for (name in missing) {
      left_out += 1
      if (!(name in known)) {
        fault(name " is in names_missing.txt, but not in names.txt")
      }
    }
    printf "names: %d of %d are used, %d are missing with a reason\n", used, total, left_out
    exit faults > 0
  }
' names_missing.txt names.txt src/*.hpp src/*.cpp test/*.hpp test/*.cpp
