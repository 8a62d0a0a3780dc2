//! Launch files.

use std::{
    cell::RefCell,
    io,
    path::{Path, PathBuf},
};

use saltus_launch_file::{Action, Environment, Evaluator, Object, Scope, World, entries, picture};

/// A world with only one launch file, which can be read once.
struct One(RefCell<Option<String>>);

impl World for One {
    fn read(&self, _: &Path) -> io::Result<String> {
        self.0.take().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn prefix(&self, package: &str) -> Option<PathBuf> {
        Some(Path::new("/opt").join(package))
    }

    fn similar_package(&self, _: &str) -> Option<String> {
        None
    }

    fn is_in_cpp(&self, _: &str, _: &str) -> bool {
        false
    }

    fn has_component(&self, _: &str, _: &str) -> bool {
        true
    }

    fn is_program(&self, path: &Path) -> bool {
        path.as_os_str().len().is_multiple_of(2)
    }

    fn run(&self, command: &[String], _: &Environment) -> Result<(String, String), String> {
        Ok((command.join(" "), String::new()))
    }

    fn python(&self, expression: &str, _: &[String]) -> Result<String, String> {
        Ok(expression.to_owned())
    }

    fn load(&self, _: &Path, _: &mut Scope) -> Result<Vec<Action>, String> {
        Err(String::new())
    }

    fn substitute(&self, _: Object, _: &Scope) -> Result<String, String> {
        Ok(String::new())
    }

    fn holds(&self, _: Object, _: &Scope) -> Result<bool, String> {
        Ok(true)
    }

    fn call(&self, _: Object, _: &mut Scope) -> Result<Vec<Action>, String> {
        Ok(Vec::new())
    }

    fn chooses(&self, _: Object, _: Object) -> Result<bool, String> {
        Ok(true)
    }

    fn warn(&self, _: &str) {}

    fn unique(&self) -> String {
        "1".into()
    }

    fn log_folder(&self) -> PathBuf {
        "/log".into()
    }
}

/// Makes a plan of a launch file, in XML if its first character is `<`. A picture of the plan is well-formed.
pub fn launch(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let world = One(RefCell::new(Some(text.to_owned())));
    let file = Path::new("/robot.launch");
    let plan = Evaluator::new(&world, Environment::new()).plan(file, &[]);
    if let Ok(plan) = plan {
        let svg = picture(file, &entries(&plan));
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }
}
