//! The layer with the readings of sensors that measure one distance, such as sonars.

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

/// The settings of the range layer. The names are those of the parameters of Nav2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeSettings {
    /// The distance above which readings have little weight, in metres.
    pub phi: f64,
    /// The probability of an obstacle below which a cell is free.
    pub clear_threshold: f64,
    /// The probability of an obstacle above which a cell is an obstacle.
    pub mark_threshold: f64,
    /// Whether a reading of the largest distance clears the cone.
    pub clear_on_max_reading: bool,
    /// The time without a reading after which the layer is not current; 0 if it is always current.
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

/// A measured distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RangeReading {
    /// The pose of the sensor in the frame of the costmap: x and y in metres, and its direction in radians.
    pub pose: [f64; 3],
    /// The width of the cone, in radians.
    pub field_of_view: f64,
    /// The smallest and the largest distance that the sensor measures, in metres. If they are equal, the sensor only detects whether an
    /// object is there: the distance is negative infinity if it is, and infinity if it is not (REP 117).
    pub limits: [f64; 2],
    /// The measured distance, in metres.
    pub range: f64,
}

/// The queue of readings for a [`RangeLayer`].
#[derive(Debug, Default)]
pub struct RangeReadings(Mutex<Vec<RangeReading>>);

/// The maximum number of readings in the queue. The oldest ones are dropped.
const CAPACITY: usize = 1000;

impl RangeReadings {
    /// Adds a reading. It is ignored if its pose is not finite.
    pub fn add(&self, reading: RangeReading) {
        let mut readings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if reading.pose.iter().all(|part| part.is_finite()) {
            if readings.len() == CAPACITY {
                readings.remove(0);
            }
            readings.push(reading);
        }
    }

    fn take(&self) -> Vec<RangeReading> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The layer that holds the probability of an obstacle for each cell, and updates it with each reading by Bayes' rule.
///
/// Source: `nav2_costmap_2d::RangeSensorLayer`, whose sensor model it has.
#[derive(Debug)]
pub struct RangeLayer {
    settings: RangeSettings,
    readings: Arc<RangeReadings>,
    /// The probabilities, as costs from 0 to 254.
    pub(super) grid: Costmap,
    cleared: Bounds,
    /// The time of the last reading; before the first one, the time of the first update.
    last: Option<Duration>,
}

/// The cost of the cell at the measured distance before the reading is applied, as in Nav2.
const TARGET: u8 = 233;
/// The distance up to which a reading clears, as a multiple of the measured distance.
const CLEAR_REACH: f64 = 1.2;
/// The cost of a cell with the probability 0.5.
const EVEN: u8 = 127;

impl RangeLayer {
    /// Creates a layer that takes its readings from a queue.
    pub fn new(settings: RangeSettings, readings: Arc<RangeReadings>) -> Self {
        let grid = Costmap::new((0, 0), 1.0, [0.0; 2], EVEN);
        Self { settings, readings, grid, cleared: Bounds::default(), last: None }
    }

    /// Returns the distance of a reading in metres, and whether it clears; `None` if the reading is not valid.
    fn interpreted(&self, reading: &RangeReading) -> Option<(f64, bool)> {
        let ([low, high], range) = (reading.limits, reading.range);
        if low == high {
            // The sensor only detects whether an object is there.
            let is_clear = range > 0.0;
            let is_valid =
                range.is_infinite() && low.is_finite() && (!is_clear || self.settings.clear_on_max_reading);
            return is_valid.then_some((low, is_clear));
        }
        (range >= low && range <= high && range.is_finite())
            .then_some((range, range == high && self.settings.clear_on_max_reading))
    }

    /// Updates all cells in the cone of a reading.
    fn apply(&mut self, reading: &RangeReading, bounds: &mut Bounds) {
        let Some((range, clears)) = self.interpreted(reading) else { return };
        let ([x, y, yaw], half) = (reading.pose, reading.field_of_view / 2.0);
        if let Some(target) = self.grid.cell_at([x + range * yaw.cos(), y + range * yaw.sin()]) {
            self.grid.set(target, if clears { FREE } else { TARGET });
        }
        // The cone, and a little behind the measured distance.
        let behind = if clears { CLEAR_REACH } else { 1.0 + self.grid.resolution() };
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

    /// Updates the probability of a cell. `half` is half of the width of the cone, in radians.
    fn update(&mut self, cell: Cell, reading: &RangeReading, range: f64, half: f64, clears: bool) {
        let [x, y] = self.grid.center(cell);
        let (x, y) = (x - reading.pose[0], y - reading.pose[1]);
        let angle = (y.atan2(x) - reading.pose[2] + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU)
            - std::f64::consts::PI;
        let distance = x.hypot(y);
        let farthest = range * if clears { CLEAR_REACH } else { 1.0 + self.grid.resolution() };
        if angle.abs() > half || distance > farthest {
            return;
        }
        let likelihood = if clears { 0.0 } else { self.probability(range, distance, angle / half) };
        let before = match self.grid.cost(cell) {
            UNKNOWN => 0.5,
            cost => f64::from(cost) / f64::from(LETHAL),
        };
        let (occupied, free) = (likelihood * before, (1.0 - likelihood) * (1.0 - before));
        if occupied + free > 0.0 {
            // Between 0 and 254.
            self.grid.set(cell, (occupied / (occupied + free) * f64::from(LETHAL)) as u8);
        }
    }

    /// Returns the probability of an obstacle at a distance if `range` was measured, both in metres. `offset` is the angle to the axis, as
    /// a share of half of the cone.
    fn probability(&self, range: f64, distance: f64, offset: f64) -> f64 {
        let near = 1.0 - (1.0 + (2.0 * (distance - self.settings.phi)).tanh()) / 2.0;
        let trust = near * (1.0 - offset * offset);
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
