//! Keeps how long `make demo` and `make test` took from nothing, as a run in `bench/results` that the README shows.

use std::{fs, path::Path, process::Command};

/// The tables that `tests/stage.sh` writes, by the name of the run.
const STAGES: &str = "target/stages";
const RESULTS: &str = "bench/results";
/// The name of the row of the whole run.
const WHOLE: &str = "all";

/// A stage of a run: its name, and its numbers as the script has written them.
struct Stage {
    name: String,
    seconds: u64,
    cpu_seconds: u64,
    /// The size of the folder `target` after the stage.
    target_mb: u64,
}

/// Writes the kept run.
pub(crate) fn keep() -> Result<String, String> {
    let (demo, test) = (read("demo")?, read("test")?);
    let mut text = format!(
        "From nothing on {}, {}:\n\n| | time | CPU time | disk |\n|---|---|---|---|\n",
        machine()?,
        output("date", &["-u", "+%Y-%m-%d"])?
    );
    for (command, stages) in [("make demo", &demo), ("make test", &test)] {
        text += &row(command, stages)?;
    }
    let slowest = {
        let mut stages: Vec<&Stage> = test.iter().filter(|stage| stage.name != WHOLE).collect();
        stages.sort_by_key(|stage| std::cmp::Reverse(stage.seconds));
        let longest: Vec<String> =
            stages.iter().take(4).map(|stage| format!("{} {}", stage.name, minutes(stage.seconds))).collect();
        longest.join(", ")
    };
    text += &format!("\nThe longest stages of `make test`: {slowest}.\n");
    let folder = Path::new(RESULTS).join(format!("{}-build", output("date", &["-u", "+%Y-%m-%d"])?));
    remove_old()?;
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let path = folder.join("durations.md");
    fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(format!("durations: wrote {}; `cargo xtask tables` writes them into the README", path.display()))
}

/// Removes the kept run of before: there is one of each kind.
fn remove_old() -> Result<(), String> {
    let entries = fs::read_dir(RESULTS).map_err(|error| format!("{RESULTS}: {error}"))?;
    let old =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.to_string_lossy().ends_with("-build"));
    old.into_iter().try_for_each(|path| {
        fs::remove_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))
    })
}

fn read(run: &str) -> Result<Vec<Stage>, String> {
    let path = Path::new(STAGES).join(format!("{run}.tsv"));
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("{}: {error}; run `make {run}` from nothing first", path.display()))?;
    text.lines()
        .skip(1)
        .map(|line| stage(line).ok_or_else(|| format!("{}: {line}", path.display())))
        .collect()
}

fn stage(line: &str) -> Option<Stage> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [name, seconds, cpu, disk] = cells[..] else { return None };
    Some(Stage {
        name: name.into(),
        seconds: seconds.parse().ok()?,
        cpu_seconds: cpu.parse().ok()?,
        target_mb: disk.parse().ok()?,
    })
}

fn row(command: &str, stages: &[Stage]) -> Result<String, String> {
    let whole = stages.iter().find(|stage| stage.name == WHOLE);
    let whole = whole.ok_or_else(|| format!("the last run of `{command}` has not come to its end"))?;
    Ok(format!(
        "| `{command}` | {} | {} s | {:.1} GB |\n",
        minutes(whole.seconds),
        whole.cpu_seconds,
        whole.target_mb as f64 / 1000.0
    ))
}

fn minutes(seconds: u64) -> String {
    format!("{} min {:02} s", seconds / 60, seconds % 60)
}

fn machine() -> Result<String, String> {
    let cpus = output("nproc", &[])?;
    let info = fs::read_to_string("/proc/cpuinfo").map_err(|error| format!("/proc/cpuinfo: {error}"))?;
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    Ok(format!("{cpus} x {}", model.map_or("unknown CPU", |(_, name)| name)))
}

fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output =
        Command::new(program).args(arguments).output().map_err(|error| format!("{program}: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_that_of_the_whole_run() {
        let mut stages: Vec<Stage> =
            ["build\t61\t100\t900", "all\t65\t105\t1200"].map(|line| stage(line).unwrap()).into();
        let expected = "| `make demo` | 1 min 05 s | 105 s | 1.2 GB |\n";
        assert_eq!(row("make demo", &stages).as_deref(), Ok(expected));
        stages.pop();
        assert!(row("make demo", &stages).is_err());
        assert!(stage("build\tfast\t1\t2").is_none());
    }
}
