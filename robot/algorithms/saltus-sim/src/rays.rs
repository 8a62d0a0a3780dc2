//! Casts rays on edges.

use parry2d_f64::{
    bounding_volume::Aabb,
    partitioning::{Bvh, BvhBuildStrategy, BvhNode},
};

use crate::{pose::Point, shape::Edge};

/// The margin of the boxes of the tree around the edges, in metres, so that rounding does not hide an edge.
const MARGIN: f64 = 1e-9;

/// Edges that do not move, in a tree of boxes.
#[derive(Debug, Default)]
pub(crate) struct FixedEdges {
    edges: Vec<Edge>,
    tree: Option<Bvh>,
}

impl FixedEdges {
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

    /// Returns the distance at which a ray hits an edge, at most `max_range`.
    fn cast(&self, origin: Point, direction: Point, max_range: f64) -> Option<f64> {
        let hit = |index: u32, _best: f64| self.edges.get(index as usize)?.hit(origin, direction);
        // The ray cast of the tree itself divides at each box in two dimensions: scans would take about 1.5 times as long.
        let inverse = direction.recip();
        let entry = |node: &BvhNode, best: f64| {
            let [one, other] = [node.mins(), node.maxs()].map(|corner| (corner - origin) * inverse);
            let (enters, leaves) = (one.min(other).max_element().max(0.0), one.max(other).min_element());
            if enters <= leaves.min(best) { enters } else { f64::MAX }
        };
        self.tree.as_ref()?.find_best(max_range, entry, hit).map(|(_, distance)| distance)
    }
}

/// Edges that move together, within a circle.
#[derive(Clone, Debug)]
pub(crate) struct EdgeGroup {
    pub(crate) center: Point,
    /// The radius of the circle.
    pub(crate) reach: f64,
    pub(crate) edges: Vec<Edge>,
}

impl EdgeGroup {
    /// Returns the distance at which a ray hits an edge, at most `max_range`.
    fn cast(&self, origin: Point, direction: Point, max_range: f64) -> Option<f64> {
        let to_center = self.center - origin;
        if direction.perp_dot(to_center).abs() > self.reach || to_center.dot(direction) < -self.reach {
            return None;
        }
        let hits = self.edges.iter().filter_map(|edge| edge.hit(origin, direction));
        hits.filter(|distance| *distance <= max_range).min_by(f64::total_cmp)
    }
}

/// All edges that a ray may hit.
pub(crate) struct RayScene<'a> {
    pub(crate) fixed: &'a FixedEdges,
    pub(crate) groups: &'a [EdgeGroup],
    /// The index of the group that rays pass, because a robot does not see itself.
    pub(crate) excluded: usize,
}

impl RayScene<'_> {
    /// Returns the distance at which a ray hits an edge, at most `max_range`. The length of the direction must be 1.
    pub(crate) fn cast(&self, origin: Point, direction: Point, max_range: f64) -> Option<f64> {
        let fixed = self.fixed.cast(origin, direction, max_range);
        let others = self.groups.iter().enumerate().filter(|(index, _)| *index != self.excluded);
        let moving = others.filter_map(|(_, group)| group.cast(origin, direction, max_range));
        moving.chain(fixed).min_by(f64::total_cmp).filter(|distance| *distance <= max_range)
    }
}
