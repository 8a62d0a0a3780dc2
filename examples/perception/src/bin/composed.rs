//! All components in one program, on one thread. With `--isolated`, each component has a thread of its own.

use perception::{Camera, Detector, Tracker};
use saltus::{
    Context, SingleThreadedExecutor,
    component::{ComponentError, Isolation, ManualComposition, NodeOptions},
};

fn main() -> Result<(), ComponentError> {
    let context = Context::from_args()?;
    let isolated = context.args().rest.iter().any(|word| word == "--isolated");
    let isolation = if isolated { Isolation::Thread } else { Isolation::Shared };
    let options = NodeOptions::new(&context);
    let mut composition = ManualComposition::new(SingleThreadedExecutor::new(&context)?, isolation);
    composition.add::<Tracker>(&options)?;
    composition.add::<Detector>(&options)?;
    composition.add::<Camera>(&options)?;
    composition.spin()?;
    Ok(())
}
