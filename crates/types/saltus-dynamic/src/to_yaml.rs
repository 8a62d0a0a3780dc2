//! The YAML form of messages in block style, as `ros2 topic echo` and PyYAML print it.

use std::{borrow::Cow, fmt::Write as _};

use saltus_idl::{Primitive, Shape};
use saltus_yaml::ParameterWord;

use crate::{Element, Schema, Type, Value};

/// The style of a printed message: how much of it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YamlStyle {
    /// The number of elements or characters after which arrays and texts are cut. `None` cuts nothing.
    pub truncate: Option<usize>,
    /// Whether the elements of arrays are left out.
    pub no_arr: bool,
    /// Whether the content of texts is left out.
    pub no_str: bool,
}

/// The style of `ros2 topic echo`: arrays and texts are cut after 128 elements or characters.
impl Default for YamlStyle {
    fn default() -> Self {
        Self { truncate: Some(128), no_arr: false, no_str: false }
    }
}

/// Returns a message in block style. Each line ends with a line break.
pub fn to_yaml(schema: &Schema, value: &Value, style: &YamlStyle) -> String {
    let mut out = Printer { out: String::new(), style };
    match value {
        Value::Message(values) if !values.is_empty() => out.fields(schema, values, 0, false),
        _ => out.out += "{}\n",
    }
    out.out
}

/// Returns the value of a field as YAML, like `ros2 topic echo --field`.
pub fn yaml_of(ty: &Type, value: &Value, style: &YamlStyle) -> String {
    let mut out = Printer { out: String::new(), style };
    match (&ty.element, value) {
        (Element::Message(schema), Value::Message(_)) => return to_yaml(schema, value, style),
        (_, Value::List(_) | Value::Numbers(_)) if ty.shape != Shape::Scalar => out.field(ty, value, 0),
        (element, value) => {
            out.out = out.scalar(element, value);
            out.out.push('\n');
        }
    }
    out.out.trim_start_matches(['\n', ' ']).to_owned()
}

struct Printer<'a> {
    out: String,
    style: &'a YamlStyle,
}

