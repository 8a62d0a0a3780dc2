//! The caches of the CPUs.

use std::{fs, path::Path, sync::OnceLock};

/// The folder with the caches of the first CPU. The CPUs of a computer that differ have the same last cache.
const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// Returns the size in bytes of the largest cache that the CPUs have, if it is known. It is read once.
///
/// A virtual machine may show the cache of the whole computer, of which it has only a part.
pub(crate) fn largest_cache() -> Option<u64> {
    static SIZE: OnceLock<Option<u64>> = OnceLock::new();
    *SIZE.get_or_init(|| largest_in(Path::new(CACHES)))
}

fn largest_in(folder: &Path) -> Option<u64> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| size_of(&fs::read_to_string(entry.path().join("size")).ok()?));
    sizes.max()
}

/// Reads a size in the form of the kernel: `512`, `2048K` or `8M`.
fn size_of(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => text.strip_suffix('M').map_or((text, 1), |digits| (digits, 1 << 20)),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_the_form_of_the_kernel() {
        for (text, want) in [
            ("307200K\n", Some(300 << 20)),
            ("8M", Some(8 << 20)),
            ("512", Some(512)),
            ("", None),
            ("x", None),
            ("99999999999999999999K", None),
        ] {
            assert_eq!(size_of(text), want, "{text}");
        }
    }

    #[test]
    fn the_largest_cache_counts() {
        let folder = tempfile::tempdir().unwrap();
        for (index, size) in [("index0", "48K\n"), ("index2", "2048K\n"), ("index3", "8192K\n")] {
            fs::create_dir(folder.path().join(index)).unwrap();
            fs::write(folder.path().join(index).join("size"), size).unwrap();
        }
        fs::write(folder.path().join("uevent"), "").unwrap();
        assert_eq!(largest_in(folder.path()), Some(8 << 20));
        assert_eq!(largest_in(Path::new("/nonexistent")), None);
    }
}
