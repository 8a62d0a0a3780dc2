//! The lifecycle node.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus::{
    Node, QoS, Subscription, Time, Timer,
    component::{Component, ComponentError, NodeOptions},
    lifecycle::{LifecycleNode, WeakLifecycleNode},
    msgs::{nav_msgs::msg::Odometry, std_msgs::msg::Header},
    param::{Parameter, ParameterCallback},
    time::Clock,
    types::lock,
};
use saltus_motion::Velocity;
use saltus_nav_server::{VelocityPublisher, VelocitySubscription, from_twist, time_since_start};
use saltus_server::{Managed, ManagedNode, Parameters, manage};

use crate::{settings::Settings, smoothing::Smoothing};

/// Lets velocities change only as fast as a robot can. It is a lifecycle node.
///
/// | name | description |
/// |---|---|
/// | `cmd_vel` (subscription) | the commanded velocities |
/// | `cmd_vel_smoothed` (publisher) | the velocities within the limits |
/// | `max_velocity`, `min_velocity` (parameters) | the limits of x, y and theta, in m/s and rad/s |
/// | `max_accel`, `max_decel` (parameters) | the limits of their changes, in m/s² and rad/s² |
/// | `deadband_velocity` (parameter) | the velocities below which a velocity counts as 0 |
/// | `scale_velocities` (parameter) | whether all parts change in the same proportion; false |
/// | `smoothing_frequency` (parameter) | the rate at which velocities are published, in Hz; 20 |
/// | `velocity_timeout` (parameter) | the time without a command after which the robot stops, in seconds; 1.0 |
/// | `feedback` (parameter) | `OPEN_LOOP`, or `CLOSED_LOOP` with `odom_topic` and `odom_duration` |
/// | `enable_stamped_cmd_vel` (parameter) | whether velocities are `TwistStamped`; false |
/// | `bond_heartbeat_period` (parameter) | the period of the heartbeats to the lifecycle manager, in seconds; 0.1, or 0 for none |
#[derive(Debug)]
pub struct VelocitySmoother(ManagedNode);

impl Component for VelocitySmoother {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("velocity_smoother").create()?;
        // Tools see the parameters before the configuration: all, or those before the first whose value can't be used.
        if let Err(error) = Settings::read(&Parameters::new(&node)) {
            saltus::warn!(node.logger(), "the node can't be configured: {error}");
        }
        Ok(Self(manage::<Configured>(&node, ())?))
    }

    fn node(&self) -> &Node {
        &self.0
    }
}

impl VelocitySmoother {
    /// Returns the node with its states.
    pub fn lifecycle(&self) -> &LifecycleNode {
        &self.0
    }
}

/// The things that the node owns while it is configured.
struct Configured {
    state: Arc<SmootherState>,
    active: Option<Active>,
}

/// The state that the callbacks share while the node is configured.
struct SmootherState {
    node: WeakLifecycleNode,
    clock: Clock,
    output: VelocityPublisher,
    smoothing: Mutex<Smoothing>,
    /// Whether velocities are published. Changed with the lock of `smoothing`.
    is_active: AtomicBool,
    /// Whether the last velocity that was published is not 0. Changed with the same lock.
    is_moving: AtomicBool,
}

/// The things that the node owns while it is active.
struct Active {
    _command: VelocitySubscription,
    _odometry: Option<Subscription<Odometry>>,
    timer: Arc<Timer>,
    _parameters: [ParameterCallback; 2],
}

impl Managed for Configured {
    type Owner = ();

    fn configure(node: &LifecycleNode, _owner: &()) -> Result<Self, ComponentError> {
        let settings = Settings::read(&Parameters::new(node))?;
        let state = Arc::new(SmootherState {
            node: node.downgrade(),
            clock: node.clock().clone(),
            output: VelocityPublisher::new(node, "cmd_vel_smoothed", settings.is_stamped)?,
            smoothing: Mutex::new(Smoothing::new(settings)?),
            is_active: AtomicBool::new(false),
            is_moving: AtomicBool::new(false),
        });
        Ok(Self { state, active: None })
    }

