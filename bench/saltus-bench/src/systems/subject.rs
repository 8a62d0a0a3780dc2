//! The subjects of the rows of a table.

use super::{
    installed::forget_libraries,
    measured::Measured,
    middleware::Middleware,
    on_rclcpp::RclcppWay,
    setup::{Running, Setup},
    ways::Way,
};
use crate::{error::RunError, ros2::PACKAGE};

/// The nodes of a system, on Saltus or on rclcpp.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject {
    Saltus(Way),
    Rclcpp(Middleware, RclcppWay),
}

impl Measured for Subject {
    fn name(&self) -> String {
        match self {
            Self::Saltus(way) => way.name().into(),
            Self::Rclcpp(middleware, way) => format!("rclcpp/{}, {}", middleware.name(), way.name()),
        }
    }

    fn is_peer(&self) -> bool {
        matches!(self, Self::Rclcpp(Middleware::Ros2(_), _))
    }
}

impl Subject {
    /// Returns how the executors of rclcpp wait. Saltus's own programs wait as they are told.
    pub(super) const fn own_wait(self) -> &'static str {
        match self {
            Self::Saltus(_) => "adaptive",
            Self::Rclcpp(middleware, _) => middleware.wait(),
        }
    }

    /// Starts a system, and waits until all of its publishers and subscriptions are there.
    pub(super) fn start(self, setup: &Setup<'_>) -> Result<Running, RunError> {
        match self {
            Self::Saltus(way) => way.start(setup),
            Self::Rclcpp(middleware, way) => setup.start_on_rclcpp(middleware, way),
        }
    }
}

/// Returns these ways on each middleware that is there. Also returns why the others are missing.
pub(super) fn on_rclcpp(middlewares: &[Middleware], ways: &[RclcppWay]) -> (Vec<Subject>, String) {
    let (mut subjects, mut missing) = (Vec::new(), String::new());
    for middleware in middlewares {
        let available = middleware
            .find(PACKAGE, "nodes")
            .and_then(|_| middleware.environment())
            .and_then(|_| forget_libraries(middleware.prefixes()?));
        match available {
            Ok(()) => subjects.extend(ways.iter().map(|way| Subject::Rclcpp(*middleware, *way))),
            Err(error) => missing += &format!("\nrclcpp/{} was not measured: {error}\n", middleware.name()),
        }
    }
    (subjects, missing)
}
