//! Ports, and values of the blackboard.

use std::{sync::Arc, time::Duration};

use nav2_behavior_tree::ports;
use saltus::msgs::geometry_msgs::msg::PoseStamped;
use saltus_behavior_tree::{Built, FromValue, Making, Port, Tick, TickError};

use crate::world::World;

/// What a node is told.
pub(super) type NodeTick<'a> = Tick<'a, ()>;

/// Makes what a node does.
pub(super) type Make = fn(&Arc<World>, &Making<'_>) -> Built<()>;

/// How often a robot has recovered, on the blackboard of the root.
const RECOVERIES: &str = "@number_recoveries";

/// Returns an input, or the value of the blackboard with the name of the port.
pub(super) fn input_or_board<T: FromValue>(tick: &NodeTick<'_>, port: Port) -> Result<Option<T>, TickError> {
    if let Some(value) = tick.input_if_set(port)? {
        return Ok(Some(value));
    }
    match tick.board_value(port.name) {
        Some(value) => T::from_value(value).map(Some).map_err(TickError::from),
        None => Ok(None),
    }
}

/// Returns a frame: that of a port, or another one if it has no value.
pub(super) fn frame(tick: &NodeTick<'_>, port: Port, otherwise: &str) -> Result<String, TickError> {
    let frame = tick.input_if_set::<String>(port)?.filter(|frame| !frame.is_empty());
    Ok(frame.unwrap_or_else(|| otherwise.to_owned()))
}

/// Returns the time that a server may need to answer.
pub(super) fn server_timeout(making: &Making<'_>, world: &World) -> Duration {
    let given = making.port(ports::SERVER_TIMEOUT).and_then(|text| text.parse().ok());
    given.map_or(world.settings.server_timeout, Duration::from_millis)
}

/// Returns the text of a port, or its default if the text is empty.
pub(super) fn text_or_default(making: &Making<'_>, port: Port) -> String {
    making.port(port).unwrap_or_else(|| port.default.unwrap_or_default().to_owned())
}

/// Counts a recovery.
pub(super) fn count_recovery(tick: &mut NodeTick<'_>) {
    let (boards, board) = tick.boards();
    let count = boards.get(board, RECOVERIES).and_then(|value| i64::from_value(value).ok()).unwrap_or(0);
    boards.set(board, RECOVERIES, (count + 1).into());
}

/// The goals of the blackboard.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Goals {
    goal: Option<Arc<PoseStamped>>,
    goals: Option<Arc<Vec<PoseStamped>>>,
}

impl Goals {
    /// Returns the goals that there are now.
    pub(super) fn of(tick: &NodeTick<'_>) -> Result<Self, TickError> {
        Ok(Self { goal: input_or_board(tick, ports::GOAL)?, goals: input_or_board(tick, ports::GOALS)? })
    }
}
