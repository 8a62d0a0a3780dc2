//! Evaluates substitutions.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use saltus_types::ParameterValue;

use crate::{
    arguments::parameter_text,
    scope::{GlobalParameter, Scope},
    text::{Call, Part, Text},
    world::World,
};

type Result<T, E = String> = std::result::Result<T, E>;

/// Returns the value of a text, for functions of launch files in Python that ask for it.
///
/// # Errors
///
/// Returns an error if a substitution has no value.
pub fn perform(text: &Text, scope: &Scope, world: &dyn World) -> Result<String> {
    Substitute { scope, world }.text(text)
}

/// Evaluates texts in a scope.
#[derive(Clone, Copy)]
pub(crate) struct Substitute<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) world: &'a dyn World,
}

impl Substitute<'_> {
    /// Returns the text with the results of its substitutions.
    ///
    /// # Errors
    ///
    /// Returns an error if a substitution has no result.
    pub(crate) fn text(self, text: &Text) -> Result<String> {
        let part = |part: &Part| match part {
            Part::Literal(text) => Ok(text.clone()),
            Part::Call(call) => self.call(call).map_err(|error| format!("`{call}`: {error}")),
        };
        text.parts().iter().map(part).collect()
    }

    /// Evaluates a text that must be a bool: a condition.
    pub(crate) fn condition(self, text: &Text) -> Result<bool> {
        let value = self.text(text)?;
        match value.trim().to_lowercase().as_str() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err(format!("a condition must be true, 1, false or 0, and not `{value}`")),
        }
    }

    /// Evaluates a text that must be a bool in YAML, or a digit.
    pub(crate) fn bool(self, text: &Text) -> Result<bool> {
        let value = self.text(text)?;
        let node = saltus_yaml::parse(&value).ok();
        match value.trim() {
            "1" => Some(true),
            "0" => Some(false),
            _ => node.and_then(|node| node.as_bool()),
        }
        .ok_or_else(|| format!("expected a bool, found `{value}`"))
    }

    /// Evaluates a text that must be a number that is not negative.
    pub(crate) fn seconds(self, text: &Text) -> Result<f64> {
        let value = self.text(text)?;
        let number = value.trim().parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
        number.ok_or_else(|| format!("expected a number of seconds, found `{value}`"))
    }

    fn call(self, call: &Call) -> Result<String> {
        let all = || call.arguments.iter().map(|argument| self.text(argument)).collect::<Result<Vec<_>>>();
        let count = |min: usize, max: usize| match call.arguments.len() {
            given if (min..=max).contains(&given) => Ok(()),
            given => Err(wrong_count(min, max, given)),
        };
        if let Some(object) = call.object() {
            return self.world.substitute(object, self.scope);
        }
        match call.name.as_str() {
            "var" => count(1, 2).and_then(|()| self.variable(call)),
            "env" => count(1, 2).and_then(|()| self.environment(call)),
            "eval" => count(1, 2).and_then(|()| self.python(&all()?)),
            "command" => count(1, 2).and_then(|()| self.command(&all()?)),
            "find-exec" => count(1, 1).and_then(|()| self.find_program(&all()?[0])),
            "anon" => count(1, 1).and_then(|()| Ok(self.anonymous(&all()?[0]))),
            "dirname" => count(0, 0).and_then(|()| self.folder().map(|path| path.display().to_string())),
            "filename" => count(0, 0).and_then(|()| Ok(self.file()?.display().to_string())),
            "launch_log_dir" | "log_dir" => {
                count(0, 0).map(|()| self.world.log_folder().display().to_string())
            }
            "path-join" => Ok(all()?.iter().collect::<PathBuf>().display().to_string()),
            "file-content" => count(1, 1).and_then(|()| self.content(&all()?[0])),
            "not" => count(1, 1).and_then(|()| Ok((!self.bool(&call.arguments[0])?).to_string())),
            "and" => count(2, 2).and_then(|()| self.logic(call, |values| values.iter().all(|value| *value))),
            "or" => count(2, 2).and_then(|()| self.logic(call, |values| values.iter().any(|value| *value))),
            "all" => self.logic(call, |values| values.iter().all(|value| *value)),
            "any" => self.logic(call, |values| values.iter().any(|value| *value)),
            "equals" => count(2, 2).and_then(|()| Ok(are_equal(&all()?).to_string())),
            "not-equals" => count(2, 2).and_then(|()| Ok((!are_equal(&all()?)).to_string())),
            "if" => count(2, 3).and_then(|()| self.choose(call)),
            "find-pkg-prefix" => {
                count(1, 1).and_then(|()| Ok(self.prefix(&all()?[0])?.display().to_string()))
            }
            "find-pkg-share" => count(1, 1).and_then(|()| {
                let package = &all()?[0];
                Ok(self.prefix(package)?.join("share").join(package).display().to_string())
            }),
            "exec-in-pkg" => count(2, 2).and_then(|()| {
                let words = all()?;
                Ok(self.program(&words[1], &words[0])?.display().to_string())
            }),
            "param" => count(1, 2).and_then(|()| self.parameter(&all()?)),
            _ => Err("there is no such substitution".into()),
        }
    }

    fn variable(self, call: &Call) -> Result<String> {
        let name = self.text(&call.arguments[0])?;
        self.world.note_variable(&name);
        match (self.scope.variables.get(&name), call.arguments.get(1)) {
            (Some(value), _) => Ok(value.clone()),
            (None, Some(default)) => self.text(default),
            (None, None) => {
                Err(format!("there is no variable `{name}`; declare it with `arg` or set it with `let`"))
            }
        }
    }

    fn environment(self, call: &Call) -> Result<String> {
        let name = self.text(&call.arguments[0])?;
        match (self.scope.environment.get(&name), call.arguments.get(1)) {
            (Some(value), _) => Ok(value.clone()),
            (None, Some(default)) => self.text(default),
            (None, None) => Err(format!("the environment variable `{name}` is not set")),
        }
    }

    fn python(self, words: &[String]) -> Result<String> {
        let modules = words.get(1).map_or("math", String::as_str).split(',').map(str::trim);
        let modules: Vec<String> = modules.filter(|module| !module.is_empty()).map(str::to_owned).collect();
        self.world.python(&words[0], &modules)
    }

    fn command(self, words: &[String]) -> Result<String> {
        let mode = words.get(1).map_or("fail", String::as_str);
        if !["fail", "ignore", "warn", "capture"].contains(&mode) {
            return Err(format!("expected fail, ignore, warn or capture, found `{mode}`"));
        }
        let command = shlex::split(&words[0]).ok_or("a quote of the command is not closed")?;
        let (output, errors) = self.world.run(&command, &self.scope.environment)?;
        match mode {
            "capture" => Ok(output + &errors),
            "fail" if !errors.is_empty() => {
                Err(format!("the command has written errors: {}", errors.trim_end()))
            }
            "warn" if !errors.is_empty() => {
                self.world.warn(&format!("`{}` has written errors: {}", words[0], errors.trim_end()));
                Ok(output)
            }
            _ => Ok(output),
        }
    }

    fn find_program(self, name: &str) -> Result<String> {
        let path = self.scope.environment.get("PATH").map_or("", String::as_str);
        let candidates = std::env::split_paths(path).map(|folder| folder.join(name));
        let found = candidates.into_iter().find(|path| self.world.is_program(path));
        found
            .map(|path| path.display().to_string())
            .ok_or_else(|| format!("there is no program `{name}` in the folders of PATH"))
    }

    /// Returns a name that no other launch has. It is the same for the same name.
    fn anonymous(self, name: &str) -> String {
        let unique = format!("{name}_{}", self.world.unique());
        unique.replace(['.', '-', ':'], "_")
    }

    fn file(self) -> Result<Arc<Path>> {
        self.scope.file.clone().ok_or_else(|| "there is no launch file here".into())
    }

    fn folder(self) -> Result<PathBuf> {
        Ok(self.file()?.parent().unwrap_or(Path::new("/")).to_owned())
    }

    fn content(self, path: &str) -> Result<String> {
        self.world.read(Path::new(path)).map_err(|error| format!("can't read {path}: {error}"))
    }

    fn logic(self, call: &Call, of: impl FnOnce(&[bool]) -> bool) -> Result<String> {
        let values: Vec<bool> =
            call.arguments.iter().map(|argument| self.bool(argument)).collect::<Result<_>>()?;
        Ok(of(&values).to_string())
    }

    /// Evaluates the value that the condition chooses, and not the other one.
    fn choose(self, call: &Call) -> Result<String> {
        let index = if self.bool(&call.arguments[0])? { 1 } else { 2 };
        call.arguments.get(index).map_or(Ok(String::new()), |value| self.text(value))
    }

    pub(crate) fn prefix(self, package: &str) -> Result<PathBuf> {
        self.world.prefix(package).ok_or_else(|| {
            let similar = self.world.similar_package(package);
            let meant = similar.map_or_else(String::new, |similar| format!("; did you mean `{similar}`?"));
            format!(
                "the package `{package}` is not installed in a prefix of SALTUS_PREFIX_PATH or AMENT_PREFIX_PATH{meant}"
            )
        })
    }

    /// Returns the path of a program of a package.
    pub(crate) fn program(self, package: &str, program: &str) -> Result<PathBuf> {
        let folder = self.prefix(package)?.join("lib").join(package);
        let path = folder.join(program);
        if self.world.is_program(&path) {
            return Ok(path);
        }
        Err(format!("the package `{package}` has no program `{program}` in {}", folder.display()))
    }

    /// Returns a parameter that was set for all nodes.
    fn parameter(self, words: &[String]) -> Result<String> {
        let known = self.scope.node_defaults.parameters.iter().rev().find_map(|parameter| match parameter {
            GlobalParameter::Value(name, value) if *name == words[0] => Some(plain(value)),
            _ => None,
        });
        let default = || words.get(1).cloned();
        known
            .or_else(default)
            .ok_or_else(|| format!("no parameter `{}` was set with `set_parameter`", words[0]))
    }
}

/// Returns a value as a text without quotes.
fn plain(value: &ParameterValue) -> String {
    match value {
        ParameterValue::String(text) => text.clone(),
        other => parameter_text(other),
    }
}

fn wrong_count(min: usize, max: usize, given: usize) -> String {
    let s = |count| if count == 1 { "" } else { "s" };
    match (min, max) {
        (0, 0) => format!("takes no arguments, found {given}"),
        (min, max) if min == max => format!("takes {min} argument{}, found {given}", s(min)),
        _ => format!("takes {min} or {max} arguments, found {given}"),
    }
}

/// Compares two texts as bools, then as numbers, then as texts.
fn are_equal(words: &[String]) -> bool {
    let [left, right] = words else { return false };
    let bool = |word: &String| match word.to_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    };
    let number = |word: &String| word.trim().parse::<f64>().ok();
    match (bool(left).zip(bool(right)), number(left).zip(number(right))) {
        (Some((left, right)), _) => left == right,
        (None, Some((left, right))) => {
            left == right || (left - right).abs() <= 1e-9 * left.abs().max(right.abs())
        }
        (None, None) => left == right,
    }
}
