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
use saltus_behavior_tree::{Behavior, Built, NodeConfig, Status, TickError};

use super::inputs::{Constructor, NodeTick, count_recovery, server_timeout};
use crate::world::World;

pub(super) const CONSTRUCTORS: &[(&str, Constructor)] = &[
    ("ClearEntireCostmap", |world, config| {
        create::<ClearEntireCostmap>(world, config, |tick| {
            count_recovery(tick);
            Ok(ClearEntireCostmap_Request::default())
        })
    }),
    ("ClearCostmapExceptRegion", |world, config| {
        create::<ClearCostmapExceptRegion>(world, config, |tick| {
            count_recovery(tick);
            Ok(ClearCostmapExceptRegion_Request { reset_distance: distance(tick)? as f32 })
        })
    }),
    ("ClearCostmapAroundRobot", |world, config| {
        create::<ClearCostmapAroundRobot>(world, config, |tick| {
            count_recovery(tick);
            Ok(ClearCostmapAroundRobot_Request { reset_distance: distance(tick)? as f32 })
        })
    }),
    ("ClearCostmapAroundPose", |world, config| {
        create::<ClearCostmapAroundPose>(world, config, |tick| {
            count_recovery(tick);
            let pose = (*tick.input::<Arc<PoseStamped>>(ports::POSE)?).clone();
            Ok(ClearCostmapAroundPose_Request { pose, reset_distance: distance(tick)? })
        })
    }),
    ("ReinitializeGlobalLocalization", |world, config| {
        create::<Empty>(world, config, |_| Ok(Empty_Request::default()))
    }),
];

fn distance(tick: &NodeTick<'_>) -> Result<f64, TickError> {
    tick.input(ports::RESET_DISTANCE)
}

/// A function that returns a request.
type RequestFn<S> = fn(&mut NodeTick<'_>) -> Result<<S as Service>::Request, TickError>;

struct ServiceNode<S: Service> {
    make_request: RequestFn<S>,
    world: Arc<World>,
    client: Client<S>,
    name: String,
    timeout: Duration,
    /// The call, and the time at which it was made.
    running: Option<(Call<S>, Instant)>,
}

fn create<S: Service>(world: &Arc<World>, config: &NodeConfig<'_>, make_request: RequestFn<S>) -> Built<()> {
    let name = config.port(ports::SERVICE_NAME).ok_or("`service_name` has no value")?;
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
    let timeout = server_timeout(config, world);
    Ok(Box::new(ServiceNode { make_request, world: world.clone(), client, name, timeout, running: None }))
}

impl<S: Service> Behavior<()> for ServiceNode<S> {
    fn tick(&mut self, tick: &mut NodeTick<'_>) -> Result<Status, TickError> {
        if self.running.is_none() {
            let request = (self.make_request)(tick)?;
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
