//! Tests of each layer against the costs of its input, and of partial updates against full ones.

use std::{sync::Arc, time::Duration};

use proptest::prelude::*;

use super::*;
use crate::{
    cost::{FREE, LETHAL},
    inflation::{Inflation, InflationSettings, UnknownCells},
    layered::LayeredCostmap,
};

const NOW: Duration = Duration::from_secs(10);

fn empty(default: u8) -> Costmap {
    Costmap::new((40, 40), 0.1, [-2.0, -2.0], default)
}

fn costmap(default: u8, layer: impl Layer + 'static) -> LayeredCostmap {
    LayeredCostmap::new(empty(default), false, Footprint::circle(0.15), vec![Box::new(layer)])
}

/// Returns the costs at some points.
fn costs<const N: usize>(costmap: &LayeredCostmap, points: [[f64; 2]; N]) -> [u8; N] {
    let map = costmap.map();
    points.map(|point| map.cost(map.cell_at(point).unwrap()))
}

fn seen(points: &[[f64; 2]], stamp: Duration) -> Observation {
    let points = points.iter().map(|[x, y]| [*x, *y, 0.3]).collect();
    Observation { origin: [0.05, 0.05, 0.3], points, stamp }
}

fn lidar() -> Arc<Observations> {
    Arc::new(Observations::new(Reach::default(), Duration::ZERO, None))
}

#[test]
fn a_ray_clears_the_cells_that_it_passes_and_marks_its_end() {
    let lidar = lidar();
    let settings = ObstacleSettings { track_unknown: true, ..ObstacleSettings::default() };
    let mut map = costmap(UNKNOWN, ObstacleLayer::new(settings, vec![lidar.clone()]));
    lidar.add(seen(&[[1.55, 0.05]], NOW), NOW);
    map.update([0.05, 0.05, 0.0], NOW);
    let points = [[0.55, 0.05], [1.45, 0.05], [1.55, 0.05], [1.65, 0.05], [0.55, 0.25]];
    assert_eq!(costs(&map, points), [FREE, FREE, LETHAL, UNKNOWN, UNKNOWN]);
    // A longer ray removes the obstacle.
    lidar.add(seen(&[[1.85, 0.05]], NOW), NOW);
    map.update([0.05, 0.05, 0.0], NOW);
    assert_eq!(costs(&map, [[1.55, 0.05], [1.85, 0.05]]), [FREE, LETHAL]);
}

#[test]
fn rays_that_are_too_long_or_too_high_mark_nothing() {
    let lidar = Arc::new(Observations::new(
        Reach { obstacles: [0.3, 1.0], clearing: [0.0, 1.5], heights: [0.0, 1.0], ..Reach::default() },
        Duration::ZERO,
        None,
    ));
    let settings = ObstacleSettings { track_unknown: true, ..ObstacleSettings::default() };
    let mut map = costmap(UNKNOWN, ObstacleLayer::new(settings, vec![lidar.clone()]));
    let mut observation = seen(&[[1.95, 0.05], [0.05, 0.25]], NOW);
    observation.points.extend([[0.05, -0.65, 1.2], [f64::NAN, 0.0, 0.1]]);
    lidar.add(observation, NOW);
    map.update([1.0, 1.0, 0.0], NOW);
    let points = [[1.95, 0.05], [1.35, 0.05], [1.75, 0.05], [0.05, 0.25], [0.05, -0.65]];
    assert_eq!(costs(&map, points), [UNKNOWN, FREE, UNKNOWN, FREE, UNKNOWN]);
}

#[test]
fn points_too_low_for_the_layer_still_clear() {
    let settings = ObstacleSettings { track_unknown: true, ..ObstacleSettings::default() };
    let voxels = VoxelSettings { obstacles: settings, ..VoxelSettings::default() };
    for kind in ["plane", "voxels"] {
        let reach = Reach { heights: [-1.0, 2.0], marks: [0.4, 2.0], ..Reach::default() };
        let lidar = Arc::new(Observations::new(reach, Duration::ZERO, None));
        let mut map = match kind {
            "plane" => costmap(UNKNOWN, ObstacleLayer::new(settings, vec![lidar.clone()])),
            _ => costmap(UNKNOWN, VoxelLayer::new(voxels, vec![lidar.clone()])),
        };
        lidar.add(seen(&[[1.55, 0.05]], NOW), NOW);
        map.update([0.05, 0.05, 0.0], NOW);
        assert_eq!(costs(&map, [[1.05, 0.05]]), [FREE], "{kind}");
        assert_ne!(costs(&map, [[1.55, 0.05]]), [LETHAL], "{kind}");
    }
}

