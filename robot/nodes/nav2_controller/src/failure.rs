//! The reasons why a goal is not followed to its end.

use std::fmt;

use saltus::msgs::nav2_msgs::action::FollowPath_Result;

/// The reason why a goal is not followed to its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    Unknown(String),
    InvalidController(String),
    Transform(String),
    InvalidPath(String),
    PatienceExceeded,
    NoProgress,
    NoValidControl(String),
    Timeout,
}

impl Failure {
    /// Returns the code in results.
    pub(crate) fn code(&self) -> u16 {
        match self {
            Self::Unknown(_) => FollowPath_Result::UNKNOWN,
            Self::InvalidController(_) => FollowPath_Result::INVALID_CONTROLLER,
            Self::Transform(_) => FollowPath_Result::TF_ERROR,
            Self::InvalidPath(_) => FollowPath_Result::INVALID_PATH,
            Self::PatienceExceeded => FollowPath_Result::PATIENCE_EXCEEDED,
            Self::NoProgress => FollowPath_Result::FAILED_TO_MAKE_PROGRESS,
            Self::NoValidControl(_) => FollowPath_Result::NO_VALID_CONTROL,
            Self::Timeout => FollowPath_Result::CONTROLLER_TIMED_OUT,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(text)
            | Self::Transform(text)
            | Self::InvalidPath(text)
            | Self::NoValidControl(text) => f.write_str(text),
            Self::InvalidController(name) => write!(f, "Failed to find controller name: {name}"),
            Self::PatienceExceeded => f.write_str("Controller patience exceeded"),
            Self::NoProgress => f.write_str("Failed to make progress"),
            Self::Timeout => f.write_str("Costmap timed out waiting for update"),
        }
    }
}
