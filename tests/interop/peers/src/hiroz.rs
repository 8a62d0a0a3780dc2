//! Nodes of hiroz, one role for each process: `hiroz-peer ROLE PORT`. They print what they receive, a line for each.

use std::{num::NonZeroUsize, sync::Arc, time::Duration};

use hiroz::{
    Builder, Result, ZBuf,
    context::ZContextBuilder,
    node::ZNode,
    parameter::{
        Parameter, ParameterClient, ParameterDescriptor, ParameterTarget, ParameterType, ParameterValue,
    },
    qos::{QosDurability, QosHistory, QosProfile},
};
use hiroz_msgs::{
    action_tutorials_interfaces::{FibonacciGoal, action::Fibonacci},
    example_interfaces::{AddTwoIntsRequest, AddTwoIntsResponse, srv::AddTwoInts},
    geometry_msgs::{Twist, Vector3},
    sensor_msgs::{Image, LaserScan},
    std_msgs::String as Text,
};
use zenoh_buffers::buffer::SplitBuffer;

/// The length of the data of an image.
const MEGABYTE: usize = 1_000_000;
/// The time between two messages.
const PERIOD: Duration = Duration::from_millis(100);
/// The longest time that a call may take.
const LONG: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let [_, role, port] = &words[..] else { return Err("expected a role and a port".into()) };
    let context = ZContextBuilder::default()
        .with_mode("peer")
        .with_connect_endpoints([format!("tcp/127.0.0.1:{port}")])
        .build()?;
    let node = context.create_node(format!("hiroz_{}", role.replace('-', "_"))).build()?;
    match role.as_str() {
        "publisher" => publish(&node).await,
        "subscription" => subscribe(&node).await,
        "latched" => publish_once(&node).await,
        "late" => subscribe_late(&node),
        "server" => serve(&node),
        "client" => call(&node).await,
        "action-client" => send_goal(&node).await,
        "parameters" => have_parameters(&node).await,
        "parameter-client" => set_parameters(node).await,
        "graph" => list(&node).await,
        other => Err(format!("unknown role `{other}`").into()),
    }
}

/// Publishes messages of four types.
async fn publish(node: &ZNode) -> Result<()> {
    let text = node.create_pub::<Text>("/hiroz/text").build()?;
    let twist = node.create_pub::<Twist>("/hiroz/twist").build()?;
    let scan = node.create_pub::<LaserScan>("/hiroz/scan").build()?;
    let image = node.create_pub::<Image>("/hiroz/image").build()?;
    loop {
        text.publish(&Text { data: "from hiroz".into() })?;
        twist.publish(&Twist { linear: Vector3 { x: 0.5, y: 0.0, z: 0.0 }, ..Twist::default() })?;
        scan.publish(&LaserScan { ranges: vec![1.5; 360], ..LaserScan::default() })?;
        let data = ZBuf::from(vec![7; MEGABYTE]);
        image.publish(&Image { height: 1000, width: 1000, step: 1000, data, ..Image::default() })?;
        tokio::time::sleep(PERIOD).await;
    }
}

/// Prints messages of four types.
async fn subscribe(node: &ZNode) -> Result<()> {
    let _text =
        node.create_sub::<Text>("/saltus/text").build_with_callback(|text| println!("text {}", text.data))?;
    let _twist = node
        .create_sub::<Twist>("/saltus/twist")
        .build_with_callback(|twist| println!("twist {}", twist.linear.x))?;
    let _scan = node
        .create_sub::<LaserScan>("/saltus/scan")
        .build_with_callback(|scan| println!("scan {} {}", scan.ranges.len(), scan.ranges[0]))?;
    let _image = node.create_sub::<Image>("/saltus/image").build_with_callback(|image| {
        let sum: u64 = image.data.contiguous().iter().map(|byte| u64::from(*byte)).sum();
        println!("image {} {sum}", image.width);
    })?;
    println!("ready");
    std::future::pending().await
}

fn latched() -> QosProfile {
    QosProfile {
        durability: QosDurability::TransientLocal,
        history: QosHistory::KeepLast(NonZeroUsize::MIN),
        ..QosProfile::default()
    }
}

