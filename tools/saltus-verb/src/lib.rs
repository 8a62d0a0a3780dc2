//! The parts that the verbs of several programs use: arguments, output, errors, the graph, and the programs themselves.
//!
//! The programs are `saltus` (the verbs of the graph), `saltus-robot` and `saltus-bench`. A part that one program alone
//! uses is in the crate of that program.
//!
//! | module | content |
//! |---|---|
//! | `error` | the errors that end a verb, and the exit statuses |
//! | `output` | prints results and messages |
//! | `arguments`, `ros_args` | arguments that several verbs have |
//! | `programs` | the programs of Saltus, and how they start each other |
//! | `packages` | installed packages, and the programs that run their components |
//! | `bundled` | the programs of ROS 2 packages that Saltus contains |
//! | `graph`, `actions` | what is in the graph |
//! | `catalog` | the known interfaces |
//! | `reading` | reads a topic |
//! | `remote` | calls the services of a node |
//! | `tool_clock` | the clock of a verb |
//! | `complete` | the words that a shell completes |
//! | `drawing` | trees as text and as a drawing |

pub mod actions;
pub mod arguments;
pub mod bundled;
pub mod catalog;
pub mod complete;
pub mod drawing;
pub mod error;
pub mod graph;
pub mod output;
pub mod packages;
pub mod programs;
pub mod reading;
pub mod remote;
pub mod ros_args;
pub mod tool_clock;
