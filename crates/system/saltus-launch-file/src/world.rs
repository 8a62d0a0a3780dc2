//! The machine of a launch file: files, packages, programs and functions in Python.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{
    action::Action,
    scope::{Environment, Scope},
    text::Object,
};

/// The files, packages, programs and functions that the evaluation of launch files uses. Tests have a world of their own.
pub trait World {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read.
    fn read(&self, path: &Path) -> io::Result<String>;

    /// Returns the prefix in which a package is installed.
    fn prefix(&self, package: &str) -> Option<PathBuf>;

    /// Returns the installed package whose name is similar to an unknown one.
    fn similar_package(&self, package: &str) -> Option<String>;

    /// Whether `saltus run` runs this name of a package, because it is the plugin name of an installed component, or because
    /// the command contains the program.
    fn has_component(&self, package: &str, plugin: &str) -> bool;

    /// Whether a component is one in C++, which a container in C++ runs.
    fn is_in_cpp(&self, package: &str, plugin: &str) -> bool;

    /// Whether the path is a program.
    fn is_program(&self, path: &Path) -> bool;

    /// Runs a command without a shell. Returns its output and its error output.
    ///
    /// # Errors
    ///
    /// Returns an error if the command can't be started, or if it fails.
    fn run(&self, command: &[String], environment: &Environment) -> Result<(String, String), String>;

    /// Evaluates an expression in Python, with these modules.
    ///
    /// # Errors
    ///
    /// Returns an error if Python is missing, or the text of the exception.
    fn python(&self, expression: &str, modules: &[String]) -> Result<String, String>;

    /// Loads a launch file in Python. It may change the scope.
    ///
    /// # Errors
    ///
    /// Returns the text of the exception.
    fn load(&self, path: &Path, scope: &mut Scope) -> Result<Vec<Action>, String>;

    /// Evaluates a substitution of a launch file in Python.
    ///
    /// # Errors
    ///
    /// Returns the text of the exception.
    fn substitute(&self, object: Object, scope: &Scope) -> Result<String, String>;

    /// Evaluates a condition of a launch file in Python.
    ///
    /// # Errors
    ///
    /// Returns the text of the exception.
    fn holds(&self, object: Object, scope: &Scope) -> Result<bool, String>;

    /// Calls a function of a launch file in Python, which returns actions. It may change the scope.
    ///
    /// # Errors
    ///
    /// Returns the text of the exception.
    fn call(&self, object: Object, scope: &mut Scope) -> Result<Vec<Action>, String>;

    /// Whether a function of a launch file in Python chooses the process of an action.
    ///
    /// # Errors
    ///
    /// Returns the text of the exception.
    fn chooses(&self, object: Object, action: Object) -> Result<bool, String>;

    /// Notes that a launch file declares or reads a variable.
    fn note_variable(&self, _name: &str) {}

    /// Whether a launch file has declared or read a variable. A world that notes none knows all.
    fn knows_variable(&self, _name: &str) -> bool {
        true
    }

    /// Warns the user of a possible mistake.
    fn warn(&self, text: &str);

    /// Returns a text that no other launch has, for names.
    fn unique(&self) -> String;

    /// Returns the folder with the logs of this launch.
    fn log_folder(&self) -> PathBuf;
}
