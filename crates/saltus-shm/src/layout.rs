//! What processes share, and the version of it: one changes with the other.

use crate::{
    arena::ARENA_START,
    os::folder::LAYOUT,
    os::segment::WINDOW,
    registry::{REGISTRY_START, fnv1a},
};

/// The files with structs that lie in shared memory, and with what is written into registries.
const SOURCES: [&str; 10] = [
    include_str!("protocol/doorbell.rs"),
    include_str!("protocol/membership.rs"),
    include_str!("protocol/port.rs"),
    include_str!("protocol/record.rs"),
    include_str!("protocol/ring.rs"),
    include_str!("chunk.rs"),
    include_str!("counters.rs"),
    include_str!("header.rs"),
    include_str!("latency.rs"),
    include_str!("registry.rs"),
];

/// The hash of what processes share in this version of the layout.
const HASH: u64 = 0x93d3_d657_a675_bce7;

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
        assert!(source.contains("#[repr(C, align") || source.contains("write_fields!"));
    }
}

fn hash_of_all() -> u64 {
    let structs =
        SOURCES.iter().flat_map(|source| blocks(source, "#[repr(C, align", ["}", "pub(crate) struct Port("]));
    let entries = SOURCES.iter().flat_map(|source| blocks(source, "write_fields!", ["    }", "}"]));
    let lines = structs.chain(entries).map(str::trim);
    let places = [ARENA_START, REGISTRY_START, WINDOW].map(|place| place.to_string());
    let bytes = lines.chain(places.iter().map(String::as_str)).flat_map(str::bytes);
    fnv1a(bytes)
}

/// Else two versions would take each other's files for their own.
#[test]
fn the_version_changes_with_what_processes_share() {
    assert_eq!(
        (LAYOUT, hash_of_all()),
        (2, HASH),
        "what processes share has changed: raise LAYOUT and note the hash here",
    );
}
