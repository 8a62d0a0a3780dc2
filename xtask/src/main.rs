//! Tasks of the workspace: `cargo xtask check`, `codegen`, `tidy`, and others.

mod abi;
mod architecture;
mod check;
mod claims;
mod codegen;
mod durations;
mod features;
mod header;
mod layers;
mod modules;
mod tables;
mod tidy;
mod workspace;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <check [--base COMMIT] | test NAME | codegen [--check] | abi | tables | durations | tidy>

  check            check what has changed since HEAD (or since COMMIT): format, lints, tidy, and the unit tests of
                   the changed crates and of those that use them
  test NAME        run the tests whose names contain NAME
  codegen          write crates/types/saltus-msgs/src/generated from interfaces/
  codegen --check  fail if the existing files differ from those that would be written
  abi              add the new declarations of libsaltus to bindings/c/abi.txt; fail if one was removed or changed
  durations        keep the durations of the last `make demo` and `make test`, for the README
  tables           write the tables of figures in the documents, from the runs in bench/results
  tidy             check layers and rules of crates, features of dependencies, cycles of modules, module heads
                   (`//!`), sizes of files, generated code, the ABI of libsaltus, tables";

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
        ["abi"] => abi::write(),
        ["codegen"] => codegen::write(),
        ["codegen", "--check"] => codegen::check(),
        ["tables"] => tables::write(),
        ["tidy"] => tidy::run(),
        ["check"] => check::run(None),
        ["check", "--base", base] => check::run(Some(base)),
        ["test", name] => check::test(name),
        ["durations"] => durations::keep(),
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
