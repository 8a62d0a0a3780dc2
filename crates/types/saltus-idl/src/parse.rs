//! The parser for definitions: the lines of `.msg` files, and the sections of `.srv` and `.action` files.

use std::{collections::HashSet, sync::Arc};

use crate::{
    Action, Base, Constant, Field, FieldType, Message, ParseError, Primitive, Service, Shape, SourceLocation,
    TypeName, literal,
    names::{is_camel_case, is_snake_case, is_upper_case},
};

/// Parses the text of a `.msg` file.
pub(crate) fn parse_message(name: TypeName, file: &str, text: &str) -> Result<Message, ParseError> {
    let source = Source { file: &file.into(), first_line: 1, text };
    source.check_name(&name)?;
    source.message(name)
}

/// Parses the text of a `.srv` file: the request and the response.
pub(crate) fn parse_service(name: TypeName, file: &str, text: &str) -> Result<Service, ParseError> {
    let file = file.into();
    let [request, response] = sections(&name, &file, text)?;
    Ok(Service {
        request: request.message(name.with_suffix("_Request"))?,
        response: response.message(name.with_suffix("_Response"))?,
        name,
    })
}

/// Parses the text of an `.action` file: the goal, the result and the feedback.
pub(crate) fn parse_action(name: TypeName, file: &str, text: &str) -> Result<Action, ParseError> {
    let file = file.into();
    let [goal, result, feedback] = sections(&name, &file, text)?;
    Ok(Action {
        goal: goal.message(name.with_suffix("_Goal"))?,
        result: result.message(name.with_suffix("_Result"))?,
        feedback: feedback.message(name.with_suffix("_Feedback"))?,
        name,
    })
}

/// Splits a text at the lines that are exactly `---`.
fn sections<'a, const N: usize>(
    name: &TypeName,
    file: &'a Arc<str>,
    text: &'a str,
) -> Result<[Source<'a>; N], ParseError> {
    let whole = Source { file, first_line: 1, text };
    whole.check_name(name)?;
    let mut sections = Vec::with_capacity(N);
    let mut extra_separator = None;
    let (mut start, mut first_line, mut at) = (0, 1, 0);
    for (i, line) in text.split_inclusive('\n').enumerate() {
        let end = at + line.len();
        if line.trim_end_matches(['\n', '\r']) == "---" {
            sections.push(Source { file, first_line, text: &text[start..at] });
            (start, first_line) = (end, i + 2);
            if sections.len() == N {
                extra_separator = Some(i + 1);
            }
        }
        at = end;
    }
    sections.push(Source { file, first_line, text: &text[start..] });
    let found = sections.len() - 1;
    sections.try_into().map_err(|_| {
        let expected =
            format!("exactly {} lines that are `---`", N - 1).replace("1 lines that are", "1 line that is");
        let line = extra_separator.unwrap_or(text.lines().count().max(1));
        whole.error(line, 1, expected, format!("{found}"))
    })
}

/// The names of the fields and constants that were found so far.
#[derive(Default)]
struct Names {
    fields: HashSet<String>,
    constants: HashSet<String>,
}

/// A section of a file. It has the form of a `.msg` file.
struct Source<'a> {
    file: &'a Arc<str>,
    first_line: usize,
    text: &'a str,
}

/// A line without its comment. Its methods take parts of the line to get the location of an error.
struct Line<'a> {
    source: &'a Source<'a>,
    number: usize,
    text: &'a str,
}

impl Source<'_> {
    fn error(&self, line: usize, column: usize, expected: impl Into<String>, found: String) -> ParseError {
        ParseError { file: self.file.to_string(), line, column, expected: expected.into(), found }
    }

    fn check_name(&self, name: &TypeName) -> Result<(), ParseError> {
        if !is_snake_case(&name.package) {
            let expected = "a package name in lower case, such as `std_msgs`";
            return Err(self.error(1, 1, expected, format!("`{}`", name.package)));
        }
        if !is_camel_case(&name.name) {
            let expected = "an interface name in CamelCase, such as `LaserScan`";
            return Err(self.error(1, 1, expected, format!("`{}`", name.name)));
        }
        Ok(())
    }

    fn message(&self, name: TypeName) -> Result<Message, ParseError> {
        let mut message = Message { name, fields: Vec::new(), constants: Vec::new() };
        let mut names = Names::default();
        let text = self.text.replace('\t', " ");
        for (i, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim_end();
            if !line.trim().is_empty() {
                Line { source: self, number: self.first_line + i, text: line }
                    .read_into(&mut message, &mut names)?;
            }
        }
        Ok(message)
    }
}

