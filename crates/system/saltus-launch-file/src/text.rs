//! Texts with substitutions, such as `$(find-pkg-share demo)/config/$(var robot).yaml`.
//!
//! The grammar is that of ROS 2's launch files. Within `$(`, arguments are separated by spaces. An argument is a word, in
//! which substitutions may be nested, or a quoted text. Within quotes, the arguments of nested substitutions are words.

use std::fmt;

use serde::Deserialize;

/// The number of an object of a launch file in Python.
pub type Object = u64;

/// The first character of the name of a call that stands for an object. No name in a launch file begins with it.
const OBJECT: char = '#';

/// A text with substitutions.
///
/// **Invariant:** two literal parts are never neighbours, and no literal part is empty.
///
/// ```
/// use saltus_launch_file::Text;
/// let text = Text::parse("$(var robot)_base")?;
/// assert_eq!(text.literal(), None);
/// assert_eq!(Text::parse("base")?.literal(), Some("base".into()));
/// # Ok::<(), saltus_launch_file::TextError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Vec<Part>")]
pub struct Text(Vec<Part>);

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Part {
    /// Characters that are used as they are.
    Literal(String),
    /// A substitution.
    Call(Call),
}

/// A substitution: its name and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Call {
    /// The name, such as `var`. In a launch file in Python it may be the number of an object, as in `#3`.
    pub(crate) name: String,
    /// The arguments.
    pub(crate) arguments: Vec<Text>,
}

/// An error in a text with substitutions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("character {column} of `{text}`: {message}")]
pub struct TextError {
    /// The whole text.
    pub text: String,
    /// The number of the character, from 1.
    pub column: usize,
    /// The mistake.
    pub message: String,
}

/// The maximum depth of nested substitutions.
const MAX_DEPTH: usize = 50;

impl Text {
    /// Parses a text.
    ///
    /// # Errors
    ///
    /// Returns an error if a substitution is not complete.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        Parser::new(text).template(None, 0)
    }

    /// Returns a text without substitutions, whatever characters it contains.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        let mut plain = Self::default();
        plain.push_literal(&text.into());
        plain
    }

    /// Returns the parts.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.0
    }

    /// Returns the characters, if there is no substitution.
    pub fn literal(&self) -> Option<String> {
        let literal = |part: &Part| match part {
            Part::Literal(text) => Some(text.clone()),
            Part::Call(_) => None,
        };
        self.0.iter().map(literal).collect()
    }

    /// Appends characters.
    pub(crate) fn push_literal(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Part::Literal(last)) => last.push_str(text),
            _ => self.0.push(Part::Literal(text.into())),
        }
    }

    /// Appends the parts of another text.
    pub(crate) fn push(&mut self, other: Self) {
        for part in other.0 {
            match part {
                Part::Literal(text) => self.push_literal(&text),
                part @ Part::Call(_) => self.0.push(part),
            }
        }
    }
}

impl From<Part> for Text {
    fn from(part: Part) -> Self {
        vec![part].into()
    }
}

impl From<Vec<Part>> for Text {
    fn from(parts: Vec<Part>) -> Self {
        let mut text = Self::default();
        text.push(Self(parts));
        text
    }
}

impl Call {
    /// Returns the object, if the call stands for one.
    pub(crate) fn object(&self) -> Option<Object> {
        self.name.strip_prefix(OBJECT)?.parse().ok()
    }
}

/// Writes the text as in a launch file. Arguments are quoted if they must be.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            Part::Literal(text) => f.write_str(text),
            Part::Call(call) => write!(f, "{call}"),
        })
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "$({}", self.name)?;
        for argument in &self.arguments {
            let needs_quotes = |part: &Part| match part {
                Part::Literal(text) => text.contains([' ', '\'', '"', '(', ')']),
                Part::Call(_) => false,
            };
            let is_word = !argument.0.is_empty() && !argument.0.iter().any(needs_quotes);
            if is_word { write!(f, " {argument}")? } else { write!(f, " '{argument}'")? }
        }
        f.write_str(")")
    }
}

