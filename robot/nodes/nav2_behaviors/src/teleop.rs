//! The behavior that lets a person drive.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus::{
    Subscription,
    msgs::{
        builtin_interfaces::msg::Duration as DurationMessage,
        nav2_msgs::action::{
            AssistedTeleop, AssistedTeleop_Feedback, AssistedTeleop_Goal, AssistedTeleop_Result,
        },
        std_msgs::msg::Empty,
    },
    param::ParameterError,
    types::lock,
};
use saltus_motion::{
    Velocity,
    behavior::{Lookahead, assisted},
};
use saltus_nav_server::{VelocitySubscription, from_duration, to_duration};
use saltus_server::Parameters;

use crate::{
    robot::Robot,
    timed::{Failure, Next, TimedBehavior},
};

/// Lets a person drive, but not into obstacles.
pub(crate) struct Teleop {
    command: Arc<Mutex<Velocity>>,
    is_ended: Arc<AtomicBool>,
    allowance: Duration,
    lookahead: Lookahead,
    _commands: VelocitySubscription,
    _ends: Subscription<Empty>,
}

fn unknown(error: impl ToString) -> Failure {
    Failure::new(AssistedTeleop_Result::UNKNOWN, error.to_string())
}

fn lookahead(parameters: &Parameters) -> Result<Lookahead, ParameterError> {
    let step = parameters.number("simulation_time_step", 0.1, 0.001..=10.0)?;
    Ok(Lookahead { cycle: Duration::from_secs_f64(step), ahead: parameters.seconds("projection_time", 1.0)? })
}

impl TimedBehavior for Teleop {
    type Action = AssistedTeleop;

    fn declare(robot: &Robot) -> Result<(), ParameterError> {
        lookahead(robot.parameters()).map(drop)
    }

    fn begin(goal: AssistedTeleop_Goal, robot: &Robot) -> Result<Self, Failure> {
        let parameters = robot.parameters();
        let node = robot.node.upgrade().ok_or_else(|| unknown("the node has ended"))?;
        let topic = parameters.text("cmd_vel_teleop", "cmd_vel_teleop").map_err(unknown)?;
        let is_stamped = parameters.get("enable_stamped_cmd_vel", false).map_err(unknown)?;
        let (command, is_ended) = (Arc::<Mutex<Velocity>>::default(), Arc::<AtomicBool>::default());
        let (commanded, ended) = (command.clone(), is_ended.clone());
        let lookahead = lookahead(parameters).map_err(unknown)?;
        let group = node.default_callback_group();
        let set = move |velocity: Velocity, _| {
            let is_number = [velocity.x, velocity.y, velocity.theta].iter().all(|part| part.is_finite());
            *lock(&commanded) = if is_number { velocity } else { Velocity::default() };
        };
        let end = move |_: Empty| ended.store(true, Ordering::Relaxed);
        Ok(Self {
            _commands: VelocitySubscription::new(&node, group, &topic, is_stamped, set).map_err(unknown)?,
            _ends: node.subscription("preempt_teleop").callback(end).map_err(unknown)?,
            command,
            is_ended,
            allowance: from_duration(&goal.time_allowance),
            lookahead,
        })
    }

    fn allowance(&self) -> (Duration, Failure) {
        let text =
            "Exceeded time allowance before reaching the assisted teleop goal - Exiting assisted teleop";
        (self.allowance, Failure::new(AssistedTeleop_Result::TIMEOUT, text))
    }

    fn next(&mut self, robot: &Robot, _elapsed: Duration) -> Result<Next, Failure> {
        let lost = || Failure::new(AssistedTeleop_Result::TF_ERROR, "Current robot pose is not available.");
        let pose = robot.pose().ok_or_else(lost)?;
        let command = *lock(&self.command);
        Ok(Next::Move(assisted(self.lookahead, &pose, command, |pose| robot.is_free(pose))))
    }

    fn feedback(&self, elapsed: Duration) -> AssistedTeleop_Feedback {
        AssistedTeleop_Feedback { current_teleop_duration: to_duration(elapsed) }
    }

    fn result(
        total_elapsed_time: DurationMessage,
        (error_code, error_msg): (u16, String),
    ) -> AssistedTeleop_Result {
        AssistedTeleop_Result { total_elapsed_time, error_code, error_msg }
    }

    fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Relaxed)
    }
}
