//! Programs of components that are compiled in: one component, or several.

use std::{fmt, process::ExitCode};

use saltus_executor::{Executor, Placements, SingleThreadedExecutor, SpinError, WaitStrategy};
use saltus_node::{Context, Node};

use crate::{
    Component, ComponentError, Factory, Isolation, NodeOptions, backend::LoadedComponent,
    component::Instance, running::RunningComponent,
};

/// Runs one component as a program, until Ctrl-C. The arguments of the program apply to its node.
///
/// ```no_run
/// # use saltus::{Node, component::{Component, ComponentError, NodeOptions}};
/// # struct Talker(Node);
/// # impl Component for Talker {
/// #     fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
/// #         Ok(Self(options.node("talker").create()?))
/// #     }
/// #     fn node(&self) -> &Node {
/// #         &self.0
/// #     }
/// # }
/// fn main() -> std::process::ExitCode {
///     saltus::component::run::<Talker>()
/// }
/// ```
pub fn run<T: Component>() -> ExitCode {
    let run = || run_factory(&Context::from_args()?, &Factory::of::<T>());
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Creates one component and runs it until the context is shut down, as [`run`] does. The placement of the thread is that
/// of the full name of the node in the file that `SALTUS_PLACEMENT` names.
///
/// # Errors
///
/// Returns the error of the constructor, of the file of placements or of the executor.
pub fn run_factory(context: &Context, factory: &Factory) -> Result<(), ComponentError> {
    let placements = Placements::from_environment()?;
    let options = NodeOptions::new(context).use_global_arguments(true);
    let component = factory.create(&options)?;
    let node = component.node();
    let placement = placements.of(&node.name().fully_qualified());
    Ok(SingleThreadedExecutor::new(context)?.placement(placement).spin_node(node)?)
}

/// Components that are compiled into one program, as ROS 2's manual composition.
///
/// With [`Isolation::Shared`] all callbacks run on the executor that the program gives. Otherwise each component has a
/// thread and an executor of its own, and the executor of the program only waits for the end.
///
/// ```no_run
/// # use saltus::{Node, component::{Component, ComponentError, NodeOptions}};
/// # struct Talker(Node);
/// # impl Component for Talker {
/// #     fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
/// #         Ok(Self(options.node("talker").create()?))
/// #     }
/// #     fn node(&self) -> &Node {
/// #         &self.0
/// #     }
/// # }
/// use saltus::{Context, SingleThreadedExecutor, component::{Isolation, ManualComposition}};
/// let context = Context::from_args()?;
/// let executor = SingleThreadedExecutor::new(&context)?;
/// let mut composition = ManualComposition::new(executor, Isolation::Shared);
/// composition.add::<Talker>(&NodeOptions::new(&context))?;
/// composition.spin()?;
/// # Ok::<(), ComponentError>(())
/// ```
pub struct ManualComposition<E> {
    // The components are dropped before the executor.
    components: Vec<RunningComponent>,
    executor: E,
    isolation: Isolation,
    placements: Placements,
    strategy: WaitStrategy,
}

impl<E: fmt::Debug> fmt::Debug for ManualComposition<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualComposition")
            .field("components", &self.components.len())
            .field("executor", &self.executor)
            .field("isolation", &self.isolation)
            .finish()
    }
}

impl<E: Executor> ManualComposition<E> {
    /// Returns a composition without components.
    pub fn new(executor: E, isolation: Isolation) -> Self {
        let (placements, strategy) = (Placements::default(), WaitStrategy::default());
        Self { components: Vec::new(), executor, isolation, placements, strategy }
    }

    /// Sets the placements of the threads of components that have threads of their own, by the full names of their
    /// nodes.
    #[must_use]
    pub fn placements(mut self, placements: Placements) -> Self {
        self.placements = placements;
        self
    }

    /// Sets how the threads of components wait that have threads of their own.
    #[must_use]
    pub fn strategy(mut self, strategy: WaitStrategy) -> Self {
        self.strategy = strategy;
        self
    }

    /// Creates a component. Returns its node.
    ///
    /// # Errors
    ///
    /// Returns the error of the constructor, or an error if there is no thread for the component.
    pub fn add<T: Component>(&mut self, options: &NodeOptions) -> Result<Node, ComponentError> {
        self.add_instance(Factory::of::<T>().create(options)?)
    }

    /// Creates a component with a factory, such as that of a [`Plugin`](crate::Plugin). Returns its node.
    ///
    /// # Errors
    ///
    /// Returns the error of the constructor, or an error if there is no thread for the component.
    pub fn add_from(&mut self, factory: &Factory, options: &NodeOptions) -> Result<Node, ComponentError> {
        self.add_instance(factory.create(options)?)
    }

    fn add_instance(&mut self, component: Box<dyn Instance>) -> Result<Node, ComponentError> {
        let node = component.node().clone();
        let (isolation, executor) = (self.isolation, self.executor.handle());
        let placement = self.placements.of(&node.name().fully_qualified());
        let how = (placement, self.strategy);
        self.components.push(RunningComponent::start(component, isolation, &executor, how)?);
        Ok(node)
    }

    /// Runs the components until the context is shut down.
    ///
    /// # Errors
    ///
    /// Returns the error of the executor.
    pub fn spin(&mut self) -> Result<(), SpinError> {
        self.executor.spin()
    }
}

impl<E> Drop for ManualComposition<E> {
    fn drop(&mut self) {
        // All threads end before the first node is dropped, because components may use each other.
        self.components.iter_mut().for_each(RunningComponent::stop);
    }
}
