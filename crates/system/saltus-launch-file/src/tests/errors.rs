//! The errors of launch files.

use super::{Files, xml, yaml};

#[test]
fn an_error_names_the_file_the_line_and_the_includes() {
    let files = Files::new(&[
        ("/robot.launch.yaml", "launch:\n- include:\n    file: /arm.launch.xml\n"),
        ("/arm.launch.xml", "<launch>\n  <include file='/hand.launch.yaml'/>\n</launch>"),
        ("/hand.launch.yaml", "launch:\n\n- log: {message: $(var finger)}\n"),
    ]);
    let want = "/hand.launch.yaml:3: `$(var finger)`: there is no variable `finger`; declare it with `arg` or set it \
                with `let`\n  included from /arm.launch.xml:2\n  included from /robot.launch.yaml:2";
    assert_eq!(files.plan(&[]).unwrap_err().to_string(), want);
}

#[test]
fn a_file_that_includes_itself_is_an_error() {
    let error = yaml("- include: {file: /robot.launch.yaml}").unwrap_err();
    let want = "/robot.launch.yaml:2: too many files include each other\n  included from /robot.launch.yaml:2 (50 times)";
    assert_eq!(error.to_string(), want);
}

#[test]
fn errors_in_yaml() {
    let mut wrong = String::new();
    for (actions, want) in [
        ("- speak: {message: a}", "`speak`: there is no such action; the actions are append_env, arg,"),
        ("- log: {}", "`log`: the attribute `message` is missing"),
        (
            "- log: {message: a, loud: true}",
            "`log`: there is no attribute `loud`; the attributes are if, message, unless",
        ),
        ("- log: {message: [a]}", "`log`: `message` must be a text, and not a list or a mapping"),
        (
            "- log: {message: $(var a}",
            "`log`: `message`: character 8 of `$(var a`: `)` of `$(var` is missing",
        ),
        ("- log: {message: a}\n  arg: {name: b}", "expected a mapping with one key, the tag, in `launch`"),
        ("- log", "expected a mapping with one key, the tag, in `launch`"),
        ("- log: 5", "expected a mapping or a list for `log`, found `5`"),
        ("- node: {exec: a, param: [{name: a}]}", "`param`: `value` or nested parameters are needed"),
        ("- node: {exec: a, param: [{value: 1}]}", "`param`: `name` or `from` is needed"),
        (
            "- node: {exec: a, param: [{name: a, from: b}]}",
            "`param`: `name` and `from` can't be used together",
        ),
        ("- node: {exec: a, param: [{name: a, value: [1, b]}]}", "`param`: `value`: expected a whole number"),
        (
            "- node: {exec: a, param: [{name: a, value: b, type: int}]}",
            "`param`: `value`: `b` is not an integer",
        ),
        (
            "- node: {exec: a, param: [{name: a, value: b, type: x}]}",
            "`param`: there is no type `x`; the types are bool,",
        ),
        (
            "- node: {exec: a, output: loud}",
            "`output` must be screen, log, both, own_log or full, and not `loud`",
        ),
        ("- node: {exec: a, on_exit: restart}", "`node`: `on_exit` must be `shutdown`, found `restart`"),
        (
            "- node: {exec: a, respawn: true, restart: {policy: always}}",
            "`node`: `restart` and `respawn` can't be used",
        ),
        (
            "- node: {exec: a, restart: {policy: maybe}}",
            "a restart must be never, on-failure or always, and not `maybe`",
        ),
        (
            "- node: {exec: a, ready: {timeout: 1}}",
            "`ready`: exactly one of `node`, `topic`, `service` and `state` is needed",
        ),
        (
            "- node: {exec: a, ready: {node: b, topic: c}}",
            "`ready`: exactly one of `node`, `topic`, `service` and `state` is needed",
        ),
        (
            "- node: {exec: a, name: b, ready: {state: flying}}",
            "`ready`: there is no state `flying`; the states are ",
        ),
        ("- node: {exec: a, ready: {state: active}}", "`ready` with a `state` needs a node with a `name`"),
        ("- node: {exec: a, restart: always}", "`node`: `restart` must have attributes of its own"),
        ("- node: {pkg: demo, exec: walker}", "the package `demo` has no program `walker` in /opt/lib/demo"),
        ("- node: {pkg: other, exec: walker}", "the package `other` is not installed in a prefix of"),
        (
            "- node: {pkg: dmeo, exec: walker}",
            "the package `dmeo` is not installed in a prefix of SALTUS_PREFIX_PATH or AMENT_PREFIX_PATH; did you mean `demo`?",
        ),
        ("- timer: {period: soon, children: []}", "expected a number of seconds, found `soon`"),
        ("- load_composable_node: {target: a}", "`load_composable_node`: there must be a `composable_node`"),
        ("- arg: {name: $(var a)}", "`arg`: `name` can't have substitutions: `$(var a)`"),
        ("- arg: {default: a}", "`arg`: the attribute `name` is missing"),
        ("- arg: {name: a, choice: [{}]}", "`choice`: the attribute `value` is missing"),
        (
            "- arg: {name: a, default: c, choice: [{value: b}]}",
            "the argument `a` must be one of b, and not `c`",
        ),
        (
            "- node: {exec: a, param: [{name: a, value: x, type: float}]}",
            "`param`: `value`: `x` is not a number",
        ),
        (
            "- node: {exec: a, param: [{name: a, value: x, type: bool}]}",
            "`param`: `value`: `x` is not a bool",
        ),
        (
            "- node: {exec: a, param: [{name: a, value: x, type: list_of_int}]}",
            "`param`: `value`: `x` is not a list",
        ),
        (
            "- node: {exec: a, param: [{name: a, value: [[1]]}]}",
            "`param`: an item of `value` can't be a list",
        ),
        (
            "- node: {exec: a, param: [{name: a, value: [1], value-sep: ;}]}",
            "`param`: `value-sep` belongs to XML; write a list",
        ),
        (
            "- executable: {cmd: a, restart: {policy: always, max: many}}",
            "expected a number of restarts, found `many`",
        ),
        ("- executable: {cmd: \"a 'b\"}", "a quote is not closed in `a 'b`"),
        (
            "- executable: {cmd: $(command \"a 'b\")}",
            "`$(command 'a 'b')`: a quote of the command is not closed",
        ),
        (
            "- let: {name: launch-prefix, value: gdb}\n- let: {name: launch-prefix-filter, value: '('}\n- executable: {cmd: a}",
            "`launch-prefix-filter`: ",
        ),
    ] {
        let error = yaml(actions).unwrap_err();
        if !error.message().starts_with(want) {
            wrong += &format!("{actions}\n  want {want}\n  got  {}\n", error.message());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn errors_in_xml() {
    for (actions, want) in [
        ("<speak/>", "`speak`: there is no such action"),
        ("<log message='a'><arg name='b'/></log>", "`arg` can't be within `log`"),
        ("<executable cmd=''/>", "the command has no words"),
        (
            "<executable cmd='a'><restart policy='always'/><restart policy='never'/></executable>",
            "`executable`: there can be only one `restart`",
        ),
        (
            "<node exec='a'><param name='a' value='b'><param name='c' value='d'/></param></node>",
            "`param`: `value` and nested parameters can't be used together",
        ),
    ] {
        let error = xml(actions).unwrap_err();
        assert!(error.message().starts_with(want), "{actions}\n  want {want}\n  got  {}", error.message());
    }
}

#[test]
fn files_without_the_form_of_a_launch_file() {
    for (name, content, want) in [
        ("/robot.launch.xml", "<lunch/>", "/robot.launch.xml:1: expected the root `launch`, found `lunch`"),
        (
            "/robot.launch.xml",
            "<launch>\n<log message='a'>\n</launch>",
            "/robot.launch.xml:3: expected 'log' tag",
        ),
        (
            "/robot.launch.yaml",
            "lunch: []",
            "/robot.launch.yaml:1: expected a mapping with the only key `launch`",
        ),
        ("/robot.launch.yaml", "launch:\n - [", "/robot.launch.yaml:3: column "),
        (
            "/robot.txt",
            "launch: []",
            "/robot.txt:1: the name of a launch file ends with .yaml, .yml, .xml or .launch",
        ),
    ] {
        let error = Files::new(&[(name, content)]).plan(&[]).unwrap_err().to_string();
        assert!(error.starts_with(want), "{name}: {error}");
    }
    let nested = format!("{}{}", "<group>".repeat(200), "</group>".repeat(200));
    assert_eq!(xml(&nested).unwrap_err().message(), "too many elements are nested");
    let (begin, end) = ("<param name='a'>".repeat(60), "</param>".repeat(60));
    let error = xml(&format!("<node exec='a'>{begin}{end}</node>")).unwrap_err();
    assert!(error.message().ends_with("too many parameters are nested"), "{error}");
}

#[test]
fn processes_that_can_not_be_started_are_errors() {
    let error = yaml("- executable: {cmd: a, after: [b, none]}\n- executable: {cmd: b}").unwrap_err();
    assert_eq!(error.to_string(), "/robot.launch.yaml:2: `after`: there is no process or node `none`");
    let error =
        yaml("- executable: {cmd: a, after: b}\n- executable: {cmd: b, after: a}\n- executable: {cmd: c}")
            .unwrap_err();
    assert_eq!(error.message(), "`a` and the processes in its `after` wait for each other");
    assert!(yaml("- executable: {cmd: a, after: a}").is_err());
    // Another one with the same name is not the process itself.
    assert!(yaml("- executable: {cmd: a, after: a}\n- executable: {cmd: a}").is_ok());
    assert!(
        yaml("- timer: {period: 1, children: [executable: {cmd: a}]}\n- executable: {cmd: b, after: a}")
            .is_ok()
    );
}
