//! Compares Saltus's answers with rcl's, which the corpus contains.

use std::{collections::BTreeMap, fs};

use saltus_fuzz::rcl::{Verdict, compare, generate};
use serde_json::Value;

#[test]
fn parameters_and_arguments_are_read_as_rcl_reads_them() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/rcl/answers.jsonl");
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut different = Vec::new();
    for line in fs::read_to_string(corpus).unwrap().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        match compare(&line["case"], &line["rcl"]) {
            Verdict::Same => *counts.entry("the same").or_default() += 1,
            Verdict::Listed(reason) => *counts.entry(reason).or_default() += 1,
            Verdict::Different(ours, rcl) => different.push(format!("{}\n{ours}\n{rcl}", line["case"])),
        }
    }
    counts.iter().for_each(|(reason, count)| println!("{count:5}  {reason}"));
    assert!(different.is_empty(), "{}", different.join("\n\n"));
    assert!(counts["the same"] > 800, "{counts:?}");
}

#[test]
fn a_comparison_can_fail() {
    let case: Value = serde_json::from_str(r#"{"kind": "value", "text": "5"}"#).unwrap();
    let answer = |value: &str| -> Value {
        serde_json::from_str(&format!(r#"{{"ok": true, "nodes": {{"n": {{"p": {value}}}}}}}"#)).unwrap()
    };
    assert_eq!(compare(&case, &answer(r#"["integer", 5]"#)), Verdict::Same);
    for other in [r#"["integer", 6]"#, r#"["double", 5]"#, r#"["string", "5"]"#] {
        assert!(matches!(compare(&case, &answer(other)), Verdict::Different(..)), "{other}");
    }
    let refused: Value = serde_json::from_str(r#"{"ok": false, "error": "no"}"#).unwrap();
    assert!(matches!(compare(&case, &refused), Verdict::Different(..)));
}

#[test]
fn a_seed_gives_the_same_cases_again() {
    let cases = |seed| generate::cases(seed).take(100).collect::<Vec<_>>();
    assert_eq!(cases(1), cases(1));
    assert_ne!(cases(1), cases(2));
}
