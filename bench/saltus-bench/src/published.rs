//! The table of actions that Segar published, with columns for the rows of this run.
//!
//! Source: "Segar/ROS2 Action performance comparison test report (x86 platform)".

use crate::row::Row;

/// Throughput in MB/s (goal and result together), then mean, p50, p90, p99 and maximum in ms.
type Figures = [f64; 6];

const NAMES: [&str; 6] = [
    "Throughput, MB/s",
    "Average delay, ms",
    "P50 delay, ms",
    "P90 delay, ms",
    "P99 delay, ms",
    "Maximum delay, ms",
];

/// A section of the table: size, iterations, Segar's figures, the iterations of ROS 2 and its figures.
struct Section {
    size: usize,
    count: u64,
    segar: Figures,
    ros2_count: u64,
    ros2: Figures,
}

const SECTIONS: [Section; 4] = [
    Section {
        size: 64,
        count: 200,
        segar: [0.519, 0.234, 0.215, 0.328, 0.457, 0.58],
        ros2_count: 200,
        ros2: [0.329, 0.370, 0.368, 0.498, 0.567, 0.625],
    },
    Section {
        size: 64,
        count: 2000,
        segar: [0.360, 0.338, 0.331, 0.407, 0.495, 0.619],
        ros2_count: 1000,
        ros2: [0.215, 0.566, 0.543, 0.864, 1.120, 1.360],
    },
    Section {
        size: 1 << 20,
        count: 200,
        segar: [444.4, 4.40, 4.28, 5.24, 6.44, 8.85],
        ros2_count: 200,
        ros2: [298.9, 6.55, 3.47, 14.22, 25.21, 32.06],
    },
    Section {
        size: 1 << 20,
        count: 2000,
        segar: [452.1, 4.32, 4.36, 5.25, 6.07, 6.63],
        ros2_count: 1000,
        ros2: [249.2, 7.89, 4.32, 16.60, 27.27, 27.96],
    },
];

/// Returns the name of the scenario with `count` goals that are sent one by one.
pub(crate) fn one_by_one(count: u64) -> String {
    format!("action: {count} goals one by one")
}

/// Returns the published sections as Markdown, with the rows of this run that were measured on separate CPUs.
pub(crate) fn compare(rows: &[Row]) -> String {
    let mut text = String::from(
        "One goal at a time. The columns of this run were measured on the machine above. The others were\n\
         published, measured by their authors on x86 with 28 cores (the summary says: a virtual system of 16\n\
         cores), Ubuntu 22.04, Segar V0.9.0 or V2.0.0 (both are named) and ROS 2 Humble.\n",
    );
    for section in &SECTIONS {
        text += &section_text(section, rows);
    }
    text
}

fn section_text(section: &Section, rows: &[Row]) -> String {
    let Section { size, count, segar, ros2_count, ros2 } = section;
    let scenario = one_by_one(*count);
    let is_meant = |row: &&Row| {
        (row.size, &*row.scenario, &*row.pin) == (*size, &*scenario, "apart") && row.mode.contains("action")
    };
    let ours: Vec<&Row> = rows.iter().filter(is_meant).collect();
    let heads: Vec<String> = ours.iter().map(|row| format!("{} {} (this run)", row.peer, row.mode)).collect();
    let unit = if *size >= 1 << 20 { "1MB" } else { "64B" };
    let mut text = format!(
        "\n**{unit} load - {count} iterations**\n\n| index | {} | Segar (published) | ROS2, {ros2_count} times (published) |\n|{}\n",
        heads.join(" | "),
        "---|".repeat(ours.len() + 3)
    );
    for (i, name) in NAMES.iter().enumerate() {
        let figures: Vec<String> = ours.iter().map(|row| format!("{:.4}", figures_of(row)[i])).collect();
        text += &format!("| {name} | {} | {} | {} |\n", figures.join(" | "), segar[i], ros2[i]);
    }
    let losses: Vec<String> = ours
        .iter()
        .map(|row| format!("{:.2} %", 100.0 * row.lost as f64 / (row.n + row.lost).max(1) as f64))
        .collect();
    text + &format!("| Packet loss rate | {} | 0 % | 0 % |\n", losses.join(" | "))
}

fn figures_of(row: &Row) -> Figures {
    // The published table counts the data in both directions.
    let throughput = 2.0 * row.mb_s.unwrap_or(f64::NAN);
    [throughput, row.mean_us / 1e3, row.p50_us / 1e3, row.p90_us / 1e3, row.p99_us / 1e3, row.max_us / 1e3]
}
