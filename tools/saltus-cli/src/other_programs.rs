//! The verbs that other programs of Saltus contain. `saltus` runs these programs, as git and cargo do.

use std::{
    env,
    ffi::{OsStr, OsString},
};

use clap::Command;
use saltus_verb::{
    complete,
    error::Error,
    packages::replace_process,
    programs::Program::{self, Bench, Bridge, Robot},
};

/// The verbs with a line of help, and the program of each.
pub(crate) const VERBS: [(&str, &str, Program); 8] = [
    ("sim", "Simulate robots in a world: their drives, lidars and other sensors", Robot),
    ("teleop", "Drive a robot with the keyboard", Robot),
    ("demo", "Start a robot in a simulated arena, and drive it or let it navigate", Robot),
    ("map", "Print what a map of navigation contains, and save a map that is published", Robot),
    ("bt", "Check behavior trees, and print and draw them", Robot),
    ("description", "Check the description of a robot in URDF, and print its links and joints", Robot),
    ("bridge", "Join this host to ROS 2 nodes on rmw_zenoh and to other hosts", Bridge),
    ("bench", "Measure Saltus and its peers (other middlewares) on this machine", Bench),
];

/// The headings of the help, and the verbs below each.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "The graph",
        &[
            "topic",
            "service",
            "action",
            "param",
            "node",
            "lifecycle",
            "interface",
            "tf",
            "top",
            "doctor",
            "view",
        ],
    ),
    (
        "Nodes and packages",
        &[
            "run",
            "launch",
            "component",
            "container",
            "machine",
            "bridge",
            "domain-bridge",
            "agent",
            "new",
            "install",
            "pkg",
            "completions",
            "help",
        ],
    ),
    ("Robots (the program saltus-robot)", &["sim", "teleop", "demo", "map", "bt", "description"]),
    ("Benchmarks (the program saltus-bench)", &["bench"]),
];

/// Adds the verbs of other programs to the command, and lists all verbs in groups in its help.
pub(crate) fn with_all_verbs(command: Command) -> Command {
    let others = VERBS.map(|(name, about, _)| Command::new(name).about(about));
    let command = command.subcommands(others);
    let groups = GROUPS.map(|(heading, verbs)| group(&command, heading, verbs)).concat();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{groups}\nOptions:\n{{options}}"
    ))
}

/// Returns the lines of the help for a group of verbs.
fn group(command: &Command, heading: &str, verbs: &[&str]) -> String {
    let line = |name: &&str| {
        let about =
            command.get_subcommands().find(|verb| verb.get_name() == *name).and_then(Command::get_about);
        let about = match about {
            Some(about) => about.to_string(),
            None => "Print the help of a verb".into(),
        };
        format!("  {name:<13}  {}\n", wrapped(&about))
    };
    format!("\n{heading}:\n{}", verbs.iter().map(line).collect::<String>())
}

/// Returns a description of a verb in lines that fit a terminal of 80 columns beside the names of verbs.
fn wrapped(about: &str) -> String {
    const INDENT: usize = 17;
    let mut text = String::new();
    let mut width = INDENT;
    for word in about.split(' ') {
        let len = word.chars().count() + 1;
        if !text.is_empty() {
            let (between, added) = if width + len > 80 {
                (format!("\n{:INDENT$}", ""), INDENT)
            } else {
                (" ".to_owned(), width + 1)
            };
            text.push_str(&between);
            width = added;
        }
        text.push_str(word);
        width += len - 1;
    }
    text
}

/// Returns the program of a verb, if another program contains it.
fn program_of(verb: &OsStr) -> Option<Program> {
    VERBS.into_iter().find(|(name, ..)| *name == verb).map(|(.., program)| program)
}

/// Replaces this process by the other program, if one contains the verb. Returns the error if that fails, and `None` if
/// this program contains the verb.
pub(crate) fn run(words: &[OsString]) -> Option<Error> {
    let (verb, arguments) = match words.get(1)?.to_str() {
        Some("help") => (words.get(2)?, [&words[3..], &["--help".into()]].concat()),
        _ => (&words[1], words[2..].to_vec()),
    };
    let program = program_of(verb)?;
    let start = || {
        let mut command = program.command()?;
        command.arg(verb).args(arguments);
        Ok(replace_process(command))
    };
    Some(start().unwrap_or_else(|error| error))
}

/// Replaces this process by another program, if a shell requests the completion of words of its verb. If that fails, there
/// are no completions.
pub(crate) fn complete() {
    if env::var_os(complete::VARIABLE).is_none() {
        return;
    }
    // The words of the shell are behind `--`; the last one is completed.
    let words: Vec<OsString> = env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let program = words.get(1).filter(|_| words.len() > 2).and_then(|verb| program_of(verb));
    if let Some(path) = program.and_then(|program| program.path().ok()) {
        let mut command = std::process::Command::new(path);
        command.args(env::args_os().skip(1));
        let _ = replace_process(command);
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn each_verb_is_in_one_group_of_the_help() {
        let command = with_all_verbs(crate::Arguments::command());
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, verbs)| verbs.iter().copied()).collect();
        let mut verbs: Vec<&str> =
            command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(Command::get_name).collect();
        verbs.push("help");
        listed.sort_unstable();
        verbs.sort_unstable();
        assert_eq!(listed, verbs);
    }

    #[test]
    fn the_words_of_other_programs_are_left_to_them() {
        assert_eq!(program_of(OsStr::new("bench")), Some(Bench));
        assert_eq!(program_of(OsStr::new("sim")), Some(Robot));
        assert_eq!(program_of(OsStr::new("topic")), None);
    }
}