#[test]
fn rays_from_outside_and_far_ends_do_not_panic() {
    let lidar = Arc::new(Observations::new(
        Reach { clearing: [0.0, f64::INFINITY], obstacles: [0.0, f64::INFINITY], ..Reach::default() },
        Duration::ZERO,
        None,
    ));
    let layers: Vec<Box<dyn Layer>> = vec![
        Box::new(ObstacleLayer::new(ObstacleSettings::default(), vec![lidar.clone()])),
        Box::new(VoxelLayer::new(VoxelSettings::default(), vec![lidar.clone()])),
    ];
    let mut map = LayeredCostmap::new(empty(UNKNOWN), false, Footprint::circle(0.15), layers);
    for origin in [[0.0, 0.0, 0.3], [1e300, -1e300, 0.3], [-2.0, 1.99, 9e99]] {
        let points = vec![[1e300, 1e300, 0.5], [-1e308, 1e308, 0.5], origin, [0.0, 0.0, 0.5]];
        lidar.add(Observation { origin, points, stamp: NOW }, NOW);
        map.update([0.0, 0.0, 0.0], NOW);
    }
}

#[test]
fn costs_are_combined_in_three_ways() {
    let combine = |combination: Combination, old: u8, cost: u8| {
        let (mut map, mut layer) = (empty(FREE), empty(FREE));
        map.set((3, 3), old);
        layer.set((3, 3), cost);
        combination.combine(&layer, &mut map, layer.area());
        map.cost((3, 3))
    };
    use Combination::*;
    let all =
        |old, cost| [Overwrite, Maximum, MaximumOfKnown].map(|combination| combine(combination, old, cost));
    assert_eq!(all(50, LETHAL), [LETHAL; 3]);
    assert_eq!(all(LETHAL, FREE), [FREE, LETHAL, LETHAL]);
    assert_eq!(all(UNKNOWN, FREE), [FREE, FREE, UNKNOWN]);
    assert_eq!(all(50, UNKNOWN), [50; 3]);
}

#[test]
fn observations_are_kept_for_the_time_of_their_settings() {
    let kept = Observations::new(Reach::default(), Duration::from_secs(2), Some(Duration::from_secs(1)));
    assert!(!kept.is_current(NOW));
    for second in [1, 2, 4] {
        let stamp = Duration::from_secs(second);
        kept.add(seen(&[[1.0, 0.0]], stamp), stamp);
    }
    assert_eq!(kept.recent(Duration::from_secs(4)).len(), 2);
    assert_eq!(kept.recent(Duration::from_secs(60)).len(), 1);
    assert!(kept.is_current(Duration::from_secs(5)) && !kept.is_current(Duration::from_millis(5001)));
    // The time of arrival counts, also after the costmap was cleared.
    kept.add(seen(&[[1.0, 0.0]], Duration::from_secs(5)), Duration::from_secs(7));
    kept.clear();
    assert!(kept.recent(Duration::from_secs(7)).is_empty() && kept.is_current(Duration::from_secs(8)));
    let newest = lidar();
    newest.add(seen(&[], NOW), NOW);
    newest.add(seen(&[[1.0, 0.0]], NOW), NOW);
    assert_eq!(newest.recent(NOW).len(), 1);
}

#[test]
fn obstacles_are_cleared_around_the_robot_or_elsewhere() {
    let around = |is_outside| {
        let lidar = lidar();
        let mut map = costmap(FREE, ObstacleLayer::new(ObstacleSettings::default(), vec![lidar.clone()]));
        lidar.add(seen(&[[0.55, 0.05], [1.55, 0.05]], NOW), NOW);
        map.update([0.0, 0.0, 0.0], NOW);
        lidar.clear();
        map.clear([0.0, 0.0], 2.0, is_outside);
        assert!(!map.is_current(NOW));
        map.update([0.0, 0.0, 0.0], NOW);
        costs(&map, [[0.55, 0.05], [1.55, 0.05]])
    };
    assert_eq!(around(false), [FREE, LETHAL]);
    assert_eq!(around(true), [LETHAL, FREE]);
    let lidar = lidar();
    let mut map = costmap(FREE, ObstacleLayer::new(ObstacleSettings::default(), vec![lidar.clone()]));
    lidar.add(seen(&[[0.55, 0.05]], NOW), NOW);
    map.update([0.0, 0.0, 0.0], NOW);
    assert!(map.is_current(NOW));
    map.reset();
    assert!(!map.is_current(NOW));
    map.update([0.0, 0.0, 0.0], NOW);
    assert_eq!(costs(&map, [[0.55, 0.05]]), [FREE]);
}

