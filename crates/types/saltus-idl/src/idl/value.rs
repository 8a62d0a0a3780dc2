//! The values of constants and defaults.

use super::token::Token;
use crate::{
    Base, FieldType, Literal, ParseError, Shape,
    literal::{self, Expected},
};

/// The value of `@default`.
pub(super) struct GivenDefault {
    pub(super) literal: Literal,
    pub(super) token: Token,
}

impl GivenDefault {
    /// Returns the default of a field.
    pub(super) fn of_field(&self, file: &str, ty: &FieldType) -> Result<Literal, ParseError> {
        let value = match (&self.literal, ty.shape) {
            (literal, Shape::Scalar) => fitting(literal, ty),
            // The value of an array is written as a tuple or a list of Python, in quotes.
            (Literal::Text(text), _) => literal::parse_default(&list(text), ty),
            _ => Err(format!("a list such as `\"(1, 2)\"` for `{ty}`")),
        };
        value.map_err(|expected| self.token.error(file, expected, self.token.shown()))
    }
}

/// Parses a decimal number.
pub(super) fn number(text: &str, is_negative: bool) -> Option<Literal> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        // A leading zero makes a number octal, which ROS 2 does not read.
        if text.len() > 1 && text.starts_with('0') {
            return None;
        }
        let magnitude: i128 = text.parse().ok()?;
        return Some(Literal::Integer(if is_negative { -magnitude } else { magnitude }));
    }
    let magnitude: f64 = text.parse().ok()?;
    Some(Literal::Float(if is_negative { -magnitude } else { magnitude }))
}

/// Returns a literal if it fits a type that is not an array.
pub(super) fn fitting(literal: &Literal, ty: &FieldType) -> Result<Literal, Expected> {
    let fits = match (&ty.base, literal) {
        (Base::Nested(_), _) => None,
        // JSON has no integers of this size.
        (_, Literal::Integer(value)) if i64::try_from(*value).is_err() && u64::try_from(*value).is_err() => {
            None
        }
        _ => literal::from_json(&literal.to_json(), ty),
    };
    fits.ok_or_else(|| format!("a value that fits `{ty}`"))
}

/// Returns a tuple of Python, such as `(1, 2)` and `(1,)`, as a list.
fn list(text: &str) -> String {
    let inner = text.trim();
    match inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => format!("[{}]", inner.trim_end().trim_end_matches(',')),
        None => inner.to_owned(),
    }
}
