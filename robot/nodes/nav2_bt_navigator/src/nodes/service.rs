//! The nodes that call services.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use nav2_behavior_tree::ports;
use saltus::{
    Client,
    cdr::Service,
    msgs::{
        geometry_msgs::msg::PoseStamped,
        nav2_msgs::srv::*,
        std_srvs::srv::{Empty, Empty_Request},
    },
    service::Call,
};
use saltus_behavior_tree::{Behavior, Built, Making, Status, TickError};

use super::inputs::{Make, NodeTick, count_recovery, server_timeout};
use crate::world::World;

pub(super) const MAKERS: &[(&str, Make)] = &[
    ("ClearEntireCostmap", |world, making| {
        make::<ClearEntireCostmap>(world, making, |tick| {
            count_recovery(tick);
            Ok(ClearEntireCostmap_Request::default())
        })
    }),
    ("ClearCostmapExceptRegion", |world, making| {
        make::<ClearCostmapExceptRegion>(world, making, |tick| {
            count_recovery(tick);
            Ok(ClearCostmapExceptRegion_Request { reset_distance: distance(tick)? as f32 })
        })
    }),
    ("ClearCostmapAroundRobot", |world, making| {
        make::<ClearCostmapAroundRobot>(world, making, |tick| {
            count_recovery(tick);
            Ok(ClearCostmapAroundRobot_Request { reset_distance: distance(tick)? as f32 })
        })
    }),
    ("ClearCostmapAroundPose", |world, making| {
        make::<ClearCostmapAroundPose>(world, making, |tick| {
            count_recovery(tick);
            let pose = (*tick.input::<Arc<PoseStamped>>(ports::POSE)?).clone();
            Ok(ClearCostmapAroundPose_Request { pose, reset_distance: distance(tick)? })
        })
    }),
    ("ReinitializeGlobalLocalization", |world, making| {
        make::<Empty>(world, making, |_| Ok(Empty_Request::default()))
    }),
];

fn distance(tick: &NodeTick<'_>) -> Result<f64, TickError> {
    tick.input(ports::RESET_DISTANCE)
}

/// Returns a request.
type Ask<S> = fn(&mut NodeTick<'_>) -> Result<<S as Service>::Request, TickError>;

struct ServiceNode<S: Service> {
    ask: Ask<S>,
    world: Arc<World>,
    client: Client<S>,
    name: String,
    timeout: Duration,
    /// The call, and when it was made.
    running: Option<(Call<S>, Instant)>,
}

fn make<S: Service>(world: &Arc<World>, making: &Making<'_>, ask: Ask<S>) -> Built<()> {
    let name = making.port(ports::SERVICE_NAME).ok_or("`service_name` has no value")?;
    let client = world.node.client::<S>(&name).callback_group(&world.group).create();
    let client = client.map_err(|error| error.to_string())?;
    let wait = world.settings.service_timeout;
    if !client.wait_for_service(wait) {
        saltus::error!(
            world.logger(),
            "\"{name}\" service server not available after waiting for {:.2}s",
            wait.as_secs_f64()
        );
        return Err(format!("Service server {name} not available"));
    }
    let timeout = server_timeout(making, world);
    Ok(Box::new(ServiceNode { ask, world: world.clone(), client, name, timeout, running: None }))
}

impl<S: Service> Behavior<()> for ServiceNode<S> {
    fn tick(&mut self, tick: &mut NodeTick<'_>) -> Result<Status, TickError> {
        if self.running.is_none() {
            let request = (self.ask)(tick)?;
            match self.client.call_async(&request) {
                Ok(call) => self.running = Some((call, Instant::now())),
                Err(error) => {
                    saltus::error!(self.world.logger(), "{}: {error}", self.name);
                    return Ok(Status::Failure);
                }
            }
        }
        let Some((call, since)) = &mut self.running else { return Ok(Status::Failure) };
        let result = match Pin::new(call).poll(&mut Context::from_waker(&self.world.waker)) {
            Poll::Pending if since.elapsed() <= self.timeout => return Ok(Status::Running),
            Poll::Pending => {
                saltus::warn!(
                    self.world.logger(),
                    "Node timed out while executing service call to {}.",
                    self.name
                );
                Status::Failure
            }
            Poll::Ready(Ok(_)) => Status::Success,
            Poll::Ready(Err(error)) => {
                saltus::error!(self.world.logger(), "{}: {error}", self.name);
                Status::Failure
            }
        };
        self.running = None;
        Ok(result)
    }

    fn halt(&mut self, _tick: &mut NodeTick<'_>) {
        self.running = None;
    }
}
