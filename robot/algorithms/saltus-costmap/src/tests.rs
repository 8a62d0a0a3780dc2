//! Tests of costs against their formulas, cell by cell.

use proptest::prelude::*;

use super::*;
use crate::cells::line;

const SETTINGS: InflationSettings = InflationSettings { radius: 0.55, scaling: 3.0, inscribed: 0.2255 };

/// Returns a grid whose obstacles and unknown cells are chosen by numbers.
fn random(size: (u32, u32), numbers: &[u8]) -> Costmap {
    let mut map = Costmap::new(size, 0.05, [-1.0, -2.0], FREE);
    let cells = (0..size.1).flat_map(|row| (0..size.0).map(move |column| (column, row)));
    for (cell, number) in cells.zip(numbers.iter().cycle()) {
        map.set(
            cell,
            match number {
                0..8 => LETHAL,
                8..40 => UNKNOWN,
                40..60 => *number,
                _ => FREE,
            },
        );
    }
    map
}

/// Returns the expected cost of a cell, computed from all other cells.
fn expected_cost(map: &Costmap, settings: &InflationSettings, cell: Cell) -> u8 {
    let (width, height) = map.size();
    let cells = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
    let obstacles = cells.filter(|other| map.cost(*other) == LETHAL);
    let squared = |other: Cell| {
        let [x, y] = [cell.0.abs_diff(other.0), cell.1.abs_diff(other.1)];
        x * x + y * y
    };
    // As in Nav2, the radius is a number of whole cells.
    let reach = Inflation::new(settings, map.resolution()).reach();
    let nearest = obstacles.map(squared).min().filter(|squared| *squared <= reach * reach);
    let distance = |squared: u32| f64::from(squared).sqrt() * map.resolution();
    let cost = nearest.map_or(FREE, |squared| settings.cost(distance(squared)));
    match map.cost(cell) {
        UNKNOWN if cost < INSCRIBED => UNKNOWN,
        UNKNOWN => cost,
        old => old.max(cost),
    }
}

proptest! {
    /// The costs of an area follow the formula, and all others stay.
    #[test]
    fn costs_follow_the_formula(
        numbers in prop::collection::vec(any::<u8>(), 97..400),
        size in (1_u32..40, 1_u32..40),
        ends in (0_u32..40, 0_u32..40, 0_u32..40, 0_u32..40),
        radius in 0.0_f64..1.2,
    ) {
        let settings = InflationSettings { radius, ..SETTINGS };
        let before = random(size, &numbers);
        let (left, right) = (ends.0.min(ends.1).min(size.0), ends.0.max(ends.1).min(size.0));
        let (bottom, top) = (ends.2.min(ends.3).min(size.1), ends.2.max(ends.3).min(size.1));
        let area = Area { left, bottom, right, top };
        let mut map = before.clone();
        Inflation::new(&settings, before.resolution()).apply(&mut map, area);
        for row in 0..size.1 {
            for column in 0..size.0 {
                let cell = (column, row);
                let is_within = (left..right).contains(&column) && (bottom..top).contains(&row);
                let expected = if is_within { expected_cost(&before, &settings, cell) } else { before.cost(cell) };
                prop_assert_eq!(map.cost(cell), expected, "{:?}", cell);
            }
        }
    }

    /// Costs that stay in the grid keep their positions in the frame of the map.
    #[test]
    fn a_grid_that_moves_keeps_the_costs_that_stay_in_it(
        numbers in prop::collection::vec(any::<u8>(), 50..80),
        x in -2.0_f64..2.0,
        y in -2.0_f64..2.0,
    ) {
        let before = random((21, 17), &numbers);
        let mut map = before.clone();
        map.move_to([before.origin()[0] + x, before.origin()[1] + y]);
        prop_assert!((map.origin()[0] - before.origin()[0] - x).abs() < 0.05 + 1e-9);
        for row in 0..17 {
            for column in 0..21 {
                let old = before.cell_at(map.center((column, row)));
                prop_assert_eq!(map.cost((column, row)), old.map_or(FREE, |cell| before.cost(cell)));
            }
        }
    }

    #[test]
    fn a_line_goes_from_cell_to_cell(from in (0_u32..50, 0_u32..50), to in (0_u32..50, 0_u32..50)) {
        let mut cells = Vec::new();
        line(from, to, |cell| cells.push(cell));
        prop_assert_eq!((cells.first(), cells.last()), (Some(&from), Some(&to)));
        prop_assert_eq!(cells.len() as u32, from.0.abs_diff(to.0).max(from.1.abs_diff(to.1)) + 1);
        for [left, right] in cells.array_windows() {
            prop_assert!(left.0.abs_diff(right.0) <= 1 && left.1.abs_diff(right.1) <= 1);
        }
    }
}

