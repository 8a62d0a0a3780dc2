//! The tasks of a robot at waypoints.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus::{
    Subscription,
    component::ComponentError,
    msgs::{geometry_msgs::msg::PoseStamped, std_msgs::msg::Empty},
};
use saltus_server::PluginConfig;

/// A task that a robot does at each waypoint.
pub trait WaypointTask: Send {
    /// Begins the task, when the robot is at a waypoint.
    fn begin(&mut self, waypoint: u32, pose: &PoseStamped);

    /// Returns whether it has succeeded, once it has ended; `elapsed` is the time since it began.
    fn poll(&mut self, elapsed: Duration) -> Option<bool>;
}

/// Waits.
pub(crate) struct Wait {
    pause: Duration,
}

/// Waits for a message, until a timeout.
pub(crate) struct Input {
    is_enabled: bool,
    timeout: Duration,
    has_come: Arc<AtomicBool>,
    _subscription: Subscription<Empty>,
}

impl Wait {
    /// Creates the task that waits.
    pub(crate) fn create(config: &PluginConfig<'_>) -> Result<Box<dyn WaypointTask>, ComponentError> {
        let pause = config.parameters.count("waypoint_pause_duration", 0, 0..=u32::MAX)?;
        let pause = Duration::from_millis(u64::from(pause));
        let is_enabled = config.parameters.get("enabled", true)?;
        Ok(Box::new(Self { pause: if is_enabled { pause } else { Duration::ZERO } }))
    }
}

impl WaypointTask for Wait {
    fn begin(&mut self, _waypoint: u32, _pose: &PoseStamped) {}

    fn poll(&mut self, elapsed: Duration) -> Option<bool> {
        (elapsed >= self.pause).then_some(true)
    }
}

impl Input {
    /// Creates the task that waits for a message.
    pub(crate) fn create(config: &PluginConfig<'_>) -> Result<Box<dyn WaypointTask>, ComponentError> {
        let parameters = &config.parameters;
        let has_come = Arc::<AtomicBool>::default();
        let come = has_come.clone();
        let topic = parameters.text("input_topic", "input_at_waypoint/input")?;
        let receive = move |_: Empty| come.store(true, Ordering::Relaxed);
        Ok(Box::new(Self {
            is_enabled: parameters.get("enabled", true)?,
            timeout: parameters.seconds("timeout", 10.0)?,
            has_come,
            _subscription: parameters.node().subscription(&topic).callback(receive)?,
        }))
    }
}

impl WaypointTask for Input {
    fn begin(&mut self, _waypoint: u32, _pose: &PoseStamped) {
        self.has_come.store(false, Ordering::Relaxed);
    }

    fn poll(&mut self, elapsed: Duration) -> Option<bool> {
        if !self.is_enabled || self.has_come.load(Ordering::Relaxed) {
            return Some(true);
        }
        (elapsed >= self.timeout).then_some(false)
    }
}
