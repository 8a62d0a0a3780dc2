//! The problems of the memory file system.

use saltus::graph::{FolderReport, Report};
use saltus_verb::output::bytes;

use super::finding::{Finding, finding};

/// Shared memory is a problem if less than the total divided by this number is free.
const MIN_FREE_DIVISOR: u64 = 10;
/// The shared memory in bytes that must be free at least: a process with a node needs about a third of it.
const MIN_FREE: u64 = 1 << 20;
pub(super) const MORE_MEMORY: &str =
    "enlarge shared memory (`mount -o remount,size=…`, `--shm-size`), or end the process that uses the most";

/// Returns a finding if little memory is free.
pub(super) fn little_space(report: &Report) -> Option<Finding> {
    let (free, all) = report.space;
    (free < all / MIN_FREE_DIVISOR || free < MIN_FREE).then(|| {
        finding(format!("only {} of {} of shared memory is free", bytes(free), bytes(all)), MORE_MEMORY)
    })
}

/// Returns findings about the folder of shared memory.
pub(super) fn folder(report: &Report) -> impl Iterator<Item = Finding> {
    let FolderReport { unwritable, is_on_disk, elsewhere } = &report.folder;
    let unwritable = unwritable.as_ref().map(|reason| {
        finding(
            format!("the folder of shared memory can't be written: {reason}"),
            "mount it so that files can be written (`mount -o remount,rw /dev/shm`), or set SALTUS_SHM_DIR to another folder",
        )
    });
    let on_disk = is_on_disk.then(|| {
        finding(
            "the folder of shared memory is not on a memory file system, so messages are written to a disk",
            "mount a tmpfs there, or set SALTUS_SHM_DIR to a folder on one",
        )
    });
    let elsewhere = (!elsewhere.is_empty()).then(|| {
        finding(
            format!(
                "this graph has no nodes, but there are some in another /dev/shm: {}",
                processes(elsewhere)
            ),
            "share /dev/shm with them (for containers: `--ipc=host`), or run this command where they run",
        )
    });
    unwritable.into_iter().chain(on_disk).chain(elsewhere)
}

fn processes(pids: &[u32]) -> String {
    let numbers = pids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    if pids.len() == 1 { format!("process {numbers}") } else { format!("processes {numbers}") }
}