#[test]
fn a_map_is_copied_also_into_a_window_that_moves() {
    let mut own = empty(FREE);
    own.set((25, 20), LETHAL);
    let input = Arc::new(MapInput::default());
    let mut map = costmap(UNKNOWN, StaticLayer::new(StaticSettings::default(), input.clone()));
    map.update([0.0; 3], NOW);
    assert!(!map.is_current(NOW));
    assert_eq!(costs(&map, [[0.55, 0.05]]), [UNKNOWN]);
    input.set(own.clone());
    map.update([0.0; 3], NOW);
    assert_eq!(costs(&map, [[0.55, 0.05], [0.65, 0.05]]), [LETHAL, FREE]);
    assert!(input.change(Area { left: 26, bottom: 20, right: 27, top: 21 }, vec![LETHAL]));
    assert!(input.change(Area { left: 39, bottom: 20, right: 41, top: 21 }, vec![LETHAL; 2]));
    map.update([0.0; 3], NOW);
    assert_eq!(costs(&map, [[0.65, 0.05], [1.95, 0.05]]), [LETHAL, FREE]);

    // The map is turned by a quarter and moved by one metre in the frame of the window.
    let input = Arc::new(MapInput::default());
    input.set(own);
    input.place([1.0, 0.0, std::f64::consts::FRAC_PI_2]);
    let layer = StaticLayer::new(StaticSettings::default(), input);
    let window = Costmap::new((20, 20), 0.1, [0.0, 0.0], UNKNOWN);
    let mut map = LayeredCostmap::new(window, true, Footprint::circle(0.1), vec![Box::new(layer)]);
    map.update([1.0, 0.0, 0.0], NOW);
    assert_eq!(costs(&map, [[0.95, 0.55], [0.95, 0.65]]), [LETHAL, FREE]);
    map.update([2.9, 0.0, 0.0], NOW);
    assert_eq!(costs(&map, [[2.95, 0.55], [3.05, 0.55]]), [FREE, UNKNOWN]);
}

#[test]
fn values_of_maps_become_costs() {
    let settings = StaticSettings { track_unknown: false, lethal_threshold: 65, ..StaticSettings::default() };
    assert_eq!([-1, 64, 65].map(|value| settings.cost(value)), [FREE, FREE, LETHAL]);
    let scaled = StaticSettings { trinary: false, ..settings };
    assert_eq!([0, 64, 65].map(|value| scaled.cost(value)), [FREE, 250, LETHAL]);
}

/// Three voxels of 20 cm, of which one may be marked.
fn voxels(mark_threshold: u32) -> VoxelSettings {
    let obstacles = ObstacleSettings { track_unknown: true, ..ObstacleSettings::default() };
    VoxelSettings {
        obstacles,
        z_voxels: 3,
        unknown_threshold: 15,
        mark_threshold,
        ..VoxelSettings::default()
    }
}

