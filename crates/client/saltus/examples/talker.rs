//! A publisher that sends a text twice a second: `cargo run --example talker`.

use std::time::Duration;

use saltus::{Context, msgs::std_msgs::msg::String};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::from_args()?;
    let node = context.node("talker").create()?;
    let chatter = node.publisher::<String>("chatter").qos(7).create()?;
    let mut count = 0;
    let _timer = node.wall_timer(Duration::from_millis(500)).callback(move || {
        count += 1;
        let message = String { data: format!("Hello World: {count}") };
        println!("Publishing: '{}'", message.data);
        if let Err(error) = chatter.publish(&message) {
            eprintln!("{error}");
        }
    })?;
    saltus::spin(&node)?;
    Ok(())
}
