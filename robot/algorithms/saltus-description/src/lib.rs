//! Robot descriptions in URDF: links, joints, and the transforms between them. No I/O.
//!
//! | module | content |
//! |---|---|
//! | `error` | the errors of a description |
//! | `link` | a link, and its shapes |
//! | `joint` | a joint, and the transform at a position of the joint |
//! | `read` | reads links and joints from XML |
//! | `robot` | a description: a tree of links |
//! | `positions` | the positions of all joints, including those that mimic others |
//!
//! ```
//! use saltus_description::Description;
//! let text = r#"<robot name="arm">
//!   <link name="base"/>
//!   <link name="hand"/>
//!   <joint name="elbow" type="continuous">
//!     <parent link="base"/><child link="hand"/>
//!     <origin xyz="1 0 0"/><axis xyz="0 0 1"/>
//!   </joint>
//! </robot>"#;
//! let robot = Description::parse(text)?;
//! assert_eq!(robot.root(), "base");
//! let hand = robot.joint("elbow").unwrap().transform(std::f64::consts::PI);
//! let [x, y, _] = hand.apply([1.0, 0.0, 0.0]);
//! assert!(x.abs() < 1e-9 && y.abs() < 1e-9);
//! # Ok::<(), saltus_description::DescriptionError>(())
//! ```

mod error;
mod joint;
mod link;
mod positions;
mod read;
mod robot;
#[cfg(test)]
mod tests;

pub use error::DescriptionError;
pub use joint::{Joint, JointKind, Limits, Mimic};
pub use link::{Geometry, Inertial, Link};
pub use positions::Positions;
pub use robot::Description;