#[test]
fn voxels_are_marked_and_cleared_at_their_height() {
    let lidar = lidar();
    let mut layer = VoxelLayer::new(voxels(0), vec![lidar.clone()]);
    let map = empty(UNKNOWN);
    layer.fit(&map);
    let footprint = Footprint::circle(0.15);
    let situation = Situation { robot: [-1.5, -1.5, 0.0], footprint: &footprint, now: NOW };
    let observe = |layer: &mut VoxelLayer, origin_z: f64, points: &[[f64; 3]]| {
        let seen = Observation { origin: [0.05, 0.05, origin_z], points: points.to_vec(), stamp: NOW };
        lidar.add(seen, NOW);
        let (mut map, mut bounds) = (map.clone(), Bounds::default());
        layer.bounds(&map, &situation, &mut bounds);
        let area = map.cells_of(&bounds);
        layer.write(&mut map, area);
        [[1.05, 0.05], [0.55, 0.05]].map(|point| map.cost(map.cell_at(point).unwrap()))
    };
    let index = map.index(map.cell_at([1.05, 0.05]).unwrap());
    assert_eq!(observe(&mut layer, 0.3, &[[1.05, 0.05, 0.3]]), [LETHAL, FREE]);
    assert_eq!(layer.columns[index], UNKNOWN_COLUMN | (0b010 << 16));
    // A ray at another height does not clear it, but one at the same height does.
    assert_eq!(observe(&mut layer, 0.1, &[[1.65, 0.05, 0.1]]), [LETHAL, FREE]);
    assert_eq!(layer.columns[index], (UNKNOWN_COLUMN & !0b001) | (0b010 << 16));
    assert_eq!(observe(&mut layer, 0.3, &[[1.65, 0.05, 0.3]]), [FREE, FREE]);
    // The last two cells before the end of a ray are not cleared.
    assert_eq!(observe(&mut layer, 0.3, &[[1.05, 0.05, 0.3]]), [LETHAL, FREE]);
    assert_eq!(observe(&mut layer, 0.3, &[[1.15, 0.05, 0.3]]), [LETHAL, FREE]);
    // Points below the lowest voxel are in it, and points above the highest one are in none.
    let mut layer = VoxelLayer::new(voxels(1), vec![lidar.clone()]);
    layer.fit(&map);
    observe(&mut layer, 0.3, &[[1.05, 0.05, 0.01], [1.05, 0.05, 0.9]]);
    assert_eq!(layer.columns[index] >> 16, 0b001);
    assert_eq!(observe(&mut layer, 0.3, &[[1.05, 0.05, 0.01], [1.05, 0.05, 0.25]])[0], LETHAL);
}

const UNKNOWN_COLUMN: u32 = 0xffff;

#[test]
fn voxels_stay_where_they_are_when_the_window_moves() {
    let lidar = lidar();
    let layer = VoxelLayer::new(voxels(0), vec![lidar.clone()]);
    let mut map = LayeredCostmap::new(empty(UNKNOWN), true, Footprint::circle(0.15), vec![Box::new(layer)]);
    lidar.add(seen(&[[1.55, 0.05]], NOW), NOW);
    map.update([0.05, 0.05, 0.0], NOW);
    assert_eq!(costs(&map, [[1.55, 0.05]]), [LETHAL]);
    lidar.clear();
    map.update([1.05, -0.45, 0.0], NOW);
    assert_eq!(costs(&map, [[1.55, 0.05], [2.55, 0.05]]), [LETHAL, UNKNOWN]);
}

