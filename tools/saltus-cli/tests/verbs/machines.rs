//! The verbs of state machines.

use std::{fs, path::PathBuf};

use saltus::machine::{Definition, MachineClient, MachineNode};

use super::{LONG, Scene};

const DOOR: &str = "
name: door
states: [closed, {name: open, timeout: 0.02, on_timeout: close}, locked]
transitions: [[open, closed, open], [close, open, closed], [lock, closed, locked]]
";

fn file(scene: &Scene, text: &str) -> PathBuf {
    let path = scene.folder.join("machine.yaml");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_machine_in_a_file_runs_until_ctrl_c_and_prints_its_changes() {
    let scene = Scene::new();
    let path = file(&scene, DOOR);
    let words = ["machine", "run", path.to_str().unwrap(), "--namespace", "door", "--spin-tail", "0.0002"];
    let mut run = scene.start(&words);
    assert_eq!(run.line(), "door  /door: closed\n");
    let client = MachineClient::builder().namespace("door").create(&scene.context).unwrap();
    assert!(client.wait_for_machine(LONG));
    let mut change = |what: &str| {
        let line = run.line();
        assert!(line.ends_with(&format!("  {what}\n")), "{line}");
    };
    client.trigger("open").unwrap();
    change("open: closed -> open");
    change("close: open -> closed");
    client.trigger("close").unwrap();
    change("refused: trigger `close` is not allowed in state `closed`");
    client.trigger("lock").unwrap();
    change("lock: closed -> locked");
    let graph = scene.text(&["machine", "graph", "--machine", "/door", "--format", "dot"]);
    assert!(graph.contains("\"locked\" [label=\"locked\", fillcolor=\"#ffd866\"]"), "{graph}");
    assert_eq!(run.interrupt(), Some(0));
}

#[test]
fn a_running_machine_is_watched() {
    let scene = Scene::new();
    let door = Definition::from_yaml(DOOR).unwrap();
    let machine = MachineNode::builder(door).create(&scene.context).unwrap();
    let spun = machine.node().clone();
    let thread = std::thread::spawn(move || saltus::spin(&spun).unwrap());
    let mut watch = scene.start(&["machine", "watch"]);
    assert_eq!(watch.line(), "door  /machine: closed\n");
    machine.trigger("lock").unwrap();
    let line = watch.line();
    assert!(line.ends_with("  lock: closed -> locked\n"), "{line}");
    assert_eq!(watch.interrupt(), Some(0));
    scene.context.shut_down();
    thread.join().unwrap();
}

#[test]
fn a_machine_in_a_file_is_drawn() {
    let scene = Scene::new();
    let path = file(&scene, DOOR);
    let picture = scene.folder.join("door.svg");
    let words = ["machine", "graph", path.to_str().unwrap(), "-o", picture.to_str().unwrap()];
    assert_eq!(scene.text(&words), "");
    let text = fs::read_to_string(&picture).unwrap();
    assert!(
        text.starts_with("<svg ") && text.contains(">open</text>") && text.ends_with("</svg>\n"),
        "{text}"
    );
}

#[test]
fn an_invalid_file_and_a_missing_machine_are_reported() {
    let scene = Scene::new();
    let path = file(&scene, "states: [a]\ntransitions: [[go, a, b]]");
    let said = scene.failure(&["machine", "run", path.to_str().unwrap()]);
    assert!(said.ends_with("transition `go` names a state `b`, which does not exist\n"), "{said}");
    let said = scene.failure(&["machine", "graph", "/none.yaml"]);
    assert!(said.starts_with("saltus: /none.yaml: "), "{said}");
    let mut waiting = scene.start(&["machine", "graph"]);
    let mut said = std::io::BufReader::new(waiting.child.stderr.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    assert_eq!(line, "waiting for a machine at /machine...\n");
    assert_eq!(waiting.interrupt(), Some(130));
}
