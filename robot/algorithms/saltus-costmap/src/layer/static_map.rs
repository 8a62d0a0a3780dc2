//! The layer with a map.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Layer, Situation};
use crate::{
    area::{Area, Bounds},
    cost::{FREE, LETHAL, UNKNOWN},
    grid::Costmap,
};

/// The settings of the static layer. The names are those of the parameters of Nav2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticSettings {
    /// The value of an occupancy grid from which on a cell is an obstacle.
    pub lethal_threshold: u8,
    /// The value of an unknown cell.
    pub unknown_value: u8,
    /// Whether unknown cells stay unknown. Otherwise they are free.
    pub track_unknown: bool,
    /// Whether each cell becomes free, an obstacle or unknown. Otherwise costs rise with the values.
    pub trinary: bool,
    /// Whether higher costs of the layers before it stay.
    pub use_maximum: bool,
    /// Whether cells under the footprint of the robot become free until the map is replaced.
    pub clear_footprint: bool,
}

impl Default for StaticSettings {
    fn default() -> Self {
        Self {
            lethal_threshold: 100,
            unknown_value: 255,
            track_unknown: true,
            trinary: true,
            use_maximum: false,
            clear_footprint: false,
        }
    }
}

impl StaticSettings {
    /// Converts a value of an occupancy grid, 0 to 100 or -1 for an unknown cell, to a cost.
    ///
    /// ```
    /// use saltus_costmap::{FREE, LETHAL, StaticSettings, UNKNOWN};
    /// let settings = StaticSettings::default();
    /// assert_eq!([-1, 0, 50, 100].map(|value| settings.cost(value)), [UNKNOWN, FREE, FREE, LETHAL]);
    /// let scaled = StaticSettings { trinary: false, ..settings };
    /// assert_eq!(scaled.cost(50), 127);
    /// ```
    pub fn cost(&self, value: i8) -> u8 {
        // As in Nav2, -1 is compared as 255.
        let value = value as u8;
        if value == self.unknown_value {
            return if self.track_unknown { UNKNOWN } else { FREE };
        }
        if value >= self.lethal_threshold {
            LETHAL
        } else if self.trinary {
            FREE
        } else {
            // Below 254.
            (f64::from(value) / f64::from(self.lethal_threshold) * f64::from(LETHAL)) as u8
        }
    }
}

/// The pending map and changes for a [`StaticLayer`].
#[derive(Debug, Default)]
pub struct MapInput(Mutex<PendingMap>);

#[derive(Debug, Default)]
struct PendingMap {
    map: Option<Costmap>,
    changes: Vec<(Area, Vec<u8>)>,
    /// The number of costs in all changes.
    change_size: usize,
    /// The pose of the map in the frame of the costmap.
    pose: [f64; 3],
}

/// The maximum number of pending changes, and of the costs in them.
const MAX_CHANGES: usize = 10_000;
const MAX_COSTS: usize = 64 << 20;

impl MapInput {
    fn lock(&self) -> std::sync::MutexGuard<'_, PendingMap> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the map. The cells of `map` have costs, not values of an occupancy grid.
    pub fn set(&self, map: Costmap) {
        let mut pending = self.lock();
        pending.changes.clear();
        pending.change_size = 0;
        pending.map = Some(map);
    }

    /// Adds new costs of an area of the map, row by row, for the next update of the layer. The update ignores them if the area is not in
    /// the map. Returns `false`, and drops the costs, if there are too many pending changes.
    #[must_use]
    pub fn change(&self, area: Area, costs: Vec<u8>) -> bool {
        let mut pending = self.lock();
        let change_size = pending.change_size.saturating_add(costs.len());
        let has_room = pending.changes.len() < MAX_CHANGES && change_size <= MAX_COSTS;
        if has_room {
            pending.change_size = change_size;
            pending.changes.push((area, costs));
        }
        has_room
    }

