#!/bin/sh
# Runs a script in two processes at the same time, with PART=0 and PART=1. Fails if one of them fails.
# Usage: both_parts.sh SCRIPT [ARGUMENTS...]
set -eu
# What a shell starts in the background would ignore SIGINT.
PART=0 env --default-signal=INT "$@" &
first=$!
PART=1 env --default-signal=INT "$@" &
second=$!
trap 'kill $first $second 2>/dev/null || true' INT TERM
code=0
wait $first || { echo "FAILED  part 0 of $1" >&2; code=1; }
wait $second || { echo "FAILED  part 1 of $1" >&2; code=1; }
exit $code
