//! The parser: builds a tree from a text.

use std::iter::Peekable;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

use crate::{
    Node, Style, Value, YamlError,
    flow::{self, Repaired},
};

/// The largest depth of nesting. It is much larger than in a message or parameter file, and much smaller than a depth
/// that would overflow the stack.
const MAX_DEPTH: usize = 128;

/// Parses one document. An empty document is a null scalar. As in ROS 2, lines within brackets and quotes need no
/// indentation, and comments behind them no blank.
///
/// # Errors
/// Returns an error if the text is not YAML, if it has aliases, several documents, or keys that are not
/// scalars, or if it is nested deeper than 128 levels.
pub fn parse(text: &str) -> Result<Node, YamlError> {
    let strict = document(text);
    if strict.is_ok() {
        return strict;
    }
    let Some(repaired) = flow::repaired(text) else { return strict };
    let Ok(mut node) = document(&repaired.text) else { return strict };
    restore_columns(&mut node, &repaired);
    Ok(node)
}

/// Replaces the columns of a repaired text by those of the text before.
fn restore_columns(node: &mut Node, repaired: &Repaired) {
    node.column = repaired.column_before(node.line, node.column);
    match &mut node.value {
        Value::Scalar { .. } => {}
        Value::Sequence(items) => items.iter_mut().for_each(|item| restore_columns(item, repaired)),
        Value::Mapping(pairs) => pairs.iter_mut().for_each(|(_, below)| restore_columns(below, repaired)),
    }
}

fn document(text: &str) -> Result<Node, YamlError> {
    let last_line = text.rsplit('\n').next().unwrap_or_default();
    let end = (!last_line.trim().is_empty()).then(|| text.chars().count());
    let mut events = Events { parser: Parser::new_from_str(text).peekable(), end };
    let mut document = None;
    loop {
        let (event, span) = events.next()?;
        match event {
            Event::StreamEnd => break,
            Event::DocumentStart(_) if document.is_some() => {
                return Err(error(span.start, "expected one document, found another"));
            }
            Event::DocumentStart(_) => document = Some(events.node(0)?),
            _ => {}
        }
    }
    let empty =
        || Node { value: Value::Scalar { text: String::new(), style: Style::Plain }, line: 1, column: 1 };
    Ok(document.unwrap_or_else(empty))
}

struct Events<'a> {
    parser: Peekable<Parser<'a, StrInput<'a>>>,
    /// The number of characters of the text, if its last line does not end.
    end: Option<usize>,
}

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), YamlError> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(wrong)) => Err(scan_error(&wrong)),
            None => Err(YamlError { line: 1, column: 1, message: "the document ends too early".into() }),
        }
    }

    fn node(&mut self, depth: usize) -> Result<Node, YamlError> {
        let (event, span) = self.next()?;
        if depth > MAX_DEPTH {
            return Err(error(span.start, &format!("nested more than {MAX_DEPTH} levels deep")));
        }
        let value = match event {
            Event::Scalar(text, style, _, tag) => {
                let style = match style {
                    _ if tag.is_some_and(|tag| is_text(&tag)) => Style::Text,
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
                    ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Text,
                };
                let mut text = text.into_owned();
                // The library ends the last line, which libyaml leaves as it is.
                if style == Style::Block && self.end.is_some_and(|end| span.end.index() >= end) {
                    text.truncate(text.strip_suffix('\n').map_or(text.len(), str::len));
                }
                Value::Scalar { text, style }
            }
            Event::SequenceStart(..) => Value::Sequence(self.sequence(depth)?),
            Event::MappingStart(..) => Value::Mapping(self.mapping(depth)?),
            _ => return Err(error(span.start, "aliases (`*`) are not supported")),
        };
        Ok(Node { value, line: span.start.line(), column: span.start.col() + 1 })
    }

    fn sequence(&mut self, depth: usize) -> Result<Vec<Node>, YamlError> {
        let mut items = Vec::new();
        while !self.skip(&Event::SequenceEnd) {
            items.push(self.node(depth + 1)?);
        }
        Ok(items)
    }

    fn mapping(&mut self, depth: usize) -> Result<Vec<(String, Node)>, YamlError> {
        let mut pairs = Vec::new();
        while !self.skip(&Event::MappingEnd) {
            let key = self.node(depth + 1)?;
            let Some(name) = key.as_text() else {
                return Err(key.error(format!("expected a key, found {}", key.kind())));
            };
            let name = name.to_owned();
            pairs.push((name, self.node(depth + 1)?));
        }
        Ok(pairs)
    }

    /// Skips the next event if it is `end`. Returns whether it was.
    fn skip(&mut self, end: &Event<'_>) -> bool {
        self.parser.next_if(|next| next.as_ref().is_ok_and(|(event, _)| event == end)).is_some()
    }
}

