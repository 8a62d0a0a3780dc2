//! The nodes that subscribe to topics, and the node that checks whether a path is free.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Instant,
};

use nav2_behavior_tree::ports;
use saltus::{
    Time,
    msgs::{
        nav_msgs::msg::{Odometry, Path},
        nav2_msgs::srv::{IsPathValid, IsPathValid_Request},
        sensor_msgs::msg::BatteryState,
    },
    types::lock,
};
use saltus_behavior_tree::{Behavior, Built, NodeConfig, Status, TickError, leaf};

use super::inputs::{Constructor, NodeTick, server_timeout, text_or_default};
use crate::world::World;

pub(super) const CONSTRUCTORS: &[(&str, Constructor)] = &[
    ("IsStuck", is_stuck),
    ("IsBatteryLow", |world, config| {
        let battery = battery(world, config)?;
        Ok(leaf(move |tick: &mut NodeTick<'_>| {
            let least: f64 = tick.input(ports::MIN_BATTERY)?;
            let is_voltage: bool = tick.input(ports::IS_VOLTAGE)?;
            let level = |state: &BatteryState| if is_voltage { state.voltage } else { state.percentage };
            let state = lock(&battery.0);
            Ok(status(state.as_ref().is_some_and(|state| f64::from(level(state)) <= least)))
        }))
    }),
    ("IsBatteryCharging", |world, config| {
        let battery = battery(world, config)?;
        Ok(leaf(move |_: &mut NodeTick<'_>| {
            let charging = BatteryState::POWER_SUPPLY_STATUS_CHARGING;
            let state = lock(&battery.0);
            Ok(status(state.as_ref().is_some_and(|state| state.power_supply_status == charging)))
        }))
    }),
    ("IsPathValid", |world, config| {
        let client = world.node.client::<IsPathValid>("is_path_valid").callback_group(&world.group).create();
        let client = client.map_err(|error| error.to_string())?;
        Ok(Box::new(PathValid { world: world.clone(), client, timeout: server_timeout(config, world) }))
    }),
];

fn status(is_true: bool) -> Status {
    if is_true { Status::Success } else { Status::Failure }
}

/// The last state of a battery, and the subscription.
type Battery = (Arc<Mutex<Option<BatteryState>>>, saltus::Subscription<BatteryState>);

fn battery(world: &Arc<World>, config: &NodeConfig<'_>) -> Result<Battery, String> {
    let topic = text_or_default(config, ports::BATTERY_TOPIC);
    let known = Arc::<Mutex<Option<BatteryState>>>::default();
    let set = known.clone();
    let subscription = world
        .node
        .subscription(&topic)
        .callback_group(&world.group)
        .callback(move |state| *lock(&set) = Some(state))
        .map_err(|error| error.to_string())?;
    Ok((known, subscription))
}

/// The acceleration at or below which a robot has hit something, in m/s².
const BRAKE: f64 = -10.0;

fn is_stuck(world: &Arc<World>, _config: &NodeConfig<'_>) -> Built<()> {
    let is_stuck = Arc::<AtomicBool>::default();
    let (set, logger) = (is_stuck.clone(), world.logger());
    let mut last = None::<(Time, f64)>;
    let measure = move |odometry: Odometry| {
        let (stamp, speed) = (Time::from(odometry.header.stamp), odometry.twist.twist.linear.x);
        if let Some((before, slower)) = last.replace((stamp, speed)) {
            let elapsed = stamp.since(before).as_secs_f64();
            let is_braked = elapsed > 0.0 && (speed - slower) / elapsed < BRAKE;
            let text = if is_braked { "Robot got stuck!" } else { "Robot is free" };
            if set.swap(is_braked, Ordering::Relaxed) != is_braked {
                saltus::info!(logger, "{text}");
            }
        }
    };
    let subscription = world.node.subscription("odom").callback_group(&world.group).callback(measure);
    let subscription = subscription.map_err(|error| error.to_string())?;
    Ok(leaf(move |_: &mut NodeTick<'_>| {
        // The subscription lives as long as the node.
        let _kept = &subscription;
        Ok(status(is_stuck.load(Ordering::Relaxed)))
    }))
}

/// Calls the service that checks a path, and waits for the answer in the tick.
struct PathValid {
    world: Arc<World>,
    client: saltus::Client<IsPathValid>,
    timeout: std::time::Duration,
}

impl Behavior<()> for PathValid {
    fn tick(&mut self, tick: &mut NodeTick<'_>) -> Result<Status, TickError> {
        let path: Arc<Path> = tick.input(ports::PATH)?;
        let request = IsPathValid_Request { path: (*path).clone() };
        let begin = Instant::now();
        let mut call = match self.client.call_async(&request) {
            Ok(call) => call,
            Err(error) => {
                saltus::warn!(self.world.logger(), "is_path_valid: {error}");
                return Ok(Status::Failure);
            }
        };
        if let Poll::Ready(answer) = Pin::new(&mut call).poll(&mut Context::from_waker(&self.world.waker)) {
            return Ok(status(answer.is_ok_and(|answer| answer.is_valid)));
        }
        let left = self.timeout.saturating_sub(begin.elapsed());
        Ok(status(call.wait(left).is_ok_and(|answer| answer.is_valid)))
    }
}
