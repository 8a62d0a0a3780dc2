//! Potentials and paths on random maps.

use std::{cmp::Reverse, collections::BinaryHeap};

use proptest::prelude::*;
use saltus_costmap::{Cell, Costmap, FREE, INSCRIBED, Inflation, InflationSettings, LETHAL};

use super::*;
use crate::potential::{FAR, Field, combined};

const SIZE: (u32, u32) = (60, 50);
const SETTINGS: InflationSettings = InflationSettings { radius: 0.3, scaling: 3.0, inscribed: 0.1 };

/// Returns a map with some boxes, and costs around them.
fn map(boxes: &[(u32, u32, u32, u32)]) -> Costmap {
    let mut map = Costmap::new(SIZE, 0.05, [-1.0, 2.0], FREE);
    for (left, bottom, width, height) in boxes {
        for row in *bottom..(bottom + height).min(SIZE.1) {
            for column in *left..(left + width).min(SIZE.0) {
                map.set((column, row), LETHAL);
            }
        }
    }
    let area = map.area();
    Inflation::new(&SETTINGS, map.resolution()).apply(&mut map, area);
    map
}

fn boxes() -> impl Strategy<Value = Vec<(u32, u32, u32, u32)>> {
    prop::collection::vec((0..SIZE.0, 0..SIZE.1, 1_u32..14, 1_u32..14), 0..12)
}

/// Returns the potentials that no cell can lower any more: each cell is done in the order of its potential.
fn settled(map: &Costmap, from: Cell) -> Vec<f32> {
    let width = SIZE.0 as usize;
    let cost = |place: usize| {
        let cost = map.costs()[place];
        let (column, row) = (place % width, place / width);
        let is_edge = column == 0 || row == 0 || column == width - 1 || row == SIZE.1 as usize - 1;
        (cost < INSCRIBED && !is_edge).then(|| (50.0 + 0.8 * f32::from(cost)).floor())
    };
    let mut potentials = vec![FAR; map.costs().len()];
    let start = from.1 as usize * width + from.0 as usize;
    potentials[start] = 0.0;
    let mut heap = BinaryHeap::from([Reverse((0_u32, start))]);
    while let Some(Reverse((bits, place))) = heap.pop() {
        if f32::from_bits(bits) > potentials[place] {
            continue;
        }
        for neighbour in [place - 1, place + 1, place - width, place + width] {
            let Some(cost) = cost(neighbour) else { continue };
            let [left, right] = [neighbour - 1, neighbour + 1].map(|place| potentials[place]);
            let [below, above] = [neighbour - width, neighbour + width].map(|place| potentials[place]);
            let potential = combined(left.min(right), below.min(above), cost);
            if potential < potentials[neighbour] {
                potentials[neighbour] = potential;
                heap.push(Reverse((potential.to_bits(), neighbour)));
            }
        }
    }
    potentials
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// NavFn does not look again at a neighbour that it could lower by less than 29 % of a step. So its potentials are above those
    /// that no cell can lower any more: on average by less than 2 %, and in no cell by more than 15 % and a step. The same cells
    /// are reached.
    #[test]
    fn potentials_are_nearly_the_lowest(boxes in boxes(), from in (1..SIZE.0 - 1, 1..SIZE.1 - 1)) {
        let mut map = map(&boxes);
        map.set(from, FREE);
        let mut field = Field::new(&map, false);
        // Nothing is reached at the edge, so all cells are spread to.
        field.spread(from, (0, 0), false);
        let (mut sum, mut count) = (0.0, 0);
        for (found, want) in field.potentials.iter().zip(settled(&map, from)) {
            prop_assert!((*found >= FAR) == (want >= FAR));
            prop_assert!(*found >= want * 0.99 && *found <= want * 1.15 + 50.0, "{found} {want}");
            if want > 0.0 && want < FAR {
                sum += f64::from(found / want);
                count += 1;
            }
        }
        prop_assert!(sum <= 1.02 * f64::from(count), "{}", sum / f64::from(count));
    }

    /// A path goes from the start to the goal in short steps, and not over obstacles. With A* there is one, too.
    #[test]
    fn paths_avoid_obstacles(
        boxes in boxes(),
        ends in ((1..SIZE.0 - 1, 1..SIZE.1 - 1), (1..SIZE.0 - 1, 1..SIZE.1 - 1)),
    ) {
        let mut map = map(&boxes);
        map.set(ends.0, FREE);
        let corner = |(column, row): Cell| {
            [-1.0 + f64::from(column) * 0.05, 2.0 + f64::from(row) * 0.05]
        };
        let (start, goal) = (corner(ends.0), corner(ends.1));
        let exact = NavFnSettings { tolerance: 0.0, ..NavFnSettings::default() };
        let path = NavFn(exact).plan(&map, start, goal);
        let astar = NavFn(NavFnSettings { use_astar: true, ..exact }).plan(&map, start, goal);
        let is_reached = settled(&map, ends.0)[map.place(ends.1)] < FAR;
        prop_assert_eq!((path.is_some(), astar.is_some()), (is_reached, is_reached));
        for path in [path, astar].into_iter().flatten() {
            let last = path[path.len() - 1];
            prop_assert_eq!(path[0], start);
            prop_assert!((last[0] - goal[0]).hypot(last[1] - goal[1]) < 1e-6);
            for [from, to] in path.array_windows() {
                prop_assert!((from[0] - to[0]).hypot(from[1] - to[1]) < 0.1);
            }
            for [x, y] in &path {
                let cell = ((x + 1.0) / 0.05).round() as u32;
                let row = ((y - 2.0) / 0.05).round() as u32;
                prop_assert!(map.cost((cell, row)) != LETHAL);
            }
        }
    }
}

#[test]
fn a_path_ends_near_a_goal_that_is_not_free() {
    let map = map(&[(30, 20, 6, 6)]);
    let goal = [-1.0 + 33.0 * 0.05, 2.0 + 23.0 * 0.05];
    let plan = |tolerance| {
        let settings = NavFnSettings { tolerance, ..NavFnSettings::default() };
        NavFn(settings).plan(&map, [-0.5, 2.5], goal)
    };
    assert_eq!(plan(0.1), None);
    let path = plan(0.5).unwrap();
    let [x, y] = path[path.len() - 1];
    assert!((x - goal[0]).hypot(y - goal[1]) < 0.4, "{x} {y}");
    // Nothing is planned from or to a place outside of the map.
    assert_eq!(NavFn::default().plan(&map, [-9.0, 2.5], goal), None);
}
