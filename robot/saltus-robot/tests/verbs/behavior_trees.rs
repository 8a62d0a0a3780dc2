//! Behavior trees: the verbs.

use std::fs;

use super::Scene;

const MAIN: &str = r#"<root BTCPP_format="4" main_tree_to_execute="Main">
  <include path="part.xml"/>
  <BehaviorTree ID="Main">
    <RecoveryNode name="Try" number_of_retries="2">
      <SubTree ID="Part" goal="{goal}"/>
      <Wait wait_duration="2.5"/>
    </RecoveryNode>
  </BehaviorTree>
</root>
"#;
const PART: &str = r#"<root BTCPP_format="4">
  <BehaviorTree ID="Part"><ComputePathToPose goal="{goal}" path="{path}"/></BehaviorTree>
</root>
"#;

#[test]
fn a_behavior_tree_is_checked_and_printed() {
    let scene = Scene::new();
    let main = scene.folder.join("main.xml").display().to_string();
    fs::write(&main, MAIN).unwrap();
    // The path of a file in a folder is relative to it.
    fs::create_dir(scene.folder.join("parts")).unwrap();
    fs::write(scene.folder.join("part.xml"), "<root><include path=\"parts/a.xml\"/></root>").unwrap();
    fs::write(scene.folder.join("parts/a.xml"), "<root><include path=\"b.xml\"/></root>").unwrap();
    fs::write(scene.folder.join("parts/b.xml"), PART).unwrap();
    assert_eq!(scene.text(&["bt", "check", &main]), format!("{main}: the tree Main has 4 nodes\n"));
    let want = "Try\n├── Part  ()\n│   └── ComputePathToPose  (goal={goal}, path={path})\n└── Wait  (wait_duration=2.5)\n";
    assert_eq!(scene.text(&["bt", "view", &main]), want);
    let svg = scene.folder.join("main.svg");
    scene.text(&["bt", "view", &main, "--output", svg.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(svg).unwrap().matches("<rect x=").count(), 4);
    let name = "navigate_to_pose_w_replanning_and_recovery";
    assert_eq!(scene.text(&["bt", "check", name]), format!("{name}: the tree MainTree has 28 nodes\n"));
    let part = scene.text(&["bt", "check", &main, "--tree", "Part"]);
    assert_eq!(part, format!("{main}: the tree Part has 1 nodes\n"));
}

#[test]
fn what_is_wrong_in_a_behavior_tree_is_named_with_its_line() {
    let scene = Scene::new();
    let main = scene.folder.join("main.xml").display().to_string();
    fs::write(&main, MAIN.replace("<Wait ", "<Weight ")).unwrap();
    fs::write(scene.folder.join("part.xml"), PART).unwrap();
    let error = scene.failure(&["bt", "check", &main]);
    assert!(error.contains("main.xml: Error at line 6: -> Node not recognized: Weight"), "{error}");
    fs::write(&main, MAIN).unwrap();
    fs::write(scene.folder.join("part.xml"), PART.replace("path=", "pass=")).unwrap();
    let error = scene.failure(&["bt", "check", &main]);
    assert!(
        error.contains("a port with name [pass] is found in the XML (<ComputePathToPose>, line 2)"),
        "{error}"
    );
    fs::remove_file(scene.folder.join("part.xml")).unwrap();
    let error = scene.failure(&["bt", "check", &main]);
    assert!(error.contains("main.xml: Error at line 2: -> part.xml: can't read"), "{error}");
    let error = scene.failure(&["bt", "check", "nothing.xml"]);
    assert!(error.contains("can't read nothing.xml: No such file or directory"), "{error}");
}
