//! The layer with what sensors measure that return one distance, such as sonars.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::{Layer, Situation, follow, forget};
use crate::{
    area::{Area, Bounds},
    cells::Cell,
    cost::{FREE, LETHAL, UNKNOWN},
    grid::Costmap,
};

/// How distances become costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeSettings {
    /// The distance from which on a reading says little, in metres.
    pub phi: f64,
    /// Below this probability of an obstacle, a cell is free.
    pub clear_threshold: f64,
    /// Above this probability, a cell is an obstacle.
    pub mark_threshold: f64,
    /// Whether a reading of the largest distance clears the cone.
    pub clear_on_max_reading: bool,
    /// After this time without a reading, the layer is not current; never if it is 0.
    pub no_readings_timeout: Duration,
}

impl Default for RangeSettings {
    fn default() -> Self {
        Self {
            phi: 1.2,
            clear_threshold: 0.2,
            mark_threshold: 0.8,
            clear_on_max_reading: false,
            no_readings_timeout: Duration::ZERO,
        }
    }
}

/// A distance that was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeReading {
    /// Where the sensor was in the frame of the costmap: x and y in metres, and its direction in radians.
    pub pose: [f64; 3],
    /// The width of the cone, in radians.
    pub field_of_view: f64,
    /// The smallest and the largest distance that the sensor measures, in metres. If they are equal, it only says whether there is
    /// something, with an infinite distance if not.
    pub limits: [f64; 2],
    /// The distance, in metres.
    pub range: f64,
}

/// Where readings are left for a [`RangeLayer`].
#[derive(Debug, Default)]
pub struct RangeReadings(Mutex<Vec<RangeReading>>);

/// How many readings may wait. The oldest ones are dropped.
const MOST: usize = 1000;

impl RangeReadings {
    /// Adds a reading. It is ignored if its pose is not finite.
    pub fn add(&self, reading: RangeReading) {
        let mut readings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if reading.pose.iter().all(|part| part.is_finite()) {
            if readings.len() == MOST {
                readings.remove(0);
            }
            readings.push(reading);
        }
    }

    fn take(&self) -> Vec<RangeReading> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The layer that holds for each cell how probable an obstacle is, and changes it with each reading by Bayes' rule.
///
/// Source: `nav2_costmap_2d`, whose sensor model this is.
#[derive(Debug)]
pub struct RangeLayer {
    settings: RangeSettings,
    readings: Arc<RangeReadings>,
    /// The probabilities as costs: 0 to 254.
    pub(super) grid: Costmap,
    cleared: Bounds,
    /// When there was a reading last; when the layer was first asked if there was none.
    last: Option<Duration>,
}

/// The cost of the cell at the measured distance before the reading is applied, as in Nav2.
const TARGET: u8 = 233;
/// How far behind the measured distance a reading clears, as a share of it.
const BEHIND: f64 = 1.2;
/// The cost of a cell that is free or not with the same probability.
const EVEN: u8 = 127;

impl RangeLayer {
    /// Returns a layer that takes its readings from `readings`.
    pub fn new(settings: RangeSettings, readings: Arc<RangeReadings>) -> Self {
        let grid = Costmap::new((0, 0), 1.0, [0.0; 2], EVEN);
        Self { settings, readings, grid, cleared: Bounds::default(), last: None }
    }

    /// Returns the distance that a reading stands for, and whether it clears; `None` if it says nothing.
    fn understood(&self, reading: &RangeReading) -> Option<(f64, bool)> {
        let ([low, high], range) = (reading.limits, reading.range);
        if low == high {
            // Something is near, or nothing.
            let is_clear = range > 0.0;
            let says =
                range.is_infinite() && low.is_finite() && (!is_clear || self.settings.clear_on_max_reading);
            return says.then_some((low, is_clear));
        }
        (range >= low && range <= high && range.is_finite())
            .then_some((range, range == high && self.settings.clear_on_max_reading))
    }