impl Printer<'_> {
    /// Writes the fields of a message, each on a separate line. If the message is an item of a list, the first field is
    /// on the current line.
    fn fields(&mut self, schema: &Schema, values: &[Value], indent: usize, in_item: bool) {
        for (i, (field, value)) in schema.fields().iter().zip(values).enumerate() {
            if i > 0 || !in_item {
                self.indent(indent);
            }
            self.out += &field.name;
            self.out.push(':');
            self.field(&field.ty, value, indent);
        }
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend(std::iter::repeat_n(' ', indent));
    }

    /// Writes the text after the name of a field and its colon.
    fn field(&mut self, ty: &Type, value: &Value, indent: usize) {
        match (ty.shape, value) {
            (Shape::Scalar, Value::Message(values)) => self.nested(&ty.element, values, indent),
            (Shape::Scalar, value) => {
                let text = self.scalar_in(&ty.element, value, indent + 2);
                self.line(&text);
            }
            (_, Value::Numbers(numbers)) => {
                self.sequence(ty, numbers.len(), &mut numbers.iter().map(Cow::Owned), indent);
            }
            (_, Value::List(values)) => {
                self.sequence(ty, values.len(), &mut values.iter().map(Cow::Borrowed), indent);
            }
            (_, value) => {
                let text = self.scalar_in(&ty.element, value, indent + 2);
                self.line(&text);
            }
        }
    }

    /// Writes the rest of a line.
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, " {text}");
    }

    fn nested(&mut self, element: &Element, values: &[Value], indent: usize) {
        match element {
            Element::Message(schema) if !values.is_empty() => {
                self.out.push('\n');
                self.fields(schema, values, indent + 2, false);
            }
            _ => self.line("{}"),
        }
    }

    fn sequence(
        &mut self,
        ty: &Type,
        len: usize,
        values: &mut dyn Iterator<Item = Cow<'_, Value>>,
        indent: usize,
    ) {
        if self.style.no_arr {
            return self.line(&format!("'{}'", array_left_out(ty, len)));
        }
        if len == 0 {
            return self.line("[]");
        }
        self.out.push('\n');
        let shown = self.style.truncate.map_or(len, |most| most.min(len));
        for value in values.take(shown) {
            self.indent(indent);
            self.out += "-";
            match (&ty.element, &*value) {
                (Element::Message(schema), Value::Message(values)) if !values.is_empty() => {
                    self.out.push(' ');
                    self.fields(schema, values, indent + 2, true);
                }
                (element, value) => {
                    let text = self.scalar_in(element, value, indent + 2);
                    self.line(&text);
                }
            }
        }
        if shown < len {
            self.indent(indent);
            self.out += "- '...'\n";
        }
    }

    fn scalar(&self, element: &Element, value: &Value) -> String {
        self.scalar_in(element, value, 0)
    }

    /// Returns a scalar. `indent` is the indentation of the second and later lines of a text.
    fn scalar_in(&self, element: &Element, value: &Value, indent: usize) -> String {
        match value {
            Value::Bool(value) => value.to_string(),
            Value::Signed(value) => value.to_string(),
            Value::Unsigned(value) => match element {
                // In Python a single byte has the type `bytes`. It is printed as the character with this number.
                Element::Primitive(Primitive::Byte) => {
                    text_scalar(&char::from(*value as u8).to_string(), indent)
                }
                _ => value.to_string(),
            },
            Value::Float32(value) => yaml_float(f64::from(*value)),
            Value::Float64(value) => yaml_float(*value),
            Value::Text(text) => self.text(text, indent),
            Value::Wide(text) => self.text(&text.to_string(), indent),
            Value::Numbers(_) | Value::List(_) => "[]".into(),
            Value::Message(_) => "{}".into(),
        }
    }

    fn text(&self, text: &str, indent: usize) -> String {
        text_scalar(&cut_text(text, self.style), indent)
    }
}

/// Returns the text that is printed instead of the elements of an array or a sequence.
pub(crate) fn array_left_out(ty: &Type, len: usize) -> String {
    let word = python_word(&ty.element);
    match ty.shape {
        Shape::Array(_) => format!("<array type: {word}[{len}]>"),
        _ => format!("<sequence type: {word}, length: {len}>"),
    }
}

/// Returns the part of a text that the style prints.
pub(crate) fn cut_text(text: &str, style: &YamlStyle) -> String {
    if style.no_str {
        return format!("<string length: <{}>>", text.chars().count());
    }
    match style.truncate.and_then(|most| text.char_indices().nth(most)) {
        Some((end, _)) => text[..end].to_owned() + "...",
        None => text.to_owned(),
    }
}

/// Returns a text as a scalar for a parameter file. When the file is read, the value is the same text.
///
/// ```
/// assert_eq!(saltus_dynamic::yaml_text("map"), "map");
/// assert_eq!(saltus_dynamic::yaml_text("1"), "'1'");
/// assert_eq!(saltus_dynamic::yaml_text("1e5"), "'1e5'");
/// assert_eq!(saltus_dynamic::yaml_text("a\nb"), r#""a\nb""#);
/// ```
pub fn yaml_text(text: &str) -> String {
    // In a parameter file, each of these letters alone is a bool.
    let is_text = matches!(ParameterWord::of(text), ParameterWord::Text);
    let is_read_otherwise = !is_text || is_read_otherwise(text);
    if is_plain(text) && !is_read_otherwise {
        return text.to_owned();
    }
    let is_printable = text.chars().all(|c| !c.is_control() && c != '\u{feff}');
    if is_printable { single_quoted(text, 0) } else { double_quoted(text) }
}

/// Whether `saltus_yaml` reads a word without quotes as a value that is not text.
fn is_read_otherwise(word: &str) -> bool {
    saltus_yaml::parse(word).is_ok_and(|node| {
        node.is_null() || node.as_bool().is_some() || node.as_integer().is_some() || node.as_float().is_some()
    })
}

