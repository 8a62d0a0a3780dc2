//! The simulator, as a user starts it.

use std::fs;

use super::{LONG, Scene};

#[test]
fn a_run_is_the_same_each_time_and_tells_its_speed() {
    let scene = Scene::new();
    let run = |words: &[&str]| {
        let fixed = ["sim", "turtlebot3_world", "--factor", "max", "--duration", "2", "--digest"];
        let text = scene.text(&[&fixed, words].concat());
        assert!(text.starts_with("Simulated 2.000 s in "), "{text}");
        text.lines().nth(1).unwrap().to_owned()
    };
    let first = run(&[]);
    assert!(first.starts_with("SHA-256 of all messages: "), "{first}");
    assert_eq!(run(&["--threads", "2"]), first);
    assert_ne!(run(&["--seed", "7"]), first);
    assert_ne!(run(&["--robot", "waffle", "--pose", "-0.5,0.5,1"]), first);
    // A built-in world has the built-in robots, whatever files are in the current folder.
    fs::write(scene.folder.join("waffle.yaml"), "body: wrong").unwrap();
    let words = ["sim", "turtlebot3_world", "--factor", "max", "--duration", "2", "--digest"];
    let output = scene.command(&words).current_dir(&scene.folder).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).ends_with(&format!("{first}\n")), "{output:?}");
}

#[test]
fn a_simulator_runs_until_it_is_interrupted() {
    let scene = Scene::new();
    let mut running =
        scene.start(&["sim", "turtlebot3_world", "--factor", "2", "--ros-args", "-r", "__ns:=/hall"]);
    let observer = scene.node("/", "observer");
    let is_there = || observer.context().graph().nodes.iter().any(|node| node.name == "simulator");
    assert!(scene.context.wait_until(LONG, is_there));
    let scan = scene.text(&["topic", "echo", "--once", "/hall/scan", "--field", "header.frame_id"]);
    assert!(scan.contains("base_scan"), "{scan}");
    assert_eq!(running.interrupt(), Some(0));
}

/// `print!` and `eprintln!` would panic.
#[test]
fn output_that_can_not_be_written_is_an_error() {
    let scene = Scene::new();
    let waffle = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robot/algorithms/saltus-sim/worlds/waffle.urdf");
    let words: [&[&str]; 3] = [
        &["sim", "turtlebot3_world", "--factor", "max", "--duration", "0.01"],
        &["description", "check", waffle],
        &["description", "tree", waffle],
    ];
    for words in words {
        let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = scene.command(words).stdout(full()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && errors.contains("No space left on device"), "{errors}");
        assert!(scene.command(words).stderr(full()).status().unwrap().success(), "{words:?}");
    }
}

#[test]
fn what_is_wrong_is_told() {
    let scene = Scene::new();
    assert!(
        scene
            .failure(&["sim", "nowhere"])
            .starts_with("saltus: there is no file nowhere, and no built-in world")
    );
    let world = scene.folder.join("world.yaml");
    fs::write(&world, "obstacles:\n- circle: {radius: big}\n").unwrap();
    let world = world.display().to_string();
    let want =
        format!("saltus: {world}: line 2, column 20: `radius` must be a number from 0.000001 to 1000000\n");
    assert_eq!(scene.failure(&["sim", &world]), want);
    let name = scene.folder.join("world").display().to_string();
    fs::write(&world, "obstacles:\n- circle: {radius: 1.0}\n").unwrap();
    assert_eq!(
        scene.failure(&["map", "draw", &world, "-f", &name, "--start", "2", "0"]),
        format!("saltus: the map would replace the world {world}; give another name with -f\n")
    );
    assert!(
        scene
            .failure(&["sim", "waffle", "--factor", "fast"])
            .contains("expected a number from 0.001 to 1000000, or max")
    );
}

#[test]
fn the_bundled_map_is_that_of_the_world() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("drawn");
    let extent = ["--size", "19.2", "19.2", "--origin", "-10", "-10"];
    let arguments = ["map", "draw", "turtlebot3_world", "-f", name.to_str().unwrap()];
    let output = std::process::Command::new(saltus_programs::program("saltus"))
        .args(arguments)
        .args(extent)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bundled = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../robot/nodes/saltus-nav-bringup/maps/turtlebot3_world.png");
    assert_eq!(std::fs::read(name.with_extension("png")).unwrap(), std::fs::read(bundled).unwrap());
}
