//! Descriptions of robots: the verbs, and the programs that publish them.

use std::{fs, path::PathBuf};

use super::Scene;

const ARM: &str = r#"<robot name="arm">
  <link name="base"/><link name="plate"/><link name="upper"/><link name="finger"/>
  <joint name="fix" type="fixed"><parent link="base"/><child link="plate"/><origin xyz="0 0 1"/></joint>
  <joint name="shoulder" type="revolute"><parent link="plate"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="5" velocity="1"/></joint>
  <joint name="grip" type="prismatic"><parent link="plate"/><child link="finger"/><mimic joint="shoulder"/>
    <limit lower="0" upper="0.1" effort="5" velocity="1"/></joint>
</robot>
"#;

fn file(scene: &Scene, name: &str, text: &str) -> String {
    let path: PathBuf = scene.folder.join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn a_description_is_checked_and_printed() {
    let scene = Scene::new();
    let arm = file(&scene, "arm.urdf", ARM);
    let want = "robot name is: arm\n---------- Successfully Parsed XML ---------------\nroot Link: base has 1 child(ren)\n    \
                child(1):  plate\n        child(1):  upper\n        child(2):  finger\n";
    assert_eq!(scene.text(&["description", "check", &arm]), want);
    let want = "base\n└── plate  (fix: fixed)\n    ├── upper  (shoulder: revolute, -1 to 2 rad)\n    \
                └── finger  (grip: prismatic, 0 to 0.1 m, mimics shoulder)\n";
    assert_eq!(scene.text(&["description", "tree", &arm]), want);
    let svg = scene.folder.join("arm.svg");
    scene.text(&["description", "tree", &arm, "--output", svg.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(svg).unwrap().matches("<rect x=").count(), 4);
}

/// The output of a chain grows with the square of its length.
#[test]
fn deep_links_are_left_out() {
    let scene = Scene::new();
    let links: String = (0..=20_000).map(|link| format!("<link name=\"l{link}\"/>")).collect();
    let joint = |child: usize| {
        let parent = child - 1;
        format!(
            "<joint name=\"j{child}\" type=\"fixed\"><parent link=\"l{parent}\"/><child link=\"l{child}\"/></joint>"
        )
    };
    let joints: String = (1..=20_000).map(joint).collect();
    let chain = file(&scene, "chain.urdf", &format!("<robot name=\"chain\">{links}{joints}</robot>"));
    let text = scene.text(&["description", "check", &chain]);
    assert!(text.trim_end().ends_with("those below are left out"), "{text}");
    assert_eq!(text.lines().count(), 3 + 100 + 1, "{text}");
}

#[test]
fn what_is_wrong_in_a_description_is_named_with_its_line() {
    let scene = Scene::new();
    let broken =
        file(&scene, "broken.urdf", &ARM.replace("<origin xyz=\"0 0 1\"/>", "<origin xyz=\"0 0\"/>"));
    let error = scene.failure(&["description", "check", &broken]);
    assert_eq!(
        error,
        format!("saltus: {broken}: line 3 of the description: `xyz` must be three numbers, found `0 0`\n")
    );
    let arm = file(&scene, "arm.urdf", ARM);
    let error = scene.failure(&["description", "check", &arm, "size:=2"]);
    assert_eq!(error, format!("saltus: {arm} has no macros, and so no argument `size:=2`\n"));
    let lost = file(&scene, "lost.urdf", &ARM.replace("mimic joint=\"shoulder\"", "mimic joint=\"fix\""));
    let output = scene.command(&["description", "check", &lost]).output().unwrap();
    assert!(output.status.success());
    let warning = "saltus: warning: the joint `grip` mimics `fix`, which has no position\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), warning);
    let error = scene.failure(&["description", "check", "no-such-file.urdf"]);
    assert!(error.starts_with("saltus: can't read no-such-file.urdf: "), "{error}");
}

/// A program `xacro` in the path stands for the real one, with which the tests of the Python package run the command.
#[test]
fn macros_are_expanded_by_xacro() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    let arm = file(&scene, "arm.urdf.xacro", ARM);
    let with = |script: &str| {
        let program = scene.folder.join("xacro");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = scene.command(&["description", "check", &arm, "name:=leg"]);
        command.env("PATH", format!("{}:/usr/bin:/bin", scene.folder.display())).output().unwrap()
    };
    let output = with("sed s/\\\"arm\\\"/\\\"${2#name:=}\\\"/ \"$1\"");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("robot name is: leg\n"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let output = with("echo 'undefined symbol: size' >&2; exit 2");
    let want = format!("saltus: xacro can't expand {arm}:\nundefined symbol: size\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), want);
}

/// The frames come from three programs, which a launch file starts without an installed package.
#[test]
fn a_launch_file_starts_the_publishers() {
    let scene = Scene::new();
    file(&scene, "arm.urdf", ARM);
    let launch = file(
        &scene,
        "arm.launch.yaml",
        "launch:\n\
         - node:\n    pkg: robot_state_publisher\n    exec: robot_state_publisher\n    param:\n    \
           - name: robot_description\n      value: $(command 'cat $(dirname)/arm.urdf')\n      type: str\n\
         - node:\n    pkg: joint_state_publisher\n    exec: joint_state_publisher\n    param:\n    \
           - {name: zeros.shoulder, value: 0.0625}\n\
         - node:\n    pkg: tf2_ros\n    exec: static_transform_publisher\n    name: mount\n    \
           args: --x 1 --frame-id map --child-frame-id base\n",
    );
    let mut running = scene.start(&["launch", &launch]);
    let echo = scene.text(&["tf", "echo", "map", "finger", "--once"]);
    assert!(echo.contains("\n- Translation: [1.062, 0.000, 1.000]\n"), "{echo}");
    assert!(scene.text(&["node", "list"]).contains("/mount\n"));
    let description =
        scene.text(&["param", "get", "/robot_state_publisher", "robot_description", "--hide-type"]);
    assert_eq!(description.trim_end(), ARM.trim_end());
    assert_eq!(running.interrupt(), Some(0));
}

#[test]
fn bundled_programs_are_listed_and_run() {
    let scene = Scene::new();
    let listed = scene.text(&["pkg", "executables", "tf2_ros"]);
    assert_eq!(listed, "tf2_ros static_transform_publisher\ntf2_ros tf2_echo\ntf2_ros tf2_monitor\n");
    let error = scene.failure(&["run", "robot_state_publisher", "robot_state_publisher"]);
    let want = "saltus: the parameter `robot_description` must not be empty: it is the URDF of the robot\n";
    assert!(error.ends_with(want), "{error}");
    let error = scene.failure(&["run", "tf2_ros", "no_such_program"]);
    assert_eq!(error, "saltus: No executable found\n");
    let error = scene.failure(&["run", "no_such_package", "talker"]);
    assert_eq!(error, "saltus: Package 'no_such_package' not found\n");
    let mut running = scene.start(&[
        "run",
        "--prefix",
        "env",
        "tf2_ros",
        "static_transform_publisher",
        "--frame-id",
        "a",
        "--child-frame-id",
        "b",
        "--ros-args",
        "-r",
        "__node:=fastened",
    ]);
    let tree = scene.text(&["tf", "echo", "a", "b", "--once"]);
    assert!(tree.contains("[0.000, 0.000, 0.000]"), "{tree}");
    assert!(scene.text(&["node", "list"]).contains("/fastened\n"));
    assert_eq!(running.interrupt(), Some(0));
}
