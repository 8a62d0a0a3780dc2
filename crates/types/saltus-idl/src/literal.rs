//! The parser for the values of constants and defaults.

use serde_json::Value as Json;

use crate::{Base, FieldType, Literal, Primitive, Shape};

/// The error of a parser: what was expected. The caller knows what was found, and where.
pub(crate) type Expected = String;

/// Parses the default of a field.
pub(crate) fn parse_default(text: &str, ty: &FieldType) -> Result<Literal, Expected> {
    if ty.shape == Shape::Scalar {
        return parse_scalar(text, &ty.base);
    }
    let inner = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .ok_or_else(|| format!("a list such as `[1, 2]` for `{ty}`"))?;
    let items = split_list(inner)?
        .into_iter()
        .map(|item| parse_scalar(item, &ty.base))
        .collect::<Result<Vec<_>, _>>()?;
    match ty.shape {
        Shape::Array(n) if items.len() != n as usize => {
            Err(format!("exactly {n} values for `{ty}`, not {}", items.len()))
        }
        Shape::Bounded(n) if items.len() > n as usize => {
            Err(format!("at most {n} values for `{ty}`, not {}", items.len()))
        }
        _ => Ok(Literal::List(items)),
    }
}

/// Reads a default from JSON, which may be untrusted. Returns `None` if it does not fit the type. This is the inverse
/// of [`Literal::to_json`].
pub(crate) fn from_json(json: &Json, ty: &FieldType) -> Option<Literal> {
    if ty.shape == Shape::Scalar {
        return scalar_from_json(json, &ty.base);
    }
    let items = json.as_array()?;
    let fits = match ty.shape {
        Shape::Array(n) => items.len() == n as usize,
        Shape::Bounded(n) => items.len() <= n as usize,
        Shape::Scalar | Shape::Unbounded => true,
    };
    let items = items.iter().map(|item| scalar_from_json(item, &ty.base)).collect::<Option<_>>()?;
    fits.then_some(Literal::List(items))
}

fn scalar_from_json(json: &Json, base: &Base) -> Option<Literal> {
    match base {
        Base::Primitive(Primitive::Bool) => json.as_bool().map(Literal::Bool),
        Base::Primitive(Primitive::Float32 | Primitive::Float64) => {
            json.as_f64().or_else(|| json.as_str()?.parse().ok()).map(Literal::Float)
        }
        Base::Primitive(primitive) => {
            let value = json.as_i64().map(i128::from).or(json.as_u64().map(i128::from))?;
            let (min, max) = range(*primitive);
            (min..=max).contains(&value).then_some(Literal::Integer(value))
        }
        Base::String(bound) => text_from_json(json, *bound, str::len),
        Base::WString(bound) => text_from_json(json, *bound, |text| text.encode_utf16().count()),
        Base::Nested(_) => None,
    }
}

fn text_from_json(json: &Json, bound: Option<u32>, length: impl Fn(&str) -> usize) -> Option<Literal> {
    let text = json.as_str()?;
    bound.is_none_or(|bound| length(text) <= bound as usize).then(|| Literal::Text(text.to_owned()))
}

impl Literal {
    /// Returns the value as JSON. The numbers that JSON can't express are strings: `inf`, `-inf` and `NaN`.
    pub(crate) fn to_json(&self) -> Json {
        match self {
            Self::Bool(value) => Json::from(*value),
            // The value fits its field, so it fits an `i64` or a `u64`.
            Self::Integer(value) => {
                i64::try_from(*value).map_or_else(|_| Json::from(*value as u64), Json::from)
            }
            Self::Float(value) if value.is_finite() => Json::from(*value),
            Self::Float(value) => Json::from(value.to_string()),
            Self::Text(text) => Json::from(text.as_str()),
            Self::List(items) => Json::Array(items.iter().map(Self::to_json).collect()),
        }
    }
}

/// Parses one value of a type.
pub(crate) fn parse_scalar(text: &str, base: &Base) -> Result<Literal, Expected> {
    match base {
        Base::Primitive(Primitive::Bool) => parse_bool(text),
        Base::Primitive(Primitive::Float32 | Primitive::Float64) => parse_float(text),
        Base::Primitive(primitive) => parse_integer(text, *primitive),
        Base::String(bound) => parse_text(text, *bound, str::len),
        Base::WString(bound) => parse_text(text, *bound, |text| text.encode_utf16().count()),
        Base::Nested(name) => Err(format!("no value, because `{name}` is not a primitive type")),
    }
}

fn parse_bool(text: &str) -> Result<Literal, Expected> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(Literal::Bool(true)),
        "false" | "0" => Ok(Literal::Bool(false)),
        _ => Err("`true`, `false`, `1` or `0`".into()),
    }
}

fn parse_float(text: &str) -> Result<Literal, Expected> {
    without_separators(text, u8::is_ascii_digit)
        .and_then(|digits| digits.parse().ok())
        .map(Literal::Float)
        .ok_or_else(|| "a floating-point number".into())
}

