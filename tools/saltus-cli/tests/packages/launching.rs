//! Launches nodes and containers of installed packages.

use std::fs;

use super::{SALTUS, Scene};

const NAMES: [&str; 3] = ["camera", "detector", "tracker"];

/// Starts a launch file in YAML without its first line.
fn launch(scene: &Scene, actions: &str) -> super::Running {
    let file = scene.folder.join("robot.launch.yaml");
    fs::write(&file, format!("launch:\n{actions}")).unwrap();
    let logs = format!("ROS_LOG_DIR={}", scene.folder.join("log").display());
    scene.start("env", &[&logs, SALTUS, "launch", file.to_str().unwrap()])
}

#[test]
fn components_are_loaded_into_each_kind_of_container() {
    let components = "composable_node:\n    - {pkg: perception, plugin: 'perception::Camera', name: camera, param: [{name: rate, \
                      value: 50.0}]}\n    - {pkg: perception, plugin: 'perception::Detector', name: detector}\n    - {pkg: \
                      perception, plugin: 'perception::Tracker', name: tracker, namespace: inner}\n";
    for container in [
        "pkg: rclcpp_components, exec: component_container",
        "pkg: rclcpp_components, exec: component_container_mt",
        "pkg: rclcpp_components, exec: component_container_isolated",
        "pkg: saltus, exec: container, args: --crash-isolated",
    ] {
        let scene = Scene::new();
        let attributes = container.replace(", ", "\n    ");
        let actions = format!(
            "- node_container:\n    {attributes}\n    name: box\n    namespace: ''\n    {components}"
        );
        let mut launched = launch(&scene, &actions);
        scene.wait_for(|| launched.log().contains("the process is ready after"));
        let log = launched.log();
        for (name, namespace) in NAMES.into_iter().zip(["", "", "/inner"]) {
            assert!(
                log.contains(&format!("Loaded node '{namespace}/{name}' in container '/box'")),
                "{container}\n{log}"
            );
        }
        assert_eq!(
            scene.text(&["component", "list"]),
            "/box\n  1  /camera\n  2  /detector\n  3  /inner/tracker\n"
        );
        assert_eq!(scene.text(&["param", "get", "/camera", "rate"]), "Double value is: 50.0\n");
        assert_eq!(launched.interrupt(), Some(0), "{}", launched.log());
    }
}

#[test]
fn a_node_is_started_when_those_before_it_are_ready() {
    let scene = Scene::new();
    let mut launched = launch(
        &scene,
        "- node: {pkg: perception, exec: 'perception::Detector', name: detector, after: [camera, /camera]}\n\
         - node: {pkg: perception, exec: 'perception::Camera', exec_name: camera, name: camera, ready: {topic: image}}\n",
    );
    for name in ["camera", "detector"] {
        scene.wait_for_node(name, true);
    }
    scene.wait_for(|| launched.log().contains("all 2 processes are ready"));
    let log = launched.log();
    let index = |text: &str| log.find(text).unwrap_or_else(|| panic!("{text} is missing in\n{log}"));
    assert!(index("[camera-2]: process started") < index("[perception::Detector-1]: process started"));
    assert_eq!(launched.interrupt(), Some(0));
    // The detector ends before the camera, for which it waited.
    let log = launched.log();
    let index = |text: &str| log.find(text).unwrap_or_else(|| panic!("{text} is missing in\n{log}"));
    assert!(index("[perception::Detector-1]: process has finished") < index("to process[camera-2]"), "{log}");
}

#[test]
fn what_waits_for_a_component_is_started_only_if_it_was_loaded() {
    let scene = Scene::new();
    let mut launched = launch(
        &scene,
        "- node_container:\n    pkg: rclcpp_components\n    exec: component_container\n    name: box\n    namespace: ''\n    \
         composable_node:\n    - {pkg: perception, plugin: 'perception::Nothing', name: missing}\n\
         - load_composable_node: {target: /box, composable_node: [{pkg: perception, plugin: 'perception::Camera', name: late}]}\n\
         - load_composable_node: {target: /nobox, composable_node: [{pkg: perception, plugin: 'perception::Camera', name: no}]}\n\
         - executable: {cmd: echo runs, name: first, after: /late, output: screen}\n\
         - executable: {cmd: echo never, name: second, after: /missing, output: screen}\n",
    );
    for text in [
        "[first-2] runs",
        "Failed to load node '/missing'",
        "[second-3]: the process is not started, because component_container-1 could not load what it waits for",
        "there is no service /nobox/_container/load_node yet; it is awaited",
    ] {
        scene.wait_for(|| launched.log().contains(text));
    }
    assert_eq!(launched.interrupt(), Some(1), "{}", launched.log());
    assert!(!launched.log().contains("never"));
}