#[test]
fn a_grid_that_moves_far_away_is_empty() {
    for far in [1e12, -1e12, 1e300, -1e300] {
        let mut map = Costmap::new((3, 3), 0.05, [0.0, 0.0], UNKNOWN);
        map.set((1, 1), LETHAL);
        map.move_to([far, -far]);
        assert_eq!(map.costs(), [UNKNOWN; 9]);
    }
}

#[test]
fn costs_are_those_of_nav2() {
    let costs: Vec<u8> = (1..=11).map(|cells| SETTINGS.cost(f64::from(cells) * 0.05)).collect();
    assert_eq!(costs, [253, 253, 253, 253, 234, 201, 173, 149, 128, 110, 95]);
    let inflation = Inflation::new(&SETTINGS, 0.05);
    assert_eq!(inflation.reach(), 11);
}

#[test]
fn a_footprint_moves_with_its_robot() {
    let square = Footprint::polygon(vec![[0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2], [0.3, -0.2]]).unwrap();
    assert_eq!((square.inscribed_radius(), square.circumscribed_radius()), (0.2, 0.3_f64.hypot(0.2)));
    let turned = square.at([1.0, 2.0, std::f64::consts::FRAC_PI_2]);
    assert!((turned[0][0] - 0.8).abs() < 1e-12 && (turned[0][1] - 2.3).abs() < 1e-12, "{turned:?}");
    assert_eq!(Footprint::polygon(vec![[0.0, 0.0], [1.0, 0.0]]), None);
    assert_eq!(Footprint::polygon(vec![[0.0, 0.0], [1.0, 0.0], [f64::NAN, 1.0]]), None);
    let mut map = Costmap::new((40, 40), 0.05, [0.0, 0.0], UNKNOWN);
    let corners = square.at([1.0, 1.0, 0.0]);
    map.clear(&corners);
    // 0.6 m x 0.4 m.
    let free = map.costs().iter().filter(|cost| **cost == FREE).count();
    assert!((12 * 8..=13 * 9).contains(&free), "{free}");
    assert_eq!(outline_cost(&map, &corners), Some(FREE));
    assert_eq!(outline_cost(&map, &square.at([1.9, 1.0, 0.0])), None);
    let mut map = Costmap::new((40, 40), 0.05, [0.0, 0.0], FREE);
    map.set((20, 15), LETHAL);
    // The outline has no cells inside of the polygon.
    assert_eq!(outline_cost(&map, &square.at([1.0, 0.98, 0.0])), Some(LETHAL));
    assert_eq!(outline_cost(&map, &square.at([1.0, 0.78, 0.0])), Some(FREE));
    (0..40).for_each(|row| map.set((18, row), UNKNOWN));
    assert_eq!(outline_cost(&map, &square.at([1.0, 0.98, 0.0])), Some(LETHAL));
    assert_eq!(outline_cost(&map, &square.at([1.0, 0.78, 0.0])), Some(UNKNOWN));
}

#[test]
fn bounds_cover_the_cells_that_they_touch() {
    let map = Costmap::new((10, 5), 0.1, [0.0, 0.0], FREE);
    let mut bounds = Bounds::default();
    assert!(bounds.is_empty() && map.cells_of(&bounds).is_empty());
    bounds.include([0.15, -3.0]);
    bounds.include([0.31, 0.25]);
    assert_eq!(map.cells_of(&bounds), Area { left: 1, bottom: 0, right: 4, top: 3 });
    bounds.include([9.0, 9.0]);
    assert_eq!(map.cells_of(&bounds), Area { left: 1, bottom: 0, right: 10, top: 5 });
    assert_eq!(map.area().grown(7, map.size()), map.area());
}
