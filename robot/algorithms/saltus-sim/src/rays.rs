//! Casts rays on edges.

use parry2d_f64::{
    bounding_volume::Aabb,
    partitioning::{Bvh, BvhBuildStrategy, BvhNode},
};

use crate::{pose::Point, shape::Edge};

/// By how much the boxes of the tree are larger than the edges, so that rounding does not hide an edge.
const MARGIN: f64 = 1e-9;

/// Edges that do not move, in a tree of boxes.
#[derive(Debug, Default)]
pub(crate) struct Fixed {
    edges: Vec<Edge>,
    tree: Option<Bvh>,
}

impl Fixed {
    pub(crate) fn new(edges: Vec<Edge>) -> Self {
        let boxes: Vec<Aabb> = edges
            .iter()
            .map(|edge| {
                let (low, high) = edge.bounds();
                Aabb::new(low - Point::splat(MARGIN), high + Point::splat(MARGIN))
            })
            .collect();
        let tree = (!boxes.is_empty()).then(|| Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes));
        Self { edges, tree }
    }

    fn cast(&self, origin: Point, direction: Point, most: f64) -> Option<f64> {
        let hit = |place: u32, _best: f64| self.edges.get(place as usize)?.hit(origin, direction);
        // The tree can cast rays itself, but in two dimensions it divides at each box: scans take about 1.5 times as long.
        let inverse = direction.recip();
        let reach = |node: &BvhNode, best: f64| {
            let [one, other] = [node.mins(), node.maxs()].map(|corner| (corner - origin) * inverse);
            let (enters, leaves) = (one.min(other).max_element().max(0.0), one.max(other).min_element());
            if enters <= leaves.min(best) { enters } else { f64::MAX }
        };
        self.tree.as_ref()?.find_best(most, reach, hit).map(|(_, distance)| distance)
    }
}

/// Edges that move together, within a circle.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) center: Point,
    pub(crate) reach: f64,
    pub(crate) edges: Vec<Edge>,
}

impl Group {
    fn cast(&self, origin: Point, direction: Point, most: f64) -> Option<f64> {
        let to_center = self.center - origin;
        if direction.perp_dot(to_center).abs() > self.reach || to_center.dot(direction) < -self.reach {
            return None;
        }
        let hits = self.edges.iter().filter_map(|edge| edge.hit(origin, direction));
        hits.filter(|distance| *distance <= most).min_by(f64::total_cmp)
    }
}

/// Everything that a ray may hit.
pub(crate) struct Scene<'a> {
    pub(crate) fixed: &'a Fixed,
    pub(crate) groups: &'a [Group],
    /// The place of the group that rays pass: a robot does not see itself.
    pub(crate) own: usize,
}

impl Scene<'_> {
    /// Returns the distance at which a ray hits something, if that is at most `most`. The length of the direction must be 1.
    pub(crate) fn cast(&self, origin: Point, direction: Point, most: f64) -> Option<f64> {
        let fixed = self.fixed.cast(origin, direction, most);
        let others = self.groups.iter().enumerate().filter(|(place, _)| *place != self.own);
        let moving = others.filter_map(|(_, group)| group.cast(origin, direction, most));
        moving.chain(fixed).min_by(f64::total_cmp).filter(|distance| *distance <= most)
    }
}
