//! The trait of smoothers, and the simple smoother with its parameters.

use std::time::{Duration, Instant};

use saltus::component::ComponentError;
use saltus_costmap::Costmap;
use saltus_motion::{Pose, SimpleSmoother, SmoothError};
use saltus_server::{PluginConfig, range};

/// Makes paths smooth.
pub trait Smoother: Send {
    /// Smooths a path in the frame of the costmap. Returns whether the smoothing was completed.
    ///
    /// # Errors
    ///
    /// Returns an error if it takes longer than `allowed`.
    fn smooth(&mut self, map: &Costmap, path: &mut [Pose], allowed: Duration) -> Result<bool, SmoothError>;
}

/// Creates the simple smoother.
pub(crate) fn simple(config: &PluginConfig<'_>) -> Result<Box<dyn Smoother>, ComponentError> {
    let (parameters, default) = (&config.parameters, SimpleSmoother::default());
    let refines = parameters.get("do_refinement", true)?;
    let refinements = parameters.count("refinement_num", default.refinements, 0..=1000)?;
    Ok(Box::new(SimpleSmoother {
        tolerance: parameters.number("tolerance", default.tolerance, range::NOT_NEGATIVE)?,
        max_rounds: parameters.count("max_its", default.max_rounds, 0..=u32::MAX)?,
        hold: parameters.number("w_data", default.hold, range::SHARE)?,
        draw: parameters.number("w_smooth", default.draw, range::SHARE)?,
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
