//! The installed packages, and the program that runs their components.

use std::{
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
};

use saltus_container::{PYTHON_PROGRAM, Role};
use saltus_package::{PackagePath, Prefix, VARIABLE};

use crate::error::Error;

/// Returns the program that runs the components of a prefix.
pub(crate) fn container_program(prefix: &Prefix) -> Option<PathBuf> {
    Some(prefix.current_build()?.join("container")).filter(|program| program.is_file())
}

/// Returns a command that runs components in Rust, with the program of the first prefix that has one.
pub(crate) fn container_command(role: &Role) -> Result<Command, Error> {
    let path = PackagePath::from_environment();
    let program = path.prefixes().iter().find_map(container_program).ok_or_else(|| {
        format!(
            "no prefix in {VARIABLE} has components; install a package with `saltus install`, and add its prefix to \
             {VARIABLE}"
        )
    })?;
    Ok(command(&program, role))
}

/// Returns a command that runs components in Python.
pub(crate) fn python_command(role: &Role) -> Command {
    let [python, arguments @ ..] = PYTHON_PROGRAM;
    let mut command = Command::new(python);
    command.args(arguments).args(role.words());
    command
}

/// Returns a command that runs components with a program.
pub(crate) fn command(program: &Path, role: &Role) -> Command {
    let mut command = Command::new(program);
    command.args(role.words());
    command
}

/// Replaces this process by a command. Returns only if that fails.
pub(crate) fn replace_process(mut command: Command) -> Error {
    let error = command.exec();
    format!("can't start {}: {error}", command.get_program().display()).into()
}

/// Runs a command whose output the user sees.
pub(crate) fn run(command: &mut Command) -> Result<(), Error> {
    let name = command.get_program().display().to_string();
    let status = command.status().map_err(|error| format!("can't start {name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed, see above").into()) }
}
