//! The nodes that choose by a topic.

use std::sync::{Arc, Mutex};

use saltus::{QoS, msgs::std_msgs::msg::String as Text, types::lock};
use saltus_behavior_tree::{Built, Making, Status, leaf};

use super::inputs::{Make, NodeTick};
use crate::world::World;

pub(super) const MAKERS: &[(&str, Make)] = &[
    ("PlannerSelector", |world, making| select(world, making, &PLANNER)),
    ("ControllerSelector", |world, making| select(world, making, &CONTROLLER)),
    ("SmootherSelector", |world, making| select(world, making, &SMOOTHER)),
    ("GoalCheckerSelector", |world, making| select(world, making, &GOAL_CHECKER)),
    ("ProgressCheckerSelector", |world, making| select(world, making, &PROGRESS_CHECKER)),
];

/// The names of the ports and of the topic.
struct Ports {
    default: &'static str,
    selected: &'static str,
    topic: &'static str,
}

const PLANNER: Ports =
    Ports { default: "default_planner", selected: "selected_planner", topic: "planner_selector" };
const CONTROLLER: Ports =
    Ports { default: "default_controller", selected: "selected_controller", topic: "controller_selector" };
const SMOOTHER: Ports =
    Ports { default: "default_smoother", selected: "selected_smoother", topic: "smoother_selector" };
const GOAL_CHECKER: Ports = Ports {
    default: "default_goal_checker",
    selected: "selected_goal_checker",
    topic: "goal_checker_selector",
};
const PROGRESS_CHECKER: Ports = Ports {
    default: "default_progress_checker",
    selected: "selected_progress_checker",
    topic: "progress_checker_selector",
};

fn select(world: &Arc<World>, making: &Making<'_>, ports: &'static Ports) -> Built<()> {
    let topic = making.port("topic_name").unwrap_or_else(|| ports.topic.to_owned());
    let chosen = Arc::<Mutex<Option<String>>>::default();
    let choose = {
        let chosen = chosen.clone();
        move |text: Text| *lock(&chosen) = Some(text.data)
    };
    let qos = QoS::keep_last(1).transient_local();
    let subscription = world.node.subscription(&topic).qos(qos).callback_group(&world.group).callback(choose);
    let subscription = subscription.map_err(|error| error.to_string())?;
    Ok(leaf(move |tick: &mut NodeTick<'_>| {
        // Kept as long as the node.
        let _kept = &subscription;
        let mut chosen = lock(&chosen);
        if chosen.is_none() {
            // It counts from now on, also if the default changes.
            *chosen = tick.input_if_set::<String>(ports.default)?.filter(|name| !name.is_empty());
        }
        let Some(name) = chosen.clone() else { return Ok(Status::Failure) };
        drop(chosen);
        tick.output(ports.selected, name);
        Ok(Status::Success)
    }))
}
