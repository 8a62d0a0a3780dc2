//! The forces between wheels and the ground.

use crate::pose::Point;

/// The number of iterations over all contacts. Two wheels side by side need 8 for nine digits.
const ITERATIONS: usize = 16;

/// The contact of a wheel with the ground during one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    /// The contact point relative to the centre of mass, in metres.
    pub(crate) arm: Point,
    /// The direction in which the wheel pushes.
    pub(crate) along: Point,
    /// The speed of the rim in this direction, in m/s; `None` if the wheel rolls freely.
    pub(crate) surface: Option<f64>,
    /// Whether the wheel also resists sideways motion.
    pub(crate) holds: bool,
    /// The largest impulse of the motor, in Ns.
    pub(crate) motor: f64,
    /// The largest impulse that friction transmits, in Ns.
    pub(crate) grip: f64,
}

/// A body that is moved by wheels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WheeledBody {
    pub(crate) inverse_mass: f64,
    pub(crate) inverse_inertia: f64,
    pub(crate) velocity: Point,
    pub(crate) turn: f64,
}

impl WheeledBody {
    pub(crate) fn velocity_at(&self, arm: Point) -> Point {
        self.velocity + self.turn * arm.perp()
    }

    /// Applies an impulse at a point relative to the centre of mass.
    fn push(&mut self, arm: Point, impulse: Point) {
        self.velocity += impulse * self.inverse_mass;
        self.turn += arm.perp_dot(impulse) * self.inverse_inertia;
    }

    /// Returns the impulse along a direction that cancels the slip, a velocity in m/s, at a point.
    fn stopping(&self, arm: Point, direction: Point, slip: f64) -> f64 {
        let lever = arm.perp_dot(direction);
        -slip / (self.inverse_mass + lever * lever * self.inverse_inertia)
    }
}

/// The impulses of a contact along and across its direction, in Ns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Impulse {
    along: f64,
    across: f64,
}

impl Impulse {
    /// Whether the motor has reached its limit.
    pub(crate) fn is_at_limit(&self, contact: &Contact) -> bool {
        contact.motor < contact.grip && self.along.abs() >= contact.motor
    }
}

/// Changes the velocity of a body so that no wheel slips, within the limits of the motors and of the friction. The impulse of a wheel is
/// within a friction circle, so a wheel that spins does not resist sideways motion.
///
/// Source: projected Gauss-Seidel, as in E. Catto, "Iterative dynamics with temporal coherence", 2005.
pub(crate) fn solve(body: &mut WheeledBody, contacts: &[Contact], impulses: &mut [Impulse]) {
    impulses.fill(Impulse::default());
    for _ in 0..ITERATIONS {
        for (contact, total) in contacts.iter().zip(&mut *impulses) {
            let Contact { arm, along, grip, .. } = *contact;
            if let Some(surface) = contact.surface {
                let slip = body.velocity_at(arm).dot(along) - surface;
                let limit = contact.motor.min((grip * grip - total.across * total.across).max(0.0).sqrt());
                let impulse = (total.along + body.stopping(arm, along, slip)).clamp(-limit, limit);
                body.push(arm, along * (impulse - total.along));
                total.along = impulse;
            }
            if contact.holds {
                let across = along.perp();
                let slip = body.velocity_at(arm).dot(across);
                let limit = (grip * grip - total.along * total.along).max(0.0).sqrt();
                let impulse = (total.across + body.stopping(arm, across, slip)).clamp(-limit, limit);
                body.push(arm, across * (impulse - total.across));
                total.across = impulse;
            }
        }
    }
}
