//! `--ros-args`: the settings for the nodes of a program that a user gives on the command line.
//!
//! Source: "ROS command line arguments" in the ROS 2 design documents, and `rcl`'s parser.

use std::path::{Path, PathBuf};

use saltus_types::{NodeName, RemapRule, RemapRules, Severity, validate_parameter_name};

use crate::overrides::{NodePattern, ParameterOverride, override_value, read_params_file};

/// The error for an invalid argument.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{argument}: {message}")]
pub struct ArgsError {
    /// The invalid argument, or the path of the invalid parameter file.
    pub argument: String,
    /// The expected form, and the text that was found.
    pub message: String,
}

saltus_types::debug_as_display!(ArgsError);

/// The arguments in the `--ros-args` blocks of a command line.
///
/// ```
/// use saltus::context::RosArgs;
/// let args = RosArgs::parse(["prog", "-v", "--ros-args", "-r", "chatter:=news", "--", "file"])?;
/// assert_eq!(args.rest, ["prog", "-v", "file"]);
/// # Ok::<(), saltus::context::ArgsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct RosArgs {
    /// The remapping rules of `-r` and `--remap`.
    pub remaps: RemapRules,
    /// The values of `-p` and `--param` and in the files of `--params-file`, in the order of the command line. A later
    /// value overrides an earlier one.
    pub parameters: Vec<ParameterOverride>,
    /// The levels of `--log-level`, each for one logger or for all loggers (`None`).
    pub log_levels: Vec<(Option<String>, Severity)>,
    /// The value of `--log-config-file`. It has no effect; a context logs a warning about that.
    pub log_config_file: Option<PathBuf>,
    /// The value of `--log-file-name`. It has no effect; a context logs a warning about that.
    pub log_file_name: Option<String>,
    /// The value of `-e` and `--enclave`. It has no effect, because Saltus has no enclaves.
    pub enclave: Option<String>,
    /// Whether logs are published on `/rosout`: `--enable-rosout-logs` or `--disable-rosout-logs`.
    pub rosout_logs: Option<bool>,
    /// Whether logs are printed on the console: `--enable-stdout-logs` or `--disable-stdout-logs`.
    pub stdout_logs: Option<bool>,
    /// Whether messages of other libraries are logged: `--enable-external-lib-logs` or `--disable-external-lib-logs`.
    pub external_lib_logs: Option<bool>,
    /// The arguments outside the blocks, which are for the program itself.
    pub rest: Vec<String>,
}

impl RosArgs {
    /// Parses a command line, which includes the program name.
    ///
    /// # Errors
    /// Returns an error if a block has an unknown argument, if an argument has an invalid value, or if a parameter file
    /// can't be read.
    pub fn parse<S: Into<String>>(arguments: impl IntoIterator<Item = S>) -> Result<Self, ArgsError> {
        let mut args = Self::default();
        let mut remaps = Vec::new();
        let mut arguments = arguments.into_iter().map(Into::into);
        let mut in_block = false;
        while let Some(argument) = arguments.next() {
            match (&*argument, in_block) {
                ("--ros-args", _) => in_block = true,
                ("--", true) => in_block = false,
                (_, false) => args.rest.push(argument),
                (_, true) => args.take(&argument, &mut arguments, &mut remaps)?,
            }
        }
        args.remaps = RemapRules::new(remaps);
        Ok(args)
    }

    fn take(
        &mut self,
        argument: &str,
        following: &mut dyn Iterator<Item = String>,
        remaps: &mut Vec<RemapRule>,
    ) -> Result<(), ArgsError> {
        let error = |message: String| ArgsError { argument: argument.into(), message };
        let mut value = || following.next().ok_or_else(|| error("expected a value after it".into()));
        match argument {
            "-r" | "--remap" => {
                let rule = value()?;
                remaps.push(rule.parse().map_err(|e: saltus_types::RemapError| error(e.to_string()))?);
            }
            "-p" | "--param" => self.parameters.push(parameter(&value()?).map_err(error)?),
            "--params-file" => self.parameters.extend(params_file(Path::new(&value()?))?),
            "--log-level" => self.log_levels.push(log_level(&value()?).map_err(error)?),
            "--log-config-file" => self.log_config_file = Some(value()?.into()),
            "--log-file-name" => self.log_file_name = Some(value()?),
            "-e" | "--enclave" => self.enclave = Some(value()?),
            _ => return self.switch(argument).ok_or_else(|| error("unknown ROS argument".into())),
        }
        Ok(())
    }

    fn switch(&mut self, argument: &str) -> Option<()> {
        let (enable, what) = match argument.strip_prefix("--enable-") {
            Some(what) => (true, what),
            None => (false, argument.strip_prefix("--disable-")?),
        };
        let setting = match what {
            "rosout-logs" => &mut self.rosout_logs,
            "stdout-logs" => &mut self.stdout_logs,
            "external-lib-logs" => &mut self.external_lib_logs,
            _ => return None,
        };
        *setting = Some(enable);
        Some(())
    }

