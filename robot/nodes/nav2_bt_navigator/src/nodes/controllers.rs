//! The nodes with one child, which they tick or not.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use nav2_behavior_tree::ports;
use saltus::{
    Time,
    msgs::{geometry_msgs::msg::PoseStamped, nav_msgs::msg::Path},
    types::lock,
};
use saltus_behavior_tree::{Behavior, Built, NodeConfig, Port, Status, TickError, Value};
use saltus_motion::{Pose, path::length};
use saltus_nav_server::from_path;

use super::{
    conditions::robot,
    inputs::{Constructor, Goals, NodeTick},
};
use crate::world::World;

pub(super) const CONSTRUCTORS: &[(&str, Constructor)] = &[
    ("DistanceController", |world, _| {
        Ok(Box::new(Distance { world: world.clone(), start: Pose::default() }))
    }),
    ("SpeedController", |world, _| Ok(Box::new(Speed::new(world)))),
    ("GoalUpdatedController", |_, _| Ok(Box::new(Updated(Goals::default())))),
    ("GoalUpdater", updater),
    ("PathLongerOnApproach", |_, _| Ok(Box::new(Longer::default()))),
];

type Outcome = Result<Status, TickError>;

/// Ticks the child. Its status is passed on.
fn pass(tick: &mut NodeTick<'_>) -> Outcome {
    let status = tick.tick_child(0)?;
    if status.is_completed() {
        tick.halt_child(0);
    }
    Ok(status)
}

fn is_first(tick: &NodeTick<'_>) -> bool {
    !tick.status().is_active()
}

fn child_runs(tick: &NodeTick<'_>) -> bool {
    tick.child_status(0) == Status::Running
}

/// Ticks its child each time the robot has moved a distance.
struct Distance {
    world: Arc<World>,
    start: Pose,
}

impl Behavior<()> for Distance {
    fn tick(&mut self, tick: &mut NodeTick<'_>) -> Outcome {
        let distance: f64 = tick.input(ports::DISTANCE)?;
        let Some(robot) = robot(tick, &self.world)? else { return Ok(Status::Failure) };
        let is_first = is_first(tick);
        if is_first {
            self.start = robot;
        }
        if !is_first && !child_runs(tick) && self.start.distance(&robot) < distance {
            return Ok(Status::Running);
        }
        let status = pass(tick)?;
        if status == Status::Success {
            self.start = robot;
        }
        Ok(status)
    }
}

/// Ticks its child more often if the robot is faster.
struct Speed {
    world: Arc<World>,
    goals: Goals,
    start: Duration,
    period: Duration,
}

impl Speed {
    fn new(world: &Arc<World>) -> Self {
        Self { world: world.clone(), goals: Goals::default(), start: Duration::ZERO, period: Duration::ZERO }
    }

    /// Returns the time between two ticks at a rate, in Hz.
    fn period(rate: f64) -> Result<Duration, TickError> {
        Duration::try_from_secs_f64(1.0 / rate)
            .map_err(|_| TickError::from(format!("the rate {rate} must be positive")))
    }

    /// Returns the time between two ticks for the speed of the robot.
    fn current_period(&self, tick: &NodeTick<'_>) -> Result<Duration, TickError> {
        let number = |port: Port| tick.input::<f64>(port);
        let (least, most) = (number(ports::MIN_RATE)?, number(ports::MAX_RATE)?);
        let (slow, fast) = (number(ports::MIN_SPEED)?, number(ports::MAX_SPEED)?);
        let share = (self.world.odometry.velocity().speed() - slow) / (fast - slow);
        // 0 / 0 if both are the same.
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        Self::period(least + share * (most - least))
    }
}

impl Behavior<()> for Speed {
    fn tick(&mut self, tick: &mut NodeTick<'_>) -> Outcome {
        let goals = Goals::read(tick)?;
        let is_first = is_first(tick) || goals != self.goals;
        self.goals = goals;
        if is_first {
            (self.start, self.period) = (tick.now(), Self::period(tick.input(ports::MAX_RATE)?)?);
        }
        let is_over = tick.passed(&mut self.start) >= self.period;
        if !is_first && !child_runs(tick) && !is_over {
            return Ok(Status::Running);
        }
        if is_over {
            (self.start, self.period) = (tick.now(), self.current_period(tick)?);
        }
        pass(tick)
    }
}

/// Ticks its child when there is another goal.
struct Updated(Goals);

impl Behavior<()> for Updated {
    fn tick(&mut self, tick: &mut NodeTick<'_>) -> Outcome {
        let goals = Goals::read(tick)?;
        let is_new = is_first(tick) || goals != self.0;
        self.0 = goals;
        if is_new || child_runs(tick) { pass(tick) } else { Ok(Status::Running) }
    }
}

/// Takes a goal from a topic, if it is newer than the input.
struct Updater {
    world: Arc<World>,
    received: Arc<Mutex<Option<PoseStamped>>>,
    _subscription: saltus::Subscription<PoseStamped>,
}

fn updater(world: &Arc<World>, _config: &NodeConfig<'_>) -> Built<()> {
    let received = Arc::<Mutex<Option<PoseStamped>>>::default();
    let set = received.clone();
    let topic = &world.settings.goal_updater_topic;
    let subscription = world.node.subscription(topic).callback_group(&world.group);
    let subscription = subscription.callback(move |goal| *lock(&set) = Some(goal));
    let subscription = subscription.map_err(|error| error.to_string())?;
    Ok(Box::new(Updater { world: world.clone(), received, _subscription: subscription }))
}

impl Behavior<()> for Updater {
    fn tick(&mut self, tick: &mut NodeTick<'_>) -> Outcome {
        let mut goal: Arc<PoseStamped> = tick.input(ports::INPUT_GOAL)?;
        if let Some(received) = lock(&self.received).clone() {
            let stamp = |goal: &PoseStamped| Time::from(goal.header.stamp);
            if stamp(&received) > stamp(&goal) {
                goal = Arc::new(received);
            } else {
                saltus::warn!(
                    self.world.logger(),
                    "The timestamp of the received goal ({:.6}) is older than the current goal ({:.6}). Ignoring the \
                     received goal.",
                    stamp(&received).as_secs_f64(),
                    stamp(&goal).as_secs_f64()
                );
            }
        }
        tick.output(ports::OUTPUT_GOAL, Value::Object(goal));
        tick.tick_child(0)
    }
}

/// Ticks its child if the path has become longer near the goal.
#[derive(Default)]
struct Longer {
    old: Option<Arc<Path>>,
    is_running: bool,
}

impl Behavior<()> for Longer {
    fn tick(&mut self, tick: &mut NodeTick<'_>) -> Outcome {
        let path: Arc<Path> = tick.input(ports::PATH)?;
        let (near, factor): (f64, f64) = (tick.input(ports::PROX_LEN)?, tick.input(ports::LENGTH_FACTOR)?);
        let length = |path: &Path| from_path(path).map_or(0.0, |path| length(&path));
        let end = |path: &Path| path.poses.last().map(|stamped| stamped.pose.position);
        let is_longer = self.old.as_ref().is_some_and(|old| {
            let is_other = old.poses.len() != path.poses.len() && end(old) == end(&path);
            is_other && length(old) < near && length(&path) > factor * length(old)
        });
        if is_longer || self.is_running {
            let status = pass(tick)?;
            self.is_running = !status.is_completed();
            if status.is_completed() {
                self.old = Some(path);
            }
            return Ok(status);
        }
        self.old = Some(path);
        Ok(Status::Success)
    }

    fn halt(&mut self, _tick: &mut NodeTick<'_>) {
        self.is_running = false;
    }
}
