//! Makes paths smooth, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `smoother` | the trait of smoothers, and the simple smoother with its parameters |
//! | `component` | the lifecycle node |

mod component;
mod smoother;

pub use component::{SmootherServer, standard_smoothers};
pub use smoother::Smoother;

saltus::component!("nav2_smoother::SmootherServer", SmootherServer);
