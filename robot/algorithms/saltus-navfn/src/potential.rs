//! The potential of each cell: the cost of the way from a start cell.
//!
//! Source: `nav2_navfn_planner`, whose costs and update rule these are.

use saltus_costmap::{Cell, Costmap, INSCRIBED, UNKNOWN};

/// The cost of a cell that cannot be entered.
const BLOCKED: u8 = 254;
/// The cost of a step into a free cell.
const NEUTRAL: u8 = 50;
/// The potential of a cell that was not reached.
pub(crate) const FAR: f32 = 1e10;
/// The rise of the threshold after all cells below it are done.
const RISE: f32 = 2.0 * NEUTRAL as f32;
/// The share of the cost of a neighbour by which its potential must be higher for the neighbour to be visited again.
const DIAGONAL: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// The cost of a step into each cell, and the potential of each cell.
#[derive(Debug)]
pub(crate) struct PotentialField {
    pub(crate) width: usize,
    costs: Vec<u8>,
    pub(crate) potentials: Vec<f32>,
}

/// The cells that are visited next.
#[derive(Default)]
struct Wavefront {
    current: Vec<usize>,
    next: Vec<usize>,
    /// The cells above the threshold.
    overflow: Vec<usize>,
    /// Whether each cell is in one of the lists.
    is_pending: Vec<bool>,
    threshold: f32,
}

impl PotentialField {
    /// Creates a field without potentials from a costmap. Its outermost cells are blocked.
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

    /// Returns the index of a cell.
    pub(crate) fn index(&self, (column, row): Cell) -> usize {
        row as usize * self.width + column as usize
    }

    /// Spreads potentials from a cell until the potential of the goal is final, or until no potential changes. With A*, cells near `goal`
    /// are visited first.
    pub(crate) fn spread(&mut self, from: Cell, goal: Cell, use_astar: bool) {
        let (start, end) = (self.index(from), self.index(goal));
        let toward = use_astar.then_some(goal);
        let first = f32::from(BLOCKED) + self.estimate(start, toward);
        let mut front =
            Wavefront { is_pending: vec![false; self.costs.len()], threshold: first, ..Wavefront::default() };
        self.potentials[start] = 0.0;
        for neighbour in self.neighbours(start) {
            front.push(neighbour, &self.costs, |front| &mut front.current);
        }
        while self.potentials[end] >= front.threshold
            && !(front.current.is_empty() && front.overflow.is_empty())
        {
            let current = std::mem::take(&mut front.current);
            current.iter().for_each(|index| front.is_pending[*index] = false);
            for index in current {
                self.update(index, &mut front, toward);
            }
            front.current = std::mem::take(&mut front.next);
            if front.current.is_empty() {
                front.threshold += RISE;
                front.current = std::mem::take(&mut front.overflow);
            }
        }
    }

    /// Returns the lower bound of the cost from a cell to a goal; 0 without a goal.
    fn estimate(&self, index: usize, goal: Option<Cell>) -> f32 {
        let Some((column, row)) = goal else { return 0.0 };
        let dx = (index % self.width).abs_diff(column as usize) as f32;
        let dy = (index / self.width).abs_diff(row as usize) as f32;
        f32::from(NEUTRAL) * dx.hypot(dy)
    }

    /// Returns the four neighbours of a cell, which is not at the edge.
    fn neighbours(&self, index: usize) -> [usize; 4] {
        [index - 1, index + 1, index - self.width, index + self.width]
    }

    /// Computes the potential of a cell from its neighbours. If it is lower than before, the neighbours that it may lower are visited
    /// again.
    fn update(&mut self, index: usize, front: &mut Wavefront, toward: Option<Cell>) {
        let neighbours = self.neighbours(index);
        let [left, right, below, above] = neighbours.map(|index| self.potentials[index]);
        let potential = combined(left.min(right), below.min(above), f32::from(self.costs[index]));
        if potential >= self.potentials[index] {
            return;
        }
        self.potentials[index] = potential;
        let estimate = self.estimate(index, toward);
        for neighbour in neighbours {
            if self.potentials[neighbour] > potential + DIAGONAL * f32::from(self.costs[neighbour]) {
                match potential + estimate < front.threshold {
                    true => front.push(neighbour, &self.costs, |front| &mut front.next),
                    false => front.push(neighbour, &self.costs, |front| &mut front.overflow),
                }
            }
        }
    }
}

impl Wavefront {
    /// Adds a cell to a list, unless it is pending or blocked.
    fn push(&mut self, index: usize, costs: &[u8], list: fn(&mut Self) -> &mut Vec<usize>) {
        if !self.is_pending[index] && costs[index] < BLOCKED {
            self.is_pending[index] = true;
            list(self).push(index);
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

/// Returns the potential of a cell with the cost `cost` from the potentials of two neighbours, one along each axis. If both count, the
/// wave comes from between them, and a quadratic function approximates the cost.
pub(crate) fn combined(one: f32, other: f32, cost: f32) -> f32 {
    let (lower, gap) = (one.min(other), (one - other).abs());
    if gap >= cost {
        return lower + cost;
    }
    let share = gap / cost;
    lower + cost * (-0.2301 * share * share + 0.5307 * share + 0.7040)
}