#[test]
fn a_sonar_makes_cells_more_probable() {
    let readings = Arc::new(RangeReadings::default());
    let mut map = costmap(FREE, RangeLayer::new(RangeSettings::default(), readings.clone()));
    let reading =
        RangeReading { pose: [0.05, 0.05, 0.0], field_of_view: 0.4, limits: [0.1, 3.0], range: 1.0 };
    for count in 0..4 {
        readings.add(reading);
        map.update([0.0; 3], NOW);
        // One reading is enough for the cell at its distance.
        assert_eq!(costs(&map, [[1.05, 0.05]]), [LETHAL], "{count}");
    }
    // On the axis: the cells before the obstacle are free, and the cells behind it are unknown.
    assert_eq!(costs(&map, [[1.05, 0.05], [0.55, 0.05], [1.45, 0.05]]), [LETHAL, FREE, FREE]);
    // One reading of 1 m: lambda = 1 - (1 + tanh(2 (0.5 - 1.2))) / 2 = 0.9427, so the probability is 0.5 (1 - 0.9427) = 0.0287.
    let mut layer = RangeLayer::new(RangeSettings::default(), readings.clone());
    layer.fit(&empty(FREE));
    readings.add(reading);
    let mut bounds = Bounds::default();
    let footprint = Footprint::circle(0.15);
    let situation = Situation { robot: [0.0; 3], footprint: &footprint, now: NOW };
    layer.bounds(&empty(FREE), &situation, &mut bounds);
    assert_eq!(layer.grid.cost((25, 20)), (0.0287 * 254.0) as u8);
    // A sensor that has stopped sending.
    let settings = RangeSettings { no_readings_timeout: Duration::from_secs(2), ..RangeSettings::default() };
    let mut silent = RangeLayer::new(settings, readings.clone());
    silent.fit(&empty(FREE));
    readings.add(reading);
    silent.bounds(&empty(FREE), &situation, &mut bounds);
    silent.bounds(&empty(FREE), &Situation { now: NOW + Duration::from_secs(1), ..situation }, &mut bounds);
    let is_current = |seconds| silent.is_current(NOW + Duration::from_secs(seconds));
    assert_eq!([is_current(2), is_current(3)], [true, false]);
    assert!(layer.is_current(NOW + Duration::from_secs(1000)));
    // A sensor that only detects whether an object is there.
    let fixed = RangeReading { limits: [0.8, 0.8], range: f64::INFINITY, ..reading };
    let seen = |clear_on_max_reading: bool, ranges: &[f64]| {
        let readings = Arc::new(RangeReadings::default());
        let settings = RangeSettings { clear_on_max_reading, ..RangeSettings::default() };
        let mut map = costmap(UNKNOWN, RangeLayer::new(settings, readings.clone()));
        for range in ranges {
            readings.add(RangeReading { range: *range, ..fixed });
            readings.add(RangeReading { pose: [f64::NAN; 3], ..fixed });
            map.update([0.0; 3], NOW);
        }
        costs(&map, [[0.55, 0.05], [0.85, 0.05]])
    };
    assert_eq!(seen(false, &[f64::INFINITY; 2]), [UNKNOWN, UNKNOWN]);
    assert_eq!(seen(true, &[f64::INFINITY])[0], FREE);
    assert_eq!(seen(false, &[f64::NEG_INFINITY; 4]), [FREE, LETHAL]);
    // A beam that is too narrow to contain the centre of a cell leaves no obstacle when it clears.
    let narrow = |clear_on_max_reading: bool| {
        let readings = Arc::new(RangeReadings::default());
        let settings = RangeSettings { clear_on_max_reading, ..RangeSettings::default() };
        let mut map = costmap(FREE, RangeLayer::new(settings, readings.clone()));
        let (pose, limits) = ([0.0, 0.0, 0.0], [0.1, 1.55]);
        readings.add(RangeReading { pose, field_of_view: 1e-6, limits, range: 1.55 });
        map.update([0.0; 3], NOW);
        costs(&map, [[1.55, 0.05]])
    };
    assert_eq!([narrow(false), narrow(true)], [[LETHAL], [FREE]]);
}

#[test]
fn groups_of_few_obstacles_are_removed() {
    let remains = |min_group: usize, has_corners: bool| {
        let mut map = empty(FREE);
        // A single cell, a pair, and three cells of which the last one touches at a corner.
        for cell in [(2, 2), (10, 10), (11, 10), (20, 20), (21, 20), (22, 21)] {
            map.set(cell, LETHAL);
        }
        let area = map.area();
        DenoiseLayer::new(min_group, has_corners).write(&mut map, area);
        [(2, 2), (10, 10), (20, 20), (22, 21)].map(|cell| map.cost(cell) == LETHAL)
    };
    assert_eq!(remains(1, true), [true; 4]);
    assert_eq!(remains(2, true), [false, true, true, true]);
    assert_eq!(remains(2, false), [false, true, true, false]);
    assert_eq!(remains(3, true), [false, false, true, true]);
    assert_eq!(remains(3, false), [false; 4]);
}

#[test]
fn unknown_cells_may_be_inflated_or_obstacles() {
    let costs = |unknown: UnknownCells| {
        let mut map = empty(FREE);
        map.set((10, 10), LETHAL);
        map.set((13, 10), UNKNOWN);
        map.set((30, 30), UNKNOWN);
        let area = map.area();
        let settings = InflationSettings { radius: 0.5, scaling: 3.0, inscribed: 0.15 };
        Inflation::new(&settings, 0.1).with_unknown(unknown).apply(&mut map, area);
        [(13, 10), (32, 30)].map(|cell| map.cost(cell))
    };
    let default = UnknownCells::default();
    assert_eq!(costs(default), [UNKNOWN, FREE]);
    assert_eq!(costs(UnknownCells { are_inflated: true, ..default }), [160, FREE]);
    assert_eq!(costs(UnknownCells { are_obstacles: true, ..default })[1], 216);
}

