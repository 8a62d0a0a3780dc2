//! The tables.

use std::{collections::BTreeMap, fmt::Write};

use super::{
    published::{ARM, CASES, Figures, LATENCIES, X86},
    types::{Case, Repetition},
};

/// Returns the mean and the standard deviation of the population, as published.
fn mean(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}

pub(super) fn figures(results: &[Repetition]) -> Figures {
    let of = |part: fn(&Repetition) -> f64| mean(results.iter().map(part));
    [of(|it| it.time), of(|it| it.cpu), of(|it| it.memory), of(|it| it.rss), of(|it| it.pss), of(|it| it.uss)]
}

fn row(name: &str, figures: &Figures) -> String {
    let cells: Vec<String> =
        figures.iter().map(|(mean, deviation)| format!("{mean:.4}±{deviation:.4}")).collect();
    format!("| {name} | {} |\n", cells.join(" | "))
}

const HEAD: &str =
    "| case | time(s) | cpu(%) | memory(%) | rss(MB) | pss(MB) | uss(MB) |\n|---|---|---|---|---|---|---|\n";

/// Returns all tables, in the published form.
pub(super) fn tables(cases: &[Case], results: &[Vec<Repetition>]) -> String {
    let runs = results.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = format!(
        "\nnavigation from [-2, -0.5, 0] to [1.4, -1.6, 0]: {runs} repetitions, mean and population standard deviation\n\n{HEAD}"
    );
    for (case, results) in cases.iter().zip(results) {
        text += &row(case.name(), &figures(results));
    }
    for (machine, rows) in [("x86, Intel Core i5-8300H, Docker", &X86), ("ARM, Raspberry Pi 4B", &ARM)] {
        text += &format!("\npublished for Nav2 in January 2022, {machine}\n\n{HEAD}");
        CASES.iter().zip(rows).for_each(|(name, figures)| text += &row(name, figures));
    }
    text + &motion(cases, results) + &shares(cases, results)
}

/// Returns the table of how the robot moves, and how fast the stack answers.
fn motion(cases: &[Case], results: &[Vec<Repetition>]) -> String {
    let mut text = String::from(
        "\n| case | exact time s | estimated from the goal m | rad | really m | rad | paths apart m | recoveries | goal to velocity ms | cancel to stop ms | published x86 ms \
         | published ARM ms |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let first = results.iter().flatten().next().map_or(&[][..], |first| &first.path);
    for (case, results) in cases.iter().zip(results) {
        let of = |part: fn(&Repetition) -> f64| mean(results.iter().map(part));
        let most = |part: fn(&Repetition) -> f64| results.iter().map(part).fold(0.0, f64::max);
        let index = Case::ALL.iter().position(|other| other == case).unwrap_or(0);
        let published = |machine: usize| {
            LATENCIES[machine]
                .get(index)
                .map_or("-".to_owned(), |[start, cancel]| format!("{:.1}, {:.1}", start * 1e3, cancel * 1e3))
        };
        let (start, cancel) = (of(|it| it.start * 1e3), of(|it| it.cancel * 1e3));
        let _ = writeln!(
            text,
            "| {} | {:.2} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {} | {:.1}±{:.1} | {:.1}±{:.1} | {} | {} |",
            case.name(),
            of(|it| it.exact_time).0,
            most(|it| it.estimate[0]),
            most(|it| it.estimate[1]),
            most(|it| it.error[0]),
            most(|it| it.error[1]),
            results.iter().map(|it| apart(first, &it.path)).fold(0.0, f64::max),
            results.iter().map(|it| i64::from(it.recoveries)).sum::<i64>(),
            start.0,
            start.1,
            cancel.0,
            cancel.1,
            published(0),
            published(1),
        );
    }
    text
}

/// Returns how far a point of a path is at most from the other path, in metres.
fn apart(one: &[[f64; 2]], other: &[[f64; 2]]) -> f64 {
    let nearest = |[x, y]: [f64; 2], path: &[[f64; 2]]| {
        let lines = path.windows(2).map(|line| {
            let ([x1, y1], [x2, y2]) = (line[0], line[1]);
            let (along_x, along_y) = (x2 - x1, y2 - y1);
            let length = along_x.hypot(along_y).max(1e-9);
            let part = (((x - x1) * along_x + (y - y1) * along_y) / length.powi(2)).clamp(0.0, 1.0);
            (x1 + part * along_x - x).hypot(y1 + part * along_y - y)
        });
        lines.fold(f64::INFINITY, f64::min)
    };
    let most = |one: &[[f64; 2]], other| one.iter().map(|point| nearest(*point, other)).fold(0.0, f64::max);
    most(one, other).max(most(other, one))
}

/// Returns the share of each node or thread in the CPU time of the stack, for the cases that tell them apart.
fn shares(cases: &[Case], results: &[Vec<Repetition>]) -> String {
    let mut text = String::new();
    for (case, results) in cases.iter().zip(results) {
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        for (name, share) in results.iter().flat_map(|it| &it.shares) {
            *sums.entry(name).or_insert(0.0) += share / results.len().max(1) as f64;
        }
        let mut sums: Vec<(&str, f64)> = sums.into_iter().collect();
        sums.sort_by(|one, other| other.1.total_cmp(&one.1));
        let parts: Vec<String> = sums.iter().map(|(name, share)| format!("{name} {share:.2}")).collect();
        let _ = write!(text, "\nCPU of {}, in percent of a CPU: {}\n", case.name(), parts.join(", "));
    }
    text
}
