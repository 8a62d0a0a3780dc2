//! Calls the function of each fuzz target with every input of its corpus. No input may cause a panic.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::PathBuf};

fn replay(target: &str, run: fn(&[u8]), at_least: usize) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let inputs: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    for input in &inputs {
        println!("{}", input.display());
        run(&fs::read(input).unwrap());
    }
    println!("{target}: {} inputs", inputs.len());
    assert!(inputs.len() >= at_least);
}

#[test]
fn the_cdr_corpus_passes() {
    replay("cdr", saltus_fuzz::cdr, 100);
}

#[test]
fn the_definition_corpus_passes() {
    replay("definition", saltus_fuzz::definition, 10);
}

#[test]
fn the_registry_corpus_passes() {
    replay("registry", saltus_fuzz::registry, 2);
}

#[test]
fn the_description_corpus_passes() {
    replay("description", saltus_fuzz::description, 5);
}

#[test]
fn the_rmw_corpus_passes() {
    replay("rmw", saltus_fuzz::rmw::rmw, 10);
}

#[test]
fn the_launch_corpus_passes() {
    replay("launch", saltus_fuzz::launch::launch, 15);
}

#[test]
fn the_map_corpus_passes() {
    replay("map", saltus_fuzz::files::map, 10);
}

#[test]
fn the_world_corpus_passes() {
    replay("world", saltus_fuzz::files::world, 8);
}

#[test]
fn the_tree_corpus_passes() {
    replay("tree", saltus_fuzz::files::tree, 6);
}

#[test]
fn the_urdf_corpus_passes() {
    replay("urdf", saltus_fuzz::files::urdf, 5);
}

#[test]
fn the_text_corpus_passes() {
    replay("text", saltus_fuzz::text, 5);
}

#[test]
fn the_corpus_of_the_xrce_agent_passes() {
    replay("xrce-agent", saltus_fuzz::xrce::agent, 5);
}

#[test]
fn the_corpus_of_the_xrce_client_passes() {
    replay("xrce-client", saltus_fuzz::xrce::client, 5);
}

#[test]
fn the_corpus_of_the_xrce_framing_passes() {
    replay("xrce-framing", saltus_fuzz::xrce::framing, 5);
}
