//! `saltus bt`

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Subcommand;
use nav2_behavior_tree::{TREES, declare};
use saltus_behavior_tree::{Factory, Included, NodeInfo, Tree};
use saltus_package::PackagePath;

use crate::{
    drawing::{Branch, DEEPEST, drawing, text},
    error::Error,
    output::print_text,
};

/// `saltus bt …`
#[derive(Debug, Subcommand)]
pub(crate) enum Bt {
    /// Check behavior trees: their nodes, their ports, their scripts and their subtrees
    #[command(
        after_help = "Examples:\n  saltus bt check navigate.xml\n  saltus bt check navigate_to_pose_w_replanning_and_recovery\n\n\
        The nodes are those of BehaviorTree.CPP and of Nav2."
    )]
    Check {
        /// A file in the XML of BehaviorTree.CPP, version 4, or the name of one of Nav2's trees
        file: String,
        /// The tree; otherwise the main one
        #[arg(long, value_name = "ID")]
        tree: Option<String>,
    },
    /// Print a behavior tree: the nodes, and what their ports are set to
    #[command(after_help = "Example:\n  saltus bt view navigate.xml --output navigate.svg")]
    View {
        /// A file in the XML of BehaviorTree.CPP, version 4, or the name of one of Nav2's trees
        file: String,
        /// The tree; otherwise the main one
        #[arg(long, value_name = "ID")]
        tree: Option<String>,
        /// Draw the tree into this file, in SVG
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

impl Bt {
    pub(crate) fn run(self) -> Result<(), Error> {
        match self {
            Self::Check { file, tree } => {
                let (name, tree) = read(&file, tree.as_deref())?;
                print_text(&format!("{file}: the tree {name} has {} nodes\n", tree.nodes().count()))
            }
            Self::View { file, tree, output } => {
                let (_, tree) = read(&file, tree.as_deref())?;
                let root = [branch(&tree.nodes().collect::<Vec<_>>(), 0, 0)];
                match output {
                    Some(path) => fs::write(&path, drawing(&root))
                        .map_err(|error| format!("can't write {}: {error}", path.display()).into()),
                    None => print_text(&text(&root)),
                }
            }
        }
    }
}

/// Reads a file or one of Nav2's trees. Returns the name of the tree, and the tree.
fn read(file: &str, id: Option<&str>) -> Result<(String, Tree<()>), Error> {
    let path = Path::new(file);
    let document = match TREES.iter().find(|(name, _)| *name == file) {
        Some((_, text)) if !path.exists() => (*text).to_owned(),
        _ => document(path)?,
    };
    let mut factory = Factory::new();
    declare(&mut factory);
    let wrong = |error| format!("{file}: {error}");
    factory.load_with(&document, &mut |file| included(path, file)).map_err(wrong)?;
    let id = id.or(factory.main()).map(str::to_owned).ok_or_else(|| {
        let trees: Vec<&str> = factory.trees().collect();
        format!("{file}: there is no main tree; choose one with --tree: {}", trees.join(", "))
    })?;
    let tree = factory.check(&id).map_err(wrong)?;
    Ok((id, tree))
}

fn document(path: &Path) -> Result<String, Error> {
    let bytes = nav2_map_server::read_file(path);
    let bytes = bytes.map_err(|error| format!("can't read {}: {error}", path.display()))?;
    String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", path.display()).into())
}

/// Reads a file that another one includes: beside it, or in the folder `share` of a package. Returns its path and its text.
fn included(first: &Path, file: &Included<'_>) -> Result<(String, String), String> {
    let folder = match file.package {
        Some(package) => {
            let packages = PackagePath::from_environment();
            let prefix = packages.find(package).ok_or_else(|| format!("there is no package `{package}`"))?;
            prefix.share(package)
        }
        None => {
            let by = if file.by.is_empty() { first } else { Path::new(file.by) };
            by.parent().unwrap_or(Path::new("")).to_owned()
        }
    };
    let path = folder.join(file.path);
    let text = document(&path).map_err(|error| error.to_string())?;
    // The same file may have several paths.
    Ok((path.canonicalize().unwrap_or(path).display().to_string(), text))
}

/// Returns a node and those below it.
fn branch(nodes: &[&NodeInfo], place: usize, depth: usize) -> Branch {
    let node = nodes[place];
    let mut details = Vec::new();
    if node.name != node.id {
        details.push(node.id.clone());
    }
    details.extend(
        node.ports.iter().filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("{name}={text}")),
    );
    let mut below = Vec::new();
    if depth == DEEPEST {
        details.push("those below are left out".into());
    } else {
        below.extend(node.children.iter().map(|child| branch(nodes, *child, depth + 1)));
    }
    Branch { name: node.name.clone(), details, below }
}
