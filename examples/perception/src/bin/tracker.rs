//! The tracker in a process of its own.

fn main() -> std::process::ExitCode {
    saltus::component::run::<perception::Tracker>()
}
