# To be sourced: a root folder with a minimal Debian, in which the archives are tried. It is removed at the end.
root=$(mktemp -d /var/tmp/saltus-dist-XXXXXX)
finish() {
    for folder in dev/shm proc; do
        umount "$root/$folder" 2>/dev/null || umount --lazy "$root/$folder" 2>/dev/null || true
    done
    rm -rf "$root"
}
trap finish EXIT

# Makes the root with these packages, separated by commas, and with a folder /trial.
make_root() {
    command -v debootstrap >/dev/null || apt-get install -y --no-install-recommends debootstrap >/dev/null
    debootstrap --variant=minbase --include="$1" bookworm "$root" >target/dist/debootstrap.log
    mkdir -p "$root/trial" "$root/dev/shm"
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/dev/shm"
}

# Runs a script in /trial.
run_in_root() {
    chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root bash "/trial/$1"
}
