//! Keeps and checks the binary interface (ABI) of libsaltus: what programs that were compiled with an earlier header rely on.
//!
//! The file [`PATH`] has each declaration of the header on a line. A declaration in it must stay as it is, but a struct that begins
//! with its size may get more fields at its end. They lie behind the old struct, also behind its padding: its size tells which fields
//! the program knows.

use std::fs;

use crate::header;

mod layout;

/// The declarations of the released interface.
const PATH: &str = "bindings/c/abi.txt";

/// Checks that the header keeps all declarations of the file, and that the file has all of the header.
pub(crate) fn check() -> Result<String, String> {
    let (kept, now) = (read()?, declarations(&header_text()?));
    let broken = broken(&kept, &now);
    if !broken.is_empty() {
        return Err(format!(
            "{} declarations of {PATH} were removed or changed:\n  {}\nA program that was compiled before would not run any \
             more: keep them, and add a new function beside the old one. A struct that begins with its size may get \
             fields behind its old size, unless another struct contains it",
            broken.len(),
            broken.join("\n  ")
        ));
    }
    match kept == now {
        true => Ok(format!("{} declarations of libsaltus as in {PATH}", now.len())),
        false => {
            Err(format!("the header has new declarations: run `cargo xtask abi`, which adds them to {PATH}"))
        }
    }
}

/// Adds the new declarations of the header to the file.
pub(crate) fn write() -> Result<String, String> {
    let now = declarations(&header_text()?);
    let broken = broken(&read().unwrap_or_default(), &now);
    if !broken.is_empty() {
        return Err(format!("{PATH}: the header has removed or changed:\n  {}", broken.join("\n  ")));
    }
    let text: String = now.iter().map(|line| format!("{line}\n")).collect();
    fs::write(PATH, text).map_err(|error| format!("{PATH}: {error}"))?;
    Ok(format!("abi: {} declarations", now.len()))
}

fn read() -> Result<Vec<String>, String> {
    let text = fs::read_to_string(PATH).map_err(|error| format!("{PATH}: {error}"))?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn header_text() -> Result<String, String> {
    fs::read_to_string(header::PATH).map_err(|error| format!("{}: {error}", header::PATH))
}

/// Returns the declarations that are not in the header any more.
fn broken(kept: &[String], now: &[String]) -> Vec<String> {
    let keeps = |line: &String| now.iter().any(|other| keeps(line, kept, other, now));
    kept.iter().filter(|line| !keeps(line)).cloned().collect()
}

/// Whether a program that was compiled with a declaration, one of `kept`, works with another one, which is one of `all`.
fn keeps(line: &str, kept: &[String], now: &str, all: &[String]) -> bool {
    if line == now {
        return true;
    }
    if layout::is_part(line, kept) {
        return false;
    }
    // `struct saltus_x_t { size_t struct_size; ... }`
    let fields = line.strip_suffix('}').filter(|fields| fields.contains("{ size_t struct_size;"));
    let Some(added) = fields.and_then(|fields| now.strip_prefix(fields)) else { return false };
    let before = layout::of(line, kept);
    let first = added.split_once(';').map_or("", |(first, _)| first);
    before
        .is_some_and(|before| layout::offset_after(&before, first, all).is_some_and(|at| at >= before.size()))
}

/// Returns the declarations of a header, sorted, each on one line without comments.
fn declarations(header: &str) -> Vec<String> {
    let without_comments = |line: &str| line.split("//").next().unwrap_or_default().trim().to_owned();
    let after_comment = header.split_once("*/").map_or(header, |(_, rest)| rest);
    let lines: Vec<String> = after_comment.lines().map(without_comments).collect();
    let constants = lines.iter().filter(|line| line.starts_with("#define SALTUS_") && line.contains(' '));
    let mut all: Vec<String> =
        constants.filter(|line| line.split(' ').count() > 2).map(|line| words(line)).collect();
    // The block for C++ is around all declarations. Its lines are the only ones with just a brace.
    let is_code = |line: &&str| !line.starts_with('#') && !["extern \"C\" {", "}"].contains(line);
    let code: Vec<&str> = lines.iter().map(String::as_str).filter(is_code).collect();
    all.extend(statements(&code.join(" ")));
    all.sort();
    all
}

/// Returns the statements of a text in C, which end with `;` outside of braces.
fn statements(code: &str) -> Vec<String> {
    let mut all = Vec::new();
    let (mut depth, mut begin) = (0i32, 0);
    for (index, letter) in code.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ';' if depth == 0 => {
                all.push(statement(&code[begin..index]));
                begin = index + 1;
            }
            _ => {}
        }
    }
    all
}

