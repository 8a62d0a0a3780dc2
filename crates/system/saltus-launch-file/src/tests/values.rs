//! The types of parameters.

use saltus_types::ParameterValue;

use super::{process, xml, yaml};
use crate::{
    LaunchError,
    plan::{Parameters, Plan},
};

fn value(plan: Result<Plan, LaunchError>) -> ParameterValue {
    let plan = plan.unwrap();
    let names = &process(&plan).node.as_ref().unwrap().names;
    let [Parameters::Values(values)] = &names.parameters[..] else { panic!("{names:?}") };
    values[0].1.clone()
}

fn texts(items: &[&str]) -> ParameterValue {
    ParameterValue::StringArray(items.iter().map(|item| (*item).to_owned()).collect())
}

fn text(text: &str) -> ParameterValue {
    ParameterValue::String(text.into())
}

/// The examples of ROS 2's tests.
#[test]
fn values_in_xml_have_the_types_of_ros_2() {
    let integers = ParameterValue::IntegerArray(vec![2, 5, 8]);
    for (attributes, want) in [
        (r#"value="ads""#, text("ads")),
        (r#"value="2""#, ParameterValue::Integer(2)),
        (r#"value="2.""#, ParameterValue::Double(2.0)),
        (r#"value="on""#, ParameterValue::Bool(true)),
        (r#"value="[2, 5, 8]""#, integers.clone()),
        (r#"value="2, 5, 8" value-sep=", ""#, integers.clone()),
        (r#"value="$(var a_list)""#, integers),
        (r#"value="$(var a_string)""#, text("[2, 5, 8]")),
        (r#"value="2., 5., 8." value-sep=", ""#, ParameterValue::DoubleArray(vec![2.0, 5.0, 8.0])),
        (r#"value="'2', '5', '8'" value-sep=", ""#, texts(&["2", "5", "8"])),
        (r#"value="&quot;'2'&quot;, &quot;'5'&quot;" value-sep=", ""#, texts(&["'2'", "'5'"])),
        (r#"value="\'2\', \'5\', \'8\'" value-sep=", ""#, texts(&["'2'", "'5'", "'8'"])),
        (r#"value="'\asd', '\bsd'" value-sep=", ""#, texts(&["asd", "bsd"])),
        (r#"value="''""#, text("")),
        (r#"value="""#, text("")),
        (r#"value="$(var my_value)""#, ParameterValue::Integer(100)),
        (r#"value="$(var my_value)" type="str""#, text("100")),
        (r#"value="$(var my_value)" type="float""#, ParameterValue::Double(100.0)),
        (r#"value="[1]" type="str""#, text("[1]")),
        (r#"value="{a: 1}" type="str""#, text("{a: 1}")),
        (r#"value="inf" type="float""#, ParameterValue::Double(f64::INFINITY)),
        (r#"value="-Infinity" type="float""#, ParameterValue::Double(f64::NEG_INFINITY)),
        (r#"value="010" type="int""#, ParameterValue::Integer(10)),
        (
            r#"value="inf, 1" value-sep=", " type="list_of_float""#,
            ParameterValue::DoubleArray(vec![f64::INFINITY, 1.0]),
        ),
        (r#"value="[$(var my_value), 1]""#, ParameterValue::IntegerArray(vec![100, 1])),
        (r#"value="'2', '5', '8'" value-sep=", " type="list_of_str""#, texts(&["'2'", "'5'", "'8'"])),
        (r#"value="2, 5, 8" value-sep=", " type="list_of_str""#, texts(&["2", "5", "8"])),
        (r#"value="1" type="bool""#, ParameterValue::Bool(true)),
        (r#"value="a: b""#, text("a: b")),
    ] {
        let plan = xml(&format!(
            "<let name='a_list' value='[2, 5, 8]'/><let name='a_string' value=\"'[2, 5, 8]'\"/>
             <let name='my_value' value='100'/> <node exec='x'><param name='p' {attributes}/></node>"
        ));
        assert_eq!(value(plan), want, "{attributes}");
    }
}

#[test]
fn values_in_yaml_have_the_types_of_ros_2() {
    for (entry, want) in [
        ("value: 2", ParameterValue::Integer(2)),
        ("value: '2'", text("2")),
        ("value: ads", text("ads")),
        ("value: true", ParameterValue::Bool(true)),
        ("value: [2, 5, 8]", ParameterValue::IntegerArray(vec![2, 5, 8])),
        ("value: [2.0, 5.0]", ParameterValue::DoubleArray(vec![2.0, 5.0])),
        ("value: [\"'2'\", \"'5'\"]", texts(&["'2'", "'5'"])),
        ("value: [\"\\\\'2\\\\'\"]", texts(&["'2'"])),
        ("value: ['\\asd']", texts(&["asd"])),
        ("value: ''", text("")),
        ("value: []", ParameterValue::StringArray(vec![])),
        ("value: $(var my_value), type: str", text("100")),
        ("value: $(var my_value)", ParameterValue::Integer(100)),
        ("value: ['$(var my_value)', 1]", ParameterValue::IntegerArray(vec![100, 1])),
        ("value: ['$(var my_value)', 1], type: list_of_str", texts(&["100", "1"])),
        ("value: 1, type: float", ParameterValue::Double(1.0)),
    ] {
        let plan = yaml(&format!(
            "- let: {{name: my_value, value: 100}}\n- node: {{exec: x, param: [{{name: p, {entry}}}]}}"
        ));
        assert_eq!(value(plan), want, "{entry}");
    }
}

#[test]
fn nested_parameters_have_names_with_dots() {
    let plan = xml(
        "<node exec='x'><param name='a'><param name='b'><param name='c' value='1'/></param><param name='d' value='x'/>
         </param></node>",
    )
    .unwrap();
    let names = &process(&plan).node.as_ref().unwrap().names;
    let values = vec![("a.b.c".to_owned(), ParameterValue::Integer(1)), ("a.d".to_owned(), text("x"))];
    assert_eq!(names.parameters, [Parameters::Values(values)]);
}

#[test]
fn a_file_of_parameters_may_have_substitutions() {
    let files = super::Files::new(&[
        (
            "/robot.launch.yaml",
            "launch:\n- arg: {name: rate, default: '5'}\n\
             - node: {exec: x, param: [{from: /p.yaml, allow_substs: true}, {from: /p.yaml}]}\n",
        ),
        ("/p.yaml", "/**:\n  ros__parameters:\n    rate: $(var rate)\n"),
    ]);
    let plan = files.plan(&[("rate", "7")]).unwrap();
    let content = "/**:\n  ros__parameters:\n    rate: 7\n".to_owned();
    let want = [Parameters::Text { path: "/p.yaml".into(), content }, Parameters::File("/p.yaml".into())];
    assert_eq!(process(&plan).node.as_ref().unwrap().names.parameters, want);
}

#[test]
fn a_file_of_parameters_with_a_wrong_substitution_is_named() {
    let files = super::Files::new(&[
        ("/robot.launch.yaml", "launch:\n- node: {exec: x, param: [{from: /p.yaml, allow_substs: true}]}\n"),
        ("/p.yaml", "/**:\n  ros__parameters:\n    rate: $(var rate)\n"),
    ]);
    let error = files.plan(&[]).unwrap_err();
    assert!(error.message().starts_with("/p.yaml: `$(var rate)`: there is no variable `rate`"), "{error}");
}
