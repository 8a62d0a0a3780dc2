//! Layers whose parameters change while the node runs.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use saltus::{component::ComponentError, log::Logger, param::ParameterError};
use saltus_costmap::{Area, Bounds, Costmap as Grid, InflationSettings, Layer, Situation};
use saltus_server::Parameters;

/// A function that sets the values of a layer's parameters.
pub(crate) type Configure<L> = fn(&mut L, &Parameters) -> Result<(), ParameterError>;

/// A layer that can be switched off, and that reads its parameters again when they have changed.
pub(crate) struct Live<L> {
    layer: L,
    parameters: Parameters,
    logger: Logger,
    configure: Configure<L>,
    is_changed: Arc<AtomicBool>,
    is_enabled: bool,
}

impl<L: Layer> Live<L> {
    /// Returns a layer, which reads its parameters when `is_changed` is true.
    pub(crate) fn new(
        layer: L,
        parameters: &Parameters,
        is_changed: &Arc<AtomicBool>,
        configure: Configure<L>,
    ) -> Result<Self, ComponentError> {
        let (parameters, is_changed) = (parameters.clone(), is_changed.clone());
        let logger = parameters.node().logger();
        let is_enabled = parameters.get("enabled", true)?;
        let mut live = Self { layer, parameters, logger, configure, is_changed, is_enabled };
        (live.configure)(&mut live.layer, &live.parameters)?;
        Ok(live)
    }

    fn read(&mut self) -> Result<(), ParameterError> {
        self.is_enabled = self.parameters.get("enabled", true)?;
        (self.configure)(&mut self.layer, &self.parameters)
    }
}

impl<L: Layer> Layer for Live<L> {
    fn fit(&mut self, map: &Grid) {
        self.layer.fit(map);
    }

    fn bounds(&mut self, map: &Grid, situation: &Situation<'_>, bounds: &mut Bounds) {
        if self.is_changed.swap(false, Ordering::Relaxed) {
            if let Err(error) = self.read() {
                saltus::warn!(self.logger, "the parameters of a layer are not used: {error}");
            }
            bounds.merge(&map.bounds());
        }
        if self.is_enabled {
            self.layer.bounds(map, situation, bounds);
        }
    }

    fn write(&mut self, map: &mut Grid, area: Area) {
        if self.is_enabled {
            self.layer.write(map, area);
        }
    }

    fn reset(&mut self) {
        self.layer.reset();
    }

    fn clear(&mut self, area: Area, is_outside: bool) {
        self.layer.clear(area, is_outside);
    }

    fn inflation(&self) -> Option<InflationSettings> {
        if self.is_enabled { self.layer.inflation() } else { None }
    }

    fn is_current(&self, now: Duration) -> bool {
        !self.is_enabled || self.layer.is_current(now)
    }
}
