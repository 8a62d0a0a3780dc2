#!/usr/bin/env bash
# Runs two commands at the same time. If the first one succeeds, waits for the second one and prints its output; otherwise ends it.
# Fails if one of them fails.
# Usage: beside.sh COMMAND... -- SECOND COMMAND...
set -euo pipefail
first=()
while [ "$1" != -- ]; do
    first+=("$1")
    shift
done
shift
output=$(mktemp)
# It gets a process group of its own, so that all of it can be ended.
set -m
"$@" </dev/null >"$output" 2>&1 &
second=$!
set +m
trap 'kill -- -"$second" 2>/dev/null || true; rm -f "$output"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"${first[@]}"
status=0
wait "$second" || status=$?
cat "$output"
exit "$status"
