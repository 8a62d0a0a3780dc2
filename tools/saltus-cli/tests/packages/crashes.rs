//! Components in processes of their own that die.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

use crate::{Running, SALTUS, Scene};

/// Waits until the container has as many processes, and returns their ids.
fn workers(scene: &Scene, container: &Running, count: usize) -> Vec<i32> {
    let mut workers = Vec::new();
    scene.wait_for(|| {
        workers = container.children().into_keys().collect();
        workers.len() == count
    });
    workers
}

fn kill(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

#[test]
fn a_component_that_dies_is_started_again_with_its_settings_and_messages() {
    let scene = Scene::new();
    let mut container = scene.container(&["--crash-isolated", "--restart-delay", "0.01"]);
    scene.load("test-components", "test::Latch", &["-n", "left", "-r", "set:=left_set", "-p", "add:=1"]);
    let left = workers(&scene, &container, 1)[0];
    scene.load("test-components", "test::Latch", &["-n", "right", "-r", "value:=right_value"]);
    let both = workers(&scene, &container, 2);
    scene.publish("/left_set", 41);
    scene.publish("/set", 7);
    assert_eq!((scene.value("/value"), scene.value("/right_value")), (42, 7));
    let mut node = scene.wait_for_other_node("left", None);
    // Each time it has no message of its own, and keeps that of the first process.
    for restart in 1..=3 {
        let dying =
            workers(&scene, &container, 2).into_iter().find(|pid| !both.contains(pid) || *pid == left);
        kill(dying.unwrap(), Signal::KILL);
        let text = format!("component 1 '/left' was killed by signal 9 (SIGKILL); restart {restart} in ");
        scene.wait_for(|| container.log().contains(&text));
        // The node of the process that has died may still be in the graph.
        node = scene.wait_for_other_node("left", Some(node));
        assert_eq!(scene.value("/value"), 42);
        // A process that dies before its container knows that it was started is another case.
        scene.wait_for(|| container.log().matches("'/left' was started again").count() == restart);
    }
    // The settings are those of the request.
    scene.publish("/left_set", 1);
    scene.wait_for(|| scene.value("/value") == 2);
    // An abort of the component, and the neighbour has never been restarted.
    scene.publish("/left_set", 13);
    scene.wait_for(|| container.log().contains("was killed by signal 6 (SIGABRT); restart 4 in "));
    scene.wait_for(|| scene.value("/value") == 2);
    assert!(workers(&scene, &container, 2).iter().any(|pid| both.contains(pid) && *pid != left));
    assert_eq!(scene.text(&["component", "list", "/c"]), "1  /left\n2  /right\n");
    assert_eq!(scene.text(&["component", "unload", "/c", "1", "-q"]), "1\n");
    scene.wait_for_node("left", false);
    assert_eq!(container.interrupt(), Some(0), "{}", container.log());
    scene.wait_for_node("right", false);
    assert!(container.children().is_empty());
}

#[test]
fn a_component_is_not_started_again_if_the_user_does_not_want_it() {
    let scene = Scene::new();
    let mut container = scene.container(&["--crash-isolated", "--restart", "never"]);
    scene.load("test-components", "test::Latch", &[]);
    kill(workers(&scene, &container, 1)[0], Signal::KILL);
    scene.wait_for(|| container.log().contains("was killed by signal 9 (SIGKILL); it is not started again"));
    scene.wait_for_node("latch", false);
    assert_eq!(scene.text(&["component", "unload", "/c", "1", "-q"]), "1\n");
    assert_eq!(container.interrupt(), Some(0));
}

#[test]
fn no_process_outlives_its_container() {
    let scene = Scene::new();
    let container = scene.container(&["--crash-isolated"]);
    scene.load("test-components", "test::Latch", &[]);
    let worker = workers(&scene, &container, 1)[0];
    kill(container.child.id().cast_signed(), Signal::KILL);
    scene.wait_for_node("latch", false);
    scene.wait_for(|| fs::metadata(format!("/proc/{worker}")).is_err());
}

#[test]
fn a_component_that_hangs_is_killed() {
    let scene = Scene::new();
    let mut container = scene.container(&["--crash-isolated"]);
    scene.load("test-components", "test::Latch", &[]);
    scene.publish("/set", 99);
    assert_eq!(container.interrupt(), Some(0));
    scene.wait_for_node("latch", false);
}

#[test]
fn a_constructor_that_aborts_is_an_error() {
    let scene = Scene::new();
    let mut container = scene.container(&["--crash-isolated"]);
    let arguments = ["component", "load", "/c", "test-components", "test::Faulty", "-p", "how:=abort"];
    let text = scene.failure(&[&arguments[..], &["--timeout", "20"]].concat());
    let reason = "Component constructor threw an exception: its process was killed by signal 6 (SIGABRT)\n";
    assert!(text.ends_with(reason), "{text}");
    assert_eq!(container.interrupt(), Some(0));
}

#[test]
fn programs_that_a_component_has_started_do_not_hold_up_the_container() {
    let scene = Scene::new();
    let mut container = scene.container(&["--crash-isolated"]);
    let arguments = ["component", "load", "/c", "test-components", "test::Faulty", "-p", "how:=child"];
    let begun = std::time::Instant::now();
    let text = scene.failure(&[&arguments[..], &["--timeout", "20"]].concat());
    assert!(text.ends_with("its process was killed by signal 6 (SIGABRT)\n"), "{text}");
    // The program sleeps for 30 seconds.
    assert!(begun.elapsed() < std::time::Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(container.interrupt(), Some(0));
}

#[test]
fn keeping_messages_holds_up_no_publisher() {
    let scene = Scene::new();
    let _container = scene.container(&["--crash-isolated"]);
    scene.load("test-components", "test::Flood", &[]);
    // More than a queue that keeps all has room for.
    scene.publish("/flood", 5000);
    assert_eq!(scene.value("/failures"), 0);
}

#[test]
fn messages_are_kept_although_the_container_has_remappings() {
    let scene = Scene::new();
    let remapped = ["--ros-args", "-r", "__node:=c", "-r", "value:=elsewhere"];
    let container = scene.start(
        SALTUS,
        &[&["container", "--crash-isolated", "--restart-delay", "0.01"][..], &remapped].concat(),
    );
    scene.load("test-components", "test::Latch", &[]);
    scene.publish("/set", 7);
    assert_eq!(scene.value("/value"), 7);
    kill(workers(&scene, &container, 1)[0], Signal::KILL);
    scene.wait_for(|| container.log().contains("restart 1 in "));
    assert_eq!(scene.value("/value"), 7);
}
