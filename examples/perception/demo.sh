#!/usr/bin/env bash
# Runs the camera, the detector and the tracker as three processes, and then in one process. Shows a result and the cost of
# each. The argument is the folder with the programs.
set -euo pipefail
programs=$1
saltus=$programs/saltus
SALTUS_SHM_DIR=$(mktemp -d /dev/shm/saltus-demo-XXXXXX)
export SALTUS_SHM_DIR
running=()

stop() {
    if [ ${#running[@]} -gt 0 ]; then
        kill -INT "${running[@]}" 2>/dev/null || true
        wait "${running[@]}" 2>/dev/null || true
    fi
    running=()
}
trap 'stop; rm -rf "$SALTUS_SHM_DIR"' EXIT

# Starts programs in the background. Without the wrapper, they would ignore the signal of Ctrl-C.
start() {
    for name in "$@"; do
        env --default-signal=INT "$programs/$name" 2>/dev/null &
        running+=($!)
    done
}

show() {
    until "$saltus" topic list | grep -q "^/track$"; do sleep 0.1; done
    echo "a track:"
    "$saltus" topic echo --once /track --field twist.linear
    "$saltus" top -b -n 1 --delay 2
}

echo "- three processes: camera, detector and tracker"
start camera detector tracker
show
stop

echo "- one process: composed"
start composed
show
