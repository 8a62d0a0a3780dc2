//! The texts of parameters, as ROS 2 prints them.

use saltus::param::{ParameterDescriptor, ParameterValue};

/// Returns a value with the words that ROS 2 prints before a value of its type.
pub(super) fn labelled(value: &ParameterValue) -> String {
    let label = match value {
        ParameterValue::NotSet => return "Parameter not set.".into(),
        ParameterValue::Bool(_) => "Boolean value is",
        ParameterValue::Integer(_) => "Integer value is",
        ParameterValue::Double(_) => "Double value is",
        ParameterValue::String(_) => "String value is",
        ParameterValue::ByteArray(_) => "Byte values are",
        ParameterValue::BoolArray(_) => "Boolean values are",
        ParameterValue::IntegerArray(_) => "Integer values are",
        ParameterValue::DoubleArray(_) => "Double values are",
        ParameterValue::StringArray(_) => "String values are",
    };
    format!("{label}: {}", plain(value))
}

/// Returns a value in the form in which Python prints it.
pub(super) fn plain(value: &ParameterValue) -> String {
    fn list<T>(items: &[T], one: impl Fn(&T) -> String) -> String {
        format!("[{}]", items.iter().map(one).collect::<Vec<_>>().join(", "))
    }
    let truth = |value: &bool| if *value { "True" } else { "False" }.to_owned();
    let quoted = |text: &String| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    match value {
        ParameterValue::NotSet => "None".into(),
        ParameterValue::Bool(value) => truth(value),
        ParameterValue::Integer(value) => value.to_string(),
        ParameterValue::Double(value) => saltus_dynamic::python_float(*value),
        ParameterValue::String(text) => text.clone(),
        ParameterValue::ByteArray(bytes) => list(bytes, |byte| format!("b'\\x{byte:02x}'")),
        ParameterValue::BoolArray(values) => list(values, truth),
        ParameterValue::IntegerArray(values) => list(values, i64::to_string),
        ParameterValue::DoubleArray(values) => list(values, |value| saltus_dynamic::python_float(*value)),
        ParameterValue::StringArray(texts) => list(texts, quoted),
    }
}

/// Returns the text that `describe` prints for a parameter.
pub(super) fn described(descriptor: &ParameterDescriptor) -> String {
    let mut lines =
        vec![format!("Parameter name: {}", descriptor.name), format!("  Type: {}", descriptor.ty)];
    if !descriptor.description.is_empty() {
        lines.push(format!("  Description: {}", descriptor.description));
    }
    let mut constraints = Vec::new();
    if descriptor.read_only {
        constraints.push("Read only: true".to_owned());
    }
    if let Some(range) = descriptor.floating_point_range {
        let of = saltus_dynamic::python_float;
        let step = (range.step != 0.0).then(|| of(range.step));
        constraints.extend(bounds(of(range.from_value), of(range.to_value), step));
    }
    if let Some(range) = descriptor.integer_range {
        let step = (range.step != 0).then(|| range.step.to_string());
        constraints.extend(bounds(range.from_value.to_string(), range.to_value.to_string(), step));
    }
    if !descriptor.additional_constraints.is_empty() {
        constraints.push(format!("Additional constraints: {}", descriptor.additional_constraints));
    }
    lines.push("  Constraints:".into());
    lines.extend(constraints.into_iter().map(|line| format!("    {line}")));
    lines.join("\n")
}

/// Returns the lines about a range. The step `None` is no step.
fn bounds(from: String, to: String, step: Option<String>) -> impl Iterator<Item = String> {
    let step = step.map(|step| format!("Step: {step}"));
    [format!("Min value: {from}"), format!("Max value: {to}")].into_iter().chain(step)
}
