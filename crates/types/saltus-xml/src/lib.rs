//! XML as the programs of ROS 2 read it. Their parsers accept more than XML allows, and many files of robots need that.
//!
//! This crate does no input or output, and it parses nothing itself: it turns such a document into XML, for a parser.
//!
//! ```
//! let tree = r#"<!-- by Groot --><?xml version="1.0"?><root><Script code="a < 3 && b"/></root>"#;
//! let document = saltus_xml::repaired(tree);
//! assert!(document.ends_with(r#"<root><Script code="a &lt; 3 &amp;&amp; b"/></root>"#));
//! ```

use std::{borrow::Cow, collections::BTreeSet};

use roxmltree::{Attribute, Node};

#[cfg(test)]
mod tests;

/// The most prefixes that are declared for a document.
const MOST_PREFIXES: usize = 100;
/// The longest reference to a character, in bytes.
const LONGEST_REFERENCE: usize = 32;

/// Returns the text of a document. One that begins with the mark of UTF-16 is read as such. Another one that is not UTF-8 is read as
/// ISO-8859-1, in which each byte is a character. So it is read even if it declares no encoding, or another one.
pub fn decoded(bytes: Vec<u8>) -> String {
    let wide = |order: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|pair| order([pair[0], pair[1]]));
        String::from_utf16_lossy(&units.collect::<Vec<u16>>())
    };
    match bytes.get(..2) {
        Some([0xFF, 0xFE]) => return wide(u16::from_le_bytes),
        Some([0xFE, 0xFF]) => return wide(u16::from_be_bytes),
        _ => {}
    }
    let latin = |bytes: &[u8]| bytes.iter().map(|byte| char::from(*byte)).collect();
    String::from_utf8(bytes).unwrap_or_else(|error| latin(error.as_bytes()))
}

/// Returns a document as XML. Each line keeps its number.
///
/// | what the document has | what becomes of it |
/// |---|---|
/// | `<` in a value, `&` that begins no reference | it is escaped |
/// | a declaration `<?xml …?>`, which may be behind comments and blanks | blanks: the text is decoded already |
/// | a prefix that the root element does not declare | the root element declares it |
/// | two dashes in a comment | blanks |
/// | a document type without definitions | blanks |
/// | no blank between two attributes | a blank |
///
/// A document type with definitions stays as it is, with all that follows.
pub fn repaired(text: &str) -> String {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut repair = Repair { text: String::with_capacity(rest.len()), ..Repair::default() };
    while !rest.is_empty() {
        rest = repair.piece(rest);
    }
    repair.declare_prefixes();
    repair.text
}

/// Returns the name of an element as it is written: a prefix is a part of the name, as in tinyxml2. So `<x:node/>` is not `node`.
///
/// ```
/// let document = roxmltree::Document::parse(r#"<a xmlns:x="urn:x"><x:b/></a>"#)?;
/// let names: Vec<_> = document.descendants().filter(|node| node.is_element()).map(saltus_xml::tag).collect();
/// assert_eq!(names, ["a", "x:b"]);
/// # Ok::<(), roxmltree::Error>(())
/// ```
pub fn tag<'a>(node: Node<'a, '_>) -> Cow<'a, str> {
    let name = node.tag_name();
    written(node, name.namespace(), name.name())
}

/// Returns the name of an attribute of an element as it is written, like [`tag`].
pub fn attribute_name<'a>(node: Node<'a, '_>, attribute: &Attribute<'a, '_>) -> Cow<'a, str> {
    written(node, attribute.namespace(), attribute.name())
}

fn written<'a>(node: Node<'_, '_>, namespace: Option<&str>, name: &'a str) -> Cow<'a, str> {
    match namespace.and_then(|uri| node.lookup_prefix(uri)).filter(|prefix| !prefix.is_empty()) {
        Some(prefix) => format!("{prefix}:{name}").into(),
        None => name.into(),
    }
}

/// A document that is being repaired.
#[derive(Default)]
struct Repair<'a> {
    text: String,
    /// The position behind the name of the root element.
    root: Option<usize>,
    /// The prefixes that the root element declares.
    declared: BTreeSet<&'a str>,
    /// The prefixes of all names.
    used: BTreeSet<&'a str>,
}

