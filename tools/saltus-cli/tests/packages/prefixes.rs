//! Tests of what is installed, and of how it is found.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

use crate::{PREFIX, Scene};

#[test]
fn packages_and_their_components_are_listed() {
    let scene = Scene::new();
    assert_eq!(scene.text(&["pkg", "list"]), "perception\ntest-components\n");
    let prefix = PREFIX.display();
    assert_eq!(scene.text(&["pkg", "prefix", "perception"]), format!("{prefix}\n"));
    let share = format!("{prefix}/share/perception\n");
    assert_eq!(scene.text(&["pkg", "prefix", "--share", "perception"]), share);
    let names = ["camera", "composed", "detector", "tracker"];
    let programs = names.map(|name| format!("perception {name}\n")).concat();
    assert_eq!(scene.text(&["pkg", "executables"]), programs);
    assert_eq!(scene.text(&["pkg", "executables", "perception"]), programs);
    let paths = names.map(|name| format!("{prefix}/lib/perception/{name}\n")).concat();
    assert_eq!(scene.text(&["pkg", "executables", "perception", "--full-path"]), paths);
    let all = "perception\n  perception::Camera\n  perception::Detector\n  perception::Tracker\ntest-components\n  \
               test::Faulty\n  test::Flood\n  test::Latch\n";
    assert_eq!(scene.text(&["component", "types"]), all);
    assert_eq!(
        scene.text(&["component", "types", "test-components"]),
        "test::Faulty\ntest::Flood\ntest::Latch\n"
    );
}

#[test]
fn what_is_not_installed_is_an_error_with_the_text_of_ros_2() {
    let scene = Scene::new();
    let errors = [
        (&["pkg", "prefix", "nothing"][..], "Package not found"),
        (&["pkg", "executables", "nothing"], "Package 'nothing' not found"),
        (&["component", "types", "nothing"], "Unable to find package 'nothing'"),
        (&["run", "nothing", "camera"], "Package 'nothing' not found"),
        (&["run", "perception", "nothing"], "No executable found"),
        (&["run", "../perception", "camera"], "Package '../perception' not found"),
        (&["pkg", "prefix", "tf2_ros"], "Package not found"),
        (&["component", "types", "nav2_amcl"], "Unable to find package 'nav2_amcl'"),
        (&["pkg", "prefix", "perceptoin"], "Package not found; did you mean 'perception'?"),
        (&["pkg", "executables", "perceptoin"], "Package 'perceptoin' not found; did you mean 'perception'?"),
        (
            &["component", "types", "test-component"],
            "Unable to find package 'test-component'; did you mean 'test-components'?",
        ),
        (&["run", "tf_ros", "tf2_echo"], "Package 'tf_ros' not found; did you mean 'tf2_ros'?"),
        (&["run", "tf2_ros", "tf_echo"], "No executable found; did you mean 'tf2_echo'?"),
        (&["run", "perception", "camra"], "No executable found; did you mean 'camera'?"),
        (
            &["run", "perception", "perception::Tracer"],
            "No executable found; did you mean 'perception::Tracker'?",
        ),
        (
            &["launch", "perceptoin", "x.launch.py"],
            "Package 'perceptoin' not found; did you mean 'perception'?",
        ),
    ];
    for (arguments, text) in errors {
        assert_eq!(scene.failure(arguments), format!("saltus: {text}\n"));
    }
    let text = scene.failure(&["container", "extra"]);
    assert!(text.contains("arguments for the node begin with --ros-args"), "{text}");
}

#[test]
fn without_a_prefix_a_container_has_the_components_of_saltus() {
    let scene = Scene::new();
    let arguments = ["container", "--ros-args", "-r", "__node:=c"];
    let mut command = scene.command(crate::SALTUS, &arguments);
    let mut container = command.env("SALTUS_PREFIX_PATH", "/nothing").spawn().unwrap();
    let text = scene.load("nav2_lifecycle_manager", "nav2_lifecycle_manager::LifecycleManager", &[]);
    assert!(text.contains("/lifecycle_manager"), "{text}");
    let text = scene.failure(&["component", "load", "/c", "test-components", "test::Latch"]);
    assert!(text.contains("Could not find requested resource in ament index"), "{text}");
    kill_process(Pid::from_child(&container), Signal::INT).unwrap();
    assert!(container.wait().unwrap().success());
}

