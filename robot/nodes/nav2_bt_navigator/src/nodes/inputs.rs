//! Ports, and values of the blackboard.

use std::{sync::Arc, time::Duration};

use nav2_behavior_tree::ports;
use saltus::msgs::geometry_msgs::msg::PoseStamped;
use saltus_behavior_tree::{Built, FromValue, NodeConfig, Port, Tick, TickError};

use crate::world::World;

/// The tick of a node.
pub(super) type NodeTick<'a> = Tick<'a, ()>;

/// A function that creates the behavior of a node.
pub(super) type Constructor = fn(&Arc<World>, &NodeConfig<'_>) -> Built<()>;

/// The key of the number of recoveries, on the blackboard of the root.
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

/// Returns the frame of a port, or `otherwise` if the port has no value.
pub(super) fn frame(tick: &NodeTick<'_>, port: Port, otherwise: &str) -> Result<String, TickError> {
    let frame = tick.input_if_set::<String>(port)?.filter(|frame| !frame.is_empty());
    Ok(frame.unwrap_or_else(|| otherwise.to_owned()))
}

/// Returns the longest time for a server to answer.
pub(super) fn server_timeout(config: &NodeConfig<'_>, world: &World) -> Duration {
    let given = config.port(ports::SERVER_TIMEOUT).and_then(|text| text.parse().ok());
    given.map_or(world.settings.server_timeout, Duration::from_millis)
}

/// Returns the text of a port, or its default if the text is empty.
pub(super) fn text_or_default(config: &NodeConfig<'_>, port: Port) -> String {
    config.port(port).unwrap_or_else(|| port.default.unwrap_or_default().to_owned())
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
    /// Returns the current goals.
    pub(super) fn read(tick: &NodeTick<'_>) -> Result<Self, TickError> {
        Ok(Self { goal: input_or_board(tick, ports::GOAL)?, goals: input_or_board(tick, ports::GOALS)? })
    }
}
