//! `saltus description`

use std::{
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use clap::Subcommand;
use saltus_description::{Description as Robot, Joint, JointKind};

use saltus_verb::{
    drawing::{Branch, DEEPEST, drawing, text},
    error::Error,
    output::print_text,
};

/// `saltus description …`
#[derive(Debug, Subcommand)]
pub(crate) enum Description {
    /// Check a description, and print its links, as ROS 2's `check_urdf` does
    #[command(
        after_help = "Examples:\n  saltus description check robot.urdf\n  saltus description check robot.urdf.xacro arm:=true\n\n\
        Files that end with .xacro are expanded with the program `xacro`."
    )]
    Check {
        /// The description in URDF, or in URDF with macros (.xacro)
        file: PathBuf,
        /// Arguments of the macros
        #[arg(value_name = "NAME:=VALUE")]
        arguments: Vec<String>,
    },
    /// Print the tree of links: the joint of each one, and its kind
    #[command(after_help = "Example:\n  saltus description tree robot.urdf --output robot.svg")]
    Tree {
        /// The description in URDF, or in URDF with macros (.xacro)
        file: PathBuf,
        /// Arguments of the macros
        #[arg(value_name = "NAME:=VALUE")]
        arguments: Vec<String>,
        /// Draw the tree into this file, in SVG
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

impl Description {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::Check { file, arguments } => {
                let robot = read(&file, &arguments)?;
                print_text(&checked(&robot))?;
                robot
                    .warnings()
                    .iter()
                    .for_each(|warning| saltus_verb::output::tell!("saltus: warning: {warning}"));
                Ok(())
            }
            Self::Tree { file, arguments, output } => {
                let robot = read(&file, &arguments)?;
                let root = [branch(&robot, robot.root(), Vec::new(), 0)];
                match output {
                    Some(path) => fs::write(&path, drawing(&root))
                        .map_err(|error| format!("can't write {}: {error}", path.display()).into()),
                    None => print_text(&text(&root)),
                }
            }
        }
    }
}

/// Reads a description from a file.
fn read(file: &Path, arguments: &[String]) -> Result<Robot, Error> {
    let text = if file.extension().is_some_and(|end| end == "xacro") {
        expanded(file, arguments)?
    } else if let Some(argument) = arguments.first() {
        return Err(format!("{} has no macros, and so no argument `{argument}`", file.display()).into());
    } else {
        let bytes = nav2_map_server::read_file(file);
        let bytes = bytes.map_err(|error| format!("can't read {}: {error}", file.display()))?;
        saltus_xml::decoded(bytes)
    };
    Robot::parse(&text).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// Expands macros with the program `xacro`, or with its module.
fn expanded(file: &Path, arguments: &[String]) -> Result<String, Error> {
    let run = |program: &str, words: &[&str]| {
        Command::new(program)
            .args(words)
            .arg(file)
            .args(arguments)
            .stderr(std::process::Stdio::piped())
            .output()
    };
    let output = match run("xacro", &[]) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => run("python3", &["-m", "xacro"]),
        other => other,
    };
    let output =
        output.map_err(|error| format!("can't run xacro: {error}; install it with `pip install xacro`"))?;
    if output.status.success() {
        return String::from_utf8(output.stdout).map_err(|_| "the output of xacro is not UTF-8".into());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    if errors.contains("No module named xacro") {
        return Err("the file has macros: install xacro with `pip install xacro`".into());
    }
    if errors.contains("No module named 'ament_index_python'") {
        return Err("`$(find …)` needs the Python package `saltus`, or ROS 2, in the Python of xacro".into());
    }
    Err(format!("xacro can't expand {}:\n{}", file.display(), errors.trim_end()).into())
}

/// Returns what `check_urdf` prints.
fn checked(robot: &Robot) -> String {
    fn add(output: &mut String, robot: &Robot, link: &str, depth: usize) {
        for (index, joint) in robot.below(link).enumerate() {
            let indent = "    ".repeat(depth);
            // Writing to a text does not fail.
            if depth > DEEPEST {
                let _ = writeln!(output, "{indent}those below are left out");
                return;
            }
            let _ = writeln!(output, "{indent}child({}):  {}", index + 1, joint.child);
            add(output, robot, &joint.child, depth + 1);
        }
    }
    let root = robot.root();
    let mut output = format!(
        "robot name is: {}\n---------- Successfully Parsed XML ---------------\nroot Link: {root} has {} child(ren)\n",
        robot.name(),
        robot.below(root).count()
    );
    add(&mut output, robot, root, 1);
    output
}

/// Returns a link and those below it.
fn branch(robot: &Robot, link: &str, mut details: Vec<String>, depth: usize) -> Branch {
    let mut below = Vec::new();
    if depth == DEEPEST {
        details.push("those below are left out".into());
    } else {
        let child = |joint: &Joint| branch(robot, &joint.child, details_of(joint), depth + 1);
        below.extend(robot.below(link).map(child));
    }
    Branch { name: link.into(), details, below }
}

fn details_of(joint: &Joint) -> Vec<String> {
    let kind = match joint.kind {
        JointKind::Revolute => "revolute",
        JointKind::Continuous => "continuous",
        JointKind::Prismatic => "prismatic",
        JointKind::Fixed => "fixed",
        JointKind::Floating => "floating",
        JointKind::Planar => "planar",
    };
    let mut details = vec![format!("{}: {kind}", joint.name)];
    if let Some(limits) = joint.limits {
        let unit = if joint.kind == JointKind::Prismatic { "m" } else { "rad" };
        details.push(format!("{} to {} {unit}", limits.lower, limits.upper));
    }
    details.extend(joint.mimic.as_ref().map(|mimic| format!("mimics {}", mimic.joint)));
    details
}
