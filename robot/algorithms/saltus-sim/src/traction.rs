//! The forces between wheels and the ground.

use crate::pose::Point;

/// How often all contacts are looked at. Two wheels side by side need 8 for nine digits.
const ROUNDS: usize = 16;

/// A place where a wheel touches the ground, during one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    /// The place, from the centre of mass.
    pub(crate) arm: Point,
    /// The direction in which the wheel pushes.
    pub(crate) along: Point,
    /// How fast the rim moves in this direction; `None` if the wheel rolls freely.
    pub(crate) surface: Option<f64>,
    /// Whether the wheel also holds the body sideways.
    pub(crate) holds: bool,
    /// The largest impulse that the motor can give.
    pub(crate) motor: f64,
    /// The largest impulse that friction can transmit.
    pub(crate) grip: f64,
}

/// A body that wheels move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) inverse_mass: f64,
    pub(crate) inverse_inertia: f64,
    pub(crate) velocity: Point,
    pub(crate) turn: f64,
}

impl Body {
    pub(crate) fn velocity_at(&self, arm: Point) -> Point {
        self.velocity + self.turn * arm.perp()
    }

    fn push(&mut self, arm: Point, impulse: Point) {
        self.velocity += impulse * self.inverse_mass;
        self.turn += arm.perp_dot(impulse) * self.inverse_inertia;
    }

    /// Returns the impulse along a direction that stops the velocity `slip` there.
    fn stopping(&self, arm: Point, direction: Point, slip: f64) -> f64 {
        let lever = arm.perp_dot(direction);
        -slip / (self.inverse_mass + lever * lever * self.inverse_inertia)
    }
}

/// What a contact has done: its impulses along and across.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Impulse {
    along: f64,
    across: f64,
}

impl Impulse {
    /// Whether the motor gave all that it can.
    pub(crate) fn is_at_limit(&self, contact: &Contact) -> bool {
        contact.motor < contact.grip && self.along.abs() >= contact.motor
    }
}

/// Changes the velocity of a body so that no wheel slips, as far as the motors and the friction allow. The impulses of a wheel
/// are within a circle: a wheel that spins does not hold its body sideways.
///
/// Source: projected Gauss-Seidel, as in E. Catto, "Iterative dynamics with temporal coherence", 2005.
pub(crate) fn solve(body: &mut Body, contacts: &[Contact], impulses: &mut [Impulse]) {
    impulses.fill(Impulse::default());
    for _ in 0..ROUNDS {
        for (contact, total) in contacts.iter().zip(&mut *impulses) {
            let Contact { arm, along, grip, .. } = *contact;
            if let Some(surface) = contact.surface {
                let slip = body.velocity_at(arm).dot(along) - surface;
                let limit = contact.motor.min((grip * grip - total.across * total.across).max(0.0).sqrt());
                let wanted = (total.along + body.stopping(arm, along, slip)).clamp(-limit, limit);
                body.push(arm, along * (wanted - total.along));
                total.along = wanted;
            }
            if contact.holds {
                let across = along.perp();
                let slip = body.velocity_at(arm).dot(across);
                let limit = (grip * grip - total.along * total.along).max(0.0).sqrt();
                let wanted = (total.across + body.stopping(arm, across, slip)).clamp(-limit, limit);
                body.push(arm, across * (wanted - total.across));
                total.across = wanted;
            }
        }
    }
}
