//! A node that sends goals to an action server.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use nav2_behavior_tree::ports;
use saltus::{
    action::{ActionClient, GoalStatus},
    cdr::Action,
};
use saltus_behavior_tree::{Behavior, Built, NodeConfig, Status, TickError};
use saltus_server::{GoalCall, Progress};

use super::inputs::{NodeTick, server_timeout};
use crate::world::World;

/// The end of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GoalEnd {
    Succeeded,
    Aborted,
    Canceled,
    /// The node was halted before the end.
    Halted,
}

/// A goal that a node sends to an action server.
pub(super) trait ActionRequest: Default + Send + 'static {
    /// The action.
    type Action: Action;
    /// The default name of the action.
    const SERVER: &'static str;

    /// Returns a goal.
    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<<Self::Action as Action>::Goal, TickError>;

    /// Returns another goal, if the inputs have changed.
    fn newer(
        &mut self,
        _tick: &mut NodeTick<'_>,
    ) -> Result<Option<<Self::Action as Action>::Goal>, TickError> {
        Ok(None)
    }

    /// Sets the outputs.
    fn end(&mut self, tick: &mut NodeTick<'_>, end: GoalEnd, result: <Self::Action as Action>::Result);

    /// Returns the status of the node at the end.
    fn status(&self, end: GoalEnd) -> Status {
        if end == GoalEnd::Aborted { Status::Failure } else { Status::Success }
    }
}

struct ActionNode<A: ActionRequest> {
    request: A,
    world: Arc<World>,
    client: ActionClient<A::Action>,
    timeout: Duration,
    running: Option<Running<A::Action>>,
}

struct Running<A: Action> {
    call: GoalCall<A>,
    /// The previous goal, until the server has accepted this one.
    before: Option<GoalCall<A>>,
    /// The time at which it was sent.
    since: Instant,
    is_accepted: bool,
}

/// Creates a node that sends goals to an action server, and waits until the server is there.
pub(super) fn create<A: ActionRequest>(world: &Arc<World>, config: &NodeConfig<'_>) -> Built<()> {
    let name = config.port(ports::SERVER_NAME).unwrap_or_else(|| A::SERVER.to_owned());
    let client = ActionClient::<A::Action>::on(&world.node, &name).callback_group(&world.group);
    let client = client.create().map_err(|error| error.to_string())?;
    let wait = world.settings.service_timeout;
    if !client.wait_for_server(wait) {
        saltus::error!(
            world.logger(),
            "\"{name}\" action server not available after waiting for {:.2}s",
            wait.as_secs_f64()
        );
        return Err(format!("Action server {name} not available"));
    }
    let timeout = server_timeout(config, world);
    Ok(Box::new(ActionNode { request: A::default(), world: world.clone(), client, timeout, running: None }))
}

impl<A: ActionRequest> ActionNode<A> {
    /// Sends a goal. Returns whether there is a server.
    fn send(&mut self, goal: &<A::Action as Action>::Goal) -> bool {
        let before = self.running.take().map(|running| running.call);
        match GoalCall::send(&self.client, goal) {
            Ok(call) => {
                self.running = Some(Running { call, before, since: Instant::now(), is_accepted: false });
                true
            }
            Err(error) => {
                saltus::error!(self.world.logger(), "{error}");
                self.cancel(before);
                false
            }
        }
    }

    /// Cancels the previous goal, if the newer goal did not replace it.
    fn cancel(&self, before: Option<GoalCall<A::Action>>) {
        if let Some(mut before) = before
            && let Err(error) = before.cancel(self.timeout, self.world.settings.cancel_timeout)
        {
            saltus::warn!(self.world.logger(), "the goal before was not canceled: {error}");
        }
    }

    fn ended(
        &mut self,
        tick: &mut NodeTick<'_>,
        status: GoalStatus,
        result: <A::Action as Action>::Result,
    ) -> Status {
        let end = match status {
            GoalStatus::Succeeded => GoalEnd::Succeeded,
            GoalStatus::Canceled => GoalEnd::Canceled,
            _ => GoalEnd::Aborted,
        };
        self.request.end(tick, end, result);
        self.request.status(end)
    }
}

impl<A: ActionRequest> Behavior<()> for ActionNode<A> {
    fn tick(&mut self, tick: &mut NodeTick<'_>) -> Result<Status, TickError> {
        if !tick.status().is_active() {
            self.running = None;
            let goal = self.request.goal(tick)?;
            if !self.send(&goal) {
                return Ok(Status::Failure);
            }
        }
        let is_accepted = self.running.as_ref().is_some_and(|running| running.is_accepted);
        if is_accepted
            && let Some(goal) = self.request.newer(tick)?
            && !self.send(&goal)
        {
            return Ok(Status::Failure);
        }
        let Some(running) = &mut self.running else { return Ok(Status::Failure) };
        match running.call.poll(&self.world.waker) {
            Progress::Sent if running.since.elapsed() > self.timeout => {
                saltus::warn!(
                    self.world.logger(),
                    "Timed out while waiting for action server to acknowledge goal request for {}",
                    self.client.action_name()
                );
                // The server may accept it later.
                let _ = running.call.cancel(Duration::ZERO, Duration::ZERO);
                let before = running.before.take();
                self.running = None;
                self.cancel(before);
                Ok(Status::Failure)
            }
            Progress::Sent => Ok(Status::Running),
            Progress::Accepted => {
                running.is_accepted = true;
                running.before = None;
                Ok(Status::Running)
            }
            Progress::Ended(status, result) => {
                self.running = None;
                Ok(self.ended(tick, status, result))
            }
            Progress::Failed(error) => {
                saltus::error!(self.world.logger(), "{error}");
                let before = running.before.take();
                self.running = None;
                self.cancel(before);
                Ok(Status::Failure)
            }
        }
    }

    fn halt(&mut self, tick: &mut NodeTick<'_>) {
        let Some(mut running) = self.running.take() else { return };
        // The goal may have been accepted in the meantime. Then it has replaced the previous goal.
        match running.call.poll(&self.world.waker) {
            Progress::Ended(..) => return,
            Progress::Failed(_) => return self.cancel(running.before),
            Progress::Accepted => {}
            Progress::Sent => self.cancel(running.before),
        }
        let end = self.world.settings.cancel_timeout;
        if let Err(error) = running.call.cancel(self.timeout, end) {
            saltus::error!(
                self.world.logger(),
                "Failed to cancel action server for {}: {error}",
                self.client.action_name()
            );
        }
        self.request.end(tick, GoalEnd::Halted, Default::default());
    }
}
