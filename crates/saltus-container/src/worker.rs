//! A process of one component.

use std::{
    ffi::CString,
    io::{self, Read},
    os::{fd::AsFd, unix::net::UnixStream},
    thread,
    time::Duration,
};

use saltus_component::{Backend, ComponentError, InProcess, Isolation, Loaded};
use saltus_executor::{Executor, ExecutorHandle, MultiThreadedExecutor, Placements, SingleThreadedExecutor};
use saltus_msgs::composition_interfaces::srv::{LoadNode_Request, LoadNode_Response};
use saltus_node::{Context, Logger};
use saltus_package::PackagePath;

use crate::{
    Build, IndexLoader,
    wire::{Start, Started},
};

/// How long the callbacks may run after the container has ended.
const GRACE: Duration = Duration::from_secs(5);

/// Creates the component that the container requests, and runs it until the container ends or requests the end.
pub(crate) fn run(build: Build, threads: usize) -> Result<(), ComponentError> {
    let mut container = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let start = Start::read(&mut container)?;
    let context = Context::from_args()?;
    context.keep_messages(start.kept);
    end_with(container.try_clone()?, context.clone())?;
    let worker = Worker { build, context, container };
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
}

impl Worker {
    fn spin<E: Executor>(
        mut self,
        request: LoadNode_Request,
        executor: E,
        place: impl FnOnce(E, saltus_executor::Placement) -> E,
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
        Started { process, response }.write(&mut self.container)?;
        // The container logs the error.
        let Ok(loaded) = loaded else { return Ok(()) };
        // Tools such as `ps` show the name of the component.
        if let Ok(name) = CString::new(loaded.name.rsplit('/').next().unwrap_or_default()) {
            let _ = rustix::thread::set_name(&name);
        }
        let mut executor = place(executor, placements.of(&loaded.name));
        Ok(executor.spin()?)
    }

    fn load(&self, request: LoadNode_Request, executor: ExecutorHandle) -> Result<Loaded, String> {
        let logger = Logger::new("component");
        let loader = IndexLoader::new(PackagePath::from_environment(), self.build.clone(), logger.clone());
        let backend = InProcess::new(&self.context, logger, loader, executor, Isolation::Shared);
        let create = backend.find(&request)?;
        create(0, request)
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
