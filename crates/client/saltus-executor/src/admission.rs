//! Checks whether all threads of a file of placements can run as they are declared to, before anything runs.

use std::{collections::BTreeSet, fmt, fs, thread};

use saltus_node::{Placement, PlacementError};

/// The share of each CPU that real-time threads may need. It is the default of the kernel (`sched_rt_runtime_us`).
const LIMIT: f64 = 0.95;

/// The name of an executor, its CPUs (all if empty), and the share of one CPU that its threads need.
pub(crate) type Share<'a> = (&'a str, &'a [usize], f64);

/// Why threads can't be placed as a file says.
#[derive(Debug)]
pub struct AdmissionError(Vec<Refusal>);

/// A problem of one executor, or of several.
#[derive(Debug)]
enum Refusal {
    Placement { executor: String, error: PlacementError },
    Utilization { executors: Vec<String>, cpus: Vec<usize>, sum: f64 },
}

impl std::error::Error for AdmissionError {}

impl fmt::Display for AdmissionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the file of placements can't be applied:")?;
        self.0.iter().try_for_each(|refusal| write!(f, "\n  {refusal}"))
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Placement { executor, error } => write!(f, "{executor}: {error}"),
            Self::Utilization { executors, cpus, sum } => {
                let needs = if executors.len() == 1 { "needs" } else { "need" };
                let names = executors.join(" and ");
                let limit = LIMIT * 100.0;
                write!(f, "{names} {needs} {:.0} % of a CPU with a real-time policy, but ", sum * 100.0)?;
                match &cpus[..] {
                    [cpu] => write!(f, "CPU {cpu} gives at most {limit:.0} %"),
                    cpus => write!(f, "the CPUs {cpus:?} give at most {limit:.0} % each"),
                }
            }
        }
    }
}

/// Checks all placements, and the shares that are declared.
pub(crate) fn check<'a>(
    placements: impl Iterator<Item = (&'a str, &'a Placement)>,
    shares: &[Share<'_>],
) -> Result<(), AdmissionError> {
    let placed = placements.filter_map(|(executor, placement)| {
        let error = placement.check().err()?;
        Some(Refusal::Placement { executor: executor.to_owned(), error })
    });
    let refusals: Vec<Refusal> = placed.chain(overloads(shares, &online())).collect();
    if refusals.is_empty() { Ok(()) } else { Err(AdmissionError(refusals)) }
}

/// Returns the CPUs of the system. The CPUs of this thread may be fewer, because it may have a placement already.
fn online() -> BTreeSet<usize> {
    let text = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let cpus = parse_cpus(text.trim());
    if cpus.is_empty() { (0..thread::available_parallelism().map_or(1, usize::from)).collect() } else { cpus }
}

/// Parses a list of CPUs of the kernel, such as `0-3,8`.
fn parse_cpus(text: &str) -> BTreeSet<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse::<usize>().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}

/// Returns the sets of CPUs whose executors need more than the CPUs give. `all` are the CPUs of the system.
fn overloads(shares: &[Share<'_>], all: &BTreeSet<usize>) -> impl Iterator<Item = Refusal> {
    let cpus_of = |cpus: &[usize]| -> BTreeSet<usize> {
        if cpus.is_empty() { all.clone() } else { cpus.iter().copied().collect() }
    };
    let shares: Vec<_> = shares.iter().map(|(name, cpus, share)| (*name, cpus_of(cpus), *share)).collect();
    let sets: BTreeSet<_> = shares.iter().map(|(_, cpus, _)| cpus.clone()).collect();
    let everywhere: BTreeSet<usize> = sets.iter().flatten().copied().collect();
    let sets: BTreeSet<_> = sets.into_iter().chain([everywhere]).collect();
    sets.into_iter().filter_map(move |cpus| {
        let within = shares.iter().filter(|(_, own, _)| own.is_subset(&cpus));
        let (executors, needs): (Vec<String>, Vec<f64>) =
            within.map(|(name, _, share)| ((*name).to_owned(), *share)).unzip();
        let sum: f64 = needs.iter().sum();
        let gives = LIMIT * cpus.len() as f64;
        // A small excess comes from rounding.
        (sum > gives + 1e-9).then(|| Refusal::Utilization {
            executors,
            cpus: cpus.into_iter().collect(),
            sum,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(shares: &[Share<'_>]) -> Vec<String> {
        overloads(shares, &parse_cpus("0-1")).map(|refusal| refusal.to_string()).collect()
    }

    #[test]
    fn cpus_give_95_percent_each() {
        assert!(texts(&[("a", &[0], 0.5), ("b", &[0], 0.45), ("c", &[1], 0.95)]).is_empty());
        assert_eq!(
            texts(&[("a", &[0], 0.5), ("b", &[0], 0.46)]),
            ["a and b need 96 % of a CPU with a real-time policy, but CPU 0 gives at most 95 %"]
        );
        assert_eq!(
            texts(&[("a", &[1], 1.5)]),
            ["a needs 150 % of a CPU with a real-time policy, but CPU 1 gives at most 95 %"]
        );
    }

    #[test]
    fn executors_on_several_cpus_are_added_to_those_on_one() {
        assert!(texts(&[("a", &[0], 0.9), ("b", &[], 0.9)]).is_empty());
        assert_eq!(
            texts(&[("a", &[0], 0.9), ("b", &[1], 0.9), ("c", &[], 0.2)]),
            [
                "a and b and c need 200 % of a CPU with a real-time policy, but the CPUs [0, 1] give at most 95 % each"
            ]
        );
    }

    #[test]
    fn lists_of_cpus_are_read() {
        assert_eq!(parse_cpus("0-3,8").into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 8]);
        assert!(parse_cpus("").is_empty());
        assert!(online().contains(&0));
    }

    #[test]
    fn a_cpu_that_does_not_exist_is_found() {
        let placement = Placement { cpus: vec![0, 1000], ..Placement::default() };
        let error = check([("a", &placement)].into_iter(), &[]).unwrap_err().to_string();
        assert!(error.contains("a: can't run on CPUs [1000]"), "{error}");
    }
}
