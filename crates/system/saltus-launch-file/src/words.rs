//! Splits command lines with substitutions into words.

use crate::{
    action::Words,
    substitute::Substitute,
    text::{Part, Text},
};

/// Returns the words of a command.
pub(crate) fn words(words: &Words, substitute: Substitute<'_>) -> Result<Vec<String>, String> {
    match words {
        Words::Line(line) => split(line, substitute),
        Words::Words(words) => words.iter().map(|word| substitute.text(word)).collect(),
    }
}

/// Splits a command line as a shell does. The result of a substitution is never split: it belongs to the word around it.
fn split(text: &Text, substitute: Substitute<'_>) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut open: Option<String> = None;
    for part in text.parts() {
        match part {
            Part::Call(_) => {
                let result = substitute.text(&Text::from(part.clone()))?;
                open.get_or_insert_default().push_str(&result);
            }
            Part::Literal(literal) => {
                if literal.starts_with(char::is_whitespace) {
                    words.extend(open.take());
                }
                let pieces =
                    shlex::split(literal).ok_or_else(|| format!("a quote is not closed in `{literal}`"))?;
                for (index, piece) in pieces.into_iter().enumerate() {
                    if index > 0 {
                        words.extend(open.take());
                    }
                    open.get_or_insert_default().push_str(&piece);
                }
                if literal.ends_with(char::is_whitespace) {
                    words.extend(open.take());
                }
            }
        }
    }
    words.extend(open);
    Ok(words)
}
