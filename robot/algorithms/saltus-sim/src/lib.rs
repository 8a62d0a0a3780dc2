//! A planar simulator of mobile robots: worlds, drives and sensors. No I/O and no clock. Its only threads cast rays.
//!
//! All lengths are in metres, angles in radians, times in nanoseconds since the start, and masses in kilograms.
//!
//! | module | content |
//! |---|---|
//! | `error` | the errors of the files of worlds and robots |
//! | `pose` | poses and velocities in the plane |
//! | `fields` | reads the fields of mappings in YAML |
//! | `shape` | circles and convex polygons, and the edges that rays hit |
//! | `shapes` | reads shapes from YAML |
//! | `urdf` | the planar part of the description of a robot in URDF |
//! | `rays` | casts rays on edges |
//! | `drive` | the wheels of a robot, and their speeds for a command |
//! | `traction` | the forces between wheels and the ground |
//! | `sensor` | the sensors of a robot and their properties |
//! | `model` | a robot: its body, its drive and its sensors |
//! | `world` | a world: obstacles and robots, from YAML |
//! | `mapping` | the map that a robot would make of a world |
//! | `sdf` | the planar part of a world in SDF |
//! | `noise` | the random numbers of sensors |
//! | `reading` | the outputs of a simulation |
//! | `wheels` | the wheels of a robot while it drives |
//! | `robot` | a robot in a simulation, which drives and measures |
//! | `moving` | obstacles that move |
//! | `simulation` | a world over time |
//!
//! ```
//! use saltus_sim::{Command, Reading, Simulation, World};
//! let world = World::parse(
//!     "obstacles:\n- circle: {center: [2.0, 0.0], radius: 0.5}\nrobots:\n- model:\n    body: {box: {size: [0.3, 0.3]}, mass: 1.0}\n    \
//!      drive: {kind: differential, wheel_separation: 0.25, wheel_radius: 0.03}\n    \
//!      sensors:\n    - lidar: {rate: 10.0, samples: 4, range: [0.1, 5.0]}\n",
//! )?;
//! let mut simulation = Simulation::new(&world, 1)?;
//! simulation.command(0, Command { forward: 0.2, ..Command::default() });
//! let mut ranges = Vec::new();
//! for _ in 0..1000 {
//!     simulation.step(&mut |output| {
//!         if let Reading::Scan(scan) = output.reading {
//!             ranges.push(scan.ranges[0]);
//!         }
//!     });
//! }
//! assert_eq!(ranges.len(), 10);
//! assert!((ranges[0] - 1.5).abs() < 0.02 && ranges[9] < 1.35);
//! # Ok::<(), saltus_sim::WorldError>(())
//! ```

mod drive;
mod error;
mod fields;
mod mapping;
mod model;
mod moving;
mod noise;
mod pose;
mod rays;
mod reading;
mod robot;
mod sdf;
mod sensor;
mod shape;
mod shapes;
mod simulation;
#[cfg(test)]
mod tests;
mod traction;
mod urdf;
mod wheels;
mod world;

pub use drive::{Command, Drive, DriveKind};
pub use error::WorldError;
pub use model::{Model, OdometrySource};
pub use pose::{Point, Pose, Velocity};
pub use reading::{DepthImage, ImuReading, JointReading, OdometryReading, Output, Reading, Scan};
pub use sensor::{Camera, Imu, Lidar, Mount, Sensor, SensorKind};
pub use shape::Shape;
pub use simulation::{EntityError, Simulation};
pub use world::{MovingObstacleSpec, ObstacleMotion, RobotSpec, World};
