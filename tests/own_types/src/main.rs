//! A program with one role of the test per process: `rover publish|echo|serve|call|drive`.

use std::time::Duration;

use saltus::{
    ActionClient, ActionServer, Context, Executor, Node, SingleThreadedExecutor,
    action::{GoalError, GoalHandle, GoalOptions},
    msgs::geometry_msgs::msg::Vector3,
};

mod interfaces {
    saltus::interfaces!();
}
use interfaces::rover_msgs::msg::Wheel;
use interfaces::{
    rover_msgs::{
        action::{Drive, Drive_Feedback, Drive_Goal, Drive_Result},
        msg::{Motor, WheelView},
        srv::{SetSpeed, SetSpeed_Request, SetSpeed_Response},
    },
    rover_parts::msg::Gear,
};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

const TIMEOUT: Duration = Duration::from_secs(20);

fn main() -> Result {
    let context = Context::from_args()?;
    let role = context.args().rest.get(1).cloned().unwrap_or_default();
    let node = context.node("rover").create()?;
    match &*role {
        "publish" => publish(&node),
        "echo" => echo(&context, &node),
        "serve" => serve(&node),
        "call" => call(&node),
        "drive" => drive(&context, &node),
        _ => Err("usage: rover publish|echo|serve|call|drive".into()),
    }
}

fn wheel() -> Wheel {
    let gears =
        vec![Gear { teeth: 12, material: "steel".into() }, Gear { teeth: 40, material: "brass".into() }];
    Wheel {
        side: Wheel::RIGHT,
        position: Vector3 { x: 1.5, ..Vector3::default() },
        motor: Motor { gears, ..Motor::default() },
        speeds: vec![1.0, 2.5],
        ..Wheel::default()
    }
}

/// Prints a wheel. The programs in all languages print the same text.
fn show(wheel: WheelView<'_>) {
    let teeth: Vec<u16> = wheel.motor().gears().iter().map(|gear| gear.teeth()).collect();
    let speeds: Vec<f64> = wheel.speeds().iter().collect();
    println!(
        "{} side={} x={} current={} teeth={teeth:?} speeds={speeds:?}",
        wheel.name(),
        wheel.side(),
        wheel.position().x,
        wheel.motor().current()
    );
}

fn publish(node: &Node) -> Result {
    let wheels = node.publisher::<Wheel>("wheels").create()?;
    let _timer = node.wall_timer(Duration::from_millis(50)).callback(move || {
        if let Err(error) = wheels.publish(&wheel()) {
            eprintln!("{error}");
        }
    })?;
    Ok(saltus::spin(node)?)
}

fn echo(context: &Context, node: &Node) -> Result {
    let stop = context.clone();
    let _wheels = node.subscription::<Wheel>("wheels").view(move |wheel| {
        show(wheel);
        stop.shut_down();
    })?;
    Ok(saltus::spin(node)?)
}

fn serve(node: &Node) -> Result {
    let _speed = node.service::<SetSpeed>("set_speed").callback(|request| {
        let mut wheel = request.wheel;
        wheel.speeds.push(request.speed);
        SetSpeed_Response { wheel }
    })?;
    let _drive = ActionServer::<Drive>::on(node, "drive").execute(|goal| {
        if let Err(error) = run(&goal) {
            eprintln!("{error}");
        }
    })?;
    println!("serving");
    Ok(saltus::spin(node)?)
}

fn run(goal: &GoalHandle<Drive>) -> Result<(), GoalError> {
    let (distance, wheels) = goal.goal().map_or((0.0, 0), |goal| (goal.distance(), goal.wheels().len()));
    goal.publish_feedback(&Drive_Feedback { left: distance / 2.0 })?;
    goal.succeed(Drive_Result { driven: distance * wheels as f64 })
}

fn call(node: &Node) -> Result {
    let client = node.client::<SetSpeed>("set_speed").create()?;
    if !client.wait_for_service(TIMEOUT) {
        return Err("no server".into());
    }
    let response = client.call(&SetSpeed_Request { wheel: wheel(), speed: 4.0 }, TIMEOUT)?;
    println!("speeds={:?}", response.wheel.speeds);
    Ok(())
}

fn drive(context: &Context, node: &Node) -> Result {
    let client = ActionClient::<Drive>::on(node, "drive").create()?;
    if !client.wait_for_server(TIMEOUT) {
        return Err("no server".into());
    }
    let options = GoalOptions::<Drive>::default().on_feedback(|feedback| println!("left={}", feedback.left));
    let goal = Drive_Goal { wheels: vec![wheel(), wheel()], distance: 3.0 };
    let sent = client.send_goal_with(&goal, options)?;
    let mut executor = SingleThreadedExecutor::new(context)?;
    executor.add_node(node);
    let work = async { sent.await?.result()?.await };
    let Some(result) = executor.spin_until_future_complete(work, Some(TIMEOUT))? else {
        return Err("no result".into());
    };
    println!("driven={}", result?.value()?.driven);
    Ok(())
}