impl<'a> Repair<'a> {
    /// Writes what a text begins with: a comment, a tag, or the characters before a tag. Returns the text behind it.
    fn piece(&mut self, text: &'a str) -> &'a str {
        if text.starts_with("<!--") {
            let (comment, rest) = split_behind(text, 4, "-->");
            self.comment(comment);
            rest
        } else if text.starts_with("<![CDATA[") {
            let (data, rest) = split_behind(text, 9, "]]>");
            self.text.push_str(data);
            rest
        } else if text.starts_with("<?") {
            let (instruction, rest) = split_behind(text, 2, "?>");
            match is_declaration(instruction) {
                true => self.blank(instruction),
                false => self.text.push_str(instruction),
            }
            rest
        } else if text.starts_with("<!") {
            self.document_type(text)
        } else if text.starts_with('<') {
            self.tag(text)
        } else {
            let (characters, rest) = text.split_at(text.find('<').unwrap_or(text.len()));
            self.escape(characters);
            rest
        }
    }

    fn comment(&mut self, comment: &str) {
        let inside = comment.strip_prefix("<!--").and_then(|text| text.strip_suffix("-->"));
        match inside.filter(|inside| inside.contains("--") || inside.ends_with('-')) {
            Some(inside) => self.text.extend(["<!--", &inside.replace('-', " "), "-->"]),
            None => self.text.push_str(comment),
        }
    }

    fn document_type(&mut self, text: &'a str) -> &'a str {
        let (name, rest) = split_behind(text, 2, ">");
        if name.contains('[') {
            self.text.push_str(text);
            return "";
        }
        self.blank(name);
        rest
    }

    /// Writes blanks in place of a text, and its ends of lines.
    fn blank(&mut self, text: &str) {
        self.text.extend(text.chars().map(|char| if char == '\n' { '\n' } else { ' ' }));
    }

    fn tag(&mut self, text: &'a str) -> &'a str {
        let is_root = self.root.is_none() && !text.starts_with("</");
        if is_root {
            let name = text.find(|char: char| char.is_whitespace() || "/>\"'".contains(char));
            self.root = Some(self.text.len() + name.unwrap_or(text.len()));
        }
        let mut rest = text;
        loop {
            let (names, from) = rest.split_at(rest.find(['"', '\'', '>']).unwrap_or(rest.len()));
            self.names(names, is_root);
            self.text.push_str(names);
            let Some(quote) = from.get(..1).filter(|quote| *quote != ">") else {
                // The end of the tag, or of a document that ends within it.
                let (end, behind) = from.split_at(from.len().min(1));
                self.text.push_str(end);
                return behind;
            };
            let Some(length) = from[1..].find(quote) else {
                self.text.push_str(from);
                return "";
            };
            let (value, behind) = from[1..].split_at(length);
            self.text.push_str(quote);
            self.escape(value);
            self.text.push_str(quote);
            rest = &behind[1..];
            if rest.starts_with(|char: char| char.is_alphabetic() || char == '_') {
                self.text.push(' ');
            }
        }
    }

    /// Notes the prefixes of names: of an element, or of an attribute.
    fn names(&mut self, text: &'a str, is_root: bool) {
        let words = text.split(|char: char| char.is_whitespace() || "</=".contains(char));
        for (prefix, name) in words.filter_map(|word| word.split_once(':')) {
            if prefix == "xmlns" {
                if is_root {
                    self.declared.insert(name);
                }
            } else if !prefix.is_empty() && prefix != "xml" {
                self.used.insert(prefix);
            }
        }
    }

    fn declare_prefixes(&mut self) {
        let Some(root) = self.root else { return };
        let missing = self.used.difference(&self.declared).take(MOST_PREFIXES);
        let declarations: String = missing.map(|prefix| format!(" xmlns:{prefix}=\"{prefix}\"")).collect();
        self.text.insert_str(root, &declarations);
    }

    /// Writes characters, and escapes those that XML does not allow.
    fn escape(&mut self, characters: &str) {
        let mut rest = characters;
        while let Some(at) = rest.find(['<', '&']) {
            let (before, from) = rest.split_at(at);
            self.text.push_str(before);
            self.text.push_str(match from.starts_with('<') {
                true => "&lt;",
                false if is_reference(from) => "&",
                false => "&amp;",
            });
            rest = &from[1..];
        }
        self.text.push_str(rest);
    }
}

/// Splits a text behind the first `end` that is not before `from`. Without one, the first part is the whole text.
fn split_behind<'a>(text: &'a str, from: usize, end: &str) -> (&'a str, &'a str) {
    text.split_at(text[from..].find(end).map_or(text.len(), |at| from + at + end.len()))
}

fn is_declaration(instruction: &str) -> bool {
    let behind = instruction.strip_prefix("<?xml");
    behind.is_some_and(|behind| behind.starts_with(|char: char| char.is_whitespace() || char == '?'))
}

/// Whether a text begins with a reference to a character, by its number or by one of the five names that XML has.
fn is_reference(text: &str) -> bool {
    let Some(end) = text.bytes().take(LONGEST_REFERENCE).position(|byte| byte == b';') else { return false };
    let name = &text[1..end];
    let number = match (name.strip_prefix("#x"), name.strip_prefix('#')) {
        (Some(digits), _) => u32::from_str_radix(digits, 16).ok(),
        (None, Some(digits)) => digits.parse().ok(),
        (None, None) => return matches!(name, "amp" | "lt" | "gt" | "quot" | "apos"),
    };
    number.and_then(char::from_u32).is_some_and(|char| char >= ' ' || matches!(char, '\t' | '\n' | '\r'))
}
