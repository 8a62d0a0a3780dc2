//! All trees, and trees that are wrong.

use saltus_behavior_tree::{Direction, Factory};

use super::*;

fn factory() -> Factory<()> {
    let mut factory = Factory::new();
    declare(&mut factory);
    factory
}

#[test]
fn all_trees_are_right() {
    for (name, text) in TREES {
        let mut factory = factory();
        factory.load(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let tree = factory.check("MainTree").unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(tree.nodes().count() > 5, "{name}");
    }
}

#[test]
fn the_default_trees_have_the_nodes_of_their_documentation() {
    let nodes = |name: &str| {
        let mut factory = factory();
        factory.load(TREES.iter().find(|(known, _)| *known == name).unwrap().1).unwrap();
        let tree = factory.check("MainTree").unwrap();
        tree.nodes().map(|node| node.name.clone()).collect::<Vec<_>>()
    };
    let to_pose = nodes("navigate_to_pose_w_replanning_and_recovery");
    let start = [
        "NavigateRecovery",
        "NavigateWithReplanning",
        "ControllerSelector",
        "PlannerSelector",
        "RateController",
    ];
    assert_eq!(to_pose[..5], start);
    assert_eq!(to_pose.len(), 28);
    let through = nodes("navigate_through_poses_w_replanning_and_recovery");
    assert_eq!(through.len(), 30);
    assert!(through.contains(&"RemovePassedGoals".into()));
}

#[test]
fn a_broken_tree_says_where_and_why() {
    let wrong = |from: &str, to: &str| {
        let mut factory = factory();
        let text = TREES[0].1.replace(from, to);
        let result = factory.load(&text).and_then(|()| factory.check("MainTree").map(|_| ()));
        result.unwrap_err().to_string()
    };
    assert_eq!(wrong("<Wait ", "<Weight "), "Error at line 44: -> Node not recognized: Weight");
    assert_eq!(
        wrong("wait_duration", "duration"),
        "Error at line 44: -> a port with name [duration] is found in the XML (<Wait>, line 44) but not in the providedPorts() of \
         its registered node type."
    );
    assert_eq!(
        wrong("hz=\"1.0\"", "hz=\"often\""),
        "Error at line 9: -> The port with name \"hz\" and value \"often\" can not be converted to double"
    );
    assert!(wrong("</Sequence>", "").starts_with("Error parsing the XML: "));
}

#[test]
fn poses_are_read_from_texts() {
    let read = |attributes: &str| {
        let mut factory = factory();
        let action = format!("<NavigateToPose {attributes}/>");
        let text = format!("<root BTCPP_format='4'><BehaviorTree ID='Main'>{action}</BehaviorTree></root>");
        factory
            .load(&text)
            .and_then(|()| factory.check("Main").map(|_| ()))
            .map_err(|error| error.to_string())
    };
    assert_eq!(read("goal='5;map;1.0;2;0;0;0;0;1'"), Ok(()));
    for wrong in ["5;map;1.0;2;0;0;0;0", "soon;map;1;2;0;0;0;0;1", "5;map;here;2;0;0;0;0;1"] {
        assert!(read(&format!("goal='{wrong}'")).is_err(), "{wrong}");
    }
}

#[test]
fn nodes_have_names_and_ports_once() {
    let nodes = nodes();
    let mut names: Vec<&str> = nodes.iter().map(|node| node.id).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!((names.len(), nodes.len()), (58, 58));
    for node in &nodes {
        let mut ports: Vec<&str> = node.ports.iter().map(|port| port.name).collect();
        ports.sort_unstable();
        let count = ports.len();
        ports.dedup();
        assert_eq!(ports.len(), count, "{}", node.id);
        let is_right =
            |port: &saltus_behavior_tree::Port| port.default.is_none() || port.direction == Direction::Input;
        assert!(node.ports.iter().all(is_right), "{}", node.id);
    }
}
