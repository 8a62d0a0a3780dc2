//! What it costs to come from a cell to all others.

use saltus_costmap::{Cell, Costmap, INSCRIBED, UNKNOWN};

/// The cost of a step into a cell with an obstacle: there is none.
const BLOCKED: u8 = 254;
/// The cost of a step into a free cell.
const NEUTRAL: u8 = 50;
/// The potential of a cell that was not reached.
pub(crate) const FAR: f32 = 1e10;
/// By how much the threshold rises when all cells below it are done.
const RISE: f32 = 2.0 * NEUTRAL as f32;
/// The share of the cost of a neighbour by which its potential must be higher, so that it is looked at again.
const DIAGONAL: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// The costs of steps, and the potentials of cells.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) width: usize,
    costs: Vec<u8>,
    pub(crate) potentials: Vec<f32>,
}

/// The cells that are looked at next.
#[derive(Default)]
struct Front {
    now: Vec<usize>,
    next: Vec<usize>,
    /// Those above the threshold.
    over: Vec<usize>,
    is_pending: Vec<bool>,
    threshold: f32,
}

impl Field {
    /// Returns the steps of a costmap. Its outermost cells are blocked.
    pub(crate) fn new(map: &Costmap, allow_unknown: bool) -> Self {
        let (width, height) = map.size();
        let mut costs: Vec<u8> = map.costs().iter().map(|cost| step(*cost, allow_unknown)).collect();
        let width = width as usize;
        costs[..width].fill(BLOCKED);
        costs[width * (height as usize - 1)..].fill(BLOCKED);
        for row in costs.chunks_mut(width) {
            row[0] = BLOCKED;
            row[width - 1] = BLOCKED;
        }
        Self { width, potentials: vec![FAR; costs.len()], costs }
    }

    pub(crate) fn place(&self, (column, row): Cell) -> usize {
        row as usize * self.width + column as usize
    }

    /// Spreads potentials from a cell, until no cell can lower that of another one much, or until there is no way to it. With A*,
    /// cells are looked at first that are near `goal`.
    pub(crate) fn spread(&mut self, from: Cell, goal: Cell, use_astar: bool) {
        let (start, end) = (self.place(from), self.place(goal));
        let toward = use_astar.then_some(goal);
        let first = f32::from(BLOCKED) + self.estimate(start, toward);
        let mut front =
            Front { is_pending: vec![false; self.costs.len()], threshold: first, ..Front::default() };
        self.potentials[start] = 0.0;
        for neighbour in self.neighbours(start) {
            front.push(neighbour, &self.costs, |front| &mut front.now);
        }
        while self.potentials[end] >= front.threshold && !(front.now.is_empty() && front.over.is_empty()) {
            let now = std::mem::take(&mut front.now);
            now.iter().for_each(|place| front.is_pending[*place] = false);
            for place in now {
                self.update(place, &mut front, toward);
            }
            front.now = std::mem::take(&mut front.next);
            if front.now.is_empty() {
                front.threshold += RISE;
                front.now = std::mem::take(&mut front.over);
            }
        }
    }

    /// Returns the least that it may cost to go on to a goal, if there is one; otherwise 0.
    fn estimate(&self, place: usize, goal: Option<Cell>) -> f32 {
        let Some((column, row)) = goal else { return 0.0 };
        let aside = (place % self.width).abs_diff(column as usize) as f32;
        let ahead = (place / self.width).abs_diff(row as usize) as f32;
        f32::from(NEUTRAL) * aside.hypot(ahead)
    }

    /// Returns the cells beside a cell, which is not at the edge.
    fn neighbours(&self, place: usize) -> [usize; 4] {
        [place - 1, place + 1, place - self.width, place + self.width]
    }

    /// Lowers the potential of a cell to that which its neighbours give, and looks at those that it may lower.
    fn update(&mut self, place: usize, front: &mut Front, toward: Option<Cell>) {
        let neighbours = self.neighbours(place);
        let [left, right, below, above] = neighbours.map(|place| self.potentials[place]);
        let potential = combined(left.min(right), below.min(above), f32::from(self.costs[place]));
        if potential >= self.potentials[place] {
            return;
        }
        self.potentials[place] = potential;
        let estimate = self.estimate(place, toward);
        for neighbour in neighbours {
            if self.potentials[neighbour] > potential + DIAGONAL * f32::from(self.costs[neighbour]) {
                match potential + estimate < front.threshold {
                    true => front.push(neighbour, &self.costs, |front| &mut front.next),
                    false => front.push(neighbour, &self.costs, |front| &mut front.over),
                }
            }
        }
    }
}

impl Front {
    fn push(&mut self, place: usize, costs: &[u8], list: fn(&mut Self) -> &mut Vec<usize>) {
        if !self.is_pending[place] && costs[place] < BLOCKED {
            self.is_pending[place] = true;
            list(self).push(place);
        }
    }
}

/// Returns the cost of a step into a cell.
fn step(cost: u8, allow_unknown: bool) -> u8 {
    match cost {
        UNKNOWN if allow_unknown => BLOCKED - 1,
        INSCRIBED.. => BLOCKED,
        cost => (f32::from(NEUTRAL) + 0.8 * f32::from(cost)) as u8,
    }
}

/// Returns the potential of a cell between two neighbours, one in each direction. If both have one, the wave may come from
/// between them: a quadratic function fits what it costs then.
pub(crate) fn combined(one: f32, other: f32, cost: f32) -> f32 {
    let (lower, gap) = (one.min(other), (one - other).abs());
    if gap >= cost {
        return lower + cost;
    }
    let share = gap / cost;
    lower + cost * (-0.2301 * share * share + 0.5307 * share + 0.7040)
}
