//! Sends a robot to poses, as ROS 2's `nav2_simple_commander` does.
//!
//! | module | content |
//! |---|---|
//! | `error` | the errors of a commander |
//! | `deadline` | the deadline of a wait |
//! | `task` | a task of a robot, and its progress |
//! | `commander` | the commander, and the tasks that it gives to a robot |
//! | `plans` | paths |
//! | `services` | costmaps, maps, and the states of nodes |
//!
//! ```no_run
//! use std::time::Duration;
//! use saltus_commander::{Commander, Outcome};
//! use saltus_motion::Pose;
//! let context = saltus::Context::new()?;
//! let commander = Commander::new(&context.node("commander").create()?)?;
//! commander.set_initial_pose(&Pose::new(-2.0, -0.5, 0.0))?;
//! commander.wait_until_active(Duration::from_secs(60))?;
//! let mut task = commander.go_to(&Pose::new(1.4, -1.6, 0.0))?;
//! assert_eq!(task.wait(Duration::from_secs(60))?, Outcome::Succeeded);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod commander;
mod deadline;
mod error;
mod plans;
mod services;
mod task;
#[cfg(test)]
mod tests;

pub use commander::Commander;
pub use error::CommandError;
pub use services::CostmapOf;
pub use task::{Outcome, Task};
