//! Values of constants and defaults as Rust expressions.

use saltus_idl::{Base, FieldType, Literal, Shape};

use super::names::rust_primitive;

/// Returns the expression for a constant of type `ty`.
pub(super) fn constant(value: &Literal, ty: &str) -> String {
    match value {
        Literal::Bool(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Float(value) => float(*value, ty),
        Literal::Text(text) => format!("{text:?}"),
        // The grammar has no constants that are lists.
        Literal::List(_) => String::new(),
    }
}

/// Returns the expression for the default of a field.
pub(super) fn value(value: &Literal, ty: &FieldType) -> String {
    match (value, ty.shape) {
        (Literal::List(items), Shape::Array(_)) => format!("[{}]", list(items, &ty.base)),
        (Literal::List(items), _) => format!("::std::vec![{}]", list(items, &ty.base)),
        (value, _) => scalar(value, &ty.base),
    }
}

fn list(items: &[Literal], base: &Base) -> String {
    items.iter().map(|item| scalar(item, base)).collect::<Vec<_>>().join(", ")
}

fn scalar(value: &Literal, base: &Base) -> String {
    match (value, base) {
        (Literal::Text(text), Base::WString(_)) => format!("saltus_cdr::WString::from({text:?})"),
        (Literal::Text(text), _) => format!("::std::string::String::from({text:?})"),
        (value, Base::Primitive(primitive)) => constant(value, rust_primitive(*primitive)),
        // The grammar has no defaults of nested types.
        (_, Base::String(_) | Base::WString(_) | Base::Nested(_)) => String::new(),
    }
}

fn float(value: f64, ty: &str) -> String {
    if value.is_nan() {
        format!("{ty}::NAN")
    } else if value.is_infinite() {
        format!("{ty}::{}INFINITY", if value < 0.0 { "NEG_" } else { "" })
    } else if ty == "f32" {
        // The value is converted here, because a literal outside the range of `f32` does not compile.
        match value as f32 {
            narrow if narrow.is_infinite() => float(f64::from(narrow), ty),
            narrow => format!("{narrow:?}"),
        }
    } else {
        format!("{value:?}")
    }
}
