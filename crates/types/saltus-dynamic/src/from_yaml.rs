//! The reader for messages in YAML, in the form that `ros2 topic pub` accepts.

use saltus_idl::{Primitive, Shape};
use saltus_yaml::{Node, YamlError};

use crate::{Element, Numbers, Schema, Type, Value, stamps::is_stamp, value::PathError};

/// Reads a message from a mapping of its fields. A field that is left out has its default.
///
/// # Errors
/// Returns an error if the text is not YAML, names a field that the type does not have, or has a value that does not
/// fit its field. The error contains the location, and what was expected.
pub fn from_yaml(schema: &Schema, text: &str) -> Result<Value, YamlError> {
    from_node(schema, &saltus_yaml::parse(text)?)
}

/// Reads a message from a node of a document.
pub fn from_node(schema: &Schema, node: &Node) -> Result<Value, YamlError> {
    let mut value = Value::default_of(schema);
    if node.is_null() {
        return Ok(value);
    }
    let pairs = node.as_mapping().ok_or_else(|| {
        node.error(format!("expected the fields of `{}` as a mapping, found {}", schema.name(), node.kind()))
    })?;
    let Value::Message(values) = &mut value else { return Ok(value) };
    for (name, node) in pairs {
        let index = schema.position(name).ok_or_else(|| unknown_field(schema, name, node))?;
        values[index] = of_type(&schema.fields()[index].ty, node)?;
    }
    Ok(value)
}

fn unknown_field(schema: &Schema, name: &str, node: &Node) -> YamlError {
    node.error(PathError::field(schema, name).to_string())
}

fn of_type(ty: &Type, node: &Node) -> Result<Value, YamlError> {
    if ty.shape == Shape::Scalar {
        return of_element(&ty.element, node);
    }
    let expected = || node.error(format!("expected a list of {}, found {}", ty.element.word(), node.kind()));
    let items = match node.as_sequence() {
        Some(items) => items,
        None if node.is_null() => &[],
        None => return Err(expected()),
    };
    let fits = match ty.shape {
        Shape::Array(n) => items.len() == n as usize,
        _ => items.len() <= ty.bound(),
    };
    if !fits {
        let most = if matches!(ty.shape, Shape::Array(_)) { "exactly" } else { "at most" };
        return Err(node.error(format!("expected {most} {} values, found {}", ty.bound(), items.len())));
    }
    if let Some(primitive) = ty.numbers() {
        let mut numbers = Numbers::new(primitive);
        for item in items {
            if !numbers.push(&number(primitive, item)?) {
                return Err(expected());
            }
        }
        return Ok(Value::Numbers(numbers));
    }
    items.iter().map(|item| of_element(&ty.element, item)).collect::<Result<_, _>>().map(Value::List)
}

fn of_element(element: &Element, node: &Node) -> Result<Value, YamlError> {
    match element {
        Element::Primitive(primitive) => number(*primitive, node),
        Element::String(bound) => {
            let text = text(node)?;
            within(node, text.len(), *bound).map(|()| Value::Text(text.into()))
        }
        Element::WString(bound) => {
            let wide = saltus_cdr::WString::from(text(node)?);
            within(node, wide.len(), *bound).map(|()| Value::Wide(wide))
        }
        Element::Message(schema) if is_stamp(schema, node) => Ok(Value::default_of(schema)),
        Element::Message(schema) => from_node(schema, node),
    }
}

/// Returns the text of a scalar. As in ROS 2, every scalar is accepted as text: `data: 5` gives the string `5`.
fn text(node: &Node) -> Result<&str, YamlError> {
    node.as_text().ok_or_else(|| node.error(format!("expected text, found {}", node.kind())))
}

fn within(node: &Node, found: usize, bound: Option<u32>) -> Result<(), YamlError> {
    match bound {
        Some(bound) if found > bound as usize => {
            Err(node.error(format!("expected at most {bound} characters, found {found}")))
        }
        _ => Ok(()),
    }
}

fn number(primitive: Primitive, node: &Node) -> Result<Value, YamlError> {
    let value = match primitive {
        Primitive::Bool => node.as_bool().or(node.as_integer().map(|value| value != 0)).map(Value::Bool),
        Primitive::Float32 => float(node).map(|value| Value::Float32(value as f32)),
        Primitive::Float64 => float(node).map(Value::Float64),
        Primitive::Byte => byte(node).map(|byte| Value::Unsigned(byte.into())),
        _ => integer(primitive, node),
    };
    value.ok_or_else(|| node.error(format!("expected {}, found {}", wanted(primitive), node.kind())))
}

/// Reads a float. An integer is accepted too.
fn float(node: &Node) -> Option<f64> {
    node.as_float().or(node.as_integer().map(|value| value as f64))
}

/// Reads a byte from a number or from one character, because `echo` prints a single byte as a character.
fn byte(node: &Node) -> Option<u8> {
    let number = node.as_integer().and_then(|value| u8::try_from(value).ok());
    number.or_else(|| {
        let mut chars = node.as_text()?.chars();
        let byte = u8::try_from(u32::from(chars.next()?)).ok()?;
        chars.next().is_none().then_some(byte)
    })
}

fn integer(primitive: Primitive, node: &Node) -> Option<Value> {
    let value = node.as_integer().filter(|value| range(primitive).contains(value))?;
    Some(match primitive {
        Primitive::Int8 | Primitive::Int16 | Primitive::Int32 | Primitive::Int64 => {
            Value::Signed(value as i64)
        }
        _ => Value::Unsigned(value as u64),
    })
}

fn range(primitive: Primitive) -> std::ops::RangeInclusive<i128> {
    let bits = primitive.size() as u32 * 8;
    match primitive {
        Primitive::Int8 | Primitive::Int16 | Primitive::Int32 | Primitive::Int64 => {
            -(1 << (bits - 1))..=(1 << (bits - 1)) - 1
        }
        _ => 0..=(1 << bits) - 1,
    }
}

fn wanted(primitive: Primitive) -> String {
    match primitive {
        Primitive::Bool => "`true` or `false`".into(),
        Primitive::Float32 | Primitive::Float64 => "a number".into(),
        Primitive::Byte => "a number from 0 to 255, or one character".into(),
        _ => format!("a whole number from {} to {}", range(primitive).start(), range(primitive).end()),
    }
}
