//! What processes share, and the version of it: one changes with the other.

use saltus_graph::fnv1a;
use saltus_memory::{
    arena::ARENA_START,
    os::{folder::LAYOUT, segment::WINDOW},
    records::RECORDS_START,
};
use saltus_types::LossCause;

/// The files with structs that lie in shared memory, and with what is written into records.
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

/// The hash of what processes share in this version of the layout.
const HASH: u64 = 0xa90c_bb67_ad7d_db20;

/// What begins and ends what processes share, in the order of the sources.
const SHARED: [(&str, [&str; 2]); 3] = [
    ("#[repr(C, align", ["}", "pub struct Port("]),
    ("write_fields!", ["    }", "}"]),
    ("pub fn to_bytes(&self) -> [u8; Self::SIZE]", ["    }", "}"]),
];

/// The lines of code from one that holds `begin` to one that begins with `end`.
fn blocks<'a>(source: &'a str, begin: &'a str, end: [&'a str; 2]) -> impl Iterator<Item = &'a str> {
    let mut is_inside = false;
    source.lines().filter(move |line| {
        is_inside |= line.contains(begin);
        let is_block = is_inside;
        is_inside &= !end.iter().any(|end| line.starts_with(end));
        is_block && !line.trim_start().starts_with("//")
    })
}

/// Else a file whose structs have moved would be looked at in vain.
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
    let places = [ARENA_START, RECORDS_START, WINDOW].map(|place| place.to_string());
    // Counted in this order.
    let causes = format!("{:?}", LossCause::ALL);
    let bytes = lines.chain(places.iter().map(String::as_str)).chain([causes.as_str()]).flat_map(str::bytes);
    fnv1a(bytes)
}

/// Else two versions would take each other's files for their own.
#[test]
fn the_version_changes_with_what_processes_share() {
    assert_eq!(
        (LAYOUT, hash_of_all()),
        (3, HASH),
        "what processes share has changed: raise LAYOUT and note the hash here",
    );
}
