//! The scopes of the values that actions set.

use super::{Files, logs, process, xml, yaml};
use crate::plan::{Deferred, Parameters, StepKind};

#[test]
fn a_scoped_group_changes_nothing_outside() {
    let actions = |attributes: &str| {
        format!(
            "<let name='a' value='1'/> <set_env name='E' value='1'/>
             <group {attributes}>
               <let name='a' value='2'/> <set_env name='E' value='2'/> <let name='b' value='2'/>
               <log message='$(var a) $(env E)'/>
             </group>
             <log message='$(var a) $(env E) $(var b none)'/>"
        )
    };
    assert_eq!(logs(&xml(&actions("")).unwrap()), ["2 2", "1 1 none"]);
    assert_eq!(logs(&xml(&actions("scoped='false'")).unwrap()), ["2 2", "2 2 2"]);
}

#[test]
fn a_group_that_forwards_nothing_sees_only_what_it_keeps() {
    let plan = xml(
        "<let name='a' value='1'/> <let name='b' value='2'/> <set_env name='E' value='1'/> <push_ros_namespace namespace='n'/>
         <group forwarding='false'><keep name='a' value='$(var a)$(var b)'/>
           <log message='$(var a) $(var b none) $(env E none)'/> <node exec='x' name='y'/>
         </group>",
    )
    .unwrap();
    assert_eq!(logs(&plan), ["12 none none"]);
    let StepKind::Group(steps) = &plan.steps[0].kind else { panic!() };
    let StepKind::Process(process) = &steps[1].kind else { panic!() };
    assert_eq!(process.node.as_ref().unwrap().names.full_name().as_deref(), Some("/y"));
}

#[test]
fn variables_are_set_removed_and_reset() {
    let plan = yaml(
        "- let: {name: a, value: 1}\n- let: {name: b, value: 2}\n- unset: {name: a}\n- log: {message: $(var a none)}\n\
         - reset: {keep: [{name: c, value: $(var b)}]}\n- log: {message: $(var b none) $(var c)}\n- reset: {}\n\
         - log: {message: $(var c none)}",
    );
    assert_eq!(logs(&plan.unwrap()), ["none", "none 2", "none"]);
}

#[test]
fn environment_variables_are_set_appended_and_removed() {
    let plan = yaml(
        "- append_env: {name: PATH, value: /opt/bin}\n- append_env: {name: PATH, value: /x, prepend: true}\n\
         - append_env: {name: LIST, value: a, separator: ','}\n- append_env: {name: LIST, value: b, separator: ','}\n\
         - unset_env: {name: HOME}\n- executable: {cmd: a, env: [{name: OWN, value: 1}]}\n\
         - log: {message: $(env PATH) $(env LIST)}\n- reset_env: {}\n- log: {message: $(env PATH) $(env HOME)}",
    )
    .unwrap();
    assert_eq!(logs(&plan), ["/x:/usr/bin:/opt/bin a,b", "/usr/bin /home/robot"]);
    let changes: Vec<_> = process(&plan).environment.clone().into_iter().collect();
    let set = |name: &str, value: &str| (name.to_owned(), Some(value.to_owned()));
    let want =
        [("HOME".to_owned(), None), set("LIST", "a,b"), set("OWN", "1"), set("PATH", "/x:/usr/bin:/opt/bin")];
    assert_eq!(changes, want);
}

#[test]
fn what_an_included_file_sets_stays_set() {
    let files = Files::new(&[
        (
            "/robot.launch.yaml",
            "launch:\n- include: {file: $(dirname)arm/arm.launch.xml, arg: [{name: side, value: left}, {name: twice, \
             value: $(var side)$(var side)}]}\n- log: {message: $(var joint) $(var side) $(filename)}\n",
        ),
        (
            "/arm/arm.launch.xml",
            "<launch><arg name='side'/><let name='joint' value='elbow'/><log message='$(var twice) $(dirname)'/></launch>",
        ),
    ]);
    assert_eq!(logs(&files.plan(&[]).unwrap()), ["leftleft /arm", "elbow left /robot.launch.yaml"]);
}

#[test]
fn what_is_set_for_all_nodes_comes_before_their_own() {
    let plan = yaml(
        "- set_parameter: {name: rate, value: '2.0'}\n- set_parameters_from_file: {filename: /etc/all.yaml}\n\
         - set_remap: {from: a, to: b}\n\
         - node: {exec: x, remap: [{from: c, to: d}], param: [{name: rate, value: 3.0}, {from: /etc/own.yaml}]}",
    )
    .unwrap();
    let names = &process(&plan).node.as_ref().unwrap().names;
    let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
    assert_eq!(names.remaps, [pair("a", "b"), pair("c", "d")]);
    let rate = |value| Parameters::Values(vec![("rate".into(), saltus_types::ParameterValue::Double(value))]);
    let global = Parameters::Global(("rate".into(), saltus_types::ParameterValue::Double(2.0)));
    let file = |path: &str| Parameters::File(path.into());
    assert_eq!(names.parameters, [global, file("/etc/all.yaml"), rate(3.0), file("/etc/own.yaml")]);
}

#[test]
fn the_defaults_of_nodes_that_a_group_sets_end_with_it() {
    let plan = yaml(
        "- set_remap: {from: a, to: b}\n- group:\n  - set_remap: {from: c, to: d}\n  - set_parameter: {name: e, value: 1}\n\
         - node: {exec: x}",
    )
    .unwrap();
    let names = &process(&plan).node.as_ref().unwrap().names;
    assert_eq!((names.remaps.len(), names.parameters.len()), (1, 0));
}

#[test]
fn a_timer_and_a_shutdown_are_steps() {
    let plan = yaml(
        "- timer: {period: 2.5, children: [log: {message: late}, shutdown: {reason: done}]}\n\
         - ros_timer: {period: 1, cancel_on_shutdown: false, children: []}\n- set_use_sim_time: {value: true}",
    )
    .unwrap();
    let StepKind::Timer { seconds, is_ros: false, cancel_on_shutdown: true, actions, .. } =
        &plan.steps[0].kind
    else {
        panic!()
    };
    let Deferred::Steps(steps) = actions else { panic!() };
    assert_eq!((*seconds, &steps[1].kind), (2.5, &StepKind::Shutdown("done".into())));
    assert!(matches!(plan.steps[1].kind, StepKind::Timer { is_ros: true, cancel_on_shutdown: false, .. }));
    assert_eq!(plan.steps[2].kind, StepKind::UseSimTime(true));
}
