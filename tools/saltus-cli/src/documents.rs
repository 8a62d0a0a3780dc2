//! Tests of the documents: every command line is accepted, and every block of code is compiled or read by a test.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use clap::error::ErrorKind;
use saltus::{executor::Placements, machine::Definition};
use saltus_domain_bridge::Config;

use saltus_programs::documents::{Block, CommandLine, command_lines, documents, root, split};

use crate::{missing, other_programs, parse};

/// The documents whose Rust blocks the documentation tests of the crate `saltus` compile.
const DOC_TESTS: &str = include_str!("../../../crates/client/saltus/src/lib.rs");
/// The document whose Rust blocks need generated code. They are parts of these files, which are compiled.
const INTERFACES: &str = "docs/interfaces.md";
const COMPILED: [&str; 3] = [
    include_str!("../../../tests/own_types/build.rs"),
    include_str!("../../../tests/own_types/src/main.rs"),
    include_str!("../../../crates/types/saltus-build/src/lib.rs"),
];
/// The documents whose Python blocks `bindings/python/tests/test_docs.py` runs.
const PYTHON: [&str; 10] = [
    "README.md",
    "docs/calls.md",
    "docs/components.md",
    "docs/filters.md",
    "docs/interfaces.md",
    "docs/launch.md",
    "docs/lifecycle.md",
    "docs/machines.md",
    "docs/qos.md",
    "docs/tf.md",
];