/// A layer without costs that extends each update to the whole costmap.
struct FullUpdate;

impl Layer for FullUpdate {
    fn fit(&mut self, _map: &Costmap) {}
    fn bounds(&mut self, map: &Costmap, _situation: &Situation<'_>, bounds: &mut Bounds) {
        *bounds = map.bounds();
    }
    fn write(&mut self, _map: &mut Costmap, _area: Area) {}
    fn reset(&mut self) {}
}

/// An event between two updates.
#[derive(Clone, Debug)]
enum Event {
    Scan(Vec<[f64; 2]>),
    Move([f64; 2]),
    Clear([f64; 2], bool),
    Reset,
    Map(Vec<(u32, u32)>),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let point = (-1.9_f64..1.9, -1.9_f64..1.9).prop_map(|(x, y)| [x, y]);
    let event = prop_oneof![
        4 => prop::collection::vec(point.clone(), 0..12).prop_map(Event::Scan),
        2 => point.clone().prop_map(Event::Move),
        1 => (point, any::<bool>()).prop_map(|(point, is_outside)| Event::Clear(point, is_outside)),
        1 => Just(Event::Reset),
        1 => prop::collection::vec((0_u32..40, 0_u32..40), 0..6).prop_map(Event::Map),
    ];
    prop::collection::vec(event, 1..12)
}

/// Plays events, and returns the costs after each of them.
fn played(events: &[Event], is_rolling: bool, has_voxels: bool, writes_all: bool) -> Vec<Costmap> {
    let (lidar, input) = (lidar(), Arc::new(MapInput::default()));
    let mut layers: Vec<Box<dyn Layer>> =
        vec![Box::new(StaticLayer::new(StaticSettings::default(), input.clone()))];
    let obstacles = ObstacleSettings { track_unknown: has_voxels, ..ObstacleSettings::default() };
    layers.push(match has_voxels {
        true => Box::new(VoxelLayer::new(VoxelSettings { obstacles, ..voxels(0) }, vec![lidar.clone()])),
        false => Box::new(ObstacleLayer::new(obstacles, vec![lidar.clone()])),
    });
    layers.push(Box::new(InflationLayer::new(0.5, 3.0)));
    if writes_all {
        layers.push(Box::new(FullUpdate));
    }
    let mut costmap = LayeredCostmap::new(empty(UNKNOWN), is_rolling, Footprint::circle(0.15), layers);
    let mut robot = [0.0, 0.0, 0.0];
    let mut play = |event: &Event| {
        match event {
            Event::Scan(points) => {
                let [x, y] = [robot[0], robot[1]];
                let points = points.iter().map(|[dx, dy]| [x + dx, y + dy, 0.3]).collect();
                lidar.add(Observation { origin: [x, y, 0.3], points, stamp: NOW }, NOW);
            }
            Event::Move([x, y]) => robot = [*x, *y, 0.0],
            Event::Clear(point, is_outside) => costmap.clear(*point, 1.0, *is_outside),
            Event::Reset => costmap.reset(),
            Event::Map(obstacles) => {
                let mut map = empty(FREE);
                obstacles.iter().for_each(|cell| map.set(*cell, LETHAL));
                input.set(map);
            }
        }
        costmap.update(robot, NOW);
        costmap.map().clone()
    };
    events.iter().map(&mut play).collect()
}

proptest! {
    /// An update writes only the area that changes. The costs are the same as after a full update.
    #[test]
    fn updates_write_all_that_changes(events in events(), is_rolling: bool, has_voxels: bool) {
        let some = played(&events, is_rolling, has_voxels, false);
        prop_assert_eq!(some, played(&events, is_rolling, has_voxels, true));
    }
}

#[test]
fn changes_of_a_map_do_not_use_up_memory() {
    let input = MapInput::default();
    let area = Area { left: 0, bottom: 0, right: 1, top: 1 };
    let large = || input.change(area, vec![FREE; 30 << 20]);
    assert_eq!([large(), large(), large()], [true, true, false]);
    // A new map makes room again.
    input.set(Costmap::new((1, 1), 0.05, [0.0, 0.0], FREE));
    assert!(large());
}
