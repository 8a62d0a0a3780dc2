//! Checks that the layout's version changes whenever the layout of shared memory changes.

use saltus_graph::fnv1a;
use saltus_memory::{
    arena::ARENA_START,
    os::{folder::LAYOUT, segment::WINDOW},
    records::{BLOCK_LEN, RECORDS_START},
};
use saltus_types::{LinkLoss, LossCause};

/// The files with structs in shared memory, and with the formats of records.
const SOURCES: [&str; 11] = [
    include_str!("../../saltus-memory/src/protocol/doorbell.rs"),
    include_str!("../../saltus-memory/src/protocol/membership.rs"),
    include_str!("../../saltus-memory/src/protocol/port.rs"),
    include_str!("../../saltus-memory/src/protocol/record.rs"),
    include_str!("../../saltus-memory/src/protocol/ring.rs"),
    include_str!("../../saltus-memory/src/chunk.rs"),
    include_str!("../../saltus-memory/src/counters.rs"),
    include_str!("../../saltus-memory/src/header.rs"),
    include_str!("../../saltus-memory/src/latency.rs"),
    include_str!("../../saltus-memory/src/queue.rs"),
    include_str!("../../saltus-graph/src/entry.rs"),
];

/// The hash of the shared layout in this version.
const HASH: u64 = 0xc295_b26b_2ca1_ea55;

/// For each kind of shared code, the text in its first line, and what its last line may begin with.
const SHARED: [(&str, [&str; 2]); 3] = [
    ("#[repr(C, align", ["}", "pub struct Port("]),
    ("write_fields!", ["    }", "}"]),
    ("pub fn to_bytes(&self) -> [u8; Self::SIZE]", ["    }", "}"]),
];

/// Returns the lines of code of each block: from a line that contains `begin` to a line that begins with one of `end`.
fn blocks<'a>(source: &'a str, begin: &'a str, end: [&'a str; 2]) -> impl Iterator<Item = &'a str> {
    let mut is_inside = false;
    source.lines().filter(move |line| {
        is_inside |= line.contains(begin);
        let is_block = is_inside;
        is_inside &= !end.iter().any(|end| line.starts_with(end));
        is_block && !line.trim_start().starts_with("//")
    })
}

/// If the structs of a file were moved to another file, this check would no longer cover them.
#[test]
fn each_source_has_something_that_processes_share() {
    for source in SOURCES {
        assert!(SHARED.iter().any(|(begin, _)| source.contains(begin)));
    }
}

fn hash_of_all() -> u64 {
    let lines = SHARED
        .iter()
        .flat_map(|(begin, end)| SOURCES.iter().flat_map(|source| blocks(source, begin, *end)))
        .map(str::trim);
    let offsets = [ARENA_START, RECORDS_START, BLOCK_LEN, WINDOW].map(|offset| offset.to_string());
    // Shared memory holds the counts in this order.
    let causes = format!("{:?}{:?}", LossCause::ALL, LinkLoss::ALL);
    let bytes = lines.chain(offsets.iter().map(String::as_str)).chain([causes.as_str()]).flat_map(str::bytes);
    fnv1a(bytes)
}

/// Otherwise two versions would use each other's files.
#[test]
fn the_version_changes_with_what_processes_share() {
    assert_eq!(
        (LAYOUT, hash_of_all()),
        (9, HASH),
        "what processes share has changed: raise LAYOUT and note the hash here",
    );
}
