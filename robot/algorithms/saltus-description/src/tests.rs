//! Tests of reading descriptions, and of the transforms of joints.

use std::f64::consts::FRAC_PI_2;

use proptest::prelude::*;

use super::*;

/// Returns a description with links and joints, which are given as text.
fn robot(links: &[&str], joints: &str) -> String {
    let links: String = links.iter().map(|name| format!("  <link name=\"{name}\"/>\n")).collect();
    format!("<robot name=\"test\">\n{links}{joints}</robot>\n")
}

/// Returns a joint on a line of its own.
fn joint(name: &str, kind: &str, (parent, child): (&str, &str), more: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{more}</joint>\n"
    )
}

fn error_of(text: &str) -> String {
    Description::parse(text).unwrap_err().to_string()
}

fn close(left: [f64; 3], right: [f64; 3]) -> bool {
    left.iter().zip(right).all(|(left, right)| (left - right).abs() < 1e-9)
}

#[test]
fn a_description_has_its_links_joints_and_limits() {
    let text = r#"<?xml version="1.0"?>
        <robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">
          <material name="blue"><color rgba="0 0 1 1"/></material>
          <link name="base"><collision><origin xyz="0 0 0.5"/><geometry><box size="1 2 3"/></geometry></collision></link>
          <joint name="lift" type="prismatic">
            <parent link="base"/><child link="plate"/>
            <origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 2"/>
            <limit lower="-0.5" upper="1.5" effort="10" velocity="0.2"/>
            <safety_controller soft_lower_limit="-0.4" soft_upper_limit="1.4" k_velocity="1"/>
          </joint>
          <link name="plate"/>
          <gazebo reference="plate"><size>not numbers</size><plugin xyz="what this is is its own matter"/></gazebo>
        </robot>"#;
    let robot = Description::parse(text).unwrap();
    assert_eq!((robot.name(), robot.root()), ("arm", "base"));
    let names: Vec<_> = robot.links().iter().map(|link| &*link.name).collect();
    assert_eq!(names, ["base", "plate"]);
    let (pose, shape) = &robot.links()[0].collisions[0];
    assert_eq!(pose.translation(), [0.0, 0.0, 0.5]);
    assert_eq!(*shape, Geometry::Box { size: [1.0, 2.0, 3.0] });
    let lift = robot.joint("lift").unwrap();
    let limits = Limits { lower: -0.5, upper: 1.5, velocity: 0.2, effort: 10.0 };
    assert_eq!((lift.limits, lift.soft_limits), (Some(limits), Some((-0.4, 1.4))));
    assert_eq!(lift.axis, [0.0, 0.0, 1.0]);
    assert_eq!(robot.below("base").count(), 1);
}

#[test]
fn a_joint_moves_its_child() {
    let turned = "<origin xyz=\"1 0 0\" rpy=\"0 0 1.5707963267948966\"/><axis xyz=\"0 0 1\"/>";
    let along = "<origin xyz=\"1 0 0\" rpy=\"0 0 1.5707963267948966\"/><axis xyz=\"1 0 0\"/>\
        <limit lower=\"0\" upper=\"1\" effort=\"1\" velocity=\"1\"/>";
    let joints = [
        joint("turn", "continuous", ("base", "a"), turned),
        joint("slide", "prismatic", ("base", "b"), along),
        joint("fixed", "fixed", ("base", "c"), turned),
    ];
    let robot = Description::parse(&robot(&["base", "a", "b", "c"], &joints.concat())).unwrap();
    let moved = |name, position, point| robot.joint(name).unwrap().transform(position).apply(point);
    // A quarter turn of the origin, and one of the joint.
    assert!(close(moved("turn", FRAC_PI_2, [1.0, 0.0, 0.0]), [0.0, 0.0, 0.0]));
    assert!(close(moved("turn", 0.0, [1.0, 0.0, 0.0]), [1.0, 1.0, 0.0]));
    // The axis is that of the turned frame.
    assert!(close(moved("slide", 0.25, [0.0; 3]), [1.0, 0.25, 0.0]));
    assert!(close(moved("fixed", 3.0, [0.0; 3]), [1.0, 0.0, 0.0]));
}

