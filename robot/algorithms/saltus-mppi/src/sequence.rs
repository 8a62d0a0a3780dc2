//! The control sequence: the velocities of the next steps, and their limits.

use crate::settings::{MotionModel, MppiSettings};

/// The axes of a velocity: forward, sideways, and turning.
pub(crate) const AXES: [usize; 3] = [0, 1, 2];

/// The limits of velocities and of their changes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MotionLimits {
    /// The lowest and the highest velocity of each axis.
    pub(crate) velocity: [[f32; 2]; 3],
    /// The largest rise and the largest fall of the velocity of each axis in a step.
    pub(crate) change: [[f32; 2]; 3],
    pub(crate) model: MotionModel,
}

impl MotionLimits {
    /// Returns the limits of the settings, with all velocities multiplied by `share`.
    pub(crate) fn new(settings: &MppiSettings, share: f64) -> Self {
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
            velocity: velocity.map(|axis| axis.map(|limit| (limit * share) as f32)),
            change: change.map(|axis| axis.map(|rate| (rate * settings.model_dt) as f32)),
            model: settings.model,
        }
    }

    /// Returns the velocity of an axis that is nearest to `target`, and that the robot can reach in a step from the velocity `last`.
    pub(crate) fn reachable(&self, axis: usize, last: f32, target: f32) -> f32 {
        let [rise, fall] = self.change[axis];
        // Away from 0 it accelerates, and toward 0 it decelerates.
        let low = if last > 0.0 { last + fall } else { last - rise };
        let high = if last < 0.0 { last - fall } else { last + rise };
        target.clamp(low, high)
    }
}

/// The commanded velocities of the next steps, for each axis.
#[derive(Clone, Debug)]
pub(crate) struct ControlSequence(pub(crate) [Vec<f32>; 3]);

/// The coefficients of a Savitzky-Golay filter: quadratic, with nine points.
const FILTER: [f32; 9] = [-21.0, 14.0, 39.0, 54.0, 59.0, 54.0, 39.0, 14.0, -21.0];
const SUM: f32 = 231.0;
/// The minimum length of a sequence that is smoothed.
const MIN_LENGTH: usize = 21;

impl ControlSequence {
    /// Returns the sequence of a robot that stands.
    pub(crate) fn new(steps: usize) -> Self {
        Self(AXES.map(|_| vec![0.0; steps]))
    }

    /// Returns the velocity of a step.
    pub(crate) fn velocity(&self, step: usize) -> [f32; 3] {
        AXES.map(|axis| self.0[axis][step])
    }

    /// MotionLimits the velocities and their changes.
    pub(crate) fn limit(&mut self, limits: &MotionLimits) {
        self.bound(limits);
        for axis in AXES {
            let values = &mut self.0[axis];
            for step in 1..values.len() {
                values[step] = limits.reachable(axis, values[step - 1], values[step]);
            }
        }
        self.bound(limits);
    }

    /// MotionLimits the velocities.
    pub(crate) fn bound(&mut self, limits: &MotionLimits) {
        for axis in AXES {
            let [low, high] = limits.velocity[axis];
            self.0[axis].iter_mut().for_each(|value| *value = value.clamp(low, high));
        }
        if let MotionModel::Ackermann { min_turning_radius } = limits.model {
            let [forward, _, turning] = &mut self.0;
            for (turning, forward) in turning.iter_mut().zip(forward) {
                let limit = forward.abs() / min_turning_radius as f32;
                *turning = turning.clamp(-limit, limit);
            }
        }
    }

    /// Smooths the sequence. `history` has the velocities of the last four cycles, the oldest first.
    pub(crate) fn smooth(&mut self, history: &[[f32; 3]; 4]) {
        for axis in AXES {
            let values = &self.0[axis];
            if values.len() < MIN_LENGTH {
                return;
            }
            let last = values.len() - 1;
            let value = |index: usize| match index.checked_sub(history.len()) {
                None => history[index][axis],
                Some(step) => values[step.min(last)],
            };
            let smooth = |step: usize| {
                FILTER.iter().enumerate().map(|(index, weight)| weight * value(step + index)).sum::<f32>()
                    / SUM
            };
            // The last value stays, because it has no successor.
            let smoothed: Vec<f32> = (0..last).map(smooth).chain([values[last]]).collect();
            self.0[axis] = smoothed;
        }
    }

    /// Advances by a step. The last velocity is repeated.
    pub(crate) fn shift(&mut self) {
        for values in &mut self.0 {
            let last = values.len() - 1;
            values.copy_within(1.., 0);
            values[last] = values[last - 1];
        }
    }
}
