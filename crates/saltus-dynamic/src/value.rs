//! Values of any type.

use saltus_cdr::WString;
use saltus_idl::{Literal, Primitive, Shape};

use crate::{Element, Schema, Type};

/// A value of a type that a [`Schema`] describes.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A bool.
    Bool(bool),
    /// A signed number of any width.
    Signed(i64),
    /// An unsigned number of any width; a `char` or `byte` too.
    Unsigned(u64),
    /// A `float32`.
    Float32(f32),
    /// A `float64`.
    Float64(f64),
    /// Text.
    Text(String),
    /// UTF-16 text.
    Wide(WString),
    /// A sequence or array of `uint8`, `char` or `byte`.
    Bytes(Vec<u8>),
    /// A sequence or array of anything else.
    List(Vec<Value>),
    /// The fields of a message, in the order of its schema.
    Message(Vec<Value>),
}

impl Value {
    /// Returns a message whose fields have the defaults of its definition, or zero.
    pub fn default_of(schema: &Schema) -> Self {
        let field = |field: &crate::Field| match &field.default {
            Some(literal) => literal_value(literal, &field.ty),
            None => default_of_type(&field.ty),
        };
        Self::Message(schema.fields().iter().map(field).collect())
    }

    /// Returns the value at a path of field names and indices, such as `header.stamp` or `poses.0.x`, and its type.
    /// An empty path gives the message itself, without a type.
    pub fn at<'a>(&'a self, schema: &Schema, path: &str) -> Option<(&'a Self, Option<Type>)> {
        let mut here = (self, None);
        let mut schema = Some(schema.clone());
        let mut element: Option<Type> = None;
        for word in path.split(['.', '/', '[', ']']).filter(|word| !word.is_empty()) {
            match here.0 {
                Self::Message(values) => {
                    let place = schema.as_ref()?.position(word)?;
                    let ty = schema.as_ref()?.fields()[place].ty.clone();
                    here = (values.get(place)?, Some(ty.clone()));
                    schema = ty.message();
                    element = Some(Type { shape: Shape::Scalar, ..ty });
                }
                Self::List(values) => here = (values.get(word.parse::<usize>().ok()?)?, element.clone()),
                _ => return None,
            }
        }
        Some(here)
    }
}

impl Type {
    /// Returns the schema of its elements, if they are messages.
    pub fn message(&self) -> Option<Schema> {
        match &self.element {
            Element::Message(schema) => Some(schema.clone()),
            _ => None,
        }
    }
}

fn default_of_type(ty: &Type) -> Value {
    let one = || default_of_element(&ty.element);
    match ty.shape {
        Shape::Scalar => one(),
        Shape::Array(n) if ty.is_bytes() => Value::Bytes(vec![0; n as usize]),
        Shape::Array(n) => Value::List((0..n).map(|_| one()).collect()),
        _ if ty.is_bytes() => Value::Bytes(Vec::new()),
        _ => Value::List(Vec::new()),
    }
}

fn default_of_element(element: &Element) -> Value {
    match element {
        Element::Primitive(primitive) => number(*primitive, 0, 0.0),
        Element::String(_) => Value::Text(String::new()),
        Element::WString(_) => Value::Wide(WString::default()),
        Element::Message(schema) => Value::default_of(schema),
    }
}

/// Returns a number of a primitive type, from the integer or the float, as the type needs. The caller ensures that
/// it fits.
fn number(primitive: Primitive, integer: i128, float: f64) -> Value {
    match primitive {
        Primitive::Bool => Value::Bool(integer != 0),
        Primitive::Float32 => Value::Float32(float as f32),
        Primitive::Float64 => Value::Float64(float),
        Primitive::Int8 | Primitive::Int16 | Primitive::Int32 | Primitive::Int64 => {
            Value::Signed(integer as i64)
        }
        _ => Value::Unsigned(integer as u64),
    }
}

/// Returns the value of a default. The grammar has checked that the literal fits its field.
fn literal_value(literal: &Literal, ty: &Type) -> Value {
    match (literal, &ty.element) {
        (Literal::List(items), _) if ty.is_bytes() => {
            let byte = |item: &Literal| if let Literal::Integer(value) = item { *value as u8 } else { 0 };
            Value::Bytes(items.iter().map(byte).collect())
        }
        (Literal::List(items), _) => {
            let one = Type { shape: Shape::Scalar, ..ty.clone() };
            Value::List(items.iter().map(|item| literal_value(item, &one)).collect())
        }
        (Literal::Bool(value), _) => Value::Bool(*value),
        (Literal::Integer(value), Element::Primitive(primitive)) => number(*primitive, *value, 0.0),
        (Literal::Float(value), Element::Primitive(primitive)) => number(*primitive, 0, *value),
        (Literal::Text(text), Element::WString(_)) => Value::Wide(text.as_str().into()),
        (Literal::Text(text), _) => Value::Text(text.clone()),
        _ => default_of_type(ty),
    }
}
