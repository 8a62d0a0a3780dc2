//! The table of timers.

use std::time::Duration;

use crate::row::Row;

/// The published test: pairs of a timeout and the number of repetitions.
pub(crate) const TESTS: [(Duration, u64); 3] =
    [(Duration::from_millis(5), 1000), (Duration::from_millis(10), 1000), (Duration::from_millis(100), 200)];
/// The spin tail: how long before the target time a row stops sleeping and spins. On the virtual machine of the stored
/// results, about 2 of 100 sleeps end more than 200 µs late, and about 0.2 of 100 end later than this tail. With a
/// shorter tail, the rows would measure late sleeps again.
pub(crate) const TAIL: Duration = Duration::from_millis(1);

/// The published rows: N, timeout, then maximum, minimum and mean in ms. Measured at commit 123f588 on Humble, Ubuntu
/// 22.04, Intel Xeon W-2135, in October 2022.
const PUBLISHED: [(u64, u64, [f64; 3]); 6] = [
    (1000, 10, [3.866, 0.007, 1.042]),
    (1000, 100, [2.844, 0.018, 1.208]),
    (1000, 5, [1.947, 0.062, 0.995]),
    (1000, 10, [2.15, 0.59, 1.28]),
    (1000, 10, [3.29, 0.00, 1.20]),
    (1000, 10, [2.16, 0.13, 1.24]),
];

/// Formats the rows like the table that ros_transitions published, with the difference between each row and the baseline.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "\nδ: the difference between an interval of two timeouts and the requested one, in µs; a tail is {} µs\n",
        TAIL.as_micros()
    );
    for (timeout, _) in TESTS {
        let scenario = format!("one-shot timer of {} ms", timeout.as_millis());
        let of_test: Vec<&Row> = rows.iter().filter(|row| row.scenario == scenario).collect();
        text += &format!("\n{scenario}\n{HEAD}\n");
        for row in &of_test {
            let tail = row.mode.ends_with("spin-tail");
            let is_baseline =
                |other: &&&Row| other.peer == BASELINE && other.mode.ends_with("spin-tail") == tail;
            text += &line(row, of_test.iter().find(is_baseline).copied());
        }
    }
    text += "\npublished (ros_transitions on ROS 2 Humble, Xeon W-2135, 2022), in ms\n     N  timeout    max δ    min δ   mean δ\n";
    for (n, timeout, [max, min, mean]) in PUBLISHED {
        text += &format!("  {n:>4}  {timeout:>7}  {max:>7.3}  {min:>7.3}  {mean:>7.3}\n");
    }
    text
}

/// The peer that is the baseline.
const BASELINE: &str = "clock_nanosleep";

const HEAD: &str = "  row              mode              max δ      min δ     mean δ      p50 δ      p99 δ  CPU us/cycle  above baseline: mean      p50       p99";

fn line(row: &Row, baseline: Option<&Row>) -> String {
    let over = |figure: fn(&Row) -> f64| {
        baseline.map_or("-".into(), |baseline| format!("{:+.2}", figure(row) - figure(baseline)))
    };
    format!(
        "  {:<16} {:<15} {:>9.2}  {:>9.2}  {:>9.2}  {:>9.2}  {:>9.2}  {:>12.1}  {:>20} {:>8}  {:>8}\n",
        row.peer,
        row.mode,
        row.max_us,
        row.min_us,
        row.mean_us,
        row.p50_us,
        row.p99_us,
        row.cpu_us_per_msg.unwrap_or(f64::NAN),
        over(|row| row.mean_us),
        over(|row| row.p50_us),
        over(|row| row.p99_us)
    )
}