#[test]
fn joints_mimic_others_through_several() {
    let joints = [
        joint("first", "continuous", ("base", "a"), ""),
        joint("second", "continuous", ("a", "b"), "<mimic joint=\"first\" multiplier=\"2\" offset=\"1\"/>"),
        joint(
            "third",
            "continuous",
            ("b", "c"),
            "<mimic joint=\"second\" multiplier=\"-1\" offset=\"0.5\"/>",
        ),
        joint("fourth", "continuous", ("c", "d"), "<mimic joint=\"first\"/>"),
    ];
    let robot = Description::parse(&robot(&["base", "a", "b", "c", "d"], &joints.concat())).unwrap();
    let mut positions = Positions::default();
    assert_eq!(positions.of(&robot, "third"), None);
    positions.set("first", 0.25);
    assert_eq!(positions.of(&robot, "second"), Some(1.5));
    assert_eq!(positions.of(&robot, "third"), Some(-1.0));
    assert_eq!(positions.of(&robot, "fourth"), Some(0.25));
    positions.set("second", 7.0);
    assert_eq!(positions.of(&robot, "third"), Some(-6.5));
    assert_eq!(positions.of(&robot, "no such joint"), None);
}

#[test]
fn a_soft_limit_that_is_not_given_is_infinite() {
    let soft = "<limit lower=\"0.2\" upper=\"1\" effort=\"1\" velocity=\"1\"/><safety_controller soft_upper_limit=\"0.9\" k_velocity=\"1\"/>";
    let robot = Description::parse(&robot(&["a", "b"], &joint("j", "revolute", ("a", "b"), soft))).unwrap();
    assert_eq!(robot.joints()[0].soft_limits, Some((f64::NEG_INFINITY, 0.9)));
}

#[test]
fn a_long_chain_of_joints_that_mimic_others_is_refused_at_once() {
    let names: Vec<String> = (0..20_001).map(|index| format!("l{index}")).collect();
    let links: Vec<&str> = names.iter().map(String::as_str).collect();
    let chained = |index: usize| {
        let mimic = format!("<mimic joint=\"j{}\"/>", index.saturating_sub(1));
        let mimic = if index == 0 { "" } else { &mimic };
        joint(&format!("j{index}"), "continuous", (links[index], links[index + 1]), mimic)
    };
    let joints: String = (0..20_000).map(chained).collect();
    let error = error_of(&robot(&links, &joints));
    assert_eq!(error, "the joint `j100` mimics `j0`, which is too far from a joint that mimics none");
}

#[test]
fn the_errors_of_trees_name_the_cause() {
    let two = |first: &str, second: &str| error_of(&robot(&["a", "b"], &[first, second].concat()));
    let fixed = |name, links| joint(name, "fixed", links, "");
    assert_eq!(error_of(&robot(&[], "")), "the robot has no links");
    assert_eq!(error_of(&robot(&["a", "a"], "")), "two links have the name `a`");
    assert_eq!(error_of(&robot(&[""], "")), "a link has no name");
    assert_eq!(
        error_of(&robot(&["a", "b"], "")),
        "two links have no parent, `a` and `b`; only the root may have none"
    );
    assert_eq!(two(&fixed("j", ("a", "b")), &fixed("j", ("a", "b"))), "two joints have the name `j`");
    assert_eq!(
        two(&fixed("i", ("a", "b")), &fixed("j", ("a", "b"))),
        "the link `b` is the child of two joints, `i` and `j`"
    );
    assert_eq!(
        two(&fixed("i", ("a", "b")), &fixed("j", ("b", "c"))),
        "the joint `j` needs the link `c`, which does not exist"
    );
    assert_eq!(
        two(&fixed("i", ("a", "b")), &fixed("j", ("b", "a"))),
        "no link is the root: each one is the child of a joint"
    );
    let looped = [fixed("i", ("b", "c")), fixed("j", ("c", "b"))].concat();
    assert_eq!(error_of(&robot(&["a", "b", "c"], &looped)), "the link `b` is in a loop of joints");
    let itself = fixed("i", ("b", "b"));
    assert_eq!(error_of(&robot(&["a", "b"], &itself)), "the link `b` is in a loop of joints");
}