fn error(at: Marker, message: &str) -> YamlError {
    YamlError { line: at.line(), column: at.col() + 1, message: message.into() }
}

fn scan_error(wrong: &ScanError) -> YamlError {
    error(*wrong.marker(), wrong.info())
}

/// Whether a tag makes a word a text. As in rcl, other tags have no effect.
fn is_text(tag: &Tag) -> bool {
    format!("{}{}", tag.handle, tag.suffix) == "tag:yaml.org,2002:str"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_a_tree_with_lines_and_columns() {
        let node = parse("a:\n  - 1\n  - {b: 'two'}\nc: |\n  text\n").unwrap();
        let items = node.get("a").unwrap().as_sequence().unwrap();
        assert_eq!((items[0].line, items[0].column), (2, 5));
        let two = items[1].get("b").unwrap();
        assert_eq!((two.as_text(), two.as_integer()), (Some("two"), None));
        assert_eq!(node.get("c").unwrap().as_text(), Some("text\n"));
        assert!(parse("").unwrap().is_null());
        assert!(parse("a:").unwrap().get("a").unwrap().is_null());
    }

    #[test]
    fn an_error_has_its_location() {
        for (text, line, what) in [
            ("a: &x 1\nb: *x", 2, "aliases"),
            ("a: 1\n---\nb: 2", 2, "expected one document"),
            ("? [a]\n: 1", 1, "expected a key, found a list"),
            ("a: [1", 2, ""),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.message.contains(what), "{text}: {error}");
            assert!(error.line >= 1 && error.line <= line, "{text}: {error}");
        }
        // The parser library has its own limit, which is higher than that of this crate.
        for (depth, want) in [(200, "levels deep"), (1000, "recursion limit exceeded")] {
            let deep = "[".repeat(depth) + &"]".repeat(depth);
            let error = parse(&deep).unwrap_err().message;
            assert!(error.contains(want), "{depth}: {error}");
        }
    }

    #[test]
    fn a_tag_can_make_a_word_a_text() {
        for (text, is_text) in [
            ("!!str 12", true),
            ("!<tag:yaml.org,2002:str> yes", true),
            ("!!binary 12", false),
            ("!other 12", false),
            ("&anchor 12", false),
            ("!!int 12", false),
            ("! 12", false),
            ("12", false),
        ] {
            let node = parse(&format!("[{text}]")).unwrap();
            assert_eq!(node.as_sequence().unwrap()[0].as_word().is_none(), is_text, "{text}");
        }
    }

    #[test]
    fn lines_in_brackets_and_quotes_need_no_indentation() {
        for text in [
            "n:\n  joints: [a, b,\n  c]\n  x: 1",
            "n:\n  joints: [a, b,\nc\n]\n  x: 1",
            "n:\n- joints: {a: [1,\n2], # ]\n'b': c}\n  x: 1",
            "n:\n  joints: \"a\n b\"\n  it: it's [x\n  x: 1",
            "n:\n  joints: |\n   [a\n   'b\n  y: [1,\n2]\n  x: 1",
        ] {
            let node = parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            let inner = node.get("n").unwrap();
            let inner = inner.as_sequence().map_or(inner, |items| &items[0]);
            assert_eq!(inner.get("x").and_then(Node::as_integer), Some(1), "{text}");
        }
        for (text, want) in [
            ("a: [x]#c", "x"),
            ("a: ['é',# c\n  y]#d\n", "é"),
            ("a: [x#y]", "x#y"),
            ("a:\t[x]", "x"),
            ("a:\t\t[ 'x\ty']\t# z\n", "x\ty"),
            ("a: ['#']# [", "#"),
        ] {
            let node = parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(node.get("a").unwrap().as_sequence().unwrap()[0].as_text(), Some(want), "{text}");
        }
        for (text, want) in [
            ("a: |\n  x", "x"),
            ("a: |\n  x\n", "x\n"),
            ("a: |+\n  x\n\n", "x\n\n"),
            ("a: >-\n x", "x"),
            ("a: |\n  x\n ", "x\n"),
        ] {
            assert_eq!(parse(text).unwrap().get("a").unwrap().as_text(), Some(want), "{text}");
        }
        let node = parse("a:\n  b: [1,\n  22]").unwrap();
        let items = node.get("a").unwrap().get("b").unwrap().as_sequence().unwrap();
        assert_eq!((items[1].line, items[1].column), (3, 3));
    }
}