impl Line<'_> {
    /// Returns an error with the location of `part`, which must be a slice of this line.
    fn error(&self, part: &str, expected: impl Into<String>) -> ParseError {
        let rest = self.text.get(self.offset(part)..).unwrap_or_default();
        let found = match (part, rest) {
            ("", "") => "the end of the line".into(),
            ("", rest) => format!("`{rest}`"),
            (part, _) => format!("`{part}`"),
        };
        self.source.error(self.number, self.column(part), expected, found)
    }

    /// Returns the offset in bytes of `part`, which must be a slice of this line.
    fn offset(&self, part: &str) -> usize {
        (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }

    fn column(&self, part: &str) -> usize {
        self.text.get(..self.offset(part)).map_or(0, |before| before.chars().count()) + 1
    }

    fn read_into(&self, message: &mut Message, names: &mut Names) -> Result<(), ParseError> {
        if self.text.starts_with(' ') {
            return Err(self.error(self.text.trim_start(), "a type at the start of the line"));
        }
        let (word, rest) = split_word(self.text);
        if rest.is_empty() {
            return Err(self.error(rest_of(self.text), "a name after the type"));
        }
        match rest.split_once('=') {
            Some((name, value)) => {
                let constant = self.constant(word, name.trim_end(), value.trim_start())?;
                self.refuse_duplicate(name.trim_end(), &mut names.constants)?;
                message.constants.push(constant);
            }
            None => {
                let (name, default) = split_word(rest);
                let field = self.field(&message.name.package, word, name, default)?;
                self.refuse_duplicate(name, &mut names.fields)?;
                message.fields.push(field);
            }
        }
        Ok(())
    }

    /// Adds a name to the names that are in use. Returns an error if it is in use already.
    fn refuse_duplicate(&self, name: &str, taken: &mut HashSet<String>) -> Result<(), ParseError> {
        if taken.insert(name.into()) { Ok(()) } else { Err(self.error(name, "a name not used before")) }
    }

    fn constant(&self, word: &str, name: &str, value: &str) -> Result<Constant, ParseError> {
        let ty = match word {
            "string" => Base::String(None),
            "wstring" => Base::WString(None),
            word => Base::Primitive(Primitive::from_word(word).ok_or_else(|| {
                self.error(word, "a primitive type before a constant (a line with `=` is a constant)")
            })?),
        };
        if !is_upper_case(name) {
            return Err(self.error(name, "a constant's name in UPPER_CASE"));
        }
        let literal = literal::parse_scalar(value, &ty).map_err(|expected| self.error(value, expected))?;
        Ok(Constant { name: name.into(), ty, value: literal })
    }

    fn field(&self, package: &str, word: &str, name: &str, default: &str) -> Result<Field, ParseError> {
        let ty = self.field_type(package, word)?;
        if !is_snake_case(name) {
            return Err(self.error(name, "a field's name in lower case with single underscores"));
        }
        let default = match default {
            "" => None,
            text => Some(literal::parse_default(text, &ty).map_err(|expected| self.error(text, expected))?),
        };
        let (file, line, column) = (self.source.file.clone(), self.number, self.column(word));
        Ok(Field { name: name.into(), ty, default, location: Some(SourceLocation { file, line, column }) })
    }

    fn field_type(&self, package: &str, word: &str) -> Result<FieldType, ParseError> {
        let (element, shape) = match word.split_once('[') {
            None => (word, Shape::Scalar),
            Some((element, array)) => (element, self.shape(word, array)?),
        };
        Ok(FieldType { base: self.base(package, element)?, shape })
    }

    fn shape(&self, word: &str, array: &str) -> Result<Shape, ParseError> {
        let inner = array
            .strip_suffix(']')
            .ok_or_else(|| self.error(word, "an array written `T[]`, `T[N]` or `T[<=N]`"))?;
        let (bounded, digits) = match inner.strip_prefix("<=") {
            Some(digits) => (true, digits),
            None => (false, inner),
        };
        if digits.is_empty() && !bounded {
            return Ok(Shape::Unbounded);
        }
        let size = self.size(digits)?;
        Ok(if bounded { Shape::Bounded(size) } else { Shape::Array(size) })
    }

    /// Parses a size or a bound: a decimal number, at least 1.
    fn size(&self, digits: &str) -> Result<u32, ParseError> {
        Some(digits)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .filter(|size| *size > 0)
            .ok_or_else(|| self.error(digits, "a size from 1 to 4294967295"))
    }

    fn base(&self, package: &str, word: &str) -> Result<Base, ParseError> {
        if let Some(primitive) = Primitive::from_word(word) {
            return Ok(Base::Primitive(primitive));
        }
        if let Some(bound) = word.strip_prefix("string<=") {
            return Ok(Base::String(Some(self.size(bound)?)));
        }
        if let Some(bound) = word.strip_prefix("wstring<=") {
            return Ok(Base::WString(Some(self.size(bound)?)));
        }
        match word {
            "string" => Ok(Base::String(None)),
            "wstring" => Ok(Base::WString(None)),
            _ => self.nested(package, word).map(Base::Nested),
        }
    }

    fn nested(&self, package: &str, word: &str) -> Result<TypeName, ParseError> {
        let (package, name) = match word.split_once('/') {
            None => (package, word),
            Some((package, name)) => (package, name),
        };
        if !is_snake_case(package) {
            return Err(self.error(word, "a package name in lower case before the `/`"));
        }
        if !is_camel_case(name) {
            return Err(self.error(word, "a primitive type, `Name` or `package/Name`"));
        }
        Ok(TypeName::new(package, "msg", name))
    }
}

/// Splits a text at the first sequence of blanks. The second part is empty if there are no blanks.
fn split_word(text: &str) -> (&str, &str) {
    match text.split_once(' ') {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, rest_of(text)),
    }
}

/// Returns the empty slice at the end of a text, as the location of an error.
fn rest_of(text: &str) -> &str {
    &text[text.len()..]
}
