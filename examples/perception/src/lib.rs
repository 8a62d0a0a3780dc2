//! An example of components: a camera, a detector and a tracker.
//!
//! The camera publishes images of a bright square that moves. The detector finds the square in each image. The tracker
//! estimates the velocity of the square. The source is the same, wherever the components run.

mod camera;
mod detector;
mod tracker;

pub use camera::Camera;
pub use detector::Detector;
pub use tracker::Tracker;

saltus::component!("perception::Camera", Camera);
saltus::component!("perception::Detector", Detector);
saltus::component!("perception::Tracker", Tracker);
