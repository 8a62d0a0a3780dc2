//! Containers, as other nodes load and unload components.

use std::{sync::mpsc, time::Duration};

use saltus::{
    Client, QoS,
    cdr::Service,
    msgs::{
        composition_interfaces::srv::{
            ListNodes, ListNodes_Request, LoadNode, LoadNode_Request, LoadNode_Response, UnloadNode,
            UnloadNode_Request,
        },
        rcl_interfaces::msg::ParameterEvent,
        std_msgs::msg::UInt64,
    },
    param::{Parameter, ParameterClient, ParameterValue, parameter_message},
};

use crate::case::{Case, Failure, LONG, Suite, expect};

pub(crate) const CASES: &[Case] = &[
    Case { rule: "a container loads, lists and unloads components", run: loads },
    Case { rule: "the ids of components begin with 1 and are never used again", run: counts },
    Case {
        rule: "a component gets the name, the remappings and the parameters of the request",
        run: configures,
    },
    Case { rule: "a component that can't be loaded has ROS 2's text", run: explains },
    Case { rule: "extra arguments are known booleans", run: checks_extra_arguments },
];

/// A new container of the subject. It has the components `suite::Factor` and `suite::Faulty` of the package `suite`.
struct Container<'a> {
    suite: &'a Suite,
    load: Client<LoadNode>,
    unload: Client<UnloadNode>,
    list: Client<ListNodes>,
}

fn client<S: Service>(suite: &Suite, container: &str, service: &str) -> Result<Client<S>, Failure> {
    let client = suite.node.client(&format!("/{container}/_container/{service}")).create()?;
    expect(service, client.wait_for_service(LONG), true)?;
    Ok(client)
}

fn request(plugin: &str) -> LoadNode_Request {
    LoadNode_Request { package_name: "suite".into(), plugin_name: plugin.into(), ..Default::default() }
}

fn parameters(name: &str, value: ParameterValue) -> Vec<saltus::msgs::rcl_interfaces::msg::Parameter> {
    vec![parameter_message(Parameter::new(name, value))]
}

impl<'a> Container<'a> {
    fn new(suite: &'a Suite) -> Result<Self, Failure> {
        let name = suite.unique("container").replace("/suite/", "");
        expect("the container", suite.run_command(&["container", &name])?.0, true)?;
        let load = client(suite, &name, "load_node")?;
        let (unload, list) = (client(suite, &name, "unload_node")?, client(suite, &name, "list_nodes")?);
        Ok(Self { suite, load, unload, list })
    }

    fn load(&self, request: &LoadNode_Request) -> Result<LoadNode_Response, Failure> {
        Ok(self.load.call(request, LONG)?)
    }

    /// Loads a component, and expects its id and name.
    fn loads(&self, node_name: &str, id: u64) -> Result<(), Failure> {
        let response =
            self.load(&LoadNode_Request { node_name: node_name.into(), ..request("suite::Factor") })?;
        let loaded = LoadNode_Response {
            success: true,
            error_message: String::new(),
            full_node_name: format!("/{node_name}"),
            unique_id: id,
        };
        expect("the response", response, loaded)
    }

    /// Requests a component, and expects an error.
    fn refuses(&self, request: &LoadNode_Request, text: &str) -> Result<(), Failure> {
        let refused = LoadNode_Response { error_message: text.into(), ..Default::default() };
        expect("the response", self.load(request)?, refused)
    }

    fn unload(&self, id: u64) -> Result<(bool, String), Failure> {
        let response = self.unload.call(&UnloadNode_Request { unique_id: id }, LONG)?;
        Ok((response.success, response.error_message))
    }

    fn list(&self) -> Result<Vec<(u64, String)>, Failure> {
        let response = self.list.call(&ListNodes_Request {}, LONG)?;
        expect("the number of names", response.full_node_names.len(), response.unique_ids.len())?;
        Ok(response.unique_ids.into_iter().zip(response.full_node_names).collect())
    }
}

fn loads(suite: &Suite) -> Result<(), Failure> {
    let container = Container::new(suite)?;
    expect("an empty list", container.list()?, vec![])?;
    container.loads("left", 1)?;
    container.loads("right", 2)?;
    // The names of components may be equal.
    container.loads("right", 3)?;
    let all = [(1, "/left".to_owned()), (2, "/right".into()), (3, "/right".into())];
    expect("the list", container.list()?, all.to_vec())?;
    expect("unloading", container.unload(1)?, (true, String::new()))?;
    expect("the list after that", container.list()?, all[1..].to_vec())?;
    let has = || suite.node.context().graph().nodes.iter().any(|node| node.name == "left");
    expect("whether the node is gone", suite.node.context().wait_until(LONG, || !has()), true)?;
    let unknown = "No node found with unique_id: 1".to_owned();
    expect("unloading twice", container.unload(1)?, (false, unknown))?;
    expect("unloading", container.unload(2)?, (true, String::new()))?;
    expect("unloading", container.unload(3)?, (true, String::new()))
}

