//! The behavior that waits.

use std::time::Duration;

use saltus::msgs::{
    builtin_interfaces::msg::Duration as DurationMessage,
    nav2_msgs::action::{Wait, Wait_Feedback, Wait_Goal, Wait_Result},
};
use saltus_nav_server::{from_duration, to_duration};

use crate::{
    robot::Robot,
    timed::{Failure, Next, TimedBehavior},
};

/// Waits.
pub(crate) struct Waiting(Duration);

impl TimedBehavior for Waiting {
    type Action = Wait;

    fn begin(goal: Wait_Goal, _robot: &Robot) -> Result<Self, Failure> {
        Ok(Self(from_duration(&goal.time)))
    }

    fn allowance(&self) -> (Duration, Failure) {
        (Duration::ZERO, Failure::new(0, ""))
    }

    fn next(&mut self, _robot: &Robot, elapsed: Duration) -> Result<Next, Failure> {
        Ok(if elapsed >= self.0 { Next::Done } else { Next::Stay })
    }

    fn feedback(&self, elapsed: Duration) -> Wait_Feedback {
        Wait_Feedback { time_left: to_duration(self.0.saturating_sub(elapsed)) }
    }

    fn result(total_elapsed_time: DurationMessage, (error_code, error_msg): (u16, String)) -> Wait_Result {
        Wait_Result { total_elapsed_time, error_code, error_msg }
    }

    fn stops(&self) -> bool {
        false
    }
}
