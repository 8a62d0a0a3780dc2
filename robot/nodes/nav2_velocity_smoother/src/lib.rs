//! Lets velocities change only as fast as a robot can, as ROS 2's package of this name does.
//!
//! | module | content |
//! |---|---|
//! | `settings` | the values of the parameters |
//! | `smoothing` | the velocities of commands and of the robot, and the next one |
//! | `component` | the lifecycle node |

mod component;
mod settings;
mod smoothing;
#[cfg(test)]
mod tests;

pub use component::VelocitySmoother;

saltus::component!("nav2_velocity_smoother::VelocitySmoother", VelocitySmoother);
