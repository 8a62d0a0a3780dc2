//! A subscription that prints each message of the talker: `cargo run --example listener`.

use saltus::{Context, msgs::std_msgs::msg::String};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::from_args()?;
    let node = context.node("listener").create()?;
    let _chatter = node.subscription::<String>("chatter").callback(|message| {
        println!("I heard: [{}]", message.data);
    })?;
    saltus::spin(&node)?;
    Ok(())
}
