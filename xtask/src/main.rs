//! Tasks of the workspace: `cargo xtask codegen`, `tables` and `tidy`.

mod architecture;
mod claims;
mod codegen;
mod features;
mod layers;
mod modules;
mod tables;
mod tidy;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <codegen [--check] | tables | tidy>

  codegen          write crates/types/saltus-msgs/src/generated from interfaces/
  codegen --check  fail if the existing files differ from those that would be written
  tables           write the tables of figures in the documents, from the runs in bench/results
  tidy             check layers and rules of crates, features of dependencies, cycles of modules, module heads
                   (`//!`), sizes of files, generated code, tables";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    // All paths are relative to the root of the workspace, whatever the current directory was.
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    if let Err(error) = std::env::set_current_dir(root) {
        eprintln!("{root}: {error}");
        return ExitCode::FAILURE;
    }
    let done = match words[..] {
        ["codegen"] => codegen::write(),
        ["codegen", "--check"] => codegen::check(),
        ["tables"] => tables::write(),
        ["tidy"] => tidy::run(),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(report) => {
            eprintln!("{report}");
            ExitCode::FAILURE
        }
    }
}