    fn activate(&mut self, node: &LifecycleNode, _owner: &()) -> Result<bool, ComponentError> {
        {
            let mut smoothing = lock(&self.state.smoothing);
            smoothing.restart()?;
            self.state.is_active.store(true, Ordering::Relaxed);
        }
        self.active = Some(Active::new(node, &self.state)?);
        Ok(true)
    }

    fn deactivate(&mut self, _node: &LifecycleNode, _owner: &()) {
        if let Some(active) = self.active.take() {
            active.timer.cancel();
        }
        self.state.stop();
    }
}

impl Active {
    fn new(node: &LifecycleNode, state: &Arc<SmootherState>) -> Result<Self, ComponentError> {
        let settings = lock(&state.smoothing).settings().clone();
        let (commanded, measured, ticked) = (state.clone(), state.clone(), state.clone());
        let group = node.default_callback_group();
        let command = move |velocity, header| commanded.command(velocity, header);
        let command = VelocitySubscription::new(node, group, "cmd_vel", settings.is_stamped, command)?;
        let measure = move |message: Odometry| measured.measure(&message);
        let odometry = match settings.feedback {
            saltus_motion::Feedback::OpenLoop => None,
            saltus_motion::Feedback::ClosedLoop => {
                Some(node.subscription(&settings.odom_topic).qos(QoS::keep_last(1)).callback(measure)?)
            }
        };
        let timer = Arc::new(node.wall_timer(settings.period()).callback(move || ticked.tick())?);
        let (checked, changed, period) = (state.clone(), state.clone(), timer.clone());
        let check = move |proposed: &[Parameter]| checked.check(proposed).map_err(|error| error.to_string());
        let parameters =
            [node.on_set_parameters(check), node.on_post_set_parameters(move |_| changed.configure(&period))];
        Ok(Self { _command: command, _odometry: odometry, timer, _parameters: parameters })
    }
}

impl SmootherState {
    fn now(&self) -> Duration {
        time_since_start(self.clock.now())
    }

    fn command(&self, velocity: Velocity, header: Header) {
        let stamp = Time::from(header.stamp);
        let now = if stamp == Time::from_nanos(0) { self.now() } else { time_since_start(stamp) };
        if !lock(&self.smoothing).command(velocity, header, now)
            && let Some(node) = self.node.upgrade()
        {
            saltus::error!(node.logger(), "Velocity message contains NaNs or Infs! Ignoring as invalid!");
        }
    }

    fn measure(&self, message: &Odometry) {
        let stamp = time_since_start(Time::from(message.header.stamp));
        lock(&self.smoothing).measure(from_twist(&message.twist.twist), stamp);
    }

    fn tick(&self) {
        let mut smoothing = lock(&self.smoothing);
        if !self.is_active.load(Ordering::Relaxed) {
            return;
        }
        if let Some((velocity, header)) = smoothing.next(self.now()) {
            self.output.publish(&velocity, header);
            self.is_moving.store(velocity != Velocity::default(), Ordering::Relaxed);
        }
    }

    /// Stops the robot, if its last velocity is not 0. No velocity is published after that.
    fn stop(&self) {
        let _smoothing = lock(&self.smoothing);
        self.is_active.store(false, Ordering::Relaxed);
        if self.is_moving.swap(false, Ordering::Relaxed) {
            let header = Header { stamp: self.clock.now().into(), ..Header::default() };
            self.output.publish(&Velocity::default(), &header);
        }
    }

    /// Checks values that parameters are about to get.
    fn check(&self, proposed: &[Parameter]) -> Result<(), ComponentError> {
        let Some(node) = self.node.upgrade() else { return Ok(()) };
        Settings::read(&Parameters::new(&node).proposing(proposed)).map(drop)
    }

    /// Sets the current values of the parameters. Topics and types of messages stay until the node is configured again.
    fn configure(&self, timer: &Timer) {
        let Some(node) = self.node.upgrade() else { return };
        let done = Settings::read(&Parameters::new(&node)).and_then(|settings| {
            timer.set_period(settings.period());
            Ok(lock(&self.smoothing).configure(settings)?)
        });
        if let Err(error) = done {
            saltus::warn!(node.logger(), "the parameters are not used: {error}");
        }
    }
}