#[test]
fn the_errors_of_joints_name_the_joint() {
    let one = |kind, more| error_of(&robot(&["a", "b"], &joint("j", kind, ("a", "b"), more)));
    assert_eq!(one("revolute", ""), "line 4 of the description: the joint `j` needs the element `limit`");
    assert_eq!(
        one("continuous", "<axis xyz=\"0 0 0\"/>"),
        "line 4 of the description: the axis of a joint must not be 0 0 0"
    );
    assert_eq!(
        one("continuous", "<mimic joint=\"j\"/>"),
        "the joint `j` mimics `j`, which in turn mimics it"
    );
    assert_eq!(
        one("bent", ""),
        "line 4 of the description: the type of a joint must be revolute, continuous, prismatic, fixed, floating or planar, \
         found `bent`"
    );
}

#[test]
fn a_joint_that_mimics_nothing_moves_by_its_own_position() {
    let follow = |name: &str, links, source: &str| {
        joint(name, "continuous", links, &format!("<mimic joint=\"{source}\"/>"))
    };
    let joints = [
        joint("fixed", "fixed", ("a", "b"), ""),
        follow("first", ("b", "c"), "fixed"),
        follow("second", ("b", "d"), "no such joint"),
        follow("third", ("b", "e"), "second"),
    ];
    let robot = Description::parse(&robot(&["a", "b", "c", "d", "e"], &joints.concat())).unwrap();
    let warnings = [
        "the joint `first` mimics `fixed`, which has no position",
        "the joint `second` mimics `no such joint`, which does not exist",
    ];
    assert_eq!(robot.warnings(), warnings);
    let mut positions = Positions::default();
    assert_eq!(positions.of(&robot, "first"), None);
    positions.set("second", 0.5);
    assert_eq!(positions.of(&robot, "third"), Some(0.5));
}

#[test]
fn the_errors_of_the_text_have_lines() {
    for value in ["1 2", "1 2 3 4", "1 2 x 3", "nan 0 0", "1e999 0 0", ""] {
        let text =
            robot(&["a", "b"], &joint("j", "fixed", ("a", "b"), &format!("<origin xyz=\"{value}\"/>")));
        let expected = format!("line 4 of the description: `xyz` must be three numbers, found `{value}`");
        assert_eq!(error_of(&text), expected);
    }
    let text =
        robot(&["a", "b"], &joint("j", "revolute", ("a", "b"), "<limit velocity=\"1\" effort=\"x\"/>"));
    assert_eq!(error_of(&text), "line 4 of the description: `effort` must be a number, found `x`");
    assert_eq!(error_of("<sdf/>"), "line 1 of the description: expected the element `robot`, found `sdf`");
    assert!(error_of("<robot>\n<link>").starts_with("the description is not XML: "));
    assert!(error_of("").starts_with("the description is not XML: "));
}

#[test]
fn a_rotation_may_be_a_quaternion() {
    let origin = |attributes: &str| {
        robot(&["a", "b"], &joint("j", "fixed", ("a", "b"), &format!("<origin {attributes}/>")))
    };
    let turned = Description::parse(&origin("quat_xyzw=\"0 0 1 0\" xyz=\"1 0 0\"")).unwrap();
    assert!(close(turned.joints()[0].transform(0.0).apply([1.0, 0.0, 0.0]), [0.0; 3]));
    let error = |attributes| error_of(&origin(attributes));
    assert_eq!(
        error("quat_xyzw=\"0 0 0 1\" rpy=\"0 0 0\""),
        "line 4 of the description: an origin has either `rpy` or `quat_xyzw`, not both"
    );
    assert_eq!(
        error("quat_xyzw=\"0 0 1\""),
        "line 4 of the description: `quat_xyzw` must be four numbers, found `0 0 1`"
    );
    assert_eq!(
        error("quat_xyzw=\"0 0 1 1\""),
        "line 4 of the description: the quaternion of the transform does not have the length 1"
    );
}

