//! Conversions between parameters and messages of `rcl_interfaces`.

use saltus_msgs::rcl_interfaces::msg;
use saltus_param::{
    FloatingPointRange, IntegerRange, Parameter, ParameterDescriptor, ParameterError, ParameterType,
    ParameterValue,
};

/// Returns the message for a value.
pub(crate) fn value_message(value: ParameterValue) -> msg::ParameterValue {
    let mut message = msg::ParameterValue { r#type: value.type_id(), ..Default::default() };
    match value {
        ParameterValue::NotSet => {}
        ParameterValue::Bool(value) => message.bool_value = value,
        ParameterValue::Integer(value) => message.integer_value = value,
        ParameterValue::Double(value) => message.double_value = value,
        ParameterValue::String(value) => message.string_value = value,
        ParameterValue::ByteArray(value) => message.byte_array_value = value,
        ParameterValue::BoolArray(value) => message.bool_array_value = value,
        ParameterValue::IntegerArray(value) => message.integer_array_value = value,
        ParameterValue::DoubleArray(value) => message.double_array_value = value,
        ParameterValue::StringArray(value) => message.string_array_value = value,
    }
    message
}

/// Returns the value in a message, or `None` if the message has an unknown type.
pub(crate) fn value_of(message: msg::ParameterValue) -> Option<ParameterValue> {
    Some(match ParameterType::from_number(message.r#type)? {
        ParameterType::NotSet => ParameterValue::NotSet,
        ParameterType::Bool => ParameterValue::Bool(message.bool_value),
        ParameterType::Integer => ParameterValue::Integer(message.integer_value),
        ParameterType::Double => ParameterValue::Double(message.double_value),
        ParameterType::String => ParameterValue::String(message.string_value),
        ParameterType::ByteArray => ParameterValue::ByteArray(message.byte_array_value),
        ParameterType::BoolArray => ParameterValue::BoolArray(message.bool_array_value),
        ParameterType::IntegerArray => ParameterValue::IntegerArray(message.integer_array_value),
        ParameterType::DoubleArray => ParameterValue::DoubleArray(message.double_array_value),
        ParameterType::StringArray => ParameterValue::StringArray(message.string_array_value),
    })
}

/// Returns the message for a parameter.
pub fn parameter_message(parameter: Parameter) -> msg::Parameter {
    msg::Parameter { name: parameter.name, value: value_message(parameter.value) }
}

/// Returns the parameter in a message.
///
/// # Errors
/// Returns an error if the message has an unknown type.
pub fn parameter_of(message: msg::Parameter) -> Result<Parameter, ParameterError> {
    let (name, ty) = (message.name, message.value.r#type);
    match value_of(message.value) {
        Some(value) => Ok(Parameter { name, value }),
        None => Err(ParameterError::Descriptor { name, reason: format!("there is no type {ty}") }),
    }
}

/// Returns the message for a descriptor.
pub(crate) fn descriptor_message(descriptor: ParameterDescriptor) -> msg::ParameterDescriptor {
    let floating = |range: FloatingPointRange| msg::FloatingPointRange {
        from_value: range.from_value,
        to_value: range.to_value,
        step: range.step,
    };
    let integer = |range: IntegerRange| msg::IntegerRange {
        from_value: range.from_value,
        to_value: range.to_value,
        step: range.step,
    };
    msg::ParameterDescriptor {
        name: descriptor.name,
        r#type: descriptor.ty as u8,
        description: descriptor.description,
        additional_constraints: descriptor.additional_constraints,
        read_only: descriptor.read_only,
        dynamic_typing: descriptor.dynamic_typing,
        floating_point_range: descriptor.floating_point_range.map(floating).into_iter().collect(),
        integer_range: descriptor.integer_range.map(integer).into_iter().collect(),
    }
}

/// Returns the descriptor in a message.
pub(crate) fn descriptor_of(message: msg::ParameterDescriptor) -> ParameterDescriptor {
    let floating = |range: &msg::FloatingPointRange| FloatingPointRange {
        from_value: range.from_value,
        to_value: range.to_value,
        step: range.step,
    };
    let integer = |range: &msg::IntegerRange| IntegerRange {
        from_value: range.from_value,
        to_value: range.to_value,
        step: range.step,
    };
    ParameterDescriptor {
        floating_point_range: message.floating_point_range.first().map(floating),
        integer_range: message.integer_range.first().map(integer),
        name: message.name,
        ty: ParameterType::from_number(message.r#type).unwrap_or_default(),
        description: message.description,
        additional_constraints: message.additional_constraints,
        read_only: message.read_only,
        dynamic_typing: message.dynamic_typing,
    }
}
