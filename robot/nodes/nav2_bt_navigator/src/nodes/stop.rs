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
use saltus_behavior_tree::{Built, NodeConfig, Status, leaf};

use super::inputs::{Constructor, NodeTick, server_timeout};
use crate::world::World;

pub(super) const CONSTRUCTORS: &[(&str, Constructor)] = &[
    ("CancelControl", |world, config| stop::<FollowPath>(world, config, "follow_path")),
    ("CancelSpin", |world, config| stop::<Spin>(world, config, "spin")),
    ("CancelWait", |world, config| stop::<Wait>(world, config, "wait")),
    ("CancelBackUp", |world, config| stop::<BackUp>(world, config, "backup")),
    ("CancelDriveOnHeading", |world, config| stop::<DriveOnHeading>(world, config, "drive_on_heading")),
    ("CancelAssistedTeleop", |world, config| stop::<AssistedTeleop>(world, config, "assisted_teleop")),
    ("CancelComputeAndTrackRoute", |world, config| {
        stop::<ComputeAndTrackRoute>(world, config, "compute_and_track_route")
    }),
];

/// The age up to which goals are not canceled: they may be goals of the same tick.
const MOMENT: Duration = Duration::from_millis(10);

fn stop<A: Action>(world: &Arc<World>, config: &NodeConfig<'_>, server: &str) -> Built<()> {
    let name = config.port(ports::SERVER_NAME).unwrap_or_else(|| server.to_owned());
    let client = ActionClient::<A>::on(&world.node, &name).callback_group(&world.group);
    let client = client.create().map_err(|error| error.to_string())?;
    if !client.wait_for_server(world.settings.service_timeout) {
        return Err(format!("Action server {name} not available"));
    }
    let (world, timeout) = (world.clone(), server_timeout(config, world));
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