/// Returns a float as PyYAML prints it: Python's shortest form, with a decimal point before the exponent.
pub fn yaml_float(value: f64) -> String {
    if value.is_nan() {
        return ".nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { ".inf".into() } else { "-.inf".into() };
    }
    let text = python_repr(value);
    if text.contains('e') && !text.contains('.') { text.replacen('e', ".0e", 1) } else { text }
}

/// Returns Python's `repr` of a float. It has an exponent if the number is smaller than 1e-4, or 1e16 and larger.
pub(crate) fn python_repr(value: f64) -> String {
    let scientific = format!("{value:e}");
    let exponent = scientific.split_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0);
    if value == 0.0 || (-4..16).contains(&exponent) {
        return format!("{value:?}");
    }
    let mantissa = scientific.split_once('e').map_or(&*scientific, |(mantissa, _)| mantissa);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// Returns a text as a YAML scalar. It has quotes if it would be read as another value without quotes.
fn text_scalar(text: &str, indent: usize) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let printable = text.chars().all(|c| c == '\n' || (!c.is_control() && c != '\u{feff}'));
    // In single quotes, blanks next to a line break would be lost.
    let blanks_at_breaks =
        text.contains(" \n") || text.contains("\n ") || text.starts_with(' ') && text.contains('\n');
    if printable && !blanks_at_breaks { single_quoted(text, indent) } else { double_quoted(text) }
}

fn single_quoted(text: &str, indent: usize) -> String {
    let mut out = String::from("'");
    let mut rest = text;
    while let Some(at) = rest.find('\n') {
        let breaks = rest[at..].len() - rest[at..].trim_start_matches('\n').len();
        out += &rest[..at].replace('\'', "''");
        // One line break more than the text has, because YAML reads a single line break as a blank.
        out.extend(std::iter::repeat_n('\n', breaks + 1));
        rest = &rest[at + breaks..];
        out.extend(std::iter::repeat_n(' ', indent));
    }
    out + &rest.replace('\'', "''") + "'"
}

pub(crate) fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\0' => out += "\\0",
            '\u{7}' => out += "\\a",
            '\u{8}' => out += "\\b",
            '\t' => out += "\\t",
            '\n' => out += "\\n",
            '\u{b}' => out += "\\v",
            '\u{c}' => out += "\\f",
            '\r' => out += "\\r",
            '\u{1b}' => out += "\\e",
            '\u{85}' => out += "\\N",
            c if c.is_control() => {
                let _ = write!(out, "\\x{:02X}", u32::from(c));
            }
            '\u{feff}' => out += "\\uFEFF",
            c => out.push(c),
        }
    }
    out + "\""
}

/// Whether a text can be written without quotes.
pub(crate) fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let blank_next = text.chars().nth(1).is_none_or(|c| c == ' ');
    let leads_wrong = "#,[]{}&*!|>'\"%@`".contains(first) || ("?:-".contains(first) && blank_next);
    let wrong_inside = text.contains(": ") || text.contains(" #") || text.ends_with(':');
    let edges = text.starts_with(' ') || text.ends_with(' ');
    let document = text.starts_with("---") || text.starts_with("...");
    !(leads_wrong || wrong_inside || edges || document)
        && text.chars().all(|c| !c.is_control() && c != '\u{feff}')
        && !is_not_text(text)
}

/// Whether YAML 1.1 reads a word as a value that is not text.
fn is_not_text(word: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", ".nan", ".inf"];
    let lower = word.to_ascii_lowercase();
    let unsigned = lower.strip_prefix(['-', '+']).unwrap_or(&lower);
    WORDS.contains(&&*lower)
        || ["~", "=", "<<"].contains(&word)
        || unsigned == ".inf"
        || is_number(unsigned)
        || is_timestamp(word)
}

