//! Actions as a launch file in Python sends them.

use crate::{
    Action, Text,
    action::{ActionKind, Condition, Program, Words},
    text::Part,
};

#[test]
fn an_action_is_read_from_json() {
    let json = r##"{
        "origin": {"file": "/robot.launch.py", "line": 7},
        "condition": {"if": [{"name": "var", "arguments": [["simulated"]]}]},
        "kind": {"process": {
            "id": 3, "label": null, "env": [{"name": ["A"], "value": ["b", "", "c"]}],
            "program": {"command": {"words": [["echo"], [{"name": "#4", "arguments": []}]]}}
        }}
    }"##;
    let action: Action = serde_json::from_str(json).unwrap();
    assert_eq!(action.origin.to_string(), "/robot.launch.py:7");
    assert_eq!(action.condition, Some(Condition::If(Text::parse("$(var simulated)").unwrap())));
    let ActionKind::Process(process) = action.kind else { panic!() };
    assert_eq!((process.id, process.env[0].value.clone()), (Some(3), Text::plain("bc")));
    let Program::Command(Words::Words(words)) = process.program else { panic!() };
    let [Part::Call(call)] = words[1].parts() else { panic!() };
    assert_eq!(call.object(), Some(4));
}

#[test]
fn only_a_launch_file_in_python_can_name_an_object() {
    assert!(Text::parse("$(#4)").is_err());
    let plain = Text::parse("$(var a)").unwrap();
    let [Part::Call(call)] = plain.parts() else { panic!() };
    assert_eq!(call.object(), None);
}
