//! The roles of the program.

use std::{fs::File, path::Path, process::ExitCode, sync::Arc, thread};

use saltus_component::{ComponentError, ComponentManager, InProcess, Isolation, Loader, Plugin, run_factory};
use saltus_executor::{Executor, MultiThreadedExecutor, Placements, SingleThreadedExecutor};
use saltus_node::{Context, GraphCallback, Logger, Node, NodeError};
use saltus_package::PackagePath;

use crate::{
    Container, Restart, Role,
    build::Build,
    kept::Keeper,
    library::{self, IndexLoader},
    process::{ContainerContext, Processes},
    worker,
};

/// Settings of the allocator of glibc for a program with many nodes: variables of its environment, and their values. By default each
/// thread has its own heap, and large blocks that were freed stay in it. A container with a stack of navigation needs 16 MB so, and
/// 13 MB with these settings.
pub const ALLOCATOR: [(&str, &str); 2] = [("MALLOC_ARENA_MAX", "2"), ("MALLOC_MMAP_THRESHOLD_", "131072")];

/// The name of the node of a container, if the user has chosen no other one.
const NAME: &str = "ComponentManager";

/// Runs the program. `build` is the build of Saltus that it was linked with.
pub fn main(build: &str) -> ExitCode {
    run(build, &[])
}

/// Runs the program as a part of another one, which contains components itself. The command line of that program begins with `first`.
pub fn run(build: &str, first: &'static [&'static str]) -> ExitCode {
    let words = std::env::args_os().skip(1 + first.len());
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let build = Build::new(build);
    // As long as the program is locked, `saltus install` does not remove its build.
    let program = std::env::current_exe().and_then(File::open);
    let _lock = program.inspect(|program| drop(program.try_lock_shared()));
    let done = match Role::parse(&words) {
        Ok(Role::Container(container)) => run_container(container, build, (first, &words)),
        Ok(Role::Alone { package, plugin }) => run_alone(&package, &plugin, build),
        Ok(Role::Worker { threads, .. }) => worker::run(build, threads),
        Ok(Role::List(library)) => list(&library, &build),
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("saltus: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The words of the command line: those before the role, and the others.
type Words<'a> = (&'static [&'static str], &'a [String]);

/// Prints the components in a library: the package and the plugin name.
fn list(library: &Path, build: &Build) -> Result<(), ComponentError> {
    library::load(library, build)?;
    let mut plugins: Vec<_> = Plugin::all().map(|plugin| (plugin.package(), plugin.name())).collect();
    plugins.sort_unstable();
    plugins.iter().for_each(|(package, plugin)| println!("{package} {plugin}"));
    Ok(())
}

/// Runs one component, with the arguments of the program.
fn run_alone(package: &str, plugin: &str, build: Build) -> Result<(), ComponentError> {
    let context = Context::from_args()?;
    let loader = IndexLoader::new(PackagePath::from_environment(), build, Logger::new("component"));
    run_factory(&context, &{ loader }.factory(package, plugin)?)
}

/// Runs a container.
fn run_container(container: Container, build: Build, words: Words<'_>) -> Result<(), ComponentError> {
    let placements = Placements::from_environment()?;
    let context = Context::from_args()?;
    let node = context.node(NAME).create()?;
    let loader = IndexLoader::new(PackagePath::from_environment(), build, node.logger());
    let own = placements.of(&node.name().fully_qualified());
    let isolation = match container {
        Container::MultiThreaded { threads } => {
            let threads = thread_num(&node, threads)?;
            let executor = MultiThreadedExecutor::new(&context)?.threads(threads).placement(own);
            let manager = ComponentManager::new(&node, executor.handle(), loader, Isolation::Shared)?;
            return spin(executor, &node, manager);
        }
        Container::CrashIsolated { threads, restart } => {
            let executor = SingleThreadedExecutor::new(&context)?.placement(own);
            let container = Arc::new(container_context(&node, threads, restart, words)?);
            let _watch = watch(&node, &container)?;
            let manager = ComponentManager::with_backend(&node, Processes::new(loader, container))?;
            return spin(executor, &node, manager);
        }
        Container::Single => Isolation::Shared,
        Container::Isolated { threads: 0 | 1 } => Isolation::Thread,
        Container::Isolated { threads } => Isolation::Threads(threads),
    };
    let executor = SingleThreadedExecutor::new(&context)?.placement(own);
    let backend = InProcess::new(&context, node.logger(), loader, executor.handle(), isolation);
    let manager = ComponentManager::with_backend(&node, backend.placements(placements))?;
    spin(executor, &node, manager)
}

/// Spins until Ctrl-C. The components end before the executor.
fn spin(mut executor: impl Executor, node: &Node, manager: ComponentManager) -> Result<(), ComponentError> {
    let spun = executor.spin_node(node);
    drop(manager);
    Ok(spun?)
}

/// Returns the number of threads of a multi-threaded container: the value of its parameter, as in ROS 2.
fn thread_num(node: &Node, threads: Option<usize>) -> Result<usize, ComponentError> {
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    let most = i64::try_from(cpus.max(threads.unwrap_or(1)))?;
    let parameter = node.parameter("thread_num").read_only().integer_range(1, most, 0);
    let value = parameter.declare(i64::try_from(threads.unwrap_or(cpus))?)?;
    Ok(usize::try_from(value)?)
}

/// Returns what the processes of the components need.
fn container_context(
    node: &Node,
    threads: usize,
    restart: Restart,
    (first, words): Words<'_>,
) -> std::io::Result<ContainerContext> {
    let arguments = words.iter().skip_while(|word| *word != "--ros-args").cloned().collect();
    Ok(ContainerContext {
        context: node.context().clone(),
        logger: node.logger(),
        program: std::env::current_exe()?,
        words: first,
        arguments,
        threads,
        restart,
        keeper: Keeper::new(node),
    })
}

/// Passes changes of the graph to the keeper.
fn watch(node: &Node, container: &Arc<ContainerContext>) -> Result<GraphCallback, NodeError> {
    let container = Arc::downgrade(container);
    node.watch_graph(move |change| {
        if let Some(container) = container.upgrade() {
            container.keeper.note(&change);
        }
    })
}
