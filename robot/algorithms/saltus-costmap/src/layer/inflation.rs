//! The layer that adds costs around obstacles.

use super::{Layer, Situation};
use crate::{
    area::{Area, Bounds},
    grid::Costmap,
    inflation::{Inflation, InflationSettings, UnknownCells},
};

/// The layer that adds costs around the obstacles of the layers before it.
#[derive(Debug)]
pub struct InflationLayer {
    radius: f64,
    scaling: f64,
    unknown: UnknownCells,
    /// The inscribed radius, the resolution and the table for them.
    inflation: Option<(f64, f64, Inflation)>,
    /// The bounds of the last update. Costs around them may fall in the next one.
    last: Bounds,
    /// Whether the next update covers the whole costmap.
    is_new: bool,
}

impl InflationLayer {
    /// Creates a layer that adds costs up to `radius` metres around obstacles. `scaling` is the decay rate of the costs, in 1/m.
    pub fn new(radius: f64, scaling: f64) -> Self {
        Self {
            radius,
            scaling,
            unknown: UnknownCells::default(),
            inflation: None,
            last: Bounds::default(),
            is_new: true,
        }
    }

    /// Changes the radius in metres, the decay rate in 1/m, and the treatment of unknown cells.
    pub fn configure(&mut self, radius: f64, scaling: f64, unknown: UnknownCells) {
        (self.radius, self.scaling, self.unknown, self.inflation) = (radius, scaling, unknown, None);
    }

    /// Computes the table again if the inscribed radius or the resolution has changed.
    fn prepare(&mut self, inscribed: f64, resolution: f64) {
        let is_same = |(known, edge, _): &(f64, f64, Inflation)| *known == inscribed && *edge == resolution;
        if !self.inflation.as_ref().is_some_and(is_same) {
            let settings = InflationSettings { radius: self.radius, scaling: self.scaling, inscribed };
            let inflation = Inflation::new(&settings, resolution).with_unknown(self.unknown);
            self.inflation = Some((inscribed, resolution, inflation));
            self.is_new = true;
        }
    }
}

impl Layer for InflationLayer {
    fn fit(&mut self, _map: &Costmap) {
        self.is_new = true;
    }

    fn bounds(&mut self, map: &Costmap, situation: &Situation<'_>, bounds: &mut Bounds) {
        self.prepare(situation.footprint.inscribed_radius(), map.resolution());
        if std::mem::take(&mut self.is_new) {
            self.last = Bounds::default();
            *bounds = map.bounds();
            return;
        }
        let last = std::mem::replace(&mut self.last, *bounds);
        bounds.merge(&last);
        *bounds = bounds.grown(self.radius);
    }

    fn write(&mut self, map: &mut Costmap, area: Area) {
        if let Some((_, _, inflation)) = &self.inflation {
            inflation.apply(map, area);
        }
    }

    fn reset(&mut self) {
        self.is_new = true;
    }

    fn inflation(&self) -> Option<InflationSettings> {
        let (inscribed, _, _) = self.inflation.as_ref()?;
        Some(InflationSettings { radius: self.radius, scaling: self.scaling, inscribed: *inscribed })
    }
}
