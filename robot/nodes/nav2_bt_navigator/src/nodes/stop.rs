//! The nodes that cancel goals of action servers.

use std::{sync::Arc, time::Duration};

use nav2_behavior_tree::ports;
use saltus::{
    action::ActionClient,
    cdr::Action,
    msgs::nav2_msgs::action::{
        AssistedTeleop, BackUp, ComputeAndTrackRoute, DriveOnHeading, FollowPath, Spin, Wait,
    },
};
use saltus_behavior_tree::{Built, Making, Status, leaf};

use super::inputs::{Make, NodeTick, server_timeout};
use crate::world::World;

pub(super) const MAKERS: &[(&str, Make)] = &[
    ("CancelControl", |world, making| stop::<FollowPath>(world, making, "follow_path")),
    ("CancelSpin", |world, making| stop::<Spin>(world, making, "spin")),
    ("CancelWait", |world, making| stop::<Wait>(world, making, "wait")),
    ("CancelBackUp", |world, making| stop::<BackUp>(world, making, "backup")),
    ("CancelDriveOnHeading", |world, making| stop::<DriveOnHeading>(world, making, "drive_on_heading")),
    ("CancelAssistedTeleop", |world, making| stop::<AssistedTeleop>(world, making, "assisted_teleop")),
    ("CancelComputeAndTrackRoute", |world, making| {
        stop::<ComputeAndTrackRoute>(world, making, "compute_and_track_route")
    }),
];

/// Goals that came in the last moment are not canceled: they may be those of the same tick.
const MOMENT: Duration = Duration::from_millis(10);

fn stop<A: Action>(world: &Arc<World>, making: &Making<'_>, server: &str) -> Built<()> {
    let name = making.port(ports::SERVER_NAME).unwrap_or_else(|| server.to_owned());
    let client = ActionClient::<A>::on(&world.node, &name).callback_group(&world.group);
    let client = client.create().map_err(|error| error.to_string())?;
    if !client.wait_for_server(world.settings.service_timeout) {
        return Err(format!("Action server {name} not available"));
    }
    let (world, timeout) = (world.clone(), server_timeout(making, world));
    Ok(leaf(move |_: &mut NodeTick<'_>| {
        let before = world.node.clock().now() - MOMENT;
        match client.cancel_before(before, timeout) {
            Ok(_) => Ok(Status::Success),
            Err(error) => {
                saltus::error!(
                    world.logger(),
                    "Failed to cancel the action server for {}: {error}",
                    client.action_name()
                );
                Ok(Status::Failure)
            }
        }
    }))
}
