//! `saltus launch`

use std::{
    env, fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, exit},
    time::{SystemTime, UNIX_EPOCH},
};

use saltus_launch_file::{ArgumentList, Evaluator, Tree, entries, picture};
use saltus_launcher::{
    Machine, Options, Role, attach, environment, find_file, guard, parse_arguments, run, running, visible_pid,
};

use saltus_verb::{bundled, error::Error, output::print_lines};

/// `saltus launch …`
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  saltus launch demo robot.launch.yaml robot:=arm\n  \
    saltus launch ./robot.launch.py --show-args\n  saltus launch ./robot.launch.xml --dry-run\n  saltus launch --attach\n\n\
    Ctrl-C ends all processes, the last one first. A second Ctrl-C sends the next signal at once.\n\
    The exit status is that of the first process that has failed.")]
pub(crate) struct Launch {
    /// Print the arguments of the launch file
    #[arg(short, long, visible_alias = "show-arguments", conflicts_with = "dry_run")]
    show_args: bool,
    /// Print what would be done as a tree: processes, nodes, parameters, and the lines of the launch files
    #[arg(short = 'p', long, visible_aliases = ["print", "print-description"])]
    dry_run: bool,
    /// Also print the whole command of each process
    #[arg(short, long)]
    debug: bool,
    /// Show a launch that runs: the one with this process number, or the only one
    #[arg(long, value_name = "PID", num_args = 0..=1, conflicts_with_all = ["words", "show_args", "dry_run"])]
    attach: Option<Option<u32>>,
    /// Print only lines, without the live table of the processes
    #[arg(long)]
    no_table: bool,
    /// Write what would be done as a picture to this file, in SVG (its name ends with .svg)
    #[arg(long, value_name = "FILE", conflicts_with = "show_args")]
    graph: Option<PathBuf>,
    /// Show the output of all processes
    #[arg(short = 'a', long)]
    show_all_subprocesses_output: bool,
    /// A command that starts each process, such as `gdb --args`
    #[arg(long, value_name = "COMMAND")]
    launch_prefix: Option<String>,
    /// A regular expression for the names of the programs that --launch-prefix is for
    #[arg(long, value_name = "REGEX", requires = "launch_prefix")]
    launch_prefix_filter: Option<String>,
    /// Accepted as in ROS 2; without effect, because nothing asks questions
    #[arg(short, long, hide = true)]
    noninteractive: bool,
    /// A launch file, or a package and the name of a file in its share folder; then arguments such as robot:=arm
    #[arg(required_unless_present = "attach", value_name = "[PACKAGE] FILE [NAME:=VALUE]")]
    words: Vec<String>,
}

fn is_bundled(package: &str, name: &str) -> bool {
    bundled::find(package, name).is_some()
}

impl Launch {
    pub(crate) fn run(self) -> Result<(), Error> {
        let parent = log_parent()?;
        if let Some(pid) = self.attach {
            return Ok(attach(&wanted(&parent, pid)?)?);
        }
        let machine = Machine::new(parent.join(log_name()), bundled::prefix, is_bundled);
        let (file, words) = find_file(&machine, &self.words)?;
        let mut arguments = parse_arguments(words)?;
        let set = |name: &str, value: &Option<String>| value.clone().map(|value| (name.to_owned(), value));
        arguments.extend(set("launch-prefix", &self.launch_prefix));
        arguments.extend(set("launch-prefix-filter", &self.launch_prefix_filter));
        let mut environment = environment();
        if self.show_all_subprocesses_output {
            environment.insert("OVERRIDE_LAUNCH_PROCESS_OUTPUT".into(), "both".into());
        }
        let mut evaluator = Evaluator::new(&machine, environment);
        if self.show_args {
            let declared = evaluator.arguments(&file, &arguments)?;
            return print_lines([ArgumentList(&declared).to_string().trim_end()]);
        }
        if self.dry_run || self.graph.is_some() {
            let plan = evaluator.plan(&file, &arguments).map(|mut plan| {
                evaluator.preview(&mut plan.steps);
                plan
            });
            machine
                .take_warnings()
                .iter()
                .for_each(|text| saltus_verb::output::tell!("[WARNING] [launch]: {text}"));
            let plan = plan?;
            let entries = entries(&plan);
            if let Some(path) = &self.graph {
                if path.extension().is_none_or(|end| end != "svg") {
                    return Err(format!(
                        "the picture is SVG: name it {}",
                        path.with_extension("svg").display()
                    )
                    .into());
                }
                let written = fs::write(path, picture(&file, &entries));
                written.map_err(|error| format!("can't write {}: {error}", path.display()))?;
            }
            return match self.dry_run {
                true => print_lines([Tree { file: &file, entries: &entries }.to_string().trim_end()]),
                false => Ok(()),
            };
        }
        let role = Role::of_this_process()?;
        if role != Role::Launcher {
            let status = guard(Command::new(env::current_exe()?).args(env::args_os().skip(1)), role)?;
            exit(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default()));
        }
        let plan = evaluator.plan(&file, &arguments)?;
        let options = Options { with_table: !self.no_table, with_commands: self.debug };
        exit(run(plan, evaluator, &machine, options)?);
    }
}

/// Returns the folder with the log folders of launches. As in ROS 2, it is `ROS_LOG_DIR`, `ROS_HOME/log` or `~/.ros/log`.
fn log_parent() -> Result<PathBuf, Error> {
    let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || folder("HOME").map(|home| home.join(".ros"));
    let parent = folder("ROS_LOG_DIR").or_else(|| Some(folder("ROS_HOME").or_else(home)?.join("log")));
    let parent = parent.ok_or("neither ROS_LOG_DIR nor HOME is set, so there is no folder for logs")?;
    // As in ROS 2, `~` is the home folder. A node may have another working directory.
    let parent = match (parent.strip_prefix("~"), folder("HOME")) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => parent,
    };
    Ok(std::path::absolute(&parent).map_err(|error| format!("{}: {error}", parent.display()))?)
}

/// Returns the name of the log folder of this launch. It ends with the number of the process that the user has started.
fn log_name() -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("launch-{}-{:09}-{}", time.as_secs(), time.subsec_nanos(), visible_pid())
}

/// Returns the log folder of a launch that runs.
fn wanted(parent: &Path, pid: Option<u32>) -> Result<PathBuf, Error> {
    let all = running(parent);
    let number =
        |folder: &PathBuf| folder.display().to_string().rsplit('-').next().unwrap_or_default().to_owned();
    let numbers = all.iter().map(number).collect::<Vec<_>>().join(", ");
    let found = match pid {
        Some(pid) => all.iter().find(|folder| number(folder) == pid.to_string()),
        None if all.len() > 1 => return Err(format!("several launches run; choose one of {numbers}").into()),
        None => all.first(),
    };
    let found = found.cloned();
    Ok(found.ok_or_else(|| format!("no such launch runs with its logs in {}", parent.display()))?)
}
