//! What a smoother is, and the simple one with its parameters.

use std::time::{Duration, Instant};

use saltus::component::ComponentError;
use saltus_costmap::Costmap;
use saltus_motion::{Pose, SimpleSmoother, SmoothError};
use saltus_server::Making;

/// Makes paths smooth.
pub trait Smoother: Send {
    /// Smooths a path in the frame of the costmap. Returns whether it is done, and not only as far as the time allowed.
    ///
    /// # Errors
    ///
    /// If it takes longer than `allowed`.
    fn smooth(&mut self, map: &Costmap, path: &mut [Pose], allowed: Duration) -> Result<bool, SmoothError>;
}

/// Makes the simple smoother.
pub(crate) fn simple(making: &Making<'_>) -> Result<Box<dyn Smoother>, ComponentError> {
    let (parameters, default) = (&making.parameters, SimpleSmoother::default());
    let refines = parameters.get("do_refinement", true)?;
    let refinements = parameters.count("refinement_num", default.refinements)?;
    Ok(Box::new(SimpleSmoother {
        tolerance: parameters.get("tolerance", default.tolerance)?,
        max_rounds: parameters.count("max_its", default.max_rounds)?,
        hold: parameters.get("w_data", default.hold)?,
        draw: parameters.get("w_smooth", default.draw)?,
        refinements: if refines { refinements } else { 0 },
    }))
}

impl Smoother for SimpleSmoother {
    fn smooth(&mut self, map: &Costmap, path: &mut [Pose], allowed: Duration) -> Result<bool, SmoothError> {
        let begin = Instant::now();
        SimpleSmoother::smooth(self, map, path, allowed, || begin.elapsed())?;
        Ok(true)
    }
}