fn counts(suite: &Suite) -> Result<(), Failure> {
    let container = Container::new(suite)?;
    container.loads("first", 1)?;
    expect("unloading", container.unload(1)?, (true, String::new()))?;
    container.loads("second", 2)?;
    // The component that can't be created uses up an id. The one that does not exist uses up none.
    container.load(&request("suite::Faulty"))?;
    container.load(&request("suite::Nothing"))?;
    container.loads("third", 4)
}

fn configures(suite: &Suite) -> Result<(), Failure> {
    let container = Container::new(suite)?;
    let topic = suite.unique("factor");
    let (sender, factors) = mpsc::channel();
    let subscription = container.suite.node.subscription::<UInt64>(&topic);
    let subscription = subscription.qos(QoS::keep_last(1).transient_local());
    let _subscription = subscription.callback(move |factor| {
        let _ = sender.send(factor.data);
    })?;
    let loaded = container.load(&LoadNode_Request {
        node_name: "scale".into(),
        node_namespace: "/arm".into(),
        remap_rules: vec![format!("factor:={topic}")],
        parameters: parameters("factor", ParameterValue::Integer(7)),
        ..request("suite::Factor")
    })?;
    expect("the text", loaded.error_message, String::new())?;
    expect("the name", loaded.full_node_name, "/arm/scale".into())?;
    expect("the parameter", factors.recv_timeout(LONG)?, 7)
}

fn explains(suite: &Suite) -> Result<(), Failure> {
    let container = Container::new(suite)?;
    let package = LoadNode_Request { package_name: "nothing".into(), ..request("suite::Factor") };
    container.refuses(&package, "Could not find requested resource in ament index")?;
    container.refuses(&request("suite::Nothing"), "Failed to find class with the requested plugin name.")?;
    let exception = "Component constructor threw an exception: the device is missing";
    container.refuses(&request("suite::Faulty"), exception)?;
    expect("the list", container.list()?, vec![])
}

fn checks_extra_arguments(suite: &Suite) -> Result<(), Failure> {
    let container = Container::new(suite)?;
    let with = |name: &str, value: ParameterValue| LoadNode_Request {
        extra_arguments: parameters(name, value),
        ..request("suite::Factor")
    };
    let no_boolean = with("use_intra_process_comms", ParameterValue::Integer(1));
    let text = "Extra component argument 'use_intra_process_comms' must be a boolean";
    container.refuses(&no_boolean, text)?;
    let unknown = with("fast", ParameterValue::Bool(true));
    container.refuses(&unknown, "Extra component argument 'fast' is not supported")?;
    let known = [
        ("use_intra_process_comms", true),
        ("enable_logger_service", false),
        ("enable_rosout", true),
        ("enable_topic_statistics", false),
        ("forward_global_arguments", false),
        ("start_parameter_services", true),
        ("use_clock_thread", true),
    ];
    for (number, (name, value)) in (1..).zip(known) {
        let loaded = container.load(&with(name, ParameterValue::Bool(value)))?;
        expect(name, (loaded.error_message, loaded.unique_id), (String::new(), number))?;
    }
    applies_extra_arguments(&container, with)
}

/// Checks that arguments other than the default have an effect.
fn applies_extra_arguments(
    container: &Container<'_>,
    with: impl Fn(&str, ParameterValue) -> LoadNode_Request,
) -> Result<(), Failure> {
    let suite = container.suite;
    let (sender, telling) = mpsc::channel();
    let events = suite.node.subscription::<ParameterEvent>("/parameter_events").qos(QoS::parameter_events());
    let _subscription = events.callback(move |event: ParameterEvent| {
        let _ = sender.send(event.node);
    })?;
    for (name, argument, value) in [
        ("silent", "start_parameter_event_publisher", false),
        ("closed", "start_parameter_services", false),
        ("telling", "start_parameter_event_publisher", true),
    ] {
        let wanted =
            LoadNode_Request { node_name: name.into(), ..with(argument, ParameterValue::Bool(value)) };
        expect(name, container.load(&wanted)?.error_message, String::new())?;
    }
    let set = |node: &str, factor: i64| {
        let parameters = ParameterClient::new(&suite.node, node, LONG);
        parameters.set(vec![Parameter::new("factor", ParameterValue::Integer(factor))])
    };
    // The publisher may not be connected at first.
    for factor in 1.. {
        for node in ["/silent", "/telling"] {
            expect(node, set(node, factor)?, vec![Ok(())])?;
        }
        let mut told = std::iter::from_fn(|| telling.recv_timeout(Duration::from_millis(20)).ok());
        match told.find(|node| ["/silent", "/telling"].contains(&node.as_str())).as_deref() {
            Some("/silent") => {
                return Err("the component without the publisher tells of its parameter".into());
            }
            Some(_) => break,
            None if factor == 1000 => return Err("the component with the publisher does not tell".into()),
            None => {}
        }
    }
    let serves = |name: &str| {
        let graph = suite.node.context().graph();
        let node = graph.nodes.iter().find(|node| node.name == name)?.gid;
        Some(graph.servers.iter().any(|server| server.node == node))
    };
    // The endpoints of the others are in the graph before those of this one.
    suite.node.context().wait_until(LONG, || serves("telling") == Some(true));
    expect("the one without the publisher has services", serves("silent"), Some(true))?;
    expect("the one without services has services", serves("closed"), Some(false))
}
