#!/usr/bin/env bash
# Tries what `build.sh` has built in a root folder that contains Debian and Python, but no compiler and no Saltus: the
# archive, and the wheel in a virtual environment. Needs root.
set -euo pipefail
cd "$(dirname "$0")/../.."
dist=target/dist
root=$(mktemp -d /var/tmp/saltus-dist-XXXXXX)
finish() {
    umount "$root/dev/shm" "$root/proc" 2>/dev/null || true
    rm -rf "$root"
}
trap finish EXIT

command -v debootstrap >/dev/null || apt-get install -y --no-install-recommends debootstrap >/dev/null
debootstrap --variant=minbase --include=python3,python3-venv bookworm "$root" >"$dist/debootstrap.log"
mkdir -p "$root/trial/wheels" "$root/dev/shm"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev/shm"
cp "$dist"/*.tar.gz "$dist"/*.whl "$root/trial/"
# The root has no network. Its Python gets the packages that the wheel needs from here.
python3 -m pip download --quiet --only-binary :all: --python-version 3.11 --dest "$root/trial/wheels" numpy PyYAML
cp tests/dist/inside.sh tests/dist/listener.py tests/dist/talker.py "$root/trial/"
chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root bash /trial/inside.sh
