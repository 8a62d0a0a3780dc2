//! The velocities of the next steps, and their limits.

use crate::settings::{MotionModel, MppiSettings};

/// The parts of a velocity: forward, sideways, and turning.
pub(crate) const PARTS: [usize; 3] = [0, 1, 2];

/// How fast a robot may be and change its velocity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The lowest and the highest velocity of each part.
    pub(crate) velocity: [[f32; 2]; 3],
    /// By how much a part may rise and fall in a step.
    pub(crate) change: [[f32; 2]; 3],
    pub(crate) model: MotionModel,
}

impl Limits {
    /// Returns the limits, with velocities that are `share` of those in the settings.
    pub(crate) fn of(settings: &MppiSettings, share: f64) -> Self {
        let velocity = [
            [settings.vx_min, settings.vx_max],
            [-settings.vy_max, settings.vy_max],
            [-settings.wz_max, settings.wz_max],
        ];
        let change = [
            [settings.ax_max, settings.ax_min],
            [settings.ay_max, settings.ay_min],
            [settings.az_max, -settings.az_max],
        ];
        Self {
            velocity: velocity.map(|part| part.map(|limit| (limit * share) as f32)),
            change: change.map(|part| part.map(|rate| (rate * settings.model_dt) as f32)),
            model: settings.model,
        }
    }

    /// Returns the nearest velocity of a part that the robot can have a step after another one.
    pub(crate) fn reachable(&self, part: usize, last: f32, wanted: f32) -> f32 {
        let [rise, fall] = self.change[part];
        // Away from 0 it accelerates, and toward 0 it decelerates.
        let low = if last > 0.0 { last + fall } else { last - rise };
        let high = if last < 0.0 { last - fall } else { last + rise };
        wanted.clamp(low, high)
    }
}

/// The velocities of the next steps.
#[derive(Clone, Debug)]
pub(crate) struct Sequence(pub(crate) [Vec<f32>; 3]);

/// The coefficients of a Savitzky-Golay filter: quadratic, with nine points.
const FILTER: [f32; 9] = [-21.0, 14.0, 39.0, 54.0, 59.0, 54.0, 39.0, 14.0, -21.0];
const SUM: f32 = 231.0;
/// A shorter sequence is not smoothed.
const SHORTEST: usize = 21;

impl Sequence {
    /// Returns a sequence of a robot that stands.
    pub(crate) fn new(steps: usize) -> Self {
        Self(PARTS.map(|_| vec![0.0; steps]))
    }

    /// Returns the velocity of a step.
    pub(crate) fn at(&self, step: usize) -> [f32; 3] {
        PARTS.map(|part| self.0[part][step])
    }

    /// Makes it one that the robot can follow.
    pub(crate) fn limit(&mut self, limits: &Limits) {
        self.bound(limits);
        for part in PARTS {
            let values = &mut self.0[part];
            for step in 1..values.len() {
                values[step] = limits.reachable(part, values[step - 1], values[step]);
            }
        }
        self.bound(limits);
    }

    /// Makes all velocities ones that the robot can have.
    pub(crate) fn bound(&mut self, limits: &Limits) {
        for part in PARTS {
            let [low, high] = limits.velocity[part];
            self.0[part].iter_mut().for_each(|value| *value = value.clamp(low, high));
        }
        if let MotionModel::Ackermann { min_turning_radius } = limits.model {
            let [forward, _, turning] = &mut self.0;
            for (turning, forward) in turning.iter_mut().zip(forward) {
                let most = forward.abs() / min_turning_radius as f32;
                *turning = turning.clamp(-most, most);
            }
        }
    }

    /// Smooths it. `history` has the velocities of the last four cycles, the oldest first.
    pub(crate) fn smooth(&mut self, history: &[[f32; 3]; 4]) {
        for part in PARTS {
            let values = &self.0[part];
            if values.len() < SHORTEST {
                return;
            }
            let last = values.len() - 1;
            let at = |place: usize| match place.checked_sub(history.len()) {
                None => history[place][part],
                Some(step) => values[step.min(last)],
            };
            let smooth = |step: usize| {
                FILTER.iter().enumerate().map(|(place, weight)| weight * at(step + place)).sum::<f32>() / SUM
            };
            // The last one has nothing after it.
            let smoothed: Vec<f32> = (0..last).map(smooth).chain([values[last]]).collect();
            self.0[part] = smoothed;
        }
    }

    /// Goes on by a step. The last velocity is held.
    pub(crate) fn shift(&mut self) {
        for values in &mut self.0 {
            let last = values.len() - 1;
            values.copy_within(1.., 0);
            values[last] = values[last - 1];
        }
    }
}
