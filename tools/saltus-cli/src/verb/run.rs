//! `saltus run`

use std::{collections::BTreeSet, ffi::OsString, process::Command};

use saltus_container::Role;
use saltus_package::{Language, PackagePath, Prefix};

use super::pkg;
use saltus_verb::{
    bundled, complete,
    error::Error,
    graph,
    packages::{command, container_program, cpp_command, python_command, replace_process, with_libraries},
};

/// `saltus run …`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  saltus run demo talker --ros-args -r chatter:=news\n  \
    saltus run demo demo::Talker --ros-args -p rate:=5.0\n  saltus run --prefix 'gdb --args' demo talker")]
pub(crate) struct Run {
    /// A command that starts the program, such as `gdb --args`; spaces separate its words
    #[arg(long)]
    prefix: Option<String>,
    /// The name of the package
    #[arg(add = complete::installed())]
    package_name: String,
    /// The name of a program of the package, or the plugin name of one of its components
    executable_name: String,
    /// The arguments of the program
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    argv: Vec<OsString>,
}

impl Run {
    pub(crate) fn run(self) -> Result<(), Error> {
        let path = PackagePath::from_environment();
        let package = &self.package_name;
        let bundled = || bundled::find(package, &self.executable_name);
        let found = match path.find(package) {
            Some(prefix) => self.find(prefix)?.map(|command| with_libraries(command, &path)),
            None if bundled::of_package(package).next().is_none() => {
                return Err(format!("Package '{package}' not found{}", pkg::meant(&path, package)).into());
            }
            None => None,
        };
        let found = match (found, bundled()) {
            (Some(found), _) => found,
            (None, None) => return Err(self.no_executable(&path)?),
            (None, Some(bundled)) => bundled.command()?,
        };
        let mut words = self.prefix.iter().flat_map(|words| words.split_whitespace());
        let mut command = match words.next() {
            Some(first) => {
                let mut command = Command::new(first);
                command.args(words).arg(found.get_program()).args(found.get_args());
                command
            }
            None => found,
        };
        command.args(&self.argv);
        Err(replace_process(command))
    }

    /// Returns the error for a name that the package does not have.
    fn no_executable(&self, path: &PackagePath) -> Result<Error, Error> {
        let package = &self.package_name;
        let mut known: BTreeSet<String> =
            bundled::of_package(package).map(|bundled| bundled.name.to_owned()).collect();
        if let Some(prefix) = path.find(package) {
            let programs = prefix.executables(package);
            known.extend(programs.iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())));
            known.extend(prefix.components(package)?.unwrap_or_default().into_iter().map(|one| one.plugin));
        }
        Ok(format!("No executable found{}", graph::meant(&self.executable_name, &known)).into())
    }

    /// Returns a command for the program or the component.
    fn find(&self, prefix: &Prefix) -> Result<Option<Command>, Error> {
        let (package, name) = (&self.package_name, &self.executable_name);
        let programs = prefix.executables(package);
        if let Some(program) =
            programs.iter().find(|path| path.file_name().is_some_and(|file| file == &**name))
        {
            return Ok(Some(Command::new(program)));
        }
        let components = prefix.components(package)?.unwrap_or_default();
        let Some(entry) = components.iter().find(|entry| entry.plugin == *name) else { return Ok(None) };
        let role = Role::Alone { package: package.clone(), plugin: name.clone() };
        match entry.language {
            Language::Python => return Ok(Some(python_command(&role))),
            Language::Cpp => return cpp_command(&role).map(Some),
            Language::Rust => {}
        }
        let program = container_program(prefix);
        let program =
            program.ok_or_else(|| format!("{} has no program for components", prefix.path().display()))?;
        Ok(Some(command(&program, &role)))
    }
}