#[test]
fn every_command_in_the_documents_is_accepted() {
    let mut count = 0;
    for CommandLine { path, words } in command_lines() {
        let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
        // The tests of other programs check the command lines of their verbs.
        let is_other =
            other_programs::VERBS.iter().any(|(verb, ..)| words.get(1).is_some_and(|word| word == verb));
        if missing::answer(&words).is_some() || is_other {
            continue;
        }
        count += 1;
        match parse(words.clone()) {
            Err(error) if error.kind() != ErrorKind::DisplayHelp => panic!("{path}: {words:?}: {error}"),
            _ => {}
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn every_block_of_code_is_compiled_or_read() {
    let plain = |text: &str| {
        let lines = text.lines().map(str::trim);
        let lines = lines.map(|line| line.trim_start_matches("//!").trim_start_matches("///").trim());
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    };
    for (path, document) in documents() {
        for Block { language, text } in split(&document).0 {
            let location = format!("{path}: {language}\n{text}");
            match (language, &*path) {
                ("rust" | "rust,no_run", INTERFACES) => {
                    assert!(COMPILED.iter().any(|file| plain(file).contains(&plain(&text))), "{location}");
                }
                ("rust" | "rust,no_run", _) => {
                    assert!(
                        DOC_TESTS.contains(&format!("include_str!(\"../../../../{path}\")")),
                        "{location}"
                    );
                }
                // `make micro-host` compiles it.
                ("c", "docs/microcontrollers.md") => {
                    let example = include_str!("../../../micro/examples/numbers.c");
                    assert!(plain(example).contains(&plain(&text)), "{location}");
                }
                // `make test-cpp` builds it.
                ("c", "docs/cpp.md") => {
                    let template = include_str!("verb/new/c/status.c");
                    assert!(plain(template).contains(&plain(&text)), "{location}");
                }
                // `make test-cpp` builds it.
                ("cmake", "docs/cpp.md") => {
                    let packages = [
                        include_str!("../../../bindings/cpp/tests/packages/talk/CMakeLists.txt"),
                        include_str!("../../../bindings/cpp/tests/packages/rover_msgs/CMakeLists.txt"),
                    ];
                    let has_all = |package: &&str| {
                        text.split("\n\n").all(|paragraph| plain(package).contains(&plain(paragraph)))
                    };
                    assert!(packages.iter().any(has_all), "{location}");
                }
                // `make test-cpp` builds them.
                ("cpp", "docs/cpp.md" | "docs/components.md") => {
                    let programs = [
                        include_str!("../../../bindings/cpp/tests/packages/native/src/camera.cpp"),
                        include_str!("../../../bindings/cpp/tests/packages/native/src/counter.cpp"),
                        include_str!("../../../bindings/cpp/tests/packages/native/src/viewer.cpp"),
                    ];
                    assert!(programs.iter().any(|one| plain(one).contains(&plain(&text))), "{location}");
                }
                ("python", _) => assert!(PYTHON.contains(&&*path), "{location}"),
                ("yaml", "docs/machines.md") => drop(Definition::from_yaml(&text).expect(&location)),
                ("yaml", "docs/executors.md") => drop(Placements::parse(&text).expect(&location)),
                ("yaml", "docs/launch.md" | "docs/descriptions.md" | "docs/lifecycle.md") => {
                    drop(
                        saltus_launch_file::parse(&text, &Path::new("robot.launch.yaml").into())
                            .expect(&location),
                    );
                }
                ("xml", "docs/launch.md") => {
                    drop(
                        saltus_launch_file::parse(&text, &Path::new("robot.launch.xml").into())
                            .expect(&location),
                    );
                }
                ("yaml", "docs/simulator.md") => drop(saltus_sim::World::parse(&text).expect(&location)),
                ("yaml", "docs/domain-bridge.md") => drop(Config::parse(&text, None, None).expect(&location)),
                // A test of saltus-bridge reads it.
                ("yaml", "docs/bridge.md") => {}
                ("toml", "README.md" | "docs/components.md") | ("sh" | "text" | "", _) => {}
                _ => panic!("no test reads this block: {location}"),
            }
        }
    }
}

#[test]
fn every_link_and_path_exists() {
    for (path, document) in documents() {
        let folder = root().join(&path).parent().unwrap().to_owned();
        let (_, prose) = split(&document);
        let links = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("http")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { root().join(&path) } else { folder.join(file) };
            assert!(target.exists(), "{path}: {link}");
            assert!(heading.is_empty() || has_heading(&target, heading), "{path}: {link}");
        }
        let spans = prose.split('`').skip(1).step_by(2);
        let is_path =
            |span: &&str| span.contains('/') && span.ends_with(".rs") && !span.contains(['{', '<', ' ']);
        for span in spans.filter(is_path) {
            // The paths of a crate's files begin with the crate's name, or with its folder.
            let places = [
                "",
                "crates/types",
                "crates/host",
                "crates/client",
                "crates/system",
                "tools",
                "robot",
                "robot/algorithms",
                "robot/nodes",
                "bench",
                "crates/host/saltus-memory/src",
                "crates/host/saltus-host/src",
                "crates/types/saltus-codegen/src",
            ];
            let exists = places.iter().any(|place| root().join(place).join(span).exists());
            assert!(exists, "{path}: {span}");
        }
    }
}

/// Returns whether a document has a heading with this anchor.
fn has_heading(document: &std::path::Path, anchor: &str) -> bool {
    let text = fs::read_to_string(document).unwrap();
    let headings =
        text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let anchors = headings.map(|heading| {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    });
    anchors.into_iter().any(|one| one == anchor)
}

#[test]
fn every_error_text_of_the_troubleshooting_page_is_in_the_source() {
    let document = fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap();
    let sources = sources();
    let (ours, _) = document.split_once("\n## Building").expect("a section about building");
    let texts = ours.split("**`").skip(1).filter_map(|rest| rest.split('`').next());
    let parts = texts.flat_map(|text| text.split('…')).map(str::trim).filter(|part| part.len() > 2);
    let (there, missing): (Vec<&str>, Vec<&str>) = parts.partition(|part| sources.contains(part));
    assert_eq!(missing, Vec::<&str>::new(), "no source has these texts");
    assert!(there.len() > 20, "{there:?}");
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|ext| ["rs", "cpp", "cmake"].iter().any(|one| ext == *one))
}

/// Returns the text of all sources of the library, the command and the C++ packages. Lines that a string continues are joined.
fn sources() -> String {
    let mut folders: Vec<PathBuf> =
        ["crates", "tools", "bindings/cpp"].map(|folder| root().join(folder)).into();
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if is_source(&entry) && !entry.ends_with("documents.rs") {
                text += &fs::read_to_string(entry).unwrap();
            }
        }
    }
    let mut joined = String::new();
    for part in text.split_inclusive("\\\n") {
        joined += part.trim_start().trim_end_matches("\\\n");
    }
    joined
}
