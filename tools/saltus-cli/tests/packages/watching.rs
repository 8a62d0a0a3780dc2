//! `saltus top` with containers.

use serde_json::Value as Json;

use crate::{SALTUS, Scene};

impl Scene {
    /// Returns the rows of one table, by name.
    fn top(&self, arguments: &[&str]) -> Vec<Json> {
        let text = self.text(&[&["top", "--json", "-n", "1", "--delay", "0.2"], arguments].concat());
        serde_json::from_str(&text).unwrap()
    }
}

fn row<'a>(rows: &'a [Json], kind: &str, name: &str) -> &'a Json {
    let found = rows.iter().find(|row| row["kind"] == kind && row["name"] == name);
    found.unwrap_or_else(|| panic!("no {kind} {name} in {rows:#?}"))
}

#[test]
fn the_table_has_containers_with_their_components_and_threads() {
    let scene = Scene::new();
    let container = scene.container(&["--isolated"]);
    scene.load("perception", "perception::Detector", &[]);
    let _camera = scene.start(SALTUS, &["run", "perception", "perception::Camera"]);
    scene.wait_for_node("camera", true);
    // The detector receives images.
    scene.wait_for(|| row(&scene.top(&[]), "component", "/detector")["p99_ns"].is_u64());
    let rows = scene.top(&["-H"]);
    let of_container = row(&rows, "container", "/c");
    assert_eq!(of_container["pid"], container.child.id());
    assert!(of_container["pss"].as_u64().unwrap() > 1_000_000 && of_container["cpu_percent"].is_f64());
    assert_eq!(row(&rows, "component", "/detector")["lost"], 0);
    assert!(row(&rows, "thread", "detector")["cpu_percent"].is_f64());
    assert!(row(&rows, "node", "/camera")["pid"].is_u64());
    // The process of the test is one of them.
    let table = scene.text(&["top", "-b", "-n", "1", "--delay", "0.1"]);
    assert!(table.starts_with("domain 0: 3 processes, 3 nodes; CPU "), "{table}");
    assert!(table.contains("  container /c\n") && table.contains("    /detector\n"), "{table}");
}

#[test]
fn the_table_has_the_restarts_of_crash_isolated_components() {
    let scene = Scene::new();
    let container = scene.container(&["--crash-isolated", "--restart-delay", "0.01"]);
    scene.load("perception", "perception::Detector", &[]);
    let restarts = || {
        let rows = scene.top(&[]);
        rows.iter()
            .find(|row| row["kind"] == "component")
            .map(|row| (row["restarts"].clone(), row["depth"].clone()))
    };
    assert_eq!(restarts(), Some((0.into(), 1.into())));
    let worker = *container.children().first_key_value().unwrap().0;
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(worker).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    scene.wait_for(|| restarts() == Some((1.into(), 1.into())));
}
