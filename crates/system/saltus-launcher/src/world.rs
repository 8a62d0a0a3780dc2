//! The files, packages and programs of this machine.

use std::{
    cell::{LazyCell, RefCell},
    collections::BTreeSet,
    env,
    ffi::OsString,
    fs, io,
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::{Path, PathBuf},
    process::{Command, Output},
    rc::Rc,
    sync::OnceLock,
};

use saltus_launch_file::{Action, Environment, Object, Scope, World};
use saltus_package::{Entry, Language, PackagePath, Prefix};
use saltus_types::most_similar;
use serde_json::json;

use crate::{
    commands::output,
    guard::{SERVER, VARIABLE},
    python::{BundledPrefix, Python, answer_actions, answer_text, path_text},
};

/// A program that evaluates an expression as ROS 2 does: the modules are known by their names, and the names of `math` also
/// without the name of the module.
const EVALUATE: &str = "import importlib, sys\n\
    names = {name: importlib.import_module(name) for name in sys.argv[2:]}\n\
    if 'math' in names:\n    names = {**vars(names['math']), **names}\n\
    print(eval(sys.argv[1], names), end='')";

/// This machine.
#[derive(Debug)]
pub struct Machine {
    packages: PackagePath,
    bundled: BundledPrefix,
    log_folder: PathBuf,
    unique: OnceLock<String>,
    python: Python,
    warnings: RefCell<Warnings>,
    /// The variables that launch files have declared or read.
    variables: RefCell<BTreeSet<String>>,
    is_bundled: fn(&str, &str) -> bool,
}

/// Warnings about possible mistakes in launch files.
#[derive(Debug, Default)]
struct Warnings {
    new: Vec<String>,
    /// All warnings. The user sees each of them once.
    all: BTreeSet<String>,
}

impl Machine {
    /// Returns the machine with the packages of `SALTUS_PREFIX_PATH` and `AMENT_PREFIX_PATH`. A package that is not there is
    /// searched for in the prefix that `bundled` returns. It is called at most once.
    /// `is_bundled` returns whether the command `saltus run` itself contains a program of a package.
    pub fn new(
        log_folder: PathBuf,
        bundled: fn() -> Option<Prefix>,
        is_bundled: fn(&str, &str) -> bool,
    ) -> Self {
        let bundled = BundledPrefix::new(LazyCell::new(bundled));
        let python = Python::new(bundled.clone());
        let packages = PackagePath::from_environment();
        let (unique, warnings, variables) = Default::default();
        Self { packages, bundled, log_folder, unique, python, warnings, variables, is_bundled }
    }

    /// Returns the warnings since the last call. No warning is returned twice.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut self.warnings.borrow_mut().new)
    }

    /// Returns the first prefix that has a package.
    fn find(&self, package: &str) -> Option<&Prefix> {
        let bundled = || (**self.bundled).as_ref().filter(|prefix| prefix.has(package));
        self.packages.find(package).or_else(bundled)
    }

    /// Returns the entry of an installed component.
    fn component(&self, package: &str, plugin: &str) -> Option<Entry> {
        let components = self.find(package)?.components(package).ok().flatten()?;
        components.into_iter().find(|entry| entry.plugin == plugin)
    }

    /// Returns the program that may add work, if such a program has started this launch.
    pub(crate) fn program(&self) -> Option<Rc<UnixStream>> {
        self.python.starter()
    }

    /// Returns whether the program has added work since the last call.
    pub(crate) fn take_work(&self) -> bool {
        self.python.take_work()
    }

    /// Notes that everything ends. A function in Python that does not return in time is ended from now on.
    pub(crate) fn end(&self) {
        self.python.end();
    }
}

impl World for Machine {
    fn note_variable(&self, name: &str) {
        self.variables.borrow_mut().insert(name.to_owned());
    }

    fn knows_variable(&self, name: &str) -> bool {
        self.variables.borrow().contains(name)
    }

    fn read(&self, path: &Path) -> io::Result<String> {
        match path.extension().and_then(|end| end.to_str()) {
            // XML may have another encoding than UTF-8.
            Some("xml" | "launch" | "urdf" | "sdf" | "xacro") => fs::read(path).map(saltus_xml::decoded),
            _ => fs::read_to_string(path),
        }
    }

    fn prefix(&self, package: &str) -> Option<PathBuf> {
        self.find(package).map(|prefix| prefix.path().to_owned())
    }

    fn similar_package(&self, package: &str) -> Option<String> {
        let bundled = (**self.bundled).as_ref().map(Prefix::packages).unwrap_or_default();
        let known: BTreeSet<String> = self.packages.packages().into_keys().chain(bundled).collect();
        most_similar(package, known.iter().map(String::as_str)).map(str::to_owned)
    }

    fn has_component(&self, package: &str, plugin: &str) -> bool {
        self.component(package, plugin).is_some() || (self.is_bundled)(package, plugin)
    }

    fn is_in_cpp(&self, package: &str, plugin: &str) -> bool {
        self.component(package, plugin).is_some_and(|entry| entry.language == Language::Cpp)
    }

    fn is_program(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    }

    fn run(&self, command: &[String], environment: &Environment) -> Result<(String, String), String> {
        let [program, arguments @ ..] = command else { return Err("the command has no words".into()) };
        let mut run = Command::new(program);
        run.args(arguments).env_clear().envs(environment);
        let output = output(&mut run, self.python.is_ending());
        let output = output.map_err(|error| format!("can't run {program}: {error}"))?;
        let (text, errors) = texts(&output);
        if output.status.success() {
            return Ok((text, errors));
        }
        let errors = errors.trim_end();
        let details = if errors.is_empty() { String::new() } else { format!(": {errors}") };
        Err(format!("{program} has failed with {}{details}", output.status))
    }

