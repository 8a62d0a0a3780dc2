#!/usr/bin/env bash
# Runs the camera, the detector and the tracker as three processes, and then in one container. Shows a result and the
# cost of each. Arguments: the command `saltus`, and the prefix into which the package is installed.
set -euo pipefail
saltus=$1
prefix=$2
"$saltus" install "$(dirname "$0")" --prefix "$prefix"
export SALTUS_PREFIX_PATH=$PWD/$prefix
SALTUS_SHM_DIR=$(mktemp -d /dev/shm/saltus-demo-XXXXXX)
export SALTUS_SHM_DIR
components="perception::Camera perception::Detector perception::Tracker"
programs=()

stop() {
    if [ ${#programs[@]} -gt 0 ]; then
        kill -INT "${programs[@]}" 2>/dev/null || true
        wait "${programs[@]}" 2>/dev/null || true
    fi
    programs=()
}
trap 'stop; rm -rf "$SALTUS_SHM_DIR"' EXIT

# Starts a program in the background. Without the wrapper, it would ignore the signal of Ctrl-C.
start() {
    env --default-signal=INT "$@" 2>/dev/null &
    programs+=($!)
}

show() {
    until "$saltus" topic list | grep -q "^/track$"; do sleep 0.1; done
    echo "a track:"
    "$saltus" topic echo --once /track --field twist.linear
    "$saltus" top -b -n 1 --delay 2
}

echo "- three processes: saltus run perception perception::Camera, and so on"
for component in $components; do
    start "$saltus" run perception "$component"
done
show
stop

echo "- one container: saltus container, saltus component load /ComponentManager perception perception::Camera, and so on"
start "$saltus" container
for component in $components; do
    "$saltus" component load --timeout 20 /ComponentManager perception "$component"
done
show
