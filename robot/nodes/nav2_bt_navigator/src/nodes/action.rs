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
use saltus_behavior_tree::{Behavior, Built, Making, Status, TickError};
use saltus_server::{GoalCall, Progress};

use super::inputs::{NodeTick, server_timeout};
use crate::world::World;

/// How a goal has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Succeeded,
    Aborted,
    Canceled,
    /// The node was halted before the end.
    Halted,
}

/// What a node asks of an action server.
pub(super) trait Ask: Default + Send + 'static {
    /// The action.
    type Action: Action;
    /// The name of the action, if the XML has no other.
    const SERVER: &'static str;

    /// Returns a goal.
    fn goal(&mut self, tick: &mut NodeTick<'_>) -> Result<<Self::Action as Action>::Goal, TickError>;

    /// Returns another goal, if the inputs have changed since.
    fn newer(
        &mut self,
        _tick: &mut NodeTick<'_>,
    ) -> Result<Option<<Self::Action as Action>::Goal>, TickError> {
        Ok(None)
    }

    /// Sets the outputs.
    fn end(&mut self, tick: &mut NodeTick<'_>, how: How, result: <Self::Action as Action>::Result);

    /// Returns the status of the node at the end.
    fn status(&self, how: How) -> Status {
        if how == How::Aborted { Status::Failure } else { Status::Success }
    }
}

struct ActionNode<A: Ask> {
    ask: A,
    world: Arc<World>,
    client: ActionClient<A::Action>,
    timeout: Duration,
    running: Option<Running<A::Action>>,
}

struct Running<A: Action> {
    call: GoalCall<A>,
    /// The goal before, until the server has accepted this one.
    before: Option<GoalCall<A>>,
    /// When it was sent.
    since: Instant,
    is_accepted: bool,
}

/// Makes a node that asks an action server, which must be there soon.
pub(super) fn make<A: Ask>(world: &Arc<World>, making: &Making<'_>) -> Built<()> {
    let name = making.port(ports::SERVER_NAME).unwrap_or_else(|| A::SERVER.to_owned());
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
    let timeout = server_timeout(making, world);
    Ok(Box::new(ActionNode { ask: A::default(), world: world.clone(), client, timeout, running: None }))
}

impl<A: Ask> ActionNode<A> {
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

    /// Cancels the goal before, which a newer one did not replace.
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
        let how = match status {
            GoalStatus::Succeeded => How::Succeeded,
            GoalStatus::Canceled => How::Canceled,
            _ => How::Aborted,
        };
        self.ask.end(tick, how, result);
        self.ask.status(how)
    }
}

impl<A: Ask> Behavior<()> for ActionNode<A> {
    fn tick(&mut self, tick: &mut NodeTick<'_>) -> Result<Status, TickError> {
        if !tick.status().is_active() {
            self.running = None;
            let goal = self.ask.goal(tick)?;
            if !self.send(&goal) {
                return Ok(Status::Failure);
            }
        }
        let is_accepted = self.running.as_ref().is_some_and(|running| running.is_accepted);
        if is_accepted
            && let Some(goal) = self.ask.newer(tick)?
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
        // It may have been accepted meanwhile. Then it has replaced the one before.
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
        self.ask.end(tick, How::Halted, Default::default());
    }
}
