//! The verbs of transforms.

use std::io::{BufRead, BufReader};

use super::Scene;

/// Publishes two static transforms, of which the second turns to the left.
fn publish(scene: &Scene) -> [super::Running; 2] {
    let statics = |words: &str| scene.start(&words.split(' ').collect::<Vec<_>>());
    [
        statics("tf static --x 1 --z -0.5 --frame-id map --child-frame-id base"),
        statics("tf static --yaw 1.5707963267948966 --frame-id base --child-frame-id laser"),
    ]
}

#[test]
fn static_transforms_are_published_and_echoed() {
    let scene = Scene::new();
    let mut running = publish(&scene);
    let want = "At time 0.000000000\n- Translation: [1.000, 0.000, -0.500]\n- Rotation: in Quaternion [0.000, 0.000, 0.707, \
                0.707]\n- Rotation: in RPY (radian) [0.000, -0.000, 1.571]\n- Rotation: in RPY (degree) [0.000, -0.000, \
                90.000]\n- Matrix:\n  0.000 -1.000  0.000  1.000\n  1.000  0.000  0.000  0.000\n  0.000  0.000  1.000 \
                -0.500\n  0.000  0.000  0.000  1.000\n";
    assert_eq!(scene.text(&["tf", "echo", "map", "laser", "--once"]), want);
    for process in &mut running {
        assert_eq!(process.interrupt(), Some(0));
    }
}

#[test]
fn the_tree_and_the_delays_name_the_publishers() {
    let scene = Scene::new();
    let _running = publish(&scene);
    // Both are there.
    scene.text(&["tf", "echo", "map", "laser", "--once"]);
    let tree = scene.text(&["tf", "tree", "--period", "2"]);
    let lines: Vec<&str> = tree.lines().collect();
    assert_eq!(lines[0], "map");
    assert!(lines[1].starts_with("└── base  (static, by /static_transform_publisher_"), "{tree}");
    assert!(lines[2].starts_with("    └── laser  (static, by /static_transform_publisher_"), "{tree}");
    let monitor = scene.text(&["tf", "monitor", "map", "laser", "--once", "--period", "2"]);
    for part in [
        "Gathering data on map -> laser for 2 seconds...",
        "RESULTS: for map to laser\nChain is: map -> base -> laser\n",
        "Frame: base, published by /static_transform_publisher_",
        "All Broadcasters:\nNode: /static_transform_publisher_",
    ] {
        assert!(monitor.contains(part), "{part:?} is missing in\n{monitor}");
    }
    let svg = scene.folder.join("frames.svg");
    scene.text(&["tf", "tree", "--period", "2", "--output", svg.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(svg).unwrap().matches("<rect x=").count(), 3);
}

#[test]
fn an_unknown_frame_has_the_one_that_was_meant() {
    let scene = Scene::new();
    let _running = publish(&scene);
    for verb in ["echo", "monitor"] {
        let mut waiting = scene.start(&["tf", verb, "map", "lasser"]);
        let errors = BufReader::new(waiting.child.stderr.take().unwrap());
        let want = "there is no frame 'lasser'; did you mean 'laser'?";
        assert!(errors.lines().any(|line| line.unwrap() == want), "{verb}");
        assert_eq!(waiting.interrupt(), Some(130));
    }
}

#[test]
fn wrong_transforms_are_refused() {
    let scene = Scene::new();
    let failure = |words: &str| scene.failure(&words.split(' ').collect::<Vec<_>>());
    let wrong = failure("tf static --qx 5 --frame-id a --child-frame-id b");
    assert_eq!(wrong, "saltus: the quaternion of the transform does not have the length 1\n");
    let same = failure("tf static --frame-id a --child-frame-id a");
    assert_eq!(same, "saltus: the frames of a transform must be different\n");
    assert!(
        failure("tf static --qx 1 --yaw 1 --frame-id a --child-frame-id b").contains("cannot be used with")
    );
    assert!(failure("tf echo /a b").contains("in tf2 frame_ids cannot start with a '/'"));
    assert!(failure("tf tree --period 0.05").ends_with("saltus: no transforms were received\n"));
}

#[test]
fn the_values_of_a_static_transform_may_have_no_names() {
    let scene = Scene::new();
    let statics =
        |words: &str| scene.start(&[&["tf", "static"], &*words.split(' ').collect::<Vec<_>>()].concat());
    let _running = [
        statics("1 -2e-1 3 1.5707963267948966 0 0 map base"),
        statics("0 0 0 0 0 1 0 base laser --ros-args -r __node:=mount"),
    ];
    let echo = scene.text(&["tf", "echo", "map", "base", "--once"]);
    assert!(
        echo.contains("Translation: [1.000, -0.200, 3.000]")
            && echo.contains("(radian) [0.000, -0.000, 1.571]"),
        "{echo}"
    );
    assert!(
        scene
            .text(&["tf", "echo", "base", "laser", "--once"])
            .contains("Quaternion [0.000, 0.000, 1.000, 0.000]")
    );
    let failure = |words: &str| scene.failure(&words.split(' ').collect::<Vec<_>>());
    let same = failure("tf static 0 0 0 0 0 0 a a");
    assert!(
        same.starts_with("saltus: warning: values without names are deprecated; write --x=0 --y=0"),
        "{same}"
    );
    assert!(failure("tf static 0 0 0 0 0 here a b").contains("--roll"));
}