    /// Sets the pose of the map in the frame of the costmap: x and y in metres, and the direction in radians.
    pub fn place(&self, pose: [f64; 3]) {
        self.lock().pose = pose;
    }
}

/// The layer with a map. The costmap is as large as the map, or a window that moves over it.
///
/// Source: `nav2_costmap_2d::StaticLayer`.
#[derive(Debug)]
pub struct StaticLayer {
    settings: StaticSettings,
    input: Arc<MapInput>,
    map: Option<Costmap>,
    pose: [f64; 3],
    /// Whether the next update covers the whole costmap.
    is_new: bool,
}

impl StaticLayer {
    /// Creates a layer that takes its map from `input`.
    pub fn new(settings: StaticSettings, input: Arc<MapInput>) -> Self {
        Self { settings, input, map: None, pose: [0.0; 3], is_new: false }
    }

    /// Takes the pending map, changes and pose.
    fn receive(&mut self) {
        let mut pending = self.input.lock();
        if let Some(map) = pending.map.take() {
            self.map = Some(map);
            self.is_new = true;
        }
        pending.change_size = 0;
        for (area, costs) in pending.changes.drain(..) {
            self.is_new |= self.map.as_mut().is_some_and(|map| map.fill(area, &costs));
        }
        if self.pose != pending.pose {
            self.pose = pending.pose;
            self.is_new = true;
        }
    }

    /// Converts a point from the frame of the costmap to the frame of the map.
    fn to_map_frame(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let (sine, cosine) = self.pose[2].sin_cos();
        let (x, y) = (x - self.pose[0], y - self.pose[1]);
        [cosine * x + sine * y, cosine * y - sine * x]
    }

    /// Returns the cost of the map at a point in the frame of the costmap; `None` outside of the map.
    fn cost_at(&self, map: &Costmap, point: [f64; 2]) -> Option<u8> {
        map.cell_at(self.to_map_frame(point)).map(|cell| map.cost(cell))
    }

    /// Sets the cells of the map under the robot to free.
    fn clear_footprint(&mut self, situation: &Situation<'_>, bounds: &mut Bounds) {
        let corners = situation.footprint.at(situation.robot);
        corners.iter().for_each(|corner| bounds.include(*corner));
        let corners: Vec<[f64; 2]> = corners.iter().map(|corner| self.to_map_frame(*corner)).collect();
        if let Some(map) = &mut self.map {
            map.clear(&corners);
        }
    }
}

impl Layer for StaticLayer {
    fn fit(&mut self, _map: &Costmap) {
        self.is_new = true;
    }

    fn bounds(&mut self, map: &Costmap, situation: &Situation<'_>, bounds: &mut Bounds) {
        self.receive();
        if self.settings.clear_footprint {
            self.clear_footprint(situation, bounds);
        }
        let Some(source) = &self.map else { return };
        let is_window = source.size() != map.size() || source.origin() != map.origin();
        if std::mem::take(&mut self.is_new) || is_window {
            bounds.merge(&map.bounds());
        }
    }

    fn write(&mut self, map: &mut Costmap, area: Area) {
        let Some(source) = &self.map else { return };
        let is_same = source.size() == map.size()
            && source.origin() == map.origin()
            && source.resolution() == map.resolution()
            && self.pose == [0.0; 3];
        for row in area.bottom..area.top {
            for column in area.left..area.right {
                let cell = (column, row);
                let cost =
                    if is_same { Some(source.cost(cell)) } else { self.cost_at(source, map.center(cell)) };
                let Some(cost) = cost else { continue };
                let old = map.cost(cell);
                let keeps = self.settings.use_maximum && (cost == UNKNOWN || (old != UNKNOWN && old > cost));
                if !keeps {
                    map.set(cell, cost);
                }
            }
        }
    }

    fn reset(&mut self) {
        self.is_new = true;
    }

    fn is_current(&self, _now: std::time::Duration) -> bool {
        self.map.is_some()
    }
}