    /// Returns the parameter values that apply to a node. If several values apply to one parameter, the last one counts.
    pub(crate) fn parameters_of(&self, node: &NodeName) -> impl Iterator<Item = &ParameterOverride> {
        self.parameters.iter().filter(|one| one.node.matches(node))
    }
}

/// Parses `[node:]name:=value`.
fn parameter(text: &str) -> Result<ParameterOverride, String> {
    let (left, value) =
        text.split_once(":=").ok_or_else(|| format!("expected `name:=value`, found `{text}`"))?;
    let (node, name) = match left.split_once(':') {
        Some((node, name)) => (NodePattern::named(node).map_err(|e| e.to_string())?, name),
        None => (NodePattern::any(), left),
    };
    validate_parameter_name(name).map_err(|e| e.to_string())?;
    let parsed = saltus_yaml::parse(value).and_then(|node| override_value(&node));
    let value = parsed.map_err(|e| format!("in `{text}`: {e}"))?;
    Ok(ParameterOverride { node, name: name.into(), value, location: Some(format!("-p {text}")) })
}

/// Parses `level` or `logger:=level`.
fn log_level(text: &str) -> Result<(Option<String>, Severity), String> {
    // As in rcl, a `\` before `:=` belongs to no name.
    let separated = text.split_once(":=").filter(|(logger, _)| !logger.ends_with('\\'));
    let (logger, level) = match separated {
        Some(("", _)) => return Err(format!("expected the name of a logger before `:=`, found `{text}`")),
        Some((logger, level)) => (Some(logger.to_owned()), level),
        None => (None, text),
    };
    Ok((logger, level.parse().map_err(|e: saltus_types::ParseSeverityError| e.to_string())?))
}

fn params_file(path: &Path) -> Result<Vec<ParameterOverride>, ArgsError> {
    let error = |message: String| ArgsError { argument: path.display().to_string(), message };
    let text = std::fs::read_to_string(path).map_err(|e| error(e.to_string()))?;
    let mut overrides = read_params_file(&text).map_err(|e| error(e.to_string()))?;
    for one in &mut overrides {
        one.location = one.location.take().map(|line| format!("{}, {line}", path.display()));
    }
    Ok(overrides)
}

#[cfg(test)]
mod tests {
    use saltus_types::ParameterValue;

    use super::*;

    fn parse(words: &str) -> Result<RosArgs, ArgsError> {
        RosArgs::parse(words.split(' '))
    }

    #[test]
    fn arguments_outside_the_blocks_are_left_for_the_program() {
        let args = parse("prog a --ros-args -r x:=y --log-level debug -- b --ros-args --enclave /e").unwrap();
        assert_eq!(args.rest, ["prog", "a", "b"]);
        assert_eq!(args.log_levels, [(None, Severity::Debug)]);
        assert_eq!(args.enclave.as_deref(), Some("/e"));
        assert!(parse("prog --ros-args").is_ok(), "a bare block is fine");
    }

    #[test]
    fn every_option_is_parsed() {
        let words = "p --ros-args --remap __ns:=/a -p n:x:=1 --param y:=[a,b] --log-level lib:=WARN \
                     --log-config-file c --log-file-name f --disable-rosout-logs --enable-stdout-logs \
                     --disable-external-lib-logs";
        let args = parse(words).unwrap();
        assert_eq!(args.log_levels, [(Some("lib".into()), Severity::Warn)]);
        assert_eq!(
            (args.rosout_logs, args.stdout_logs, args.external_lib_logs),
            (Some(false), Some(true), Some(false))
        );
        assert_eq!(args.remaps.node_name("/", "n").unwrap().fully_qualified(), "/a/n");
        let of = |name: &str| -> Vec<_> {
            let node = NodeName::new("/a", name).unwrap();
            args.parameters_of(&node).map(|one| (one.name.clone(), one.value.clone())).collect()
        };
        let strings = ParameterValue::StringArray(vec!["a".into(), "b".into()]);
        assert_eq!(of("other"), [("y".to_owned(), strings.clone())]);
        assert_eq!(of("n"), [("x".to_owned(), ParameterValue::Integer(1)), ("y".to_owned(), strings)]);
    }

    #[test]
    fn the_error_for_an_invalid_argument_says_what_is_wrong() {
        for (words, want) in [
            ("p --ros-args --loud", "--loud: unknown ROS argument"),
            ("p --ros-args -r", "-r: expected a value after it"),
            ("p --ros-args -r a=b", "-r: invalid remapping rule `a=b`: expected `from:=to`"),
            ("p --ros-args -p x=1", "-p: expected `name:=value`, found `x=1`"),
            ("p --ros-args -p x:=[1,a]", "-p: in `x:=[1,a]`: line 1, column 4: expected a whole number"),
            ("p --ros-args --log-level :=warn", "--log-level: expected the name of a logger before `:=`"),
            (r"p --ros-args --log-level a\:=warn", "--log-level: expected debug, info, warn"),
            ("p --ros-args --log-level loud", "--log-level: expected debug, info, warn"),
            ("p --ros-args --params-file /nonexistent.yaml", "/nonexistent.yaml: No such file"),
        ] {
            let error = parse(words).unwrap_err().to_string();
            assert!(error.starts_with(want), "{words}: {error}");
        }
    }
}