#[test]
fn deep_texts_are_read_and_large_ones_are_refused() {
    let deep = format!(
        "<robot name=\"r\"><link name=\"a\"/>{}{}</robot>",
        "<a>".repeat(100_000),
        "</a>".repeat(100_000)
    );
    assert_eq!(Description::parse(&deep).unwrap().root(), "a");
    let large = format!("<robot name=\"r\">{}</robot>", "<a/>".repeat(1_000_001));
    assert_eq!(error_of(&large), "the description is not XML: nodes limit reached");
    let bomb = "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><robot name=\"&b;\"/>";
    assert!(Description::parse(bomb).is_err());
}

proptest! {
    /// A nearly valid text gives a description or an error, and no panic.
    #[test]
    fn changed_texts_do_not_panic(start in 0usize..400, change in "[<>/=\"a-z0-9 .\\-]{0,4}") {
        let joints = [
            joint("i", "continuous", ("a", "b"), "<axis xyz=\"0 0 1\"/><origin rpy=\"0 0 1\"/>"),
            joint("j", "prismatic", ("b", "c"), "<limit lower=\"0\" upper=\"1\" effort=\"1\" velocity=\"1\"/><mimic joint=\"i\"/>"),
        ];
        let mut text = robot(&["a", "b", "c"], &joints.concat());
        prop_assert!(Description::parse(&text).is_ok());
        let start = start % text.len();
        let end = (start + change.len()).min(text.len());
        text.replace_range(start..end, &change);
        if let Ok(robot) = Description::parse(&text) {
            for joint in robot.joints() {
                prop_assert!(joint.transform(0.5).translation().iter().all(|part| part.is_finite()));
            }
        }
    }
}

#[test]
fn a_mass_has_a_moment_about_each_axis() {
    let link = |inertial: &str| {
        let text = format!("<robot name='r'><link name='a'><inertial>{inertial}</inertial></link></robot>");
        Description::parse(&text).map(|robot| robot.links()[0].inertial.clone().unwrap())
    };
    let moments = "<inertia ixx='1' iyy='2' izz='3' ixy='0.1' ixz='0.2' iyz='0.3'/>";
    let upright = link(&format!("<mass value='2'/>{moments}")).unwrap();
    assert_eq!((upright.mass, upright.about([0.0, 0.0, 1.0])), (2.0, 3.0));
    let half = 0.5_f64.sqrt();
    assert!((upright.about([half, half, 0.0]) - 1.6).abs() < 1e-12);
    // The axis z of a link that is turned by a quarter about x is the axis y of the mass.
    let turned = link(&format!("<origin rpy='1.5707963267948966 0 0'/><mass value='2'/>{moments}")).unwrap();
    assert!((turned.about([0.0, 0.0, 1.0]) - 2.0).abs() < 1e-12);
    assert_eq!(link("<mass value='2'/>").unwrap().moments, [0.0; 6]);
    let error = |text: &str| link(text).unwrap_err().to_string();
    assert!(error("").contains("the element `inertial` needs the element `mass`"));
    assert!(error("<mass value='2'/><inertia ixx='1'/>").contains("needs the attribute `ixy`"));
}

#[test]
fn a_description_may_be_as_lenient_parsers_read_it() {
    let text = "<!-- exported from CAD -->\n<?xml version=\"1.0\"?>\n<robot name=\"r\"><link name=\"base\"/><gazebo:link name=\"other\"/>\
                <gazebo reference=\"base\"><sensor:camera name=\"cam & co\"/></gazebo></robot>";
    assert_eq!(Description::parse(text).unwrap().links().len(), 1);
}
