//! The tokens of a script.

use crate::error::ScriptError;

/// A token, and its position in the script, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) position: usize,
}

/// The kind and the value of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Integer(i64),
    Double(f64),
    Text(String),
    Name(String),
    Operator(&'static str),
    End,
}

impl std::fmt::Display for TokenKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(number) => write!(f, "{number}"),
            Self::Double(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "'{text}'"),
            Self::Name(name) => f.write_str(name),
            Self::Operator(operator) => f.write_str(operator),
            Self::End => f.write_str("end of the script"),
        }
    }
}

/// The operators, the longer ones first.
const OPERATORS: [&str; 31] = [
    ":=", "+=", "-=", "*=", "/=", "==", "!=", "<=", ">=", "&&", "||", "..", "=", "<", ">", "+", "-", "*",
    "/", "!", "~", "&", "|", "^", "?", ":", "(", ")", ";", ",", "%",
];

/// Splits a script into tokens.
pub(super) fn tokens(source: &str) -> Result<Vec<Token>, ScriptError> {
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(first) = source[position..].chars().next() {
        if first.is_whitespace() {
            position += first.len_utf8();
            continue;
        }
        let rest = &source[position..];
        let (kind, length) =
            token(rest).ok_or_else(|| ScriptError::Token { token: excerpt(rest).into(), position })?;
        tokens.push(Token { kind, position });
        position += length;
    }
    tokens.push(Token { kind: TokenKind::End, position });
    Ok(tokens)
}

/// Returns the beginning of a text for an error: letters, digits and dots.
fn excerpt(text: &str) -> &str {
    let end = text.char_indices().skip(1).find(|(_, char)| !char.is_alphanumeric() && *char != '.');
    &text[..end.map_or(text.len(), |(end, _)| end)]
}

/// Returns the token at the beginning of a text, and its length in bytes.
fn token(text: &str) -> Option<(TokenKind, usize)> {
    let first = text.chars().next()?;
    if first == '\'' || first == '"' {
        let inner = text[1..].split_once(first)?.0;
        return Some((TokenKind::Text(inner.into()), inner.len() + 2));
    }
    if first.is_ascii_digit() {
        return number(text);
    }
    if first.is_ascii_alphabetic() || first == '_' || first == '@' {
        let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let length = 1 + text[1..].find(|char| !is_part(char)).unwrap_or(text.len() - 1);
        let kind = match &text[..length] {
            "true" => TokenKind::Integer(1),
            "false" => TokenKind::Integer(0),
            name => TokenKind::Name(name.into()),
        };
        return Some((kind, length));
    }
    let operator = OPERATORS.into_iter().find(|operator| text.starts_with(operator))?;
    Some((TokenKind::Operator(operator), operator.len()))
}

/// Returns the number at the beginning of a text: decimal, hexadecimal, or with a fraction or an exponent.
fn number(text: &str) -> Option<(TokenKind, usize)> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let length = digits.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(digits.len());
        let number = i64::from_str_radix(&digits[..length], 16).ok()?;
        return Some((TokenKind::Integer(number), length + 2));
    }
    let digits = |text: &str| text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    let mut length = digits(text);
    let mut is_double = false;
    // `1..2` joins two numbers.
    if text[length..].starts_with('.') && !text[length..].starts_with("..") {
        let fraction = digits(&text[length + 1..]);
        if fraction == 0 {
            return None;
        }
        (length, is_double) = (length + 1 + fraction, true);
    }
    if text[length..].starts_with(['e', 'E']) {
        let sign = usize::from(text[length + 1..].starts_with(['+', '-']));
        let exponent = digits(&text[length + 1 + sign..]);
        if exponent == 0 {
            return None;
        }
        (length, is_double) = (length + 1 + sign + exponent, true);
    }
    if text[length..].starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') {
        return None;
    }
    let number = &text[..length];
    let kind = match is_double {
        true => TokenKind::Double(number.parse().ok()?),
        false => TokenKind::Integer(number.parse().ok()?),
    };
    Some((kind, length))
}
