//! Runs the component in a process of its own, until Ctrl-C.

fn main() -> std::process::ExitCode {
    saltus::component::run::<@name@::Status>()
}
