//! Plans of launch files, in a world with a few files and packages.

mod conditions;
mod errors;
mod json;
mod nodes;
mod pairs;
mod pictures;
mod scopes;
mod substitutions;
mod values;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

use crate::{
    Action, Environment, Evaluator, LaunchError, Object, Scope, World,
    plan::{Deferred, Plan, Process, Step, StepKind},
    tree::{Tree, entries},
};

/// A world of files. The package `demo` is installed in `/opt`, with some programs and components.
#[derive(Default)]
pub(super) struct Files {
    files: BTreeMap<PathBuf, String>,
    variables: RefCell<BTreeSet<String>>,
    pub(super) warnings: RefCell<Vec<String>>,
}

impl Files {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).into(), (*text).to_owned())).collect();
        Self { files, ..Self::default() }
    }

    /// Evaluates `/robot.launch.yaml` or the first other launch file.
    pub(super) fn plan(&self, arguments: &[(&str, &str)]) -> Result<Plan, LaunchError> {
        let is_launch = |path: &&PathBuf| path.display().to_string().starts_with("/robot");
        let file = self.files.keys().find(is_launch).expect("a launch file");
        let environment =
            Environment::from([("PATH".into(), "/usr/bin".into()), ("HOME".into(), "/home/robot".into())]);
        let arguments: Vec<_> =
            arguments.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Evaluator::new(self, environment).plan(file, &arguments)
    }
}

impl World for Files {
    fn read(&self, path: &Path) -> io::Result<String> {
        self.files.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn prefix(&self, package: &str) -> Option<PathBuf> {
        (package == "demo").then(|| "/opt".into())
    }

    fn similar_package(&self, package: &str) -> Option<String> {
        saltus_types::most_similar(package, ["demo"]).map(str::to_owned)
    }

    fn is_in_cpp(&self, _package: &str, plugin: &str) -> bool {
        plugin.starts_with("cpp::")
    }

    fn has_component(&self, package: &str, plugin: &str) -> bool {
        package == "demo" && ["demo::Talker", "demo::Camera", "demo::Detector"].contains(&plugin)
    }

    fn is_program(&self, path: &Path) -> bool {
        let demo =
            ["talker", "driver", "planner"].iter().any(|name| path == Path::new("/opt/lib/demo").join(name));
        demo || path == Path::new("/usr/bin/xacro")
    }

    fn run(&self, command: &[String], _: &Environment) -> Result<(String, String), String> {
        match command[0].as_str() {
            "loud" => Ok((command[1..].join("|"), "a warning\n".into())),
            "missing" => Err("there is no program `missing`".into()),
            _ => Ok((command.join("|"), String::new())),
        }
    }

    fn python(&self, expression: &str, modules: &[String]) -> Result<String, String> {
        Ok(format!("<{expression} with {}>", modules.join("+")))
    }

    fn load(&self, _: &Path, _: &mut Scope) -> Result<Vec<Action>, String> {
        Err("no Python here".into())
    }

    fn substitute(&self, _: Object, _: &Scope) -> Result<String, String> {
        Err("no Python here".into())
    }

    fn holds(&self, _: Object, _: &Scope) -> Result<bool, String> {
        Err("no Python here".into())
    }

    fn call(&self, _: Object, _: &mut Scope) -> Result<Vec<Action>, String> {
        Err("no Python here".into())
    }

    fn chooses(&self, _: Object, _: Object) -> Result<bool, String> {
        Err("no Python here".into())
    }

    fn note_variable(&self, name: &str) {
        self.variables.borrow_mut().insert(name.into());
    }

    fn knows_variable(&self, name: &str) -> bool {
        self.variables.borrow().contains(name)
    }

    fn warn(&self, text: &str) {
        self.warnings.borrow_mut().push(text.into());
    }

    fn unique(&self) -> String {
        "host_1.2".into()
    }

    fn log_folder(&self) -> PathBuf {
        "/log".into()
    }
}

/// Evaluates a file in YAML without the first line.
pub(super) fn yaml(actions: &str) -> Result<Plan, LaunchError> {
    Files::new(&[("/robot.launch.yaml", &format!("launch:\n{actions}"))]).plan(&[])
}

/// Evaluates a file in XML without its root.
pub(super) fn xml(actions: &str) -> Result<Plan, LaunchError> {
    Files::new(&[("/robot.launch.xml", &format!("<launch>\n{actions}\n</launch>"))]).plan(&[])
}

/// Returns the messages of all `log` actions.
pub(super) fn logs(plan: &Plan) -> Vec<String> {
    fn collect(steps: &[Step], logs: &mut Vec<String>) {
        for step in steps {
            match &step.kind {
                StepKind::Log(message) => logs.push(message.clone()),
                StepKind::Group(steps)
                | StepKind::Include { steps, .. }
                | StepKind::Timer { actions: Deferred::Steps(steps), .. } => {
                    collect(steps, logs);
                }
                _ => {}
            }
        }
    }
    let mut messages = Vec::new();
    collect(&plan.steps, &mut messages);
    messages
}

/// Returns the only process of a plan.
pub(super) fn process(plan: &Plan) -> &Process {
    let processes = plan.steps.iter().filter_map(|step| match &step.kind {
        StepKind::Process(process) => Some(&**process),
        _ => None,
    });
    let [process] = processes.collect::<Vec<_>>()[..] else { panic!("not one process: {plan:?}") };
    process
}

/// Returns a plan as a text, without the lines of the file.
pub(super) fn text(plan: &Plan) -> String {
    let tree = Tree { file: Path::new("robot"), entries: &entries(plan) }.to_string();
    let line = |line: &str| line.split("  (robot").next().unwrap_or(line).to_owned();
    tree.lines().map(line).collect::<Vec<_>>().join("\n")
}
