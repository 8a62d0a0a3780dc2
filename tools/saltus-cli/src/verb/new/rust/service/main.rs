//! Runs the node until Ctrl-C.

use saltus::Context;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::from_args()?;
    let node = context.node("@name@").create()?;
    let _server = @name@::serve(&node)?;
    Ok(saltus::spin(&node)?)
}
