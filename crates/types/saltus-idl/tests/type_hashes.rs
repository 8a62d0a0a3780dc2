//! Type hashes: compares the hashes of the bundled interfaces with those that other implementations compute.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::PathBuf};

use saltus_idl::{Interfaces, SourceKind};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Returns all definitions in `interfaces/`, and the types of `rmw_dds_common` that a test vector needs.
fn bundled() -> Interfaces {
    let mut interfaces = Interfaces::default();
    for package in fs::read_dir(root().join("interfaces")).unwrap() {
        let package = package.unwrap();
        for kind in [SourceKind::Message, SourceKind::Service, SourceKind::Action] {
            let Ok(files) = fs::read_dir(package.path().join(kind.extension())) else { continue };
            for file in files {
                let path = file.unwrap().path();
                let name = path.file_stem().unwrap().to_str().unwrap();
                let text = fs::read_to_string(&path).unwrap();
                interfaces.add(package.file_name().to_str().unwrap(), kind, name, &text).unwrap();
            }
        }
    }
    for (name, text) in [
        ("Gid", "uint8[16] data"),
        (
            "NodeEntitiesInfo",
            "string<=256 node_namespace\nstring<=256 node_name\nGid[] reader_gid_seq\nGid[] writer_gid_seq",
        ),
        ("ParticipantEntitiesInfo", "Gid gid\nNodeEntitiesInfo[] node_entities_info_seq"),
    ] {
        interfaces.add("rmw_dds_common", SourceKind::Message, name, text).unwrap();
    }
    interfaces
}

/// Compares the hash in each line `type hash` of a file of test vectors. Returns the number of lines.
fn compare(file: &str) -> usize {
    let interfaces = bundled();
    let text = fs::read_to_string(root().join("spec/vectors").join(file)).unwrap();
    let vectors = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let wrong: Vec<_> = vectors
        .clone()
        .filter(|line| {
            let (name, hash) = line.split_once(' ').unwrap();
            interfaces.type_hash(name).unwrap().to_string() != hash
        })
        .collect();
    assert!(wrong.is_empty(), "{} differ: {wrong:#?}", wrong.len());
    let count = vectors.count();
    println!("{file}: {count} hashes equal");
    count
}

#[test]
fn hashes_equal_the_published_hashes_of_ros_2() {
    assert_eq!(compare("reference_hashes.txt"), 42);
}

#[test]
fn hashes_equal_the_hashes_of_rosbags_for_all_bundled_types() {
    assert!(compare("rosbags_hashes.txt") > 300);
}