    fn python(&self, expression: &str, modules: &[String]) -> Result<String, String> {
        if self.python.is_running() {
            return self.python.evaluate(expression, modules);
        }
        let mut run = Command::new("python3");
        run.args(["-c", EVALUATE, expression]).args(modules);
        let output = output(&mut run, self.python.is_ending());
        let output = output.map_err(|error| format!("can't run python3: {error}"))?;
        let (text, errors) = texts(&output);
        if output.status.success() {
            Ok(text)
        } else {
            Err(errors.lines().last().unwrap_or("failed").to_owned())
        }
    }

    fn load(&self, path: &Path, scope: &mut Scope) -> Result<Vec<Action>, String> {
        answer_actions(self.python.request(json!({"call": "load", "path": path_text(path)?}), scope, self)?)
    }

    fn substitute(&self, object: Object, scope: &Scope) -> Result<String, String> {
        let request = json!({"call": "substitute", "object": object});
        answer_text(self.python.request(request, &mut scope.clone(), self)?, "value")
    }

    fn holds(&self, object: Object, scope: &Scope) -> Result<bool, String> {
        let request = json!({"call": "holds", "object": object});
        let answer = self.python.request(request, &mut scope.clone(), self)?;
        answer["value"].as_bool().ok_or_else(|| "a condition is no bool".into())
    }

    fn call(&self, object: Object, scope: &mut Scope) -> Result<Vec<Action>, String> {
        answer_actions(self.python.request(json!({"call": "act", "object": object}), scope, self)?)
    }

    fn chooses(&self, object: Object, action: Object) -> Result<bool, String> {
        let request = json!({"call": "chooses", "object": object, "action": action});
        self.python
            .request_value(&request)?
            .as_bool()
            .ok_or_else(|| "a matcher has not returned a bool".into())
    }

    fn warn(&self, text: &str) {
        let mut warnings = self.warnings.borrow_mut();
        if warnings.all.insert(text.to_owned()) {
            warnings.new.push(text.to_owned());
        }
    }

    fn unique(&self) -> String {
        let create = || {
            let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
            let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            format!("{}_{}_{}", host.trim(), std::process::id(), time.subsec_nanos())
        };
        self.unique.get_or_init(create).clone()
    }

    fn log_folder(&self) -> PathBuf {
        self.log_folder.clone()
    }
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Returns the environment of the processes of a launch, which is that of this process.
pub fn environment() -> Environment {
    let text = |word: OsString| word.to_string_lossy().into_owned();
    let all = env::vars_os().map(|(name, value)| (text(name), text(value)));
    all.filter(|(name, _)| name != VARIABLE && name != SERVER).collect()
}

/// Returns the path of a launch file, and the words after it, which are arguments. `words` begins with a path, or with a
/// package and the name of a file in its share folder, as in `ros2 launch`.
///
/// # Errors
///
/// Returns an error if the package or the file does not exist, or if there are several such files.
pub fn find_file<'a>(machine: &Machine, words: &'a [String]) -> Result<(PathBuf, &'a [String]), String> {
    let [first, rest @ ..] = words else { return Err("a launch file is needed".into()) };
    if Path::new(first).is_file() {
        // Links are not resolved: files beside a link are found.
        let path = std::path::absolute(first).map_err(|error| format!("can't read {first}: {error}"))?;
        return Ok((path, rest));
    }
    let (name, arguments) = match rest {
        [name, arguments @ ..] if !name.contains(":=") => (name, arguments),
        _ if machine.find(first).is_some() => {
            return Err(format!("the name of a launch file in the package {first} is missing"));
        }
        _ => return Err(format!("there is no file {first}")),
    };
    let prefix = machine.find(first).ok_or_else(|| {
        let similar = machine.similar_package(first);
        let meant = similar.map_or_else(String::new, |similar| format!("; did you mean '{similar}'?"));
        format!("Package '{first}' not found{meant}")
    })?;
    let share = prefix.path().join("share").join(first);
    let mut found = Vec::new();
    search(&share, name, &mut found);
    let list = || found.iter().map(|path| format!("'{}'", path.display())).collect::<Vec<_>>().join(", ");
    match &found[..] {
        [path] => Ok((path.clone(), arguments)),
        [] => Err(format!(
            "file '{name}' was not found in the share directory of package '{first}' which is at '{}'",
            share.display()
        )),
        _ => Err(format!(
            "file '{name}' was found more than once in the share directory of package '{first}': [{}]",
            list()
        )),
    }
}

/// Adds all files with a name in a folder and the folders in it.
fn search(folder: &Path, name: &str, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            search(&path, name, found);
        } else if entry.file_name() == name && path.is_file() {
            found.push(path);
        }
    }
}

/// Parses arguments such as `robot:=arm`. As in ROS 2, the last value of a name counts.
///
/// # Errors
///
/// Returns an error if a word is no argument.
pub fn parse_arguments(words: &[String]) -> Result<Vec<(String, String)>, String> {
    let argument = |word: &String| match word.split_once(":=") {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("malformed launch argument '{word}', expected format '<name>:=<value>'")),
    };
    words.iter().map(argument).collect()
}
