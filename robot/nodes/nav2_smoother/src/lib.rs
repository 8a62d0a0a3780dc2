//! Makes paths smooth, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `smoother` | what a smoother is, and the simple one with its parameters |
//! | `component` | the lifecycle node |

mod component;
mod smoother;

pub use component::{SmootherServer, standard_smoothers};
pub use smoother::Smoother;

saltus::component!("nav2_smoother::SmootherServer", SmootherServer);
