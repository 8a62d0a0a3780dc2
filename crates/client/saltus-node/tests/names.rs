//! The names and parameters that a user gives with `--ros-args` apply to the nodes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use saltus_msgs::std_msgs::msg::String as Text;
use saltus_node::{Context, ContextOptions, Node, RosArgs};
use saltus_types::ParameterValue;

/// Creates a context with its own graph. The arguments are those of the program.
fn context(words: &str) -> (Context, tempfile::TempDir) {
    let folder = tempfile::TempDir::new_in("/dev/shm").unwrap();
    let args = RosArgs::parse(words.split(' ')).unwrap();
    let options = ContextOptions::default().folder(folder.path()).handle_signals(false).args(args);
    (options.create().unwrap(), folder)
}

fn topic_of(node: &Node, name: &str) -> String {
    node.publisher::<Text>(name).create().unwrap().info().topic.clone()
}

#[test]
fn remapping_renames_nodes_and_topics() {
    let (context, _folder) = context("p --ros-args -r __node:=renamed -r __ns:=/robot -r chatter:=/news");
    let node = context.node("talker").create().unwrap();
    assert_eq!(node.name().fully_qualified(), "/robot/renamed");
    assert_eq!(topic_of(&node, "chatter"), "/news");
    assert_eq!(topic_of(&node, "~/count"), "/robot/renamed/count");
    assert_eq!(topic_of(&node, "/chatter"), "/chatter", "this is not the topic /robot/chatter");
    let graph = context.graph();
    assert!(graph.nodes.iter().any(|node| (&*node.namespace, &*node.name) == ("/robot", "renamed")));
}

#[test]
fn a_node_prefers_its_own_arguments_and_may_ignore_those_of_the_program() {
    let (context, _folder) = context("p --ros-args -r a:=global -r b:=global -p x:=1 -p n:y:=2");
    let own = RosArgs::parse("p --ros-args -r a:=own -p x:=3".split(' ')).unwrap();
    let node = context.node("n").args(own.clone()).create().unwrap();
    assert_eq!((topic_of(&node, "a"), topic_of(&node, "b")), ("/own".into(), "/global".into()));
    let overrides = [("y".into(), ParameterValue::Integer(2)), ("x".into(), ParameterValue::Integer(3))];
    assert_eq!(node.parameter_overrides(), overrides);
    let node = context.node("alone").args(own).use_global_arguments(false).create().unwrap();
    assert_eq!((topic_of(&node, "a"), topic_of(&node, "b")), ("/own".into(), "/b".into()));
    assert_eq!(node.parameter_overrides(), [("x".into(), ParameterValue::Integer(3))]);
}
