#!/usr/bin/env bash
# Runs the talker and the listener of the crate `saltus` for two seconds. The argument is the folder with both programs.
set -euo pipefail
timeout --signal=INT 2.3 "$1/listener" &
status=0
timeout --signal=INT 2.2 "$1/talker" || status=$?
wait || true
# `timeout` ends with this status if it has ended the program.
test "$status" -eq 124