/// Parses an integer: a decimal number, or a number with Python's prefixes `0x`, `0o` and `0b`.
fn parse_integer(text: &str, primitive: Primitive) -> Result<Literal, Expected> {
    let (min, max) = range(primitive);
    let expected = || format!("a number from {min} to {max} (`{primitive}`)");
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = [("0x", 16), ("0o", 8), ("0b", 2)]
        .iter()
        // One underscore may also follow the prefix.
        .find_map(|(prefix, radix)| Some((*radix, lower.strip_prefix(prefix)?)))
        .map_or((10, &*lower), |(radix, digits)| (radix, digits.strip_prefix('_').unwrap_or(digits)));
    let value = without_separators(digits, u8::is_ascii_hexdigit)
        .filter(|digits| digits.starts_with(|c: char| c.is_ascii_alphanumeric()))
        .and_then(|digits| i128::from_str_radix(&digits, radix).ok())
        .and_then(|magnitude| magnitude.checked_mul(sign))
        .ok_or_else(expected)?;
    if (min..=max).contains(&value) { Ok(Literal::Integer(value)) } else { Err(expected()) }
}

/// Removes the single underscores between digits, which Python allows. Returns `None` if another underscore is found.
fn without_separators(text: &str, is_digit: fn(&u8) -> bool) -> Option<String> {
    let digit_at = |index: Option<usize>| text.as_bytes().get(index?).filter(|byte| is_digit(byte));
    let is_between_digits = |i: usize| digit_at(i.checked_sub(1)).and(digit_at(Some(i + 1))).is_some();
    text.match_indices('_').all(|(i, _)| is_between_digits(i)).then(|| text.replace('_', ""))
}

fn range(primitive: Primitive) -> (i128, i128) {
    let signed =
        matches!(primitive, Primitive::Int8 | Primitive::Int16 | Primitive::Int32 | Primitive::Int64);
    let bits = primitive.size() as u32 * 8;
    if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

fn parse_text(text: &str, bound: Option<u32>, length: impl Fn(&str) -> usize) -> Result<Literal, Expected> {
    let value = unquote(text)?;
    match bound {
        Some(bound) if length(&value) > bound as usize => Err(format!("at most {bound} characters")),
        _ => Ok(Literal::Text(value)),
    }
}

/// Removes a pair of outer quotes. The same quote inside the text must be escaped. A text without such a pair is not
/// changed, even if it contains quotes.
fn unquote(text: &str) -> Result<String, Expected> {
    let pair = ['"', '\''].into_iter().find(|quote| text.starts_with(*quote) && text.ends_with(*quote));
    let Some(quote) = pair else { return Ok(text.to_owned()) };
    let inner = text[1..].strip_suffix(quote).unwrap_or_default();
    let mut value = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' && chars.peek() == Some(&quote) {
            value.extend(chars.next());
        } else if c == quote {
            return Err(format!("`\\{quote}` for a quote within the text"));
        } else {
            value.push(c);
        }
    }
    Ok(value)
}

/// Splits a list at the commas outside quotes.
fn split_list(inner: &str) -> Result<Vec<&str>, Expected> {
    if inner.trim().is_empty() {
        return Ok(Vec::new());
    }
    let (mut items, mut start, mut open, mut escaped) = (Vec::new(), 0, None, false);
    for (i, c) in inner.char_indices() {
        match open {
            Some(quote) if c == quote && !escaped => open = None,
            None if matches!(c, '"' | '\'') && inner[start..i].trim().is_empty() => open = Some(c),
            None if c == ',' => {
                items.push(inner[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    items.push(inner[start..].trim());
    if open.is_some() { Err("a closing quote".into()) } else { Ok(items) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(text: &str, primitive: Primitive) -> Option<i128> {
        match parse_integer(text, primitive).ok()? {
            Literal::Integer(value) => Some(value),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn integers_are_parsed_as_in_python_and_must_be_in_range() {
        assert_eq!(integer("-128", Primitive::Int8), Some(-128));
        assert_eq!(integer("-129", Primitive::Int8), None);
        assert_eq!(integer("255", Primitive::Char), Some(255));
        assert_eq!(integer("-1", Primitive::Byte), None);
        assert_eq!(integer("0xFF", Primitive::Uint8), Some(255));
        assert_eq!(integer("0b1_0", Primitive::Int32), Some(2));
        assert_eq!(integer("0o17", Primitive::Int32), Some(15));
        assert_eq!(integer("0x_ff", Primitive::Int32), Some(255));
        assert_eq!(integer("18446744073709551615", Primitive::Uint64), Some(u64::MAX.into()));
        for bad in ["", "-", "--1", "+-1", "1_", "0x", "1.0", "99999999999999999999999999999999999999999"] {
            assert_eq!(integer(bad, Primitive::Int64), None, "{bad}");
        }
    }

    #[test]
    fn floats_are_parsed_as_in_python() {
        for (text, want) in
            [("1_0.5", Some(10.5)), ("1e5", Some(1e5)), ("1_.0", None), ("1e_5", None), ("", None)]
        {
            assert_eq!(parse_float(text).ok(), want.map(Literal::Float), "{text}");
        }
    }

    #[test]
    fn one_pair_of_quotes_is_removed() {
        for (text, want) in [
            ("plain text", "plain text"),
            ("\"double\"", "double"),
            ("'it\\'s'", "it's"),
            ("'say \"hi\"'", "say \"hi\""),
            ("\"\"", ""),
            ("\"", ""),
            ("\"open", "\"open"),
            ("'tis", "'tis"),
            (r#""C:\""#, r"C:\"),
        ] {
            assert_eq!(unquote(text).as_deref(), Ok(want), "{text}");
        }
        assert!(unquote("\"a\"b\"").is_err());
    }

    #[test]
    fn a_list_is_not_split_at_commas_between_quotes() {
        assert_eq!(split_list("'a,b', c").unwrap(), ["'a,b'", "c"]);
        assert_eq!(split_list("  ").unwrap(), Vec::<&str>::new());
        assert!(split_list("'a").is_err());
    }
}
