//! Constants and defaults as C++ expressions.

use saltus_idl::{Base, Literal, Primitive};

/// Returns the expression for a value of a type.
pub(crate) fn expression(value: &Literal, ty: &Base) -> String {
    match (value, ty) {
        (Literal::Bool(value), _) => value.to_string(),
        (Literal::Integer(value), Base::Primitive(primitive)) => integer(*value, *primitive),
        (Literal::Integer(value), _) => value.to_string(),
        (Literal::Float(value), Base::Primitive(Primitive::Float32)) => narrow(*value),
        (Literal::Float(value), _) => wide(*value),
        (Literal::Text(text), Base::WString(_)) => format!("u{}", quoted(text, true)),
        (Literal::Text(text), _) => quoted(text, false),
        (Literal::List(items), _) => {
            let items: Vec<_> = items.iter().map(|item| expression(item, ty)).collect();
            format!("{{{{{}}}}}", items.join(", "))
        }
    }
}

/// Returns the expression for an integer. The smallest one of 64 bits has no literal of its own.
fn integer(value: i128, primitive: Primitive) -> String {
    match primitive {
        Primitive::Float32 => narrow(value as f64),
        Primitive::Float64 => wide(value as f64),
        Primitive::Int64 if value == i128::from(i64::MIN) => "(-9223372036854775807l - 1)".into(),
        Primitive::Int32 if value == i128::from(i32::MIN) => "(-2147483647 - 1)".into(),
        Primitive::Int64 => format!("{value}l"),
        Primitive::Uint64 => format!("{value}ul"),
        Primitive::Uint8 | Primitive::Uint16 | Primitive::Uint32 | Primitive::Byte | Primitive::Char => {
            format!("{value}u")
        }
        _ => value.to_string(),
    }
}

fn narrow(value: f64) -> String {
    // The value is converted here, because a literal outside the range of `float` does not compile.
    match value as f32 {
        value if value.is_finite() => format!("{value:?}f"),
        value => unusual(f64::from(value), "float"),
    }
}

fn wide(value: f64) -> String {
    if value.is_finite() { format!("{value:?}") } else { unusual(value, "double") }
}

/// Returns the expression for a number that is infinite, or none.
fn unusual(value: f64, ty: &str) -> String {
    match value {
        _ if value.is_nan() => format!("std::numeric_limits<{ty}>::quiet_NaN()"),
        _ if value < 0.0 => format!("-std::numeric_limits<{ty}>::infinity()"),
        _ => format!("std::numeric_limits<{ty}>::infinity()"),
    }
}

/// Returns a text as C++ writes it. What has a meaning in C++, or is not ASCII, is escaped.
pub(crate) fn quoted(text: &str, is_wide: bool) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' | '?' => quoted.extend(['\\', letter]),
            ' '..='~' => quoted.push(letter),
            _ if is_wide => letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                // The text is divided behind the number, because a digit after it would belong to it.
                quoted += &format!("\\x{unit:x}\" u\"");
            }),
            _ => letter.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| quoted += &format!("\\{byte:03o}")),
        }
    }
    quoted + "\""
}
