//! Measures a graph with many entities of another system, as a bridge shows them: what it costs to show and to remove them,
//! and what a change of one of them costs other processes.

use std::{
    io::BufRead,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};
use saltus::{
    Context, Executor, SingleThreadedExecutor,
    context::ContextOptions,
    executor::WaitStrategy,
    graph::{Entity, GraphChange},
    types::{NodeName, QoS, TopicName, TypeHash},
};
use saltus_host::{
    Batch, EndpointKind, EndpointSpec, Foreign, NodeEntry, NodeSpec, Origin, OwnRecord, Participant, TypeText,
};

use crate::{
    child::number,
    error::RunError,
    interrupt,
    machine::Machine,
    process::{Folder, Process, print_line, pss_of},
    report::print,
};

type Error = Box<dyn std::error::Error>;

/// The number of publishers that are shown, and of those of each node.
const SHOWN: usize = 20_000;
const OF_NODE: usize = 20;
/// The number of publishers that are shown and removed together.
const BATCH: usize = 1000;
/// The number of changes of one publisher, and the time between two of them.
const CHANGES: usize = 500;
const GAP: Duration = Duration::from_millis(4);
/// How long it may take until another process has seen all entities.
const LIMIT: Duration = Duration::from_secs(60);

/// The roles of the other processes: one that watches the graph, and one that only has a node.
const ROLES: [&str; 2] = ["graph-watcher", "graph-node"];

/// Shows and removes 20,000 publishers of 1,000 nodes, and prints what this and what single changes cost.
pub(crate) fn run_graph() -> Result<(), RunError> {
    interrupt::install_handler()?;
    print(&format!("{}\n", Machine::describe().one_line()))?;
    let measured = measure().map_err(|error| RunError::Failed("graph".into(), error.to_string()));
    interrupt::check().and(measured)
}

/// Returns the CPU time of this process.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn measure() -> Result<(), Error> {
    let folder = Folder::new()?;
    let mut others: Vec<Process> =
        ROLES.iter().map(|role| Process::start_in(role, &[], folder.path())).collect::<Result<_, _>>()?;
    let context = ContextOptions::default().folder(folder.path()).handle_signals(false).create()?;
    // A bridge watches the graph, too.
    let _watch = context.participant().watch_others()?;
    let scene = Scene { participant: context.participant() };
    let before = (cpu(), times_of(&mut others)?);
    let mut shown = Shown::default();
    while shown.publishers.len() < SHOWN {
        interrupt::check()?;
        scene.show_batch(&mut shown)?;
    }
    wait_for(&mut others, SHOWN)?;
    let after = (cpu(), times_of(&mut others)?);
    print(&format!(
        "{SHOWN} publishers of {} nodes appear: {}\n",
        shown.nodes.len(),
        costs(&before, &after, 1.0)
    ))?;
    print(&format!("memory: {} KB PSS of both other processes together\n", pss_of(&others)?))?;
    scene.change_often(&mut shown, &mut others)?;
    let before = (cpu(), times_of(&mut others)?);
    while !shown.publishers.is_empty() {
        let rest = shown.publishers.len().saturating_sub(BATCH);
        scene.participant.batch()?.remove(shown.publishers.drain(rest..));
    }
    scene.participant.batch()?.remove(shown.nodes.drain(..));
    wait_for(&mut others, 0)?;
    let after = (cpu(), times_of(&mut others)?);
    print(&format!("they go: {}\n", costs(&before, &after, 1.0)))?;
    others.into_iter().try_for_each(Process::end)?;
    Ok(())
}

/// Returns the CPU times of a part, divided by `count`: of this process, and of the others.
fn costs(before: &(Duration, Vec<Duration>), after: &(Duration, Vec<Duration>), count: f64) -> String {
    let text = |from: Duration, to: Duration| {
        let seconds = (to - from).as_secs_f64() / count;
        if count > 1.0 { format!("{:.1} µs", seconds * 1e6) } else { format!("{seconds:.3} s") }
    };
    let others = ["watching process", "ordinary process"].iter().zip(before.1.iter().zip(&after.1));
    let others: String = others.map(|(name, (from, to))| format!(", {name} {}", text(*from, *to))).collect();
    format!("the process that shows them {}{others} (CPU time)", text(before.0, after.0))
}

/// Returns the CPU times of the other processes.
fn times_of(others: &mut [Process]) -> Result<Vec<Duration>, Error> {
    others.iter_mut().map(|process| Ok(Duration::from_nanos(answer(process, "cpu_ns")?))).collect()
}