    fn apply(&mut self, reading: &RangeReading, bounds: &mut Bounds) {
        let Some((range, clears)) = self.understood(reading) else { return };
        let ([x, y, yaw], half) = (reading.pose, reading.field_of_view / 2.0);
        if let Some(target) = self.grid.cell_at([x + range * yaw.cos(), y + range * yaw.sin()]) {
            self.grid.set(target, if clears { FREE } else { TARGET });
        }
        // The cone, and a little behind what was measured.
        let behind = if clears { BEHIND } else { 1.0 + self.grid.resolution() };
        let far = range * behind / half.clamp(0.0, 1.0).cos();
        let mut cone = Bounds::default();
        cone.include([x, y]);
        for angle in [yaw - half, yaw, yaw + half] {
            cone.include([x + far * angle.cos(), y + far * angle.sin()]);
        }
        bounds.merge(&cone);
        let area = self.grid.cells_of(&cone);
        for row in area.bottom..area.top {
            for column in area.left..area.right {
                self.update((column, row), reading, range, half, clears);
            }
        }
    }

    fn update(&mut self, cell: Cell, reading: &RangeReading, range: f64, half: f64, clears: bool) {
        let [x, y] = self.grid.center(cell);
        let (x, y) = (x - reading.pose[0], y - reading.pose[1]);
        let angle = (y.atan2(x) - reading.pose[2] + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU)
            - std::f64::consts::PI;
        let distance = x.hypot(y);
        let farthest = range * if clears { BEHIND } else { 1.0 + self.grid.resolution() };
        if angle.abs() > half || distance > farthest {
            return;
        }
        let seen = if clears { 0.0 } else { self.probability(range, distance, angle / half) };
        let before = match self.grid.cost(cell) {
            UNKNOWN => 0.5,
            cost => f64::from(cost) / f64::from(LETHAL),
        };
        let (is, is_not) = (seen * before, (1.0 - seen) * (1.0 - before));
        if is + is_not > 0.0 {
            // Between 0 and 254.
            self.grid.set(cell, (is / (is + is_not) * f64::from(LETHAL)) as u8);
        }
    }

    /// Returns how probable an obstacle is at a distance, if `range` was measured. `aside` is the share of the half cone by which
    /// the place is beside the axis.
    fn probability(&self, range: f64, distance: f64, aside: f64) -> f64 {
        let near = 1.0 - (1.0 + (2.0 * (distance - self.settings.phi)).tanh()) / 2.0;
        let trust = near * (1.0 - aside * aside);
        let width = self.grid.resolution() * range;
        if distance < range - 2.0 * width {
            (1.0 - trust) * 0.5
        } else if distance < range - width {
            let share = (distance - (range - 2.0 * width)) / width;
            trust * 0.5 * share * share + (1.0 - trust) * 0.5
        } else if distance < range + width {
            let share = (range - distance) / width;
            trust * (0.5 - 0.5 * share * share) + 0.5
        } else {
            0.5
        }
    }
}

impl Layer for RangeLayer {
    fn fit(&mut self, map: &Costmap) {
        self.grid = Costmap::new(map.size(), map.resolution(), map.origin(), EVEN);
    }

    fn bounds(&mut self, map: &Costmap, situation: &Situation<'_>, bounds: &mut Bounds) {
        follow(&mut self.grid, map, EVEN);
        bounds.merge(&std::mem::take(&mut self.cleared));
        let readings = self.readings.take();
        if self.last.is_none() || !readings.is_empty() {
            self.last = Some(situation.now);
        }
        for reading in readings {
            self.apply(&reading, bounds);
        }
    }

    fn write(&mut self, map: &mut Costmap, area: Area) {
        for row in area.bottom..area.top {
            for column in area.left..area.right {
                let cost = self.grid.cost((column, row));
                if cost == UNKNOWN {
                    continue;
                }
                let probability = f64::from(cost) / f64::from(LETHAL);
                let cost = if probability > self.settings.mark_threshold {
                    LETHAL
                } else if probability < self.settings.clear_threshold {
                    FREE
                } else {
                    continue;
                };
                let old = map.cost((column, row));
                if old == UNKNOWN || old < cost {
                    map.set((column, row), cost);
                }
            }
        }
    }

    fn is_current(&self, now: Duration) -> bool {
        let timeout = self.settings.no_readings_timeout;
        let silence = self.last.map_or(Duration::ZERO, |last| now.saturating_sub(last));
        timeout.is_zero() || silence <= timeout
    }

    fn reset(&mut self) {
        self.readings.take();
        self.grid.reset(self.grid.area());
        self.cleared = self.grid.bounds();
    }

    fn clear(&mut self, area: Area, is_outside: bool) {
        forget(&mut self.grid, area, is_outside);
        self.cleared = self.grid.bounds();
    }
}