#[test]
fn only_packages_are_installed() {
    let scene = Scene::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let text = scene.failure(&["install", &path, "--prefix", &path]);
    assert!(text.contains("has no Cargo.toml, no pyproject.toml and no CMakeLists.txt"), "{text}");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let text = scene.failure(&["install", root, "--prefix", &path]);
    assert!(text.contains("is a workspace; give the folder of one of its packages"), "{text}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_library_of_another_build_is_refused() {
    let scene = Scene::new();
    let folder = tempfile::tempdir().unwrap();
    let current = fs::read_to_string(PREFIX.join("lib/saltus/current")).unwrap();
    let library = PREFIX.join("lib/saltus").join(&current).join("libtest_components_components.so");
    let bytes = fs::read(library).unwrap();
    let old = format!("(build {current})");
    let at = bytes.windows(old.len()).position(|window| window == old.as_bytes()).unwrap();
    let mut changed = bytes.clone();
    changed[at..at + old.len()].copy_from_slice(b"(build 0000000000000000)");
    fs::write(folder.path().join("other.so"), changed).unwrap();
    fs::write(folder.path().join("none.so"), "no library").unwrap();
    let index = folder.path().join("share/ament_index/resource_index");
    fs::create_dir_all(index.join("packages")).unwrap();
    fs::create_dir_all(index.join("saltus_components")).unwrap();
    for (package, line) in [
        ("other", "test::Latch;other.so"),
        ("none", "a::B;none.so"),
        ("lost", "a::B;lost.so"),
        ("bad", "a::B"),
    ] {
        fs::write(index.join("packages").join(package), "").unwrap();
        fs::write(index.join("saltus_components").join(package), line).unwrap();
    }
    let path = format!("{}:{}", folder.path().display(), PREFIX.display());
    let alone = |package: &str, plugin: &str| {
        let program = PREFIX.join("lib/saltus").join(&current).join("container");
        let output =
            scene.command(program, &["alone", package, plugin]).env("SALTUS_PREFIX_PATH", &path).output();
        String::from_utf8(output.unwrap().stderr).unwrap()
    };
    let text = alone("other", "test::Latch");
    for part in
        ["Failed to load library: ", "was built with Saltus 0.1.0 (build 0000000000000000), rustc", &old]
    {
        assert!(text.contains(part), "{text}");
    }
    assert!(alone("none", "a::B").contains("is not a library of Saltus components"));
    assert!(alone("lost", "a::B").contains("can't read"));
    assert!(alone("bad", "a::B").contains("saltus: Invalid resource entry\n"));
    assert!(
        alone("other", "a::C").contains("saltus: Failed to find class with the requested plugin name.\n")
    );
}

#[test]
fn a_package_that_can_not_be_built_does_not_hold_up_others() {
    let scene = Scene::new();
    let folder = tempfile::tempdir().unwrap();
    let (package, prefix) =
        (folder.path().join("broken"), folder.path().join("prefix").display().to_string());
    fs::create_dir_all(package.join("src")).unwrap();
    let manifest = "[package]\nname = \"broken\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n";
    let saltus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/client/saltus");
    fs::write(package.join("Cargo.toml"), format!("{manifest}saltus = {{ path = {saltus:?} }}\n")).unwrap();
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock"), package.join("Cargo.lock")).unwrap();
    fs::write(package.join("src/lib.rs"), "compile_error!(\"as planned\");\n").unwrap();
    let text = scene.failure(&["install", "--debug", &package.display().to_string(), "--prefix", &prefix]);
    assert!(text.contains("the packages of the prefix are built together: broken"), "{text}");
    let workspace = folder.path().join("prefix/build/components");
    let library = workspace.join("libraries/broken/Cargo.toml");
    assert!(!library.exists(), "the next package would be built together with this one");
    assert!(
        !workspace.join("Cargo.lock").exists(),
        "the next package brings the versions that it was tested with"
    );
}
