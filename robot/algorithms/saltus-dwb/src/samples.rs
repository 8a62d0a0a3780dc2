//! The velocities that are tried.

use saltus_motion::Velocity;

use crate::kinematics::Kinematics;

/// Returns the velocities to try: combinations of `counts` velocities per axis that the robot can reach from its velocity `from` within a
/// time in seconds.
pub(crate) fn samples(
    kinematics: &Kinematics,
    from: &Velocity,
    counts: [u32; 3],
    time: f64,
) -> impl Iterator<Item = Velocity> {
    let current = [from.x, from.y, from.theta];
    let [forward, sideways, turning] =
        [0, 1, 2].map(|axis| axis_samples(kinematics, axis, current[axis], counts[axis], time));
    let kinematics = *kinematics;
    let all = forward.into_iter().flat_map(move |x| {
        let turning = turning.clone();
        sideways
            .clone()
            .into_iter()
            .flat_map(move |y| turning.clone().into_iter().map(move |theta| Velocity::new(x, y, theta)))
    });
    all.filter(move |velocity| kinematics.allows(velocity))
}

/// Returns the velocities of one axis, the lowest first. They include 0 if it is between two others.
fn axis_samples(kinematics: &Kinematics, axis: usize, current: f64, count: u32, time: f64) -> Vec<f64> {
    let [low, high] = kinematics.range(axis);
    let current = current.max(low).min(high);
    let reached = |target| kinematics.approach(axis, current, target, time);
    let (lowest, highest) = (reached(low), reached(high));
    if (highest - lowest).abs() < 1e-6 {
        return vec![lowest];
    }
    let count = count.max(2);
    let sample = |index: u32| lowest + (highest - lowest) * f64::from(index) / f64::from(count - 1);
    let mut samples = Vec::with_capacity(count as usize + 1);
    for index in 0..count {
        let next = sample(index);
        if next > 0.0 && samples.last().is_some_and(|last| *last < 0.0) {
            samples.push(0.0);
        }
        samples.push(next);
    }
    samples
}
