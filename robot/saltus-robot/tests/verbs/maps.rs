//! Maps: the verbs, and the nodes that load and save them.

use std::fs;

use super::{LONG, Scene};

const YAML: &str = "image: room.pgm\nresolution: 0.05\norigin: [-1.0, -2.0, 0.0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n";

#[test]
fn a_map_goes_from_a_file_through_a_node_to_another_file() {
    let scene = Scene::new();
    let path = |name: &str| scene.folder.join(name).display().to_string();
    fs::write(path("room.yaml"), YAML).unwrap();
    fs::write(path("room.pgm"), b"P5 3 2 255 \x00\xcd\xfe\xfe\xfe\xfe").unwrap();
    let want = "Size: 3 x 2 cells of 0.05 m, 0.15 m x 0.10 m\nOrigin: [-1.000, -2.000], turned by 0.000 rad\nFree: 4\nOccupied: \
                1\nUnknown: 1\nBetween: 0\n";
    assert_eq!(scene.text(&["map", "info", &path("room.yaml")]), want);
    let file = format!("yaml_filename:={}", path("room.yaml"));
    let mut server = scene.start(&["run", "nav2_map_server", "map_server", "--ros-args", "-p", &file]);
    let observer = scene.node("/", "observer");
    let is_there = || observer.context().graph().nodes.iter().any(|node| node.name == "map_server");
    assert!(scene.context.wait_until(LONG, is_there));
    for transition in ["configure", "activate"] {
        let done = scene.text(&["lifecycle", "set", "/map_server", transition]);
        assert_eq!(done, "Transitioning successful\n");
    }
    let saved = scene.text(&["map", "save", "-f", &path("copy"), "--ros-args", "-r", "__node:=copier"]);
    assert_eq!(saved, format!("Map saved to {}\n", path("copy.yaml")));
    assert_eq!(scene.text(&["map", "info", &path("copy.yaml")]), want);
    assert_eq!(server.interrupt(), Some(0));
    let error = scene.failure(&["map", "save", "-f", &path("none"), "--timeout", "0.05"]);
    assert_eq!(error, "saltus: no map was published on `map` in 50ms\n");
    // What is wrong in the options is told without a map.
    let error = scene.failure(&["map", "save", "--mode", "scale", "--fmt", "pgm"]);
    assert_eq!(error, "saltus: only PNG keeps what is unknown in the mode scale\n");
    let waiter =
        ["map", "save", "-f", &path("none"), "--timeout", "60", "--ros-args", "-r", "__node:=waiter"];
    let mut waiting = scene.start(&waiter);
    let is_there = || observer.context().graph().nodes.iter().any(|node| node.name == "waiter");
    assert!(scene.context.wait_until(LONG, is_there));
    assert_eq!(waiting.interrupt(), Some(130));
    assert!(!fs::exists(path("none.yaml")).unwrap());
}

#[test]
fn wrong_files_are_told() {
    let scene = Scene::new();
    let yaml = scene.folder.join("room.yaml");
    fs::write(&yaml, YAML).unwrap();
    let error = scene.failure(&["map", "info", yaml.to_str().unwrap()]);
    let image = scene.folder.join("room.pgm").display().to_string();
    assert_eq!(error, format!("saltus: {image}: No such file or directory (os error 2)\n"));
}
