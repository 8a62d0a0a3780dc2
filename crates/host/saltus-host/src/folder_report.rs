//! Problems of the folder of shared memory: whether processes can use it, and who uses another one.

use std::{fs, io, os::unix::fs::MetadataExt, path::Path};

use rustix::fs::{Access, access, statfs};

/// The beginning of the name of a folder of graphs; see `saltus_memory::os::folder`.
const FOLDER_NAME: &str = "/saltus.v";
/// The types of memory file systems: tmpfs, ramfs and hugetlbfs (statfs(2)).
const MEMORY_SYSTEMS: [u32; 3] = [0x0102_1994, 0x8584_58F6, 0x9584_58F6];

/// The folder of shared memory, as this process sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderReport {
    /// Why this process can't create files in it; `None` if it can.
    pub unwritable: Option<String>,
    /// Whether it is on a file system that is not in memory.
    pub is_on_disk: bool,
    /// The processes of this user that have shared memory in another file system at a path of the same name, such as those of
    /// a container.
    pub elsewhere: Vec<u32>,
}

impl FolderReport {
    /// Examines the folder. `has_members` says whether processes use it: then nobody looks for others.
    pub(crate) fn of(folder: &Path, has_members: bool) -> io::Result<Self> {
        let unwritable = access(folder, Access::WRITE_OK | Access::EXEC_OK).err();
        let kind = statfs(folder)?.f_type as u32;
        Ok(Self {
            unwritable: unwritable.map(|error| io::Error::from(error).to_string()),
            is_on_disk: !MEMORY_SYSTEMS.contains(&kind),
            elsewhere: if has_members { Vec::new() } else { processes_elsewhere(folder)? },
        })
    }
}

/// Returns the processes that map files of graphs from a folder with the same path and another device.
fn processes_elsewhere(folder: &Path) -> io::Result<Vec<u32>> {
    let device = fs::metadata(folder)?.dev();
    let own = (rustix::fs::major(device), rustix::fs::minor(device));
    let prefix = format!("{}{FOLDER_NAME}", folder.display());
    let uses_another = |pid: &u32| {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        maps.lines().any(|line| line.contains(&prefix) && device_of(line).is_some_and(|device| device != own))
    };
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut found: Vec<u32> = pids.filter(uses_another).collect();
    found.sort_unstable();
    Ok(found)
}

/// Returns the device in a line of `/proc/PID/maps`, such as `7f00-7f01 rw-s 00000000 00:18 12 /dev/shm/x` (proc_pid_maps(5)).
fn device_of(line: &str) -> Option<(u32, u32)> {
    let (major, minor) = line.split_ascii_whitespace().nth(3)?.split_once(':')?;
    Some((u32::from_str_radix(major, 16).ok()?, u32::from_str_radix(minor, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_of_a_mapping_is_read() {
        let line =
            "7f2f5c000000-7f2f5c100000 rw-s 00000000 00:1a 77                 /dev/shm/saltus.v9.0/0.1";
        assert_eq!(device_of(line), Some((0, 0x1A)));
        assert_eq!(device_of("7f2f5c000000-7f2f5c100000 rw-p"), None);
    }

    #[test]
    fn a_folder_in_memory_is_usable() {
        let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
        let report = FolderReport::of(folder.path(), false).unwrap();
        assert_eq!(report, FolderReport::default());
        assert!(FolderReport::of(Path::new("/proc"), true).unwrap().is_on_disk);
    }
}