/// Publishes one message for late subscriptions.
async fn publish_once(node: &ZNode) -> Result<()> {
    let text = node.create_pub::<Text>("/hiroz/latched").with_qos(latched()).build()?;
    text.publish(&Text { data: "before".into() })?;
    text.publish(&Text { data: "kept".into() })?;
    println!("ready");
    std::future::pending().await
}

/// Prints what was published before.
fn subscribe_late(node: &ZNode) -> Result<()> {
    let text = node.create_sub::<Text>("/saltus/latched").with_qos(latched()).build()?;
    loop {
        println!("late {}", text.recv()?.data);
    }
}

/// Adds numbers.
fn serve(node: &ZNode) -> Result<()> {
    let mut server = node.create_service::<AddTwoInts>("/hiroz/add").build()?;
    println!("ready");
    loop {
        let request = server.take_request()?;
        let response = AddTwoIntsResponse { sum: request.message().a + request.message().b };
        request.reply_blocking(&response)?;
    }
}

/// Calls a server until it answers.
async fn call(node: &ZNode) -> Result<()> {
    let client = node.create_client::<AddTwoInts>("/add_two_ints").build()?;
    loop {
        let request = AddTwoIntsRequest { a: 2, b: 40 };
        match client.call_with_timeout(&request, Duration::from_secs(2)).await {
            Ok(response) => return Ok(println!("sum {}", response.sum)),
            Err(error) => println!("no answer: {error}"),
        }
        // The server is not announced yet.
        tokio::time::sleep(PERIOD).await;
    }
}

/// Sends a goal.
async fn send_goal(node: &ZNode) -> Result<()> {
    let client = node.create_action_client::<Fibonacci>("/fibonacci").build()?;
    let mut goal = loop {
        match tokio::time::timeout(Duration::from_secs(2), client.send_goal(FibonacciGoal { order: 5 })).await
        {
            Ok(Ok(goal)) => break goal,
            other => println!("no answer: {}", other.is_ok()),
        }
        // The server is not announced yet.
        tokio::time::sleep(PERIOD).await;
    };
    if let Some(mut feedback) = goal.feedback() {
        tokio::spawn(async move {
            while let Some(one) = feedback.recv().await {
                println!("feedback {:?}", one.partial_sequence);
            }
        });
    }
    let result = tokio::time::timeout(LONG, goal.result()).await??;
    println!("result {:?}", result.sequence);
    Ok(())
}

/// Has a parameter.
async fn have_parameters(node: &ZNode) -> Result<()> {
    let descriptor = ParameterDescriptor::new("speed", ParameterType::Integer);
    node.declare_parameter("speed", ParameterValue::Integer(50), descriptor)?;
    println!("ready");
    std::future::pending().await
}

/// Reads and sets a parameter of another node.
async fn set_parameters(node: ZNode) -> Result<()> {
    let target = ParameterTarget::from_fqn("/holder").ok_or("no name of a node")?;
    let client = ParameterClient::new(Arc::new(node), target)?;
    let before = loop {
        match tokio::time::timeout(Duration::from_secs(2), client.get(&["speed"])).await {
            Ok(Ok(values)) => break values,
            other => println!("no answer: {}", other.is_ok()),
        }
        // The server is not announced yet.
        tokio::time::sleep(PERIOD).await;
    };
    println!("speed {before:?}");
    let set = client.set(&[Parameter::new("speed", ParameterValue::Integer(80))]).await?;
    println!("set {}", set.iter().all(|one| one.successful));
    println!("speed {:?}", client.get(&["speed"]).await?);
    Ok(())
}

/// Prints the names that it sees, each period.
async fn list(node: &ZNode) -> Result<()> {
    loop {
        let graph = node.graph();
        for (name, namespace) in graph.get_node_names() {
            println!("node {namespace} {name}");
        }
        for (name, ty) in graph.get_topic_names_and_types() {
            println!("topic {name} {ty}");
        }
        for (name, ty) in graph.get_service_names_and_types() {
            println!("service {name} {ty}");
        }
        tokio::time::sleep(PERIOD).await;
    }
}
