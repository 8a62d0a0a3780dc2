//! Generates cases for [`saltus_fuzz::rcl`], and compares Saltus's answers with rcl's.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Write},
};

use saltus_fuzz::rcl::{Verdict, compare, generate};
use serde_json::Value;

const HELP: &str = "compare_with_rcl generate SEED COUNT: prints cases, one per line
compare_with_rcl compare CASES ANSWERS: compares Saltus's answers with rcl's, which are in the file ANSWERS";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["generate", seed, count] => print_cases(seed.parse()?, count.parse()?),
        ["compare", cases, answers] => compare_files(cases, answers),
        _ => Err(HELP.into()),
    }
}

fn print_cases(seed: u64, count: usize) -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for case in generate::cases(seed).take(count) {
        writeln!(out, "{case}")?;
    }
    Ok(out.flush()?)
}

fn compare_files(cases: &str, answers: &str) -> Result<(), Box<dyn std::error::Error>> {
    let (cases, answers) = (BufReader::new(File::open(cases)?), BufReader::new(File::open(answers)?));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut different = 0;
    let mut answers = answers.lines();
    for case in cases.lines() {
        let answer = answers.next().ok_or("there are fewer answers than cases")?;
        let (case, rcl): (Value, Value) = (serde_json::from_str(&case?)?, serde_json::from_str(&answer?)?);
        match compare(&case, &rcl) {
            Verdict::Same => *counts.entry("the same").or_default() += 1,
            Verdict::Listed(reason) => *counts.entry(reason).or_default() += 1,
            Verdict::Different(ours, theirs) => {
                different += 1;
                println!("case:   {case}\nSaltus: {ours}\nrcl:    {theirs}\n");
            }
        }
    }
    counts.iter().for_each(|(reason, count)| println!("{count:8}  {reason}"));
    println!("{different:8}  different");
    if different == 0 { Ok(()) } else { Err("some answers differ".into()) }
}