struct Parser<'a> {
    text: &'a str,
    chars: Vec<char>,
    /// The index of the next character.
    position: usize,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, chars: text.chars().collect(), position: 0 }
    }

    fn error(&self, message: impl Into<String>) -> TextError {
        TextError { text: self.text.into(), column: self.position + 1, message: message.into() }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.position).copied()
    }

    /// Whether a substitution begins here. As in ROS 2, a `$` behind a backslash is a character, even if the backslash is
    /// escaped, too.
    fn begins_call(&self) -> bool {
        let is_escaped = self.position > 0 && self.chars[self.position - 1] == '\\';
        !is_escaped && self.chars[self.position..].starts_with(&['$', '('])
    }

    /// Reads the character after a backslash. A backslash at the end stands for itself.
    fn escaped(&mut self) -> char {
        self.position += 1;
        let Some(escaped) = self.peek() else { return '\\' };
        self.position += 1;
        escaped
    }

    /// Reads until the end of the text, or until the quote.
    fn template(&mut self, quote: Option<char>, depth: usize) -> Result<Text, TextError> {
        let mut text = Text::default();
        loop {
            match self.peek() {
                None if quote.is_some() => return Err(self.error("the closing quote is missing")),
                None => return Ok(text),
                found if found == quote => {
                    self.position += 1;
                    return Ok(text);
                }
                Some('\\') => text.push_literal(&self.escaped().to_string()),
                Some(_) if self.begins_call() => text.0.push(Part::Call(self.call(quote, depth)?)),
                Some(other) => {
                    self.position += 1;
                    text.push_literal(&other.to_string());
                }
            }
        }
    }

    /// Reads a substitution, within this quote.
    fn call(&mut self, quote: Option<char>, depth: usize) -> Result<Call, TextError> {
        if depth == MAX_DEPTH {
            return Err(self.error("too many substitutions are nested"));
        }
        self.position += 2;
        let name = self.name()?;
        let mut arguments = Vec::new();
        loop {
            let begin = self.position;
            while self.peek() == Some(' ') {
                self.position += 1;
            }
            match self.peek() {
                Some(')') => {
                    self.position += 1;
                    return Ok(Call { name, arguments });
                }
                None => return Err(self.error(format!("`)` of `$({name}` is missing"))),
                Some(_) if self.position == begin => return Err(self.error("expected a space or `)`")),
                Some(found @ ('\'' | '"')) if quote.is_none() => {
                    self.position += 1;
                    arguments.push(self.template(Some(found), depth + 1)?);
                }
                Some(_) => arguments.push(self.word(quote, depth)?),
            }
        }
    }

    fn name(&mut self) -> Result<String, TextError> {
        let is_part = |c: &char| c.is_ascii_alphanumeric() || ['_', '-'].contains(c);
        let name: String = self.chars[self.position..].iter().take_while(|c| is_part(c)).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(self.error(
                "expected the name of a substitution, as in `$(var robot)`; write `\\$(` for a shell",
            ));
        }
        self.position += name.len();
        Ok(name)
    }

    /// Reads an argument without quotes.
    fn word(&mut self, quote: Option<char>, depth: usize) -> Result<Text, TextError> {
        let mut text = Text::default();
        loop {
            match self.peek() {
                None | Some(' ' | ')') => return Ok(text),
                Some('\\') => text.push_literal(&self.escaped().to_string()),
                Some(_) if self.begins_call() => text.0.push(Part::Call(self.call(quote, depth + 1)?)),
                Some('(') => return Err(self.error("`(` must be quoted, or be written as `\\(`")),
                Some(found @ ('\'' | '"')) if quote.is_none_or(|quote| quote == found) => {
                    return Err(self.error(format!("`{found}` must be written as `\\{found}`")));
                }
                Some(other) => {
                    self.position += 1;
                    text.push_literal(&other.to_string());
                }
            }
        }
    }
}
