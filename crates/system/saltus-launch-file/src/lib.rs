//! Reads launch files, which describe the processes and nodes of a robot, and makes plans of them. It starts nothing.
//!
//! The tags, attributes and substitutions are those of ROS 2. A file is evaluated in one pass, in the order of its lines:
//! each action uses the values that the actions before it have set.
//!
//! | module | content |
//! |---|---|
//! | `text` | texts with substitutions |
//! | `origin` | the lines of files, and errors that name them |
//! | `action` | the actions of a launch file |
//! | `element` | the elements of XML and YAML |
//! | `parameters` | parameters and their types |
//! | `read` | elements as actions |
//! | `yaml`, `xml`, `file` | the two forms of files |
//! | `world`, `scope` | the machine and the variables that actions use |
//! | `substitute`, `words` | the results of substitutions, and command lines |
//! | `declared` | arguments, as `--show-args` prints them |
//! | `plan` | the steps of a launch |
//! | `order` | checks that each process of a plan can be started |
//! | `arguments` | the command line of a node |
//! | `tree`, `picture` | a plan as a tree and as a picture |
//! | `resolve`, `processes`, `evaluate` | make a plan of a file |

mod action;
mod arguments;
mod declared;
mod element;
mod evaluate;
mod file;
mod order;
mod origin;
mod parameters;
mod picture;
pub mod plan;
mod processes;
mod read;
mod resolve;
mod scope;
mod substitute;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod words;
mod world;
mod xml;
mod yaml;

pub use action::{Action, Reaction, Trigger};
pub use arguments::ros_arguments;
pub use declared::{ArgumentList, DeclaredArgument};
pub use evaluate::Evaluator;
pub use file::parse;
pub use origin::{LaunchError, Origin};
pub use picture::picture;
pub use scope::{Environment, Scope};
pub use substitute::perform;
pub use text::{Object, Text, TextError};
pub use tree::{Entry, Tree, entries, transition_name};
pub use world::World;
