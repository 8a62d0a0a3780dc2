//! The program that runs components.

fn main() -> std::process::ExitCode {
    saltus_runtime::saltus_container::main(env!("SALTUS_BUILD"))
}
