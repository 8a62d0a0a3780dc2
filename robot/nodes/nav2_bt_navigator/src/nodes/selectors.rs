//! The nodes that choose by a topic.

use std::sync::{Arc, Mutex};

use nav2_behavior_tree::ports::{self, SelectorPorts};
use saltus::{QoS, msgs::std_msgs::msg::String as Text, types::lock};
use saltus_behavior_tree::{Built, NodeConfig, Status, leaf};

use super::inputs::{Constructor, NodeTick, text_or_default};
use crate::world::World;

pub(super) const CONSTRUCTORS: &[(&str, Constructor)] = &[
    ("PlannerSelector", |world, config| select(world, config, ports::PLANNER_SELECTOR)),
    ("ControllerSelector", |world, config| select(world, config, ports::CONTROLLER_SELECTOR)),
    ("SmootherSelector", |world, config| select(world, config, ports::SMOOTHER_SELECTOR)),
    ("GoalCheckerSelector", |world, config| select(world, config, ports::GOAL_CHECKER_SELECTOR)),
    ("ProgressCheckerSelector", |world, config| select(world, config, ports::PROGRESS_CHECKER_SELECTOR)),
];

fn select(world: &Arc<World>, config: &NodeConfig<'_>, ports: SelectorPorts) -> Built<()> {
    let topic = text_or_default(config, ports.topic);
    let chosen = Arc::<Mutex<Option<String>>>::default();
    let choose = {
        let chosen = chosen.clone();
        move |text: Text| *lock(&chosen) = Some(text.data)
    };
    let qos = QoS::keep_last(1).transient_local();
    let subscription = world.node.subscription(&topic).qos(qos).callback_group(&world.group).callback(choose);
    let subscription = subscription.map_err(|error| error.to_string())?;
    Ok(leaf(move |tick: &mut NodeTick<'_>| {
        // The subscription lives as long as the node.
        let _kept = &subscription;
        let mut chosen = lock(&chosen);
        if chosen.is_none() {
            // The default is used from now on, also if it changes.
            *chosen = tick.input_if_set::<String>(ports.default)?.filter(|name| !name.is_empty());
        }
        let Some(name) = chosen.clone() else { return Ok(Status::Failure) };
        drop(chosen);
        tick.output(ports.selected, name);
        Ok(Status::Success)
    }))
}
