//! The installed packages, and the program that runs their components.

use std::{
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
};

use saltus_container::{ALLOCATOR, PYTHON_PROGRAM, Role, cpp_program};
use saltus_package::{LIBRARY_PATH, PackagePath, Prefix};

use crate::{error::Error, programs::Program};

/// Returns the program that runs the components of a prefix.
pub fn container_program(prefix: &Prefix) -> Option<PathBuf> {
    Some(prefix.current_build()?.join("container")).filter(|program| program.is_file())
}

/// The word after the first one of a command line with which `saltus-robot` runs components.
pub const COMPONENTS: &str = "__components";

/// Returns a command that runs components in Rust: with the program of the first prefix that has one, or with `saltus-robot`,
/// which contains the components of navigation.
///
/// # Errors
///
/// Returns an error if `saltus-robot` is needed and is not installed.
pub fn container_command(role: &Role) -> Result<Command, Error> {
    let path = PackagePath::from_environment();
    let mut command = match path.prefixes().iter().find_map(container_program) {
        Some(program) => command(&program, role),
        None => {
            let mut command = Program::Robot.command()?;
            command.arg(COMPONENTS).args(role.words());
            command
        }
    };
    // What the user has set stays.
    let new = ALLOCATOR.iter().filter(|(name, _)| std::env::var_os(name).is_none());
    command.envs(new.copied());
    Ok(command)
}

/// Returns a command that runs components in Python.
pub fn python_command(role: &Role) -> Command {
    let [python, arguments @ ..] = PYTHON_PROGRAM;
    let mut command = Command::new(python);
    command.args(arguments).args(role.words());
    command
}

/// Returns a command that runs components in C++.
///
/// # Errors
///
/// Returns an error if the C++ packages are not there.
pub fn cpp_command(role: &Role) -> Result<Command, Error> {
    let path = PackagePath::from_environment();
    let program = cpp_program(&path).ok_or(
        "components in C++ need the package rclcpp_components of Saltus: add the prefix of its C++ packages to \
         AMENT_PREFIX_PATH (`source PREFIX/setup.bash`)",
    )?;
    Ok(with_libraries(command(&program, role), &path))
}

/// Lets a command find the libraries of all prefixes, which programs in C++ need.
pub fn with_libraries(mut command: Command, path: &PackagePath) -> Command {
    command.envs(path.library_path().map(|folders| (LIBRARY_PATH, folders)));
    command
}

/// Returns a command that runs components with a program.
pub fn command(program: &Path, role: &Role) -> Command {
    let mut command = Command::new(program);
    command.args(role.words());
    command
}

/// Replaces this process by a command. Returns only if that fails.
pub fn replace_process(mut command: Command) -> Error {
    let error = command.exec();
    format!("can't start {}: {error}", command.get_program().display()).into()
}

/// Runs a command whose output the user sees.
pub fn run(command: &mut Command) -> Result<(), Error> {
    let name = command.get_program().display().to_string();
    let status = command.status().map_err(|error| format!("can't start {name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed, see above").into()) }
}
