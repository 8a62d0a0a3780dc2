//! The types of words in parameter files.
//!
//! Source: `rcl_yaml_param_parser`, which reads numbers with `strtoll` and `strtod`.

use crate::scalar;

/// The value of a word without quotes in a parameter file.
///
/// ```
/// use saltus_yaml::ParameterWord;
/// assert_eq!(ParameterWord::of("08"), ParameterWord::Double(8.0));
/// assert_eq!(ParameterWord::of("null"), ParameterWord::Text);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterWord {
    /// A bool.
    Bool(bool),
    /// A number that fits 64 bits.
    Integer(i64),
    /// Another number, an infinity or NaN.
    Double(f64),
    /// A text.
    Text,
}

impl ParameterWord {
    /// Returns the value of a word.
    pub fn of(word: &str) -> Self {
        let number = || integer(word).map(Self::Integer).or_else(|| double(word).map(Self::Double));
        bool(word).map(Self::Bool).or_else(number).unwrap_or(Self::Text)
    }
}

/// Reads a bool of YAML 1.1. This includes single letters, which PyYAML does not accept.
fn bool(word: &str) -> Option<bool> {
    match word {
        "y" | "Y" => Some(true),
        "n" | "N" => Some(false),
        _ => scalar::bool(word),
    }
}

/// Returns whether a number is negative, and the number without its sign.
fn signed(word: &str) -> (bool, &str) {
    match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    }
}

/// Reads an integer: `0x` makes it hexadecimal, and another leading `0` octal.
fn integer(word: &str) -> Option<i64> {
    let (is_negative, digits) = signed(word);
    let (radix, digits) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (16, digits),
        None if digits.starts_with('0') => (8, digits),
        None => (10, digits),
    };
    // A second sign is not a digit.
    let has_digits = digits.starts_with(|c: char| c.is_digit(radix));
    let magnitude = i128::from_str_radix(digits, radix).ok().filter(|_| has_digits)?;
    i64::try_from(if is_negative { -magnitude } else { magnitude }).ok()
}

/// Reads a floating-point number, or one of YAML's words for infinity and NaN.
fn double(word: &str) -> Option<f64> {
    if [".nan", ".NaN", ".NAN"].contains(&word) {
        return Some(f64::NAN);
    }
    let (is_negative, rest) = signed(word);
    let magnitude = match rest {
        ".inf" | ".Inf" | ".INF" => f64::INFINITY,
        _ => magnitude(&rest.to_ascii_lowercase())?,
    };
    Some(if is_negative { -magnitude } else { magnitude })
}

/// Reads a number without a sign, in lower case.
fn magnitude(word: &str) -> Option<f64> {
    let (value, exponent) = match word.strip_prefix("0x") {
        Some(digits) => (hexadecimal(digits)?, 'p'),
        None if word == "inf" || word == "infinity" => return Some(f64::INFINITY),
        None if is_nan(word) => return Some(f64::NAN),
        None if word.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            (word.parse::<f64>().ok()?, 'e')
        }
        None => return None,
    };
    // A number that is too large or too small is a text.
    let is_zero =
        word.split(exponent).next().is_some_and(|digits| digits.bytes().all(|b| b"0x.".contains(&b)));
    (is_zero || f64::is_normal(value)).then_some(value)
}

/// Whether a word is `nan`, or `nan(…)` with letters, digits and underscores.
fn is_nan(word: &str) -> bool {
    let inner = word.strip_prefix("nan(").and_then(|rest| rest.strip_suffix(')'));
    word == "nan" || inner.is_some_and(|inner| inner.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

/// Reads the digits behind `0x`, such as `1.8p3`.
fn hexadecimal(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = digits.split_once('p').unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let shift = i32::try_from(fraction.len()).ok()?.checked_mul(4)?;
    Some(value * 2f64.powi(exponent.parse::<i32>().ok()?.saturating_sub(shift)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_types_that_rcl_gives_them() {
        use ParameterWord::{Bool, Double, Integer, Text};
        for (word, want) in [
            ("null", Text),
            ("~", Text),
            ("08", Double(8.0)),
            ("09.", Double(9.0)),
            ("0X1F", Integer(31)),
            ("0o17", Text),
            ("0b101", Text),
            ("1_000", Text),
            ("1_0.5", Text),
            ("9223372036854775808", Double(9_223_372_036_854_775_808.0)),
            ("0x8000000000000000", Double(9_223_372_036_854_775_808.0)),
            ("inf", Double(f64::INFINITY)),
            ("-Infinity", Double(f64::NEG_INFINITY)),
            ("0x1p3", Double(8.0)),
            ("0x1.8", Double(1.5)),
            ("1e400", Text),
            ("1e-400", Text),
            ("5e-324", Text),
            ("-.nan", Text),
            ("+.nan", Text),
            ("010", Integer(8)),
            ("-0x1F", Integer(-31)),
            ("+5", Integer(5)),
            ("1.", Double(1.0)),
            (".5", Double(0.5)),
            ("5e3", Double(5000.0)),
            (".inf", Double(f64::INFINITY)),
            ("+.INF", Double(f64::INFINITY)),
            ("0", Integer(0)),
            ("0.0", Double(0.0)),
            ("-", Text),
            ("+-5", Text),
            ("y", Bool(true)),
            ("Off", Bool(false)),
            ("", Text),
            ("0x", Text),
            ("1e", Text),
        ] {
            assert_eq!(ParameterWord::of(word), want, "{word}");
        }
        for word in ["nan", "NaN", ".nan", "-nan", "nan(5)"] {
            assert!(matches!(ParameterWord::of(word), Double(number) if number.is_nan()), "{word}");
        }
    }
}
