//! The arguments that launch files declare, as `--show-args` prints them.

use std::fmt;

use crate::{
    action::Argument,
    text::{Call, Part, Text},
};

/// An argument that a launch file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredArgument {
    /// The argument.
    pub(crate) argument: Argument,
    /// Whether it is only used under a condition.
    pub(crate) is_conditional: bool,
}

/// Prints arguments as `ros2 launch --show-args` does.
pub struct ArgumentList<'a>(pub &'a [DeclaredArgument]);

impl fmt::Display for ArgumentList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Arguments (pass arguments as '<name>:=<value>'):")?;
        if self.0.is_empty() {
            return writeln!(f, "\n  No arguments.");
        }
        for DeclaredArgument { argument, is_conditional } in self.0 {
            let mark = if *is_conditional { "*" } else { "" };
            writeln!(f, "\n    '{}':{mark}\n        {}", argument.name, description(argument))?;
            if let Some(default) = &argument.default {
                writeln!(f, "        (default: {})", text_description(default, " + "))?;
            }
        }
        if self.0.iter().any(|declared| declared.is_conditional) {
            writeln!(f, "\n* argument(s) which are only used if specific conditions occur")?;
        }
        Ok(())
    }
}

fn description(argument: &Argument) -> String {
    let choices = argument.choices.iter().map(|choice| format!("'{choice}'")).collect::<Vec<_>>().join(", ");
    match argument.description.as_deref() {
        None if argument.choices.is_empty() => "no description given".into(),
        None => format!("One of: [{choices}]"),
        Some(text) if argument.choices.is_empty() => text.into(),
        Some(text) => format!("{}. Valid choices are: [{choices}]", text.trim_end_matches('.')),
    }
}

/// Describes a text as ROS 2 does: the parts with their kinds.
fn text_description(text: &Text, separator: &str) -> String {
    let part = |part: &Part| match part {
        Part::Literal(text) => format!("'{text}'"),
        Part::Call(call) => call_description(call),
    };
    match text.parts() {
        [] => "''".into(),
        parts => parts.iter().map(part).collect::<Vec<_>>().join(separator),
    }
}

fn call_description(call: &Call) -> String {
    let argument = |index: usize| {
        call.arguments.get(index).map_or_else(|| "''".into(), |text| text_description(text, " + "))
    };
    let all = |separator: &str| {
        call.arguments.iter().map(|text| text_description(text, " + ")).collect::<Vec<_>>().join(separator)
    };
    match call.name.as_str() {
        "var" => format!("LaunchConfig({})", argument(0)),
        "env" => format!("EnvVar({})", argument(0)),
        "eval" => {
            let modules = call.arguments.get(1).and_then(Text::literal).unwrap_or("math".into());
            let modules =
                modules.split(',').map(|name| format!("'{}'", name.trim())).collect::<Vec<_>>().join(", ");
            format!("PythonExpr({}, [{modules}])", argument(0))
        }
        "command" => format!("Command({})", argument(0)),
        "find-exec" => format!("FindExec({})", argument(0)),
        "anon" => format!("AnonName({})", argument(0)),
        "dirname" => "ThisLaunchFileDir()".into(),
        "filename" => "ThisLaunchFile()".into(),
        "launch_log_dir" | "log_dir" => "LaunchLogDir()".into(),
        "file-content" => format!("FileContent({})", argument(0)),
        "find-pkg-share" => format!("FindPackageShare(pkg={})", argument(0)),
        "find-pkg-prefix" => format!("FindPackagePrefix(pkg={})", argument(0)),
        "exec-in-pkg" => format!("ExecInPkg(pkg={}, exec={})", argument(1), argument(0)),
        "param" => format!("Parameter(name={})", argument(0)),
        "path-join" => format!("PathJoin({})", all(" + ")),
        "not" => format!("NotSubstitution({})", argument(0)),
        "and" | "or" => format!("AndSubstitution({})", all(" ")),
        "any" => format!("AnySubstitution({})", all(" ")),
        "all" => format!("AllSubstitution({})", all(" ")),
        "equals" => format!("EqualsSubstitution({})", all(" ")),
        "not-equals" => format!("NotEqualsSubstitution({})", all(" ")),
        "if" => format!("IfElseSubstitution({})", all(", ")),
        _ if call.object().is_some() => "a function of the launch file".into(),
        _ => call.to_string(),
    }
}
