//! Packages of interfaces that a user adds.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::Path,
    process::Command,
};

use crate::Scene;

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Writes the sources of two packages, one of which uses the other one, and returns their folder.
fn sources(scene: &Scene) -> String {
    let folder = scene.folder.join("sources");
    for package in ["rover_msgs", "wheel_msgs"] {
        let manifest = format!("<package><name>{package}</name><license>MIT</license></package>");
        write(&folder, &format!("{package}/package.xml"), &manifest);
    }
    write(&folder, "rover_msgs/msg/Rover.msg", "wheel_msgs/Wheel[4] wheels\n");
    write(&folder, "rover_msgs/drive/srv/Stop.srv", "---\nbool stopped\n");
    let wheel = "module wheel_msgs { module msg { struct Wheel { double speed; }; }; };";
    write(&folder, "wheel_msgs/msg/Wheel.idl", wheel);
    folder.display().to_string()
}

const ADDED: &str = "Added rover_msgs: messages: 1, services: 1, actions: 0\n\
    Added wheel_msgs: messages: 1, services: 0, actions: 0\n";

/// Returns the names in the folder to which packages are added.
fn added(scene: &Scene) -> Vec<String> {
    let entries = fs::read_dir(scene.folder.join("data/saltus/interfaces")).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn packages_in_a_folder_are_added_and_known_from_then_on() {
    let scene = Scene::new();
    let folder = sources(&scene);
    for _ in 0..2 {
        assert_eq!(scene.text(&["interface", "add", &folder]), ADDED);
        assert_eq!(added(&scene), ["rover_msgs", "wheel_msgs"]);
    }
    let shown = scene.text(&["interface", "show", "rover_msgs/msg/Rover"]);
    assert_eq!(shown, "wheel_msgs/Wheel[4] wheels\n\tfloat64 speed\n");
    let own = scene.folder.join("own");
    let text = scene.text(&["interface", "add", &folder, "--to", own.to_str().unwrap()]);
    assert_eq!(text, format!("{ADDED}To use them: export SALTUS_INTERFACE_PATH={}\n", own.display()));
    assert!(own.join("rover_msgs/srv/Stop.srv").is_file() && own.join("rover_msgs/package.xml").is_file());
}

#[test]
fn packages_in_a_git_repository_are_added() {
    let scene = Scene::new();
    let folder = sources(&scene);
    for arguments in [
        &["init", "--quiet", "--initial-branch", "ros2"][..],
        &["add", "."],
        &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--message", "all"],
    ] {
        assert!(Command::new("git").current_dir(&folder).args(arguments).status().unwrap().success());
    }
    let address = format!("file://{folder}");
    assert_eq!(scene.text(&["interface", "add", &address, "--branch", "ros2"]), ADDED);
    assert_eq!(added(&scene), ["rover_msgs", "wheel_msgs"]);
    let error = scene.failure(&["interface", "add", &address, "--branch", "ros1"]);
    assert!(error.ends_with(&format!("saltus: git could not clone {address}\n")), "{error}");
    assert_eq!(added(&scene), ["rover_msgs", "wheel_msgs"]);
}

#[test]
fn what_is_invalid_or_unknown_is_not_added() {
    let scene = Scene::new();
    let folder = sources(&scene);
    let error = scene.failure(&["interface", "add", "visoin_msgs"]);
    assert!(error.contains("no known package; did you mean `vision_msgs`?"), "{error}");
    let empty = Path::new(&folder).with_file_name("empty");
    fs::create_dir(&empty).unwrap();
    let error = scene.failure(&["interface", "add", empty.to_str().unwrap()]);
    assert!(error.contains("empty has no packages with definitions"), "{error}");
    let rover = Path::new(&folder).join("rover_msgs/msg");
    for (text, want) in [
        ("float46 x\n", "Rover.msg:1:1: expected a primitive type"),
        ("wheel_msgs/Rim x\n", "unknown type `wheel_msgs/msg/Rim`"),
    ] {
        write(&rover, "Rover.msg", text);
        let error = scene.failure(&["interface", "add", &folder]);
        assert!(error.contains(want), "{error}");
        assert!(added(&scene).is_empty());
    }
    write(&rover, "Rover.msg", "vision_msgs/Point2D x\nother_msgs/Thing y\n");
    let output = scene.run(&["interface", "add", &folder]);
    let warning = "WARNING: the package vision_msgs, which rover_msgs uses, is not known; \
        add it with `saltus interface add vision_msgs`\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), warning);
    assert!(output.status.success());
}

#[test]
fn ctrl_c_ends_a_clone_and_leaves_nothing() {
    let scene = Scene::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("git://{}/rover_msgs", silent.local_addr().unwrap());
    let mut adding = scene.start(&["interface", "add", &address]);
    let mut lines = BufReader::new(adding.child.stderr.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), format!("Cloning {address}"));
    // The connection shows that git runs.
    let (_connection, _) = silent.accept().unwrap();
    assert_eq!(adding.interrupt(), Some(130));
    assert!(added(&scene).is_empty());
    // The end of the output shows that git has ended, too.
    assert!(lines.all(|line| line.is_ok()));
}

#[test]
fn a_hostile_source_writes_and_reads_nothing_else() {
    let scene = Scene::new();
    let folder = scene.folder.join("hostile");
    write(&folder, "package.xml", "<package><name>../../../escaped</name></package>");
    write(&folder, "msg/A.msg", "int8 a\n");
    let error = scene.failure(&["interface", "add", folder.to_str().unwrap()]);
    assert!(error.contains("`../../../escaped` can't be the name of a package"), "{error}");
    assert!(added(&scene).is_empty() && !scene.folder.join("escaped").exists());
    // A pipe would never end.
    let special = scene.folder.join("special");
    write(&special, "package.xml", "<package><name>special</name></package>");
    write(&special, "msg/A.msg", "int8 a\n");
    assert!(Command::new("mkfifo").arg(special.join("msg/B.msg")).status().unwrap().success());
    let text = scene.text(&["interface", "add", special.to_str().unwrap()]);
    assert_eq!(text, "Added special: messages: 1, services: 0, actions: 0\n");
}

#[test]
fn a_folder_with_other_files_is_not_replaced() {
    let scene = Scene::new();
    let folder = sources(&scene);
    let code = Path::new(&folder).join("rover_msgs/src/node.cpp");
    write(Path::new(&folder), "rover_msgs/src/node.cpp", "int main() {}");
    let error = scene.failure(&["interface", "add", &format!("{folder}/rover_msgs"), "--to", &folder]);
    assert!(error.contains("has other files than definitions, so it is not replaced"), "{error}");
    assert!(code.is_file());
}

#[test]
fn what_a_killed_process_has_left_is_removed_and_two_processes_take_turns() {
    let scene = Scene::new();
    let folder = sources(&scene);
    let to = scene.folder.join("data/saltus/interfaces");
    write(&to, ".saltus-interface-add-1/packages/old_msgs/msg/Old.msg", "int8 a\n");
    write(&to, ".saltus-interface-add-1/old-kept_msgs/msg/Kept.msg", "int8 a\n");
    write(&to, ".saltus-notes/today.txt", "A folder of the user.\n");
    let other = fs::File::open(&to).unwrap();
    other.lock().unwrap();
    let error = scene.failure(&["interface", "add", &folder]);
    assert!(error.contains("another process is adding packages to"), "{error}");
    other.unlock().unwrap();
    assert_eq!(scene.text(&["interface", "add", &folder]), ADDED);
    assert_eq!(added(&scene), [".saltus-notes", "kept_msgs", "rover_msgs", "wheel_msgs"]);
}
