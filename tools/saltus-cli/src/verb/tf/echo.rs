//! `saltus tf echo`

use std::{
    io::{self, Write},
    time::Duration,
};

use saltus::{
    Context, Executor, SingleThreadedExecutor, Time,
    tf::{StampedTransform, Transform},
};

use super::listening::Listening;
use saltus_verb::error::{Ended, Error};

/// The interval at which the user is told that a transform is awaited.
const SILENCE: Duration = Duration::from_secs(1);

/// Prints a transform until Ctrl-C, or once.
pub(super) fn run((source, target): (&str, &str), rate: f64, once: bool) -> Result<(), Error> {
    let context = Context::new()?;
    let listening = Listening::new(&context)?;
    let Listening { node, buffer, .. } = &listening;
    let mut executor = SingleThreadedExecutor::new(&context)?;
    executor.add_node(node);
    // As in ROS 2, the transform gives the coordinates in `source` of what is known in `target`.
    loop {
        let wait = buffer.wait(source, target, Time::default());
        match executor.spin_until_future_complete(wait, Some(SILENCE))? {
            Some(result) => break drop(result?),
            None if context.is_shut_down() => return Err(Ended::Interrupted.into()),
            None => {
                let reason = buffer.can_transform(source, target, Time::default()).err();
                let reason = reason.map(|error| error.to_string()).unwrap_or_default();
                saltus_verb::output::tell!("Waiting for transform {source} ->  {target}: {reason}");
                listening.tell_meant([source, target])?;
            }
        }
    }
    let period = Duration::from_secs_f64(1.0 / rate);
    while !context.is_shut_down() {
        let text = match buffer.lookup(source, target, Time::default()) {
            Ok(stamped) => text(&stamped),
            Err(error) => format!("Failure at {}\n{error}\n", node.clock().now().as_secs_f64()),
        };
        io::stdout().lock().write_all(text.as_bytes())?;
        if once {
            break;
        }
        executor.spin_until_future_complete(std::future::pending::<()>(), Some(period))?;
    }
    Ok(())
}

/// Returns a transform as `tf2_echo` prints it. The nanoseconds have all their digits.
fn text(stamped: &StampedTransform) -> String {
    let StampedTransform { stamp, transform, .. } = stamped;
    let (sec, nanosec) = stamp.split();
    let list =
        |numbers: &[f64]| numbers.iter().map(|number| format!("{number:.3}")).collect::<Vec<_>>().join(", ");
    let radians = transform.rpy();
    let lines = [
        format!("At time {sec}.{nanosec:09}"),
        format!("- Translation: [{}]", list(&transform.translation())),
        format!("- Rotation: in Quaternion [{}]", list(&transform.rotation())),
        format!("- Rotation: in RPY (radian) [{}]", list(&radians)),
        format!("- Rotation: in RPY (degree) [{}]", list(&radians.map(f64::to_degrees))),
        format!("- Matrix:\n{}", matrix(transform)),
    ];
    lines.join("\n") + "\n"
}

fn matrix(transform: &Transform) -> String {
    let (rotation, translation) = (transform.matrix(), transform.translation());
    let row = |[a, b, c]: [f64; 3], d: f64| format!(" {a:6.3} {b:6.3} {c:6.3} {d:6.3}");
    let rows = rotation.into_iter().zip(translation).map(|(numbers, last)| row(numbers, last));
    rows.chain([row([0.0; 3], 1.0)]).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transform_is_printed_as_in_ros_2() {
        let transform = Transform::from_xyz_rpy([1.0, -2.5, 0.0], [0.0, 0.0, std::f64::consts::FRAC_PI_2]);
        let stamped = StampedTransform::new("map", "base", Time::from_nanos(5_000_000_012), transform);
        let want = "At time 5.000000012\n\
                    - Translation: [1.000, -2.500, 0.000]\n\
                    - Rotation: in Quaternion [0.000, 0.000, 0.707, 0.707]\n\
                    - Rotation: in RPY (radian) [0.000, -0.000, 1.571]\n\
                    - Rotation: in RPY (degree) [0.000, -0.000, 90.000]\n\
                    - Matrix:\n  \
                      0.000 -1.000  0.000  1.000\n  \
                      1.000  0.000  0.000 -2.500\n  \
                      0.000  0.000  1.000  0.000\n  \
                      0.000  0.000  0.000  1.000\n";
        assert_eq!(text(&stamped), want);
    }
}
