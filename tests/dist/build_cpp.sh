#!/usr/bin/env bash
# Builds an archive of libsaltus, its headers, the C++ packages of ROS 2, the CMake packages and the program saltus, for
# programs in C and C++. It runs on Linux with the C library and the C++ library of this system, or later ones. The
# result is in target/dist.
set -euo pipefail
arch=$(rustc -vV | sed -n 's/^host: \([^-]*\).*/\1/p')
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
root=$PWD/target/dist/cpp
rm -rf "$root"
# A shell that is not bash or zsh finds the packages in /opt/saltus, or in AMENT_CURRENT_PREFIX.
DESTDIR=$root make --no-print-directory cpp CPP_PREFIX=/opt/saltus
strip --strip-unneeded "$root"/opt/saltus/bin/saltus "$root"/opt/saltus/lib/*.so "$root"/opt/saltus/lib/*/*
cp LICENSE README.md CHANGELOG.md "$root/opt/saltus/"
if grep -rIlF "$PWD" "$root"; then
    echo "these files of the archive contain the path of this source tree" >&2
    exit 1
fi
tar -C "$root/opt" --owner 0 --group 0 -czf "target/dist/saltus-cpp-$version-linux-$arch.tar.gz" saltus
rm -rf "$root"
ls -l target/dist
