//! The footprint of a robot: the area that it covers on the ground.

/// The number of corners of the footprint of a round robot, as in Nav2.
const CORNERS: u32 = 16;

/// The footprint of a robot: a polygon in the frame of the robot, in metres.
///
/// ```
/// use saltus_costmap::Footprint;
/// let footprint = Footprint::circle(0.22).padded(0.01);
/// assert!(footprint.is_round());
/// assert!(!Footprint::polygon(footprint.corners().to_vec()).unwrap().is_round());
/// assert!((footprint.inscribed_radius() - 0.2255).abs() < 1e-4);
/// assert!((footprint.circumscribed_radius() - 0.2341).abs() < 1e-4);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Footprint {
    corners: Vec<[f64; 2]>,
    is_round: bool,
}

impl Footprint {
    /// Creates a footprint from its corners; `None` if there are fewer than three, or if one is not finite.
    pub fn polygon(corners: Vec<[f64; 2]>) -> Option<Self> {
        let is_possible = corners.len() >= 3 && corners.iter().flatten().all(|number| number.is_finite());
        is_possible.then_some(Self { corners, is_round: false })
    }

    /// Creates the footprint of a round robot: a polygon of 16 corners on a circle of this radius, in metres.
    pub fn circle(radius: f64) -> Self {
        let angle = |corner| std::f64::consts::TAU * f64::from(corner) / f64::from(CORNERS);
        let corner = |corner| [radius * angle(corner).cos(), radius * angle(corner).sin()];
        Self { corners: (0..CORNERS).map(corner).collect(), is_round: true }
    }

    /// Returns the footprint with each coordinate that is not 0 moved away from 0 by `padding`, in metres.
    pub fn padded(self, padding: f64) -> Self {
        // As in Nav2, so that costs are equal. This also applies to a coordinate that is not 0 only by rounding.
        let pad = |part: f64| if part == 0.0 { part } else { part + padding.copysign(part) };
        Self { corners: self.corners.into_iter().map(|corner| corner.map(pad)).collect(), ..self }
    }

    /// Whether the robot is round, so that its heading does not matter.
    pub fn is_round(&self) -> bool {
        self.is_round
    }

    /// Returns the corners in the frame of the robot, in metres.
    pub fn corners(&self) -> &[[f64; 2]] {
        &self.corners
    }

    /// Returns the distance from the origin to the nearest point of the outline, in metres.
    pub fn inscribed_radius(&self) -> f64 {
        sides(&self.corners).map(|(from, to)| distance_to_side(from, to)).fold(f64::INFINITY, f64::min)
    }

    /// Returns the distance from the origin to the farthest corner, in metres.
    pub fn circumscribed_radius(&self) -> f64 {
        self.corners.iter().map(|[x, y]| x.hypot(*y)).fold(0.0, f64::max)
    }

    /// Returns the corners in the frame of the map for a robot at a pose: x and y in metres, and the heading in radians.
    pub fn at(&self, [x, y, yaw]: [f64; 3]) -> Vec<[f64; 2]> {
        let (sine, cosine) = yaw.sin_cos();
        self.corners.iter().map(|[a, b]| [x + cosine * a - sine * b, y + sine * a + cosine * b]).collect()
    }
}

/// Returns the sides of a polygon.
pub(crate) fn sides(corners: &[[f64; 2]]) -> impl Iterator<Item = ([f64; 2], [f64; 2])> {
    corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
}

/// Returns the distance from the origin to a side.
fn distance_to_side(from: [f64; 2], to: [f64; 2]) -> f64 {
    let along = [to[0] - from[0], to[1] - from[1]];
    let squared = along[0] * along[0] + along[1] * along[1];
    let share = if squared > 0.0 { -(from[0] * along[0] + from[1] * along[1]) / squared } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    (from[0] + share * along[0]).hypot(from[1] + share * along[1])
}

/// Whether a point is in a polygon.
pub(crate) fn contains(corners: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let crosses = |(from, to): &([f64; 2], [f64; 2])| {
        (from[1] > y) != (to[1] > y) && x < from[0] + (to[0] - from[0]) * (y - from[1]) / (to[1] - from[1])
    };
    sides(corners).filter(crosses).count() % 2 == 1
}
