//! `saltus bt`

use std::{fs, path::PathBuf};

use clap::Subcommand;
use nav2_behavior_tree::{declare, load};
use saltus_behavior_tree::{Factory, NodeInfo, Tree};

use saltus_verb::{
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
        The nodes are those of BehaviorTree.CPP and of Nav2, and those that the <TreeNodesModel> of the file describes."
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
    let mut factory = Factory::new();
    declare(&mut factory);
    factory.accept_models();
    load(&mut factory, file)?;
    let id = id.or(factory.main()).map(str::to_owned).ok_or_else(|| {
        let trees: Vec<&str> = factory.trees().collect();
        format!("{file}: there is no main tree; choose one with --tree: {}", trees.join(", "))
    })?;
    let tree = factory.check(&id).map_err(|error| format!("{file}: {error}"))?;
    Ok((id, tree))
}

/// Returns a node and those below it.
fn branch(nodes: &[&NodeInfo], index: usize, depth: usize) -> Branch {
    let node = nodes[index];
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