/// Whether a word is a number in any notation of YAML 1.1, including sexagesimal numbers. This is also true for a few
/// words that are not numbers. They get quotes that they do not need.
fn is_number(unsigned: &str) -> bool {
    let digits = |rest: &str, allowed: &dyn Fn(u8) -> bool| !rest.is_empty() && rest.bytes().all(allowed);
    if let Some(rest) = unsigned.strip_prefix("0x") {
        return digits(rest, &|b| b.is_ascii_hexdigit() || b == b'_');
    }
    if let Some(rest) = unsigned.strip_prefix("0b") {
        return digits(rest, &|b| b"01_".contains(&b));
    }
    let starts = unsigned.starts_with(|c: char| c.is_ascii_digit())
        || unsigned.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "+0"));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or("");
    starts
        && digits(mantissa, &|b| b.is_ascii_digit() || b"._:".contains(&b))
        && digits(exponent, &|b| b.is_ascii_digit())
}

/// Whether a word is a date such as `2001-12-14`, with or without a time after it.
fn is_timestamp(word: &str) -> bool {
    let mut parts = word.splitn(3, '-');
    let all_digits = |part: Option<&str>, lengths: std::ops::RangeInclusive<usize>| {
        part.is_some_and(|part| lengths.contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()))
    };
    all_digits(parts.next(), 4..=4)
        && all_digits(parts.next(), 1..=2)
        && parts.next().is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the name of an element's type in the parser of rosidl. ROS 2 prints this name.
fn python_word(element: &Element) -> String {
    match element {
        Element::Primitive(Primitive::Bool) => "boolean".into(),
        Element::Primitive(Primitive::Byte) => "octet".into(),
        Element::Primitive(Primitive::Float32) => "float".into(),
        Element::Primitive(Primitive::Float64) => "double".into(),
        Element::Message(schema) => schema.name().into(),
        other => other.word(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected texts are those that PyYAML 6 prints with `yaml.dump(text, allow_unicode=True)`.
    #[test]
    fn texts_are_quoted_where_pyyaml_quotes_them() {
        for (text, want) in [
            ("hello", "hello"),
            ("Hello World: 1", "'Hello World: 1'"),
            ("", "''"),
            ("true", "'true'"),
            ("No", "'No'"),
            ("null", "'null'"),
            ("1", "'1'"),
            ("1.5", "'1.5'"),
            ("1e5", "1e5"),
            ("1.0e+5", "'1.0e+5'"),
            ("0x1F", "'0x1F'"),
            ("12:30:45", "'12:30:45'"),
            ("2001-12-14", "'2001-12-14'"),
            ("- a", "'- a'"),
            ("-a", "-a"),
            ("#a", "'#a'"),
            ("a #b", "'a #b'"),
            ("a#b", "a#b"),
            ("it's", "it's"),
            ("'quoted'", "'''quoted'''"),
            (" a", "' a'"),
            ("a:", "'a:'"),
            ("a:b", "a:b"),
            ("[a]", "'[a]'"),
            ("a, b", "a, b"),
            ("é", "é"),
            ("a\tb", "\"a\\tb\""),
            ("\u{1}", "\"\\x01\""),
            ("a\nb", "'a\n\n  b'"),
            ("~", "'~'"),
        ] {
            assert_eq!(text_scalar(text, 2), want, "{text:?}");
        }
    }

    #[test]
    fn floats_are_printed_as_pyyaml_prints_them() {
        for (value, want) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e16, "1.0e+16"),
            (1.5e300, "1.5e+300"),
            (123_456_789.0, "123456789.0"),
            (1e15, "1000000000000000.0"),
            (1e-5, "1.0e-05"),
            (0.0001, "0.0001"),
            (f64::INFINITY, ".inf"),
            (f64::NEG_INFINITY, "-.inf"),
            (f64::NAN, ".nan"),
        ] {
            assert_eq!(yaml_float(value), want);
        }
        assert_eq!(yaml_float(f64::from(0.1f32)), "0.10000000149011612");
    }
}
