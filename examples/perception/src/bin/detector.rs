//! The detector in a process of its own.

fn main() -> std::process::ExitCode {
    saltus::component::run::<perception::Detector>()
}
