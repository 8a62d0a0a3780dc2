//! The subjects of the rows of a table.

use std::path::Path;

use super::{
    installed::forget_ros2,
    measured::Measured,
    on_rclcpp::{PEERS, RclcppWay},
    setup::{Running, Setup},
    ways::Way,
};
use crate::{
    error::RunError,
    ros2::{PACKAGE, Rmw, find},
};

/// The nodes of a system, on Saltus or on rclcpp.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject {
    Saltus(Way),
    Rclcpp(Rmw, RclcppWay),
}

impl Measured for Subject {
    fn name(&self) -> String {
        match self {
            Self::Saltus(way) => way.name().into(),
            Self::Rclcpp(rmw, way) => format!("rclcpp/{}, {}", rmw.name(), way.name()),
        }
    }

    fn is_peer(&self) -> bool {
        matches!(self, Self::Rclcpp(..))
    }
}

impl Subject {
    /// Starts a system, and waits until all of its publishers and subscriptions are there.
    pub(super) fn start(self, setup: &Setup<'_>) -> Result<Running, RunError> {
        match self {
            Self::Saltus(way) => way.start(setup),
            Self::Rclcpp(rmw, way) => setup.start_on_rclcpp(rmw, way),
        }
    }
}

/// Returns these ways on each middleware that the sourced ROS 2 environment has. Also returns why the others are
/// missing.
pub(super) fn on_rclcpp(rmws: &[Rmw], ways: &[RclcppWay]) -> (Vec<Subject>, String) {
    let (mut subjects, mut missing) = (Vec::new(), String::new());
    for rmw in rmws {
        let available = find(PACKAGE, "nodes", *rmw)
            .and_then(|_| rmw.environment(Path::new(PEERS)))
            .and_then(|_| forget_ros2());
        match available {
            Ok(()) => subjects.extend(ways.iter().map(|way| Subject::Rclcpp(*rmw, *way))),
            Err(error) => missing += &format!("\nrclcpp/{} was not measured: {error}\n", rmw.name()),
        }
    }
    (subjects, missing)
}
