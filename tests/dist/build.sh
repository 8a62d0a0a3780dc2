#!/usr/bin/env bash
# Builds what users get: an archive of the programs, and a wheel for Python 3.9 and later. Both run on Linux with the C
# library below or a later one. The result is in target/dist.
set -euo pipefail
glibc=2.28
target=$(rustc -vV | sed -n 's/^host: //p')
arch=${target%%-*}
tools=target/tools/zig
dist=target/dist

# zig links with the C library of older systems. PyPI has it as a package.
if [ ! -x "$tools/bin/cargo-zigbuild" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet ziglang==0.15.2 cargo-zigbuild==0.24.1 maturin==1.16.0
fi
export PATH=$PWD/$tools/bin:$PATH CARGO_PROFILE_RELEASE_STRIP=symbols

rm -rf "$dist" target/wheel-data
mkdir -p "$dist" target/wheel-data/scripts
cargo-zigbuild zigbuild --release --locked --target "$target.$glibc" --workspace \
    --bin saltus --bin saltus-robot --bin saltus-bench
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=saltus-$version-linux-$arch
mkdir -p "$dist/$name/bin"
for program in saltus saltus-robot saltus-bench; do
    cp "target/$target/release/$program" "$dist/$name/bin/"
    cp "target/$target/release/$program" target/wheel-data/scripts/
done
cp LICENSE README.md CHANGELOG.md "$dist/$name/"
tar -C "$dist" --owner 0 --group 0 -czf "$dist/$name.tar.gz" "$name"
rm -rf "${dist:?}/$name"
maturin build --quiet --release --locked --zig --target "$target" --compatibility "manylinux_${glibc/./_}" --out "$dist"
ls -l "$dist"
