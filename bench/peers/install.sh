#!/usr/bin/env bash
# Installs and builds the peers that come from package registries: Debian's packages, crates.io and PyPI.
# ROS 2 is not installed: source its environment and build bench/peers/ros2 with colcon.
set -euo pipefail
cd "$(dirname "$0")"

packages=(cyclonedds-dev cyclonedds-tools libfastrtps-dev libfastcdr-dev liblcm-dev libzmq3-dev g++ make python3-venv)
missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" apt-get install -q -y --no-install-recommends "${missing[@]}"
fi

make -C c
cargo build --locked --release --manifest-path rust/Cargo.toml --target-dir ../../target

# The package of Saltus is built from this source tree, and installed there too.
python=../../target/peers-python
[ -x $python/bin/pip ] || python3 -m venv $python
$python/bin/pip install --quiet --requirement python/requirements.txt "../..[transitions]"
