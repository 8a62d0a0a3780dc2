#!/usr/bin/env bash
# Tries what `build.sh` has built in a root folder that contains Debian and Python, but no compiler and no Saltus: the
# archive, and the wheel in a virtual environment. Needs root.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/dist/root.sh
dist=target/dist
make_root python3,python3-venv
mkdir "$root/trial/wheels"
cp "$dist"/saltus-[0-9]*.tar.gz "$dist"/*.whl "$root/trial/"
# The root has no network. Its Python gets the packages that the wheel needs from here.
python3 -m pip download --quiet --only-binary :all: --python-version 3.11 --dest "$root/trial/wheels" numpy PyYAML
cp tests/dist/inside.sh tests/dist/listener.py tests/dist/talker.py "$root/trial/"
run_in_root inside.sh
