//! The programs of Saltus in tests: builds them, runs their verbs in a graph of the test, and reads the documents.

pub mod documents;
mod scene;

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

pub use scene::{LONG, Running, Scene};

/// The programs. A program runs others, so a test of one needs all of them.
const PROGRAMS: [&str; 3] = ["saltus", "saltus-robot", "saltus-bench"];

/// The folder with the programs: the one in which Cargo has built the program of this test.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    // Such as `target/debug/deps/verbs-0123`.
    let own = env::current_exe().expect("the path of the test");
    let folder = own.ancestors().nth(2).expect("a folder of programs").to_owned();
    // Features are those of the whole workspace, so that nothing is compiled twice.
    let mut build = Command::new(env!("CARGO"));
    build
        .args(["build", "--quiet", "--workspace"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    build.args(PROGRAMS.iter().flat_map(|name| ["--bin", name]));
    if folder.ends_with("release") {
        build.arg("--release");
    }
    let status = build.status().expect("cargo runs");
    assert!(status.success(), "{PROGRAMS:?} can't be built, see above");
    folder
});

/// Returns the path of one of the programs. The first call in a process
/// builds all of them.
///
/// # Panics
///
/// Panics if they can't be built.
pub fn program(name: &str) -> PathBuf {
    FOLDER.join(name)
}

/// Returns the root of the source tree.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
