//! Conditions and arguments.

use super::{Files, logs, xml, yaml};

#[test]
fn an_action_has_an_effect_only_if_its_condition_holds() {
    for (condition, want) in [
        ("if: 'true'", true),
        ("if: 'True'", true),
        ("if: '1'", true),
        ("if: ' TRUE '", true),
        ("if: true", true),
        ("if: 'false'", false),
        ("if: '0'", false),
        ("unless: 'false'", true),
        ("unless: '1'", false),
        ("if: $(not false)", true),
        ("if: $(equals 1 true)", true),
        ("unless: $(and true false)", true),
    ] {
        let plan = yaml(&format!("- log: {{message: here, {condition}}}")).unwrap();
        assert_eq!(!plan.steps.is_empty(), want, "{condition}");
    }
}

#[test]
fn a_condition_that_is_no_bool_is_an_error() {
    let error = yaml("- log: {message: here, if: 'yes'}").unwrap_err();
    assert_eq!(error.message(), "a condition must be true, 1, false or 0, and not `yes`");
    let error = xml("<log message='here' if='1' unless='0'/>").unwrap_err();
    assert_eq!(error.to_string(), "/robot.launch.xml:2: `log`: `if` and `unless` can't be used together");
}

#[test]
fn an_argument_has_its_default_value_or_the_given_one() {
    let files = Files::new(&[(
        "/robot.launch.yaml",
        "launch:\n- arg: {name: robot, default: arm_$(env HOME)}\n- log: {message: $(var robot)}\n",
    )]);
    assert_eq!(logs(&files.plan(&[]).unwrap()), ["arm_/home/robot"]);
    assert_eq!(logs(&files.plan(&[("robot", "leg")]).unwrap()), ["leg"]);
    // An empty value is a value, which ROS 2's command refuses.
    assert_eq!(logs(&files.plan(&[("robot", "")]).unwrap()), [""]);
}

#[test]
fn a_missing_argument_is_named_with_its_description() {
    let error = xml("<arg name='robot' description='the name of the robot'/>").unwrap_err();
    let want =
        "/robot.launch.xml:2: the argument `robot` (the name of the robot) is missing; add robot:=VALUE";
    assert_eq!(error.to_string(), want);
}

#[test]
fn an_argument_must_be_one_of_its_choices() {
    let choices = "<arg name='mode' default='slow'><choice value='slow'/><choice value='fast'/></arg>";
    assert!(xml(choices).is_ok());
    let files = Files::new(&[("/robot.launch.xml", &format!("<launch>{choices}</launch>"))]);
    assert!(files.plan(&[("mode", "fast")]).is_ok());
    let error = files.plan(&[("mode", "other")]).unwrap_err();
    assert_eq!(error.message(), "the argument `mode` must be one of slow, fast, and not `other`");
}

#[test]
fn an_argument_that_nobody_declares_or_reads_is_a_warning() {
    let files = Files::new(&[(
        "/robot.launch.xml",
        "<launch><arg name='robot' default='arm'/><log message='$(var word hello)'/>\
         <group if='false'><arg name='extra'/></group>\
         <include if='false' file='/missing.launch.xml'/></launch>",
    )]);
    files.plan(&[("robot", "leg"), ("word", "hi"), ("extra", "1"), ("launch-prefix", "env")]).unwrap();
    assert_eq!(files.warnings.take(), [""; 0]);
    files.plan(&[("namespace", "robot1")]).unwrap();
    let want = "no launch file declares the argument `namespace`, so it probably has no effect; the arguments are: extra, robot";
    assert_eq!(files.warnings.take(), [want]);
}
