//! The words, numbers, texts and signs of an `.idl` file.

use crate::{ParseError, literal::Expected};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number without its sign.
    Number,
    /// A text in double quotes.
    Text,
    /// A sign, such as `{` or `::`.
    Sign,
    /// The end of the file.
    End,
}

/// A token with its location.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// The content of a text without its quotes, or the characters of another token.
    pub(super) text: String,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Token {
    /// Whether the token is this word or sign.
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Sign) && self.text == text
    }

    /// Returns the token in the form that errors show.
    pub(super) fn shown(&self) -> String {
        match self.kind {
            Kind::End => "the end of the file".into(),
            _ => format!("`{}`", self.text),
        }
    }

    /// Returns an error with the location of this token.
    pub(super) fn error(&self, file: &str, expected: impl Into<Expected>, found: String) -> ParseError {
        ParseError {
            file: file.into(),
            line: self.line,
            column: self.column,
            expected: expected.into(),
            found,
        }
    }
}

/// Splits a text into tokens. The last one is the end. Comments and the lines that include other files are left out,
/// because names say where a type is defined.
pub(super) fn tokens(file: &str, text: &str) -> Result<Vec<Token>, ParseError> {
    let mut reader = Reader { rest: text, line: 1, column: 1 };
    let mut tokens = Vec::new();
    loop {
        let token = reader.token().map_err(|(token, expected)| {
            let found = token.shown();
            token.error(file, expected, found)
        })?;
        let is_end = token.kind == Kind::End;
        tokens.push(token);
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
    column: usize,
}

/// A token that is wrong, and what was expected.
type Wrong = (Token, Expected);

impl<'a> Reader<'a> {
    /// Takes a number of bytes.
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        for c in taken.chars() {
            match c {
                '\n' => (self.line, self.column) = (self.line + 1, 1),
                _ => self.column += 1,
            }
        }
        self.rest = rest;
        taken
    }

    /// Takes the characters before the first one that `ends` names.
    fn take_until(&mut self, ends: impl FnMut(char) -> bool) -> &'a str {
        let length = self.rest.find(ends).unwrap_or(self.rest.len());
        self.take(length)
    }

    fn token(&mut self) -> Result<Token, Wrong> {
        self.skip()?;
        let (line, column) = (self.line, self.column);
        let token = |kind, text: &str| Token { kind, text: text.into(), line, column };
        let Some(first) = self.rest.chars().next() else { return Ok(token(Kind::End, "")) };
        let second = self.rest[first.len_utf8()..].chars().next().unwrap_or(' ');
        Ok(match first {
            '"' => {
                let text = self.quoted().map_err(|expected| (token(Kind::Text, "\""), expected))?;
                token(Kind::Text, &text)
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                token(Kind::Word, self.take_until(|c| !c.is_ascii_alphanumeric() && c != '_'))
            }
            c if c.is_ascii_digit() || (c == '.' && second.is_ascii_digit()) => {
                token(Kind::Number, self.number())
            }
            ':' if second == ':' => token(Kind::Sign, self.take(2)),
            c => token(Kind::Sign, self.take(c.len_utf8())),
        })
    }

    /// Skips blanks, comments, and lines that include a file.
    fn skip(&mut self) -> Result<(), Wrong> {
        loop {
            self.take_until(|c| !c.is_whitespace());
            let (line, column) = (self.line, self.column);
            let wrong = |text: &str, expected: &str| {
                Err((Token { kind: Kind::Sign, text: text.into(), line, column }, expected.into()))
            };
            if self.rest.starts_with("//") {
                self.take_until(|c| c == '\n');
            } else if self.rest.starts_with("/*") {
                let Some(end) = self.rest[2..].find("*/") else {
                    return wrong("/*", "the end of the comment, `*/`");
                };
                self.take(end + 4);
            } else if self.rest.starts_with('#') {
                let directive = self.take_until(|c| c == '\n').trim_end();
                if !directive[1..].trim_start().starts_with("include") {
                    return wrong(directive, "`#include` as the only directive");
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Takes a number: digits, a point and an exponent with its sign.
    fn number(&mut self) -> &'a str {
        let mut last = ' ';
        self.take_until(|c| {
            let is_sign = matches!(c, '+' | '-') && matches!(last, 'e' | 'E');
            last = c;
            !(c.is_ascii_alphanumeric() || c == '.' || is_sign)
        })
    }

    /// Takes a text in double quotes. Returns its content, in which escape sequences are replaced.
    fn quoted(&mut self) -> Result<String, Expected> {
        let mut escaped = true;
        let end = self.rest.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        // The first quote counts as escaped, so that the search goes on behind it.
        let end = end.ok_or("a closing quote")?;
        Ok(unescaped(&self.take(end + 1)[1..end]))
    }
}

/// Replaces the escape sequences of a text (IDL 4.2, 7.2.6.2.1). Others, such as `\(` in a comment, stay as they are.
fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        result += before;
        let (c, length) = escape(after).unwrap_or(('\\', 0));
        result.push(c);
        rest = &after[length..];
    }
    result + rest
}

/// Returns the character of an escape sequence without its backslash, and the number of bytes that the sequence has.
fn escape(text: &str) -> Option<(char, usize)> {
    let digits = |from: usize, most: usize, radix: u32| {
        let digits = text[from..].bytes().take(most).take_while(|b| char::from(*b).is_digit(radix)).count();
        let value = u32::from_str_radix(&text[from..from + digits], radix).ok()?;
        Some((char::from_u32(value)?, from + digits))
    };
    let plain = match text.chars().next()? {
        'n' => '\n',
        't' => '\t',
        'v' => '\u{b}',
        'b' => '\u{8}',
        'r' => '\r',
        'f' => '\u{c}',
        'a' => '\u{7}',
        c @ ('\\' | '?' | '\'' | '"') => c,
        'x' => return digits(1, 2, 16),
        'u' => return digits(1, 4, 16),
        '0'..='7' => return digits(0, 3, 8),
        _ => return None,
    };
    Some((plain, 1))
}
