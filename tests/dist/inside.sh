#!/usr/bin/env bash
# Runs in the root of `try.sh`: the programs of the archive, and then a talker and a listener with the wheel.
set -euo pipefail
cd /trial
for compiler in cc gcc rustc cargo; do
    if command -v "$compiler"; then
        echo "this root has a compiler" >&2
        exit 1
    fi
done

echo "--- the archive"
tar xzf saltus-*.tar.gz
export PATH=$PATH:$(echo /trial/saltus-*-linux-*/bin)
# A shell lets the programs that it starts in the background ignore SIGINT.
env --default-signal=INT saltus topic pub /chatter std_msgs/msg/String "{data: hello}" >/dev/null &
publisher=$!
saltus topic echo --once /chatter
kill -INT "$publisher"
wait "$publisher" || true
saltus sim turtlebot3_world --factor max --duration 1
saltus bench topic --sizes 64 --iterations 200 --peers saltus --no-extras
saltus doctor

echo "--- the wheel"
python3 -m venv venv
venv/bin/pip install --quiet --no-index --find-links wheels saltus-*.whl
PATH=/trial/venv/bin:/usr/bin:/bin
python listener.py &
listener=$!
python talker.py &
talker=$!
wait "$listener"
saltus doctor
kill -INT "$talker"
wait "$talker"
saltus topic list
