//! The component.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use saltus::{
    Node, Publisher, Server, Timer,
    component::{Component, ComponentError, NodeOptions},
    msgs::{
        diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus},
        nav2_msgs::srv::ManageLifecycleNodes,
        std_msgs::msg::Header,
        std_srvs::srv::{Trigger, Trigger_Response},
    },
};

use crate::{
    manager::{Manager, SystemState, SystemStateCell},
    settings::Settings,
    worker::{Order, Worker},
};

/// Brings up lifecycle nodes in order, and watches them.
///
/// | name | description |
/// |---|---|
/// | `node_names` (parameter) | the nodes, in the order in which they are brought up |
/// | `autostart` (parameter) | whether they are brought up as soon as they are there; false |
/// | `bond_timeout` (parameter) | the longest time for which a node may be silent, in seconds; 4.0. There are no bonds if it is 0 |
/// | `attempt_respawn_reconnection` (parameter) | whether nodes are brought up again after one was restarted; true |
/// | `bond_respawn_max_duration` (parameter) | the longest time for which lost nodes are waited for, in seconds; 10.0 |
/// | `~/manage_nodes` (service `nav2_msgs/srv/ManageLifecycleNodes`) | brings them up, pauses them, and so on |
/// | `~/is_active` (service `std_srvs/srv/Trigger`) | whether all are active |
/// | `/diagnostics` (publisher) | their state, once a second |
#[derive(Debug)]
pub struct LifecycleManager {
    node: Node,
    _servers: (Server<ManageLifecycleNodes>, Server<Trigger>),
    _timer: Timer,
    _worker: Worker,
}

impl Component for LifecycleManager {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("lifecycle_manager").create()?;
        let settings = Settings::declare(&node)?;
        let autostart = settings.autostart;
        let (state, is_closed) = (Arc::new(SystemStateCell::new()), Arc::new(AtomicBool::new(false)));
        let manager = Manager::new(&node, settings, state.clone(), is_closed.clone())?;
        let worker = Worker::start(manager, autostart, is_closed)?;
        let orders = worker.orders();
        let manage =
            node.service::<ManageLifecycleNodes>("~/manage_nodes").deferred(move |request, responder| {
                // A request that can't be read, or comes after the end, is dropped. Its client gets an error.
                if let (Ok(request), Some(orders)) = (request.value(), &orders) {
                    let _ = orders.send(Order { command: request.command, responder });
                }
            })?;
        let shown = state.clone();
        let is_active = node.service::<Trigger>("~/is_active").callback(move |_| Trigger_Response {
            success: shown.get() == SystemState::Active,
            ..Trigger_Response::default()
        })?;
        let publisher = node.publisher::<DiagnosticArray>("/diagnostics").create()?;
        let timer = node.wall_timer(Duration::from_secs(1)).callback({
            let name = format!("{}: Nav2 Health", node.name().base());
            let clock = node.clock().clone();
            move || publish(&publisher, &name, clock.now().into(), state.get())
        })?;
        Ok(Self { node, _servers: (manage, is_active), _timer: timer, _worker: worker })
    }

    fn node(&self) -> &Node {
        &self.node
    }
}

fn publish(
    publisher: &Publisher<DiagnosticArray>,
    name: &str,
    stamp: saltus::msgs::builtin_interfaces::msg::Time,
    state: SystemState,
) {
    let (level, message) = match state {
        SystemState::Active => (DiagnosticStatus::OK, "Managed nodes are active"),
        SystemState::Inactive => (DiagnosticStatus::OK, "Managed nodes are inactive"),
        SystemState::Unconfigured => (DiagnosticStatus::OK, "Managed nodes are unconfigured"),
        SystemState::Finalized => (DiagnosticStatus::WARN, "Managed nodes have been shut down"),
        SystemState::Unknown => {
            (DiagnosticStatus::ERROR, "An error has occurred during a node state transition")
        }
    };
    let status = DiagnosticStatus {
        level,
        name: name.into(),
        message: message.into(),
        hardware_id: "Nav2".into(),
        ..DiagnosticStatus::default()
    };
    let header = Header { stamp, ..Header::default() };
    // The next one comes in a second.
    let _ = publisher.publish(&DiagnosticArray { header, status: vec![status] });
}
