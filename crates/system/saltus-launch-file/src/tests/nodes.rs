//! Nodes, containers and other processes.

use super::{process, text, xml, yaml};
use crate::plan::{NodeKind, Output, Ready, ReadyCondition, Restart, RestartPolicy, StepKind, Target};

#[test]
fn a_node_is_a_program_of_its_package() {
    let plan = xml("<push_ros_namespace namespace='robot'/>
         <node pkg='demo' exec='talker' name='mouth' args=\"--volume '1 2'\" ros_args='--log-level debug'>
           <param name='rate' value='5.0'/> <remap from='chatter' to='news'/> <env name='A' value='b'/>
         </node>")
    .unwrap();
    let want = r#"robot
└── node talker
        command: /opt/lib/demo/talker --volume '1 2'
        ros arguments: --log-level debug
        name: /robot/mouth
        parameter: rate: 5.0
        remapping: chatter -> news
        environment: A=b"#;
    assert_eq!(text(&plan), want);
    assert_eq!(process(&plan).command, ["/opt/lib/demo/talker", "--volume", "1 2"]);
}

#[test]
fn a_component_can_be_a_node() {
    let plan = yaml("- node: {pkg: demo, exec: 'demo::Talker'}").unwrap();
    assert_eq!(process(&plan).command, ["saltus", "run", "demo", "demo::Talker"]);
    assert_eq!(process(&plan).label, "demo::Talker");
}

#[test]
fn a_node_without_a_package_is_a_command() {
    let plan = yaml("- node: {exec: 'python3 -u node.py'}").unwrap();
    assert_eq!(process(&plan).command, ["python3", "-u", "node.py"]);
}

#[test]
fn a_container_with_components_in_cpp_is_one_for_them() {
    for (program, args, want) in [
        ("component_container_mt", "", "saltus container --mt --cpp"),
        ("component_container", "--cpp", "saltus container --cpp"),
        ("component_container_crash_isolated", "", "saltus container --crash-isolated"),
        ("component_container", "--crash-isolated", "saltus container --crash-isolated"),
    ] {
        let plan = yaml(&format!(
            "- node_container:\n    {{pkg: rclcpp_components, exec: {program}, name: box, namespace: '', args: '{args}',\n     \
             composable_node: [{{pkg: demo, plugin: 'cpp::Talker'}}]}}"
        ));
        assert_eq!(process(&plan.unwrap()).command.join(" "), want);
    }
}

#[test]
fn the_containers_of_ros_2_are_those_of_saltus() {
    for (package, program, want) in [
        ("rclcpp_components", "component_container", "saltus container"),
        ("rclcpp_components", "component_container_mt", "saltus container --mt"),
        ("rclcpp_components", "component_container_isolated", "saltus container --isolated"),
        ("saltus", "container", "saltus container --crash-isolated"),
    ] {
        let args = if package == "saltus" { "args: --crash-isolated," } else { "" };
        let plan = yaml(&format!(
            "- node_container:\n    {{pkg: {package}, exec: {program}, name: box, namespace: '', {args}\n     \
             composable_node: [{{pkg: demo, plugin: 'demo::Talker', name: mouth, extra_arg: [{{name: \
             use_intra_process_comms, value: 'true'}}]}}]}}"
        ))
        .unwrap();
        assert_eq!(process(&plan).command.join(" "), want);
        assert!(text(&plan).ends_with(
            "name: /box\n    └── component demo demo::Talker\n            name: /mouth\n            argument: \
             use_intra_process_comms: true"
        ));
    }
}

#[test]
fn components_are_loaded_in_order_if_their_conditions_hold() {
    let plan = xml(
        "<load_composable_node target='/box'>
           <composable_node pkg='demo' plugin='A' name='a' if='true'><param name='x' value='1'/></composable_node>
           <composable_node pkg='demo' plugin='B' name='b' if='false'/>
           <composable_node pkg='demo' plugin='C' name='c' namespace='inner' autostart='true'/>
         </load_composable_node>",
    )
    .unwrap();
    let StepKind::Load(load) = &plan.steps[0].kind else { panic!("{plan:?}") };
    let names: Vec<_> =
        load.components.iter().map(|component| component.names.full_name().unwrap()).collect();
    assert_eq!(names, ["/a", "/inner/c"]);
    assert_eq!(load.target, Target::Node("/box".into()));
    assert!(load.components[1].autostart && load.components[1].origin.line == 5);
}

#[test]
fn a_lifecycle_node_can_be_activated() {
    let plan =
        yaml("- lifecycle_node: {pkg: demo, exec: talker, name: a, namespace: '', autostart: true}").unwrap();
    assert_eq!(process(&plan).node.as_ref().unwrap().kind, NodeKind::Lifecycle { autostart: true });
}

#[test]
fn a_process_has_the_options_of_ros_2() {
    let plan = xml(
        "<executable cmd='$(find-exec xacro) a  b$(env HOME)' name='description' cwd='/tmp' output='screen' shell='true'
           emulate_tty='true' respawn='true' respawn_delay='1.5' respawn_max_retries='3' sigterm_timeout='1'
           sigkill_timeout='2' on_exit='shutdown' launch-prefix='gdb --args'/>",
    )
    .unwrap();
    let process = process(&plan);
    assert_eq!(process.command, ["gdb", "--args", "/usr/bin/xacro", "a", "b/home/robot"]);
    assert_eq!((process.label.as_str(), process.output), ("description", Output::Screen));
    assert!(process.shell && process.emulate_tty && process.required);
    assert_eq!((process.sigterm_timeout, process.sigkill_timeout), (1.0, 2.0));
    let restart = Restart { policy: RestartPolicy::Always, delay: 1.5, max_delay: 1.5, max: Some(3) };
    assert_eq!(process.restart, restart);
}

#[test]
fn a_process_has_options_that_ros_2_does_not_have() {
    let yaml = yaml(
        "- node:
    exec: a
    restart: {policy: on-failure, backoff: 0.5, max_backoff: 8, max: 10}
    ready: {topic: /scan, timeout: 3}
    after: [b, /robot/c]
- executable: {cmd: b}
- timer: {period: 1, children: [node: {exec: c, name: c, namespace: robot}]}",
    )
    .unwrap();
    let xml = xml(
        "<node exec='a' after='b, /robot/c'>
           <restart policy='on-failure' backoff='0.5' max_backoff='8' max='10'/> <ready topic='/scan' timeout='3'/>
         </node>
         <executable cmd='b'/>
         <timer period='1'><node exec='c' name='c' namespace='robot'/></timer>",
    )
    .unwrap();
    for plan in [yaml, xml] {
        let StepKind::Process(process) = &plan.steps[0].kind else { panic!() };
        let restart = Restart { policy: RestartPolicy::OnFailure, delay: 0.5, max_delay: 8.0, max: Some(10) };
        assert_eq!(process.restart, restart);
        assert_eq!(
            process.ready,
            Some(Ready { condition: ReadyCondition::Topic("/scan".into()), timeout: 3.0 })
        );
        assert_eq!(process.after, ["b", "/robot/c"]);
    }
}

#[test]
fn variables_are_options_of_all_processes() {
    let plan = yaml(
        "- let: {name: launch-prefix, value: nice -n 5}\n- let: {name: launch-prefix-filter, value: 'tal'}\n\
         - let: {name: sigterm_timeout, value: 1}\n- let: {name: emulate_tty, value: true}\n\
         - node: {pkg: demo, exec: talker}",
    )
    .unwrap();
    let process = process(&plan);
    assert_eq!(process.command, ["nice", "-n", "5", "/opt/lib/demo/talker"]);
    assert!(process.emulate_tty && process.sigterm_timeout == 1.0);
    let plan = yaml(
        "- let: {name: launch-prefix, value: nice}\n- let: {name: launch-prefix-filter, value: 'alk'}\n\
         - node: {pkg: demo, exec: talker}",
    );
    assert_eq!(super::process(&plan.unwrap()).command, ["/opt/lib/demo/talker"]);
    // The filter looks at the program that the file names.
    let plan = yaml(
        "- let: {name: launch-prefix, value: gdb}\n\
         - let: {name: launch-prefix-filter, value: 'component_container.*'}\n\
         - node_container: {pkg: rclcpp_components, exec: component_container_mt, name: box, namespace: ''}",
    )
    .unwrap();
    let container = super::process(&plan);
    assert_eq!(
        (&container.command[..], container.prefix),
        (&["gdb", "saltus", "container", "--mt"].map(str::to_owned)[..], 1)
    );
}

#[test]
fn the_result_of_a_substitution_is_one_word() {
    for (command, want) in [
        ("$(var path)/a/b/c asd csd $(var asd)/bsd/csd", &["p q/a/b/c", "asd", "csd", "x y/bsd/csd"][..]),
        ("$(var path) asd $(var asd) csd", &["p q", "asd", "x y", "csd"]),
        ("$(var path) prefix/$(var asd) ", &["p q", "prefix/x y"]),
        ("$(var path)$(var asd)", &["p qx y"]),
        ("a  -c 'import sys; print(1)'", &["a", "-c", "import sys; print(1)"]),
    ] {
        let plan = yaml(&format!(
            "- let: {{name: path, value: p q}}\n- let: {{name: asd, value: x y}}\n- executable: {{cmd: \"{command}\"}}"
        ));
        assert_eq!(process(&plan.unwrap()).command, want, "{command}");
    }
}

#[test]
fn a_prefix_is_split_after_its_substitutions_and_may_be_empty() {
    for (prefix, want) in
        [("gdb -ex run --args", &["gdb", "-ex", "run", "--args", "a"][..]), ("", &["a"]), (" ", &["a"])]
    {
        let plan = yaml(&format!(
            "- let: {{name: p, value: '{prefix}'}}\n- executable: {{cmd: a, launch-prefix: $(var p)}}"
        ))
        .unwrap();
        assert_eq!(
            (&process(&plan).command[..], process(&plan).prefix),
            (&want.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()[..], want.len() - 1),
            "{prefix:?}"
        );
    }
}
