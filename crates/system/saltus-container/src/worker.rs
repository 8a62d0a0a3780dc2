//! A process of one component.

use std::{
    ffi::CString,
    fs::File,
    io::{self, Read},
    os::{fd::AsFd, unix::net::UnixStream},
    path::PathBuf,
    thread,
    time::Duration,
};

use saltus_component::{
    Backend, ComponentError, Factory, InProcess, Isolation, LoadError, Loaded, Loader, Plugin,
};
use saltus_executor::{Executor, ExecutorHandle, MultiThreadedExecutor, Placements, SingleThreadedExecutor};
use saltus_msgs::composition_interfaces::srv::{LoadNode_Request, LoadNode_Response};
use saltus_node::{Context, Logger};

use crate::{
    build::Build,
    library,
    wire::{StartRequest, StartResponse},
};

/// The time within which callbacks must return after the container has ended.
const GRACE: Duration = Duration::from_secs(5);

/// Creates the component that the container requests, and runs it until the container ends or requests the end.
pub(crate) fn run(build: Build, threads: usize) -> Result<(), ComponentError> {
    let mut container = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // Programs that the component starts must not inherit the connection, whose end tells the container of this end.
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    let start = StartRequest::read(&mut container)?;
    let context = Context::from_args()?;
    context.keep_messages(start.kept);
    end_with(container.try_clone()?, context.clone())?;
    let worker = Worker { build, context, container, library: start.library.into() };
    match threads {
        0 | 1 => {
            let executor = SingleThreadedExecutor::new(&worker.context)?;
            worker.spin(start.request, executor, SingleThreadedExecutor::placement)
        }
        threads => {
            let executor = MultiThreadedExecutor::new(&worker.context)?.threads(threads);
            worker.spin(start.request, executor, MultiThreadedExecutor::placement)
        }
    }
}

struct Worker {
    build: Build,
    context: Context,
    container: UnixStream,
    library: PathBuf,
}

impl Worker {
    fn spin<E: Executor>(
        mut self,
        request: LoadNode_Request,
        executor: E,
        set_placement: impl FnOnce(E, saltus_executor::Placement) -> E,
    ) -> Result<(), ComponentError> {
        let placements = Placements::from_environment()?;
        let loaded = self.load(request, executor.handle());
        let response = match &loaded {
            Ok(Loaded { name, .. }) => {
                LoadNode_Response { success: true, full_node_name: name.clone(), ..Default::default() }
            }
            Err(text) => LoadNode_Response { error_message: text.clone(), ..Default::default() },
        };
        let process = self.context.participant().new_gid().process();
        StartResponse { process, response }.write(&mut self.container)?;
        // The container logs the error.
        let Ok(loaded) = loaded else { return Ok(()) };
        // Tools such as `ps` show the name of the component.
        if let Ok(name) = CString::new(loaded.name.rsplit('/').next().unwrap_or_default()) {
            let _ = rustix::thread::set_name(&name);
        }
        let mut executor = set_placement(executor, placements.of(&loaded.name));
        Ok(executor.spin()?)
    }

    fn load(&self, request: LoadNode_Request, executor: ExecutorHandle) -> Result<Loaded, String> {
        let logger = Logger::new("component");
        let loader = LibraryLoader { library: self.library.clone(), build: self.build.clone() };
        let backend = InProcess::new(&self.context, logger, loader, executor, Isolation::Shared);
        let create = backend.find(&request)?;
        create(0, request)
    }
}

/// Loads components from one library, which the container has found.
struct LibraryLoader {
    library: PathBuf,
    build: Build,
}

impl Loader for LibraryLoader {
    fn factory(&mut self, package: &str, plugin: &str) -> Result<Factory, LoadError> {
        // Otherwise it is in this program.
        if !self.library.as_os_str().is_empty() {
            library::load(&self.library, &self.build).map_err(LoadError::Library)?;
        }
        Plugin::find(package, plugin).map(Plugin::factory).ok_or(LoadError::UnknownPlugin)
    }
}

/// Ends the process when the container has ended, even if a callback does not return.
fn end_with(mut container: UnixStream, context: Context) -> io::Result<()> {
    thread::Builder::new().name("container".into()).spawn(move || {
        // The container sends nothing more, so a read returns only at the end of the connection.
        let _ = container.read(&mut [0]);
        context.shut_down();
        thread::sleep(GRACE);
        std::process::exit(1);
    })?;
    Ok(())
}
