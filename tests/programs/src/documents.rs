//! The documents for users: their blocks of code, and the command lines in them.

#![expect(clippy::missing_panics_doc, reason = "a test fails by panicking")]

use std::{fs, path::PathBuf};

/// A block of a document: the language after the opening marks, and the text.
pub struct Block<'a> {
    /// The language after the opening marks.
    pub language: &'a str,
    /// The lines between the marks.
    pub text: String,
}

/// Returns the root of the source tree.
pub fn root() -> PathBuf {
    crate::root().to_owned()
}

/// Returns the paths of all documents for users and their texts.
pub fn documents() -> Vec<(String, String)> {
    let mut paths: Vec<String> =
        ["README.md", "ARCHITECTURE.md", "bench/results/README.md", "bench/peers/README.md"]
            .map(String::from)
            .to_vec();
    for folder in ["docs", "docs/decisions"] {
        let entries = fs::read_dir(root().join(folder)).expect("a readable document");
        let names = entries.map(|entry| {
            entry.expect("a readable document").file_name().into_string().expect("a readable document")
        });
        paths.extend(names.filter(|name| name.ends_with(".md")).map(|name| format!("{folder}/{name}")));
    }
    assert!(paths.len() > 20, "{paths:?}");
    paths
        .into_iter()
        .map(|path| (path.clone(), fs::read_to_string(root().join(path)).expect("a readable document")))
        .collect()
}

/// Splits a document into its blocks of code and the text between them.
pub fn split(document: &str) -> (Vec<Block<'_>>, String) {
    let (mut blocks, mut prose, mut open) = (Vec::new(), String::new(), None::<Block<'_>>);
    for line in document.lines() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some(Block { language, text: String::new() }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.text += &format!("{line}\n"),
            (None, None) => prose += &format!("{line}\n"),
        }
    }
    assert!(open.is_none(), "a block of code is not closed");
    (blocks, prose)
}

/// Splits a command line into words, as a shell does: quotes, comments, and the end of the command.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in line.chars() {
        match (quote, character) {
            (Some(mark), c) if c == mark => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, '#') if word.is_none() => break,
            (None, '|' | '>' | ';' | '&') => break,
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// A command line of `saltus` in a document.
#[derive(Debug)]
pub struct CommandLine {
    /// The path of the document.
    pub path: String,
    /// The words of the command line. If the text around it may complete it, the last word is `--help`.
    pub words: Vec<String>,
}

/// Returns the command lines of `saltus` in all documents: those in blocks for a shell, and those in the text.
pub fn command_lines() -> Vec<CommandLine> {
    let mut all = Vec::new();
    for (path, document) in documents() {
        let (blocks, prose) = split(&document);
        let lines = blocks.iter().filter(|block| block.language == "sh").flat_map(|block| block.text.lines());
        let in_blocks = lines.filter_map(command).map(words);
        // With the request for help, arguments that are named elsewhere may be missing.
        let spans = prose.split('`').skip(1).step_by(2).map(|span| span.replace('\n', " "));
        let spans = spans.filter(|span| span.starts_with("saltus "));
        let in_text = spans.map(|span| {
            let mut words = words(span.split('…').next().unwrap_or_default());
            words.push("--help".into());
            words
        });
        all.extend(in_blocks.chain(in_text).map(|words| CommandLine { path: path.clone(), words }));
    }
    all
}

/// Returns the part of a line of a shell from the name of the command on, if it is `saltus`.
fn command(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches("$ ");
    let (program, _) = line.split_once(' ')?;
    (program == "saltus" || program.ends_with("/saltus")).then_some(line)
}
