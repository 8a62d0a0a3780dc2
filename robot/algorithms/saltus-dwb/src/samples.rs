//! The velocities that are tried.

use saltus_motion::Velocity;

use crate::kinematics::Kinematics;

/// Returns the velocities to try from a velocity on: those that the robot can reach within a time in seconds, `counts` of each axis.
pub(crate) fn samples(
    kinematics: &Kinematics,
    from: &Velocity,
    counts: [u32; 3],
    time: f64,
) -> impl Iterator<Item = Velocity> {
    let current = [from.x, from.y, from.theta];
    let [forward, aside, turning] =
        [0, 1, 2].map(|axis| axis_samples(kinematics, axis, current[axis], counts[axis], time));
    let kinematics = *kinematics;
    let all = forward.into_iter().flat_map(move |x| {
        let turning = turning.clone();
        aside
            .clone()
            .into_iter()
            .flat_map(move |y| turning.clone().into_iter().map(move |theta| Velocity::new(x, y, theta)))
    });
    all.filter(move |velocity| kinematics.allows(velocity))
}

/// Returns the velocities of one axis, the lowest first. 0 is one of them if it is between two others.
fn axis_samples(kinematics: &Kinematics, axis: usize, current: f64, count: u32, time: f64) -> Vec<f64> {
    let [low, high] = kinematics.range(axis);
    let current = current.max(low).min(high);
    let reached = |target| kinematics.approach(axis, current, target, time);
    let (lowest, highest) = (reached(low), reached(high));
    if (highest - lowest).abs() < 1e-6 {
        return vec![lowest];
    }
    let count = count.max(2);
    let sample = |place: u32| lowest + (highest - lowest) * f64::from(place) / f64::from(count - 1);
    let mut samples = Vec::with_capacity(count as usize + 1);
    for place in 0..count {
        let next = sample(place);
        if next > 0.0 && samples.last().is_some_and(|last| *last < 0.0) {
            samples.push(0.0);
        }
        samples.push(next);
    }
    samples
}