/// Returns a statement with single blanks. A struct loses its second name.
fn statement(code: &str) -> String {
    let code = words(code);
    let fields = code.strip_prefix("typedef struct ").and_then(|code| code.split_once('}'));
    fields.map_or(code.clone(), |(fields, _)| format!("struct {fields}}}"))
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "/** ; */\n#ifndef SALTUS_SALTUS_H\n#define SALTUS_SALTUS_H\n\n// One.\n#define SALTUS_ONE 1\n\
        typedef struct saltus_a_t saltus_a_t;\ntypedef struct saltus_b_t {\n  // The size.\n  size_t struct_size;\n  \
        uint8_t id;\n} saltus_b_t;\n#ifdef __cplusplus\nextern \"C\" {\n#endif // __cplusplus\n\n// Does it.\nint saltus_do(int a,\n     \
        int b);\nvoid saltus_end(void);\n\n#ifdef __cplusplus\n}  // extern\n#endif\n";

    #[test]
    fn declarations_are_found() {
        assert_eq!(
            declarations(HEADER),
            [
                "#define SALTUS_ONE 1",
                "int saltus_do(int a, int b)",
                "struct saltus_b_t { size_t struct_size; uint8_t id; }",
                "typedef struct saltus_a_t saltus_a_t",
                "void saltus_end(void)",
            ]
        );
    }

    #[test]
    fn removed_and_changed_declarations_are_found() {
        let kept = declarations(HEADER);
        let after = |from: &str, to: &str| broken(&kept, &declarations(&HEADER.replace(from, to)));
        assert_eq!(after("void saltus_end(void);\n", ""), ["void saltus_end(void)"]);
        assert_eq!(after("int a,", "long a,"), ["int saltus_do(int a, int b)"]);
        assert_eq!(after("ONE 1", "ONE 2"), ["#define SALTUS_ONE 1"]);
        assert_eq!(after("uint8_t id;", "uint16_t id;").len(), 1);
        assert_eq!(after("uint8_t id;", "uint16_t new; uint8_t id;").len(), 1);
    }

    #[test]
    fn new_functions_and_fields_at_the_end_break_nothing() {
        let kept = declarations(HEADER);
        let now = HEADER.replace("uint8_t id;", "uint8_t id; uint64_t more;") + "void saltus_new(void);\n";
        assert!(broken(&kept, &declarations(&now)).is_empty());
    }

    #[test]
    fn a_struct_in_another_one_does_not_grow() {
        let outer = "struct saltus_c_t { size_t struct_size; struct saltus_b_t b; }";
        let kept = [declarations(HEADER), vec![outer.to_owned()]].concat();
        let now = HEADER.replace("uint8_t id;", "uint8_t id; uint64_t more;");
        let broken = broken(&kept, &[declarations(&now), vec![outer.to_owned()]].concat());
        assert_eq!(broken, ["struct saltus_b_t { size_t struct_size; uint8_t id; }"]);
    }

    #[test]
    fn a_new_field_in_the_padding_at_the_end_is_found() {
        let kept = declarations(HEADER);
        let after = |more: &str| broken(&kept, &declarations(&HEADER.replace("uint8_t id;", more))).len();
        assert_eq!(after("uint8_t id; uint16_t more;"), 1);
        assert_eq!(after("uint8_t id; struct saltus_unknown_t more;"), 1);
        assert_eq!(after("uint8_t id; void *more;"), 0);
    }
}