/// Waits until the watching process knows this number of publishers.
fn wait_for(others: &mut [Process], count: usize) -> Result<(), Error> {
    let begin = Instant::now();
    while answer(&mut others[0], "known")? != count as u64 {
        interrupt::check()?;
        if begin.elapsed() > LIMIT {
            return Err(
                format!("the watching process does not know {count} publishers after {LIMIT:?}").into()
            );
        }
        // The processes answer only when they are asked, and asking them often would take the CPU that they need.
        std::thread::sleep(GAP);
    }
    Ok(())
}

fn answer(process: &mut Process, name: &str) -> Result<u64, Error> {
    process.go_on()?;
    Ok(number(&process.line(), name)?)
}

/// What is shown.
#[derive(Default)]
struct Shown {
    nodes: Vec<NodeEntry>,
    publishers: Vec<saltus_host::Shown>,
}

struct Scene<'a> {
    participant: &'a Participant,
}

impl Scene<'_> {
    fn foreign(&self) -> Foreign {
        Foreign { origin: Origin::Foreign("network".into()), gid: self.participant.new_gid() }
    }

    /// Shows the next publishers, and their nodes.
    fn show_batch(&self, shown: &mut Shown) -> Result<(), Error> {
        let mut batch = self.participant.batch()?;
        for _ in 0..BATCH {
            let number = shown.publishers.len();
            if number.is_multiple_of(OF_NODE) {
                let name = NodeName::new("/robot", &format!("node_{}", number / OF_NODE))?;
                shown.nodes.push(batch.node(&NodeSpec { name: &name, foreign: Some(&self.foreign()) })?);
            }
            if let Some(node) = shown.nodes.last() {
                shown.publishers.push(self.show_one(&mut batch, node, number)?);
            }
        }
        Ok(())
    }

    fn show_one(
        &self,
        batch: &mut Batch<'_>,
        node: &NodeEntry,
        number: usize,
    ) -> Result<saltus_host::Shown, Error> {
        let topic = TopicName::expand(&format!("/robot/topic_{number}"), &NodeName::new("/", "n")?)?;
        let spec = EndpointSpec {
            node: node.info().gid,
            topic: &topic,
            type_name: "std_msgs/msg/String",
            type_hash: TypeHash::UNKNOWN,
            qos: QoS::default(),
            description: TypeText::Unknown,
            foreign: Some(&self.foreign()),
            only_from: None,
            skips_own: false,
        };
        Ok(batch.show(EndpointKind::Publisher, &spec)?)
    }

    /// Removes and shows one publisher again and again, and prints the cost of one change.
    fn change_often(&self, shown: &mut Shown, others: &mut [Process]) -> Result<(), Error> {
        let before = (cpu(), times_of(others)?);
        for round in 0..CHANGES / 2 {
            interrupt::check()?;
            let number = round * 37 % SHOWN;
            let old: OwnRecord = shown.publishers.swap_remove(number).into();
            drop(old);
            // Each change is far from the next one, so that the processes see it alone. That is what is measured.
            std::thread::sleep(GAP);
            let new = self.show_one(&mut self.participant.batch()?, &shown.nodes[0], SHOWN + round)?;
            shown.publishers.push(new);
            std::thread::sleep(GAP);
        }
        wait_for(others, SHOWN)?;
        let after = (cpu(), times_of(others)?);
        let text = costs(&before, &after, CHANGES as f64);
        print(&format!("one change among them: {text}\n"))?;
        Ok(())
    }
}

/// Runs one of the other processes. It answers each line with its CPU time and the number of publishers that it knows.
pub(crate) fn run_role(name: &str) -> Result<(), Error> {
    let context = Context::new()?;
    let node = context.node("measured").start_parameter_services(false).create()?;
    let known = Arc::<AtomicU64>::default();
    let counted = known.clone();
    let count = move |change| match change {
        GraphChange::Added(Entity::Endpoint(end)) if end.origin.is_foreign() => {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        GraphChange::Removed(Entity::Endpoint(end)) if end.origin.is_foreign() => {
            counted.fetch_sub(1, Ordering::Relaxed);
        }
        _ => {}
    };
    let _watch = (name == ROLES[0]).then(|| node.watch_graph(count)).transpose()?;
    let spinning = {
        let (context, node) = (context.clone(), node.clone());
        std::thread::spawn(move || {
            let mut executor = SingleThreadedExecutor::new(&context)?.strategy(WaitStrategy::Block);
            executor.spin_node(&node)
        })
    };
    print_line("ready")?;
    for line in std::io::stdin().lock().lines() {
        line?;
        print_line(&format!("cpu_ns={} known={}", cpu().as_nanos(), known.load(Ordering::Relaxed)))?;
    }
    context.shut_down();
    spinning.join().map_err(|_| "the thread that spins has panicked")??;
    Ok(())
}
