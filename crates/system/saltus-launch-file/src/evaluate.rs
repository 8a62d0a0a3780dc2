//! Evaluates the actions of a launch file, in the order of its lines.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::{
    action::{Action, ActionKind, Group, HandlerAction, Include, Reaction, Timer},
    declared::DeclaredArgument,
    file, order,
    origin::LaunchError,
    plan::{Deferred, Handler, Load, Plan, Step, StepKind},
    resolve::ActionContext,
    scope::{Changes, Environment, Scope},
    text::Object,
    world::World,
};

type Result<T, E = LaunchError> = std::result::Result<T, E>;

/// The maximum depth of files that include each other.
const MAX_DEPTH: usize = 50;

/// The arguments that every launch file has.
const OF_EVERY_FILE: [&str; 5] =
    ["emulate_tty", "launch-prefix", "launch-prefix-filter", "sigkill_timeout", "sigterm_timeout"];

/// Evaluates launch files.
pub struct Evaluator<'a> {
    world: &'a dyn World,
    /// The environment that the launch began with.
    environment: Environment,
    /// The changes of the scope that handlers and timers have made.
    changes: Changes,
    depth: usize,
    /// The names of the arguments that the files declare which were read, also under conditions that do not hold.
    declared: BTreeSet<String>,
}

impl<'a> Evaluator<'a> {
    /// Returns an evaluator for a launch that begins with this environment.
    pub fn new(world: &'a dyn World, environment: Environment) -> Self {
        Self { world, environment, changes: Changes::default(), depth: 0, declared: BTreeSet::new() }
    }

    /// Evaluates a file with these arguments.
    ///
    /// # Errors
    ///
    /// Returns an error if the file or a file that it includes can't be used, or if an argument is missing.
    pub fn plan(&mut self, path: &Path, arguments: &[(String, String)]) -> Result<Plan> {
        let mut scope = self.scope(arguments);
        let steps = self.file(path, &mut scope)?;
        order::check(&steps)?;
        self.warn_of_unknown(arguments);
        Ok(Plan { steps })
    }

    /// Warns of arguments that no launch file declares or reads. They are probably misspelt. A function in Python may still read one.
    fn warn_of_unknown(&self, arguments: &[(String, String)]) {
        let world = self.world;
        let is_known = |name: &str| {
            OF_EVERY_FILE.contains(&name) || self.declared.contains(name) || world.knows_variable(name)
        };
        for (name, _) in arguments.iter().filter(|(name, _)| !is_known(name)) {
            let names = self.declared.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let list = if names.is_empty() { "none" } else { &names };
            world.warn(&format!(
                "no launch file declares the argument `{name}`, so it probably has no effect; the arguments are: {list}"
            ));
        }
    }

    /// Returns the arguments that a file and the files that it includes declare. A file whose path is only known with the
    /// value of a missing argument is left out.
    ///
    /// # Errors
    ///
    /// Returns an error if the file or a file that it includes can't be used.
    pub fn arguments(
        &mut self,
        path: &Path,
        arguments: &[(String, String)],
    ) -> Result<Vec<DeclaredArgument>> {
        let mut scope = self.scope(arguments);
        let mut declared = Vec::new();
        self.declared_in_file(path, &mut scope, false, &mut declared)?;
        Ok(declared)
    }

    fn scope(&self, arguments: &[(String, String)]) -> Scope {
        Scope {
            variables: arguments.iter().cloned().collect(),
            environment: self.environment.clone(),
            ..Scope::default()
        }
    }

    /// Reads a file, and calls a function with its actions. During the call, the scope belongs to this file.
    fn with_file<T>(
        &mut self,
        path: &Path,
        scope: &mut Scope,
        call: impl FnOnce(&mut Self, &[Action], &mut Scope) -> Result<T>,
    ) -> Result<T> {
        let outer = scope.file.replace(path.into());
        let actions = self.read(path, scope);
        let result = actions.and_then(|actions| call(self, &actions, scope));
        scope.file = outer;
        result
    }

    fn read(&self, path: &Path, scope: &mut Scope) -> Result<Vec<Action>> {
        if scope.is_python() {
            let failed = |error| LaunchError::without_origin(format!("{}: {error}", path.display()));
            return self.world.load(path, scope).map_err(failed);
        }
        let text = self.world.read(path);
        let failed = |error| LaunchError::without_origin(format!("can't read {}: {error}", path.display()));
        file::parse(&text.map_err(failed)?, &path.into())
    }

    fn file(&mut self, path: &Path, scope: &mut Scope) -> Result<Vec<Step>> {
        self.with_file(path, scope, |this, actions, scope| {
            note_arguments(actions, &mut this.declared);
            this.actions(actions, scope)
        })
    }

    fn actions(&mut self, actions: &[Action], scope: &mut Scope) -> Result<Vec<Step>> {
        let mut steps = Vec::new();
        for action in actions {
            let step = self.action(action, scope)?;
            steps.extend(step.map(|kind| Step { origin: action.origin.clone(), kind }));
        }
        Ok(steps)
    }

    fn action(&mut self, action: &Action, scope: &mut Scope) -> Result<Option<StepKind>> {
        let context = ActionContext { origin: &action.origin, world: self.world };
        if !context.holds(action.condition.as_ref(), scope)? {
            return Ok(None);
        }
        let step = match &action.kind {
            ActionKind::Timer(timer) => self.timer(context, timer, scope)?,
            ActionKind::CancelTimer(object) => StepKind::CancelTimer(*object),
            ActionKind::Group(group) => StepKind::Group(self.group(context, group, scope)?),
            ActionKind::Include(include) => self.include(context, include, scope)?,
            ActionKind::Process(process) => {
                StepKind::Process(Box::new(context.process(process, scope, &self.environment)?))
            }
            ActionKind::Load(load) => StepKind::Load(Load {
                target: context.target(&load.target, scope)?,
                components: context.components(&load.components, scope)?,
            }),
            ActionKind::Opaque(object) => StepKind::Group(self.call(context, *object, scope)?),
            ActionKind::Handler(handler) => {
                StepKind::Handler(Box::new(self.handler(context, handler, scope)?))
            }
            ActionKind::RemoveHandler(object) => StepKind::RemoveHandler(*object),
            ActionKind::EndProcess(target) => StepKind::EndProcess(context.target(target, scope)?),
            ActionKind::SignalProcess(action) => {
                StepKind::Signal { target: context.target(&action.target, scope)?, signal: action.signal }
            }
            ActionKind::ChangeState(action) => StepKind::Transitions {
                targets: vec![context.target(&action.target, scope)?],
                transitions: vec![action.transition],
            },
            ActionKind::Transitions(action) => StepKind::Transitions {
                targets: action.nodes.iter().map(|name| context.node(name, scope)).collect::<Result<_>>()?,
                transitions: action.transitions.clone(),
            },
            ActionKind::Log(message) => StepKind::Log(context.text(message, scope)?),
            ActionKind::Shutdown(reason) => StepKind::Shutdown(context.text(reason, scope)?),
            ActionKind::SetUseSimTime(value) => StepKind::UseSimTime(context.bool(value, scope)?),
            other => {
                context.change(other, scope, &self.environment)?;
                return Ok(None);
            }
        };
        Ok(Some(step))
    }

    fn timer(&mut self, context: ActionContext<'_>, timer: &Timer, scope: &Scope) -> Result<StepKind> {
        Ok(StepKind::Timer {
            id: timer.id,
            seconds: context.seconds(&timer.period, scope)?,
            is_ros: timer.is_ros,
            cancel_on_shutdown: context.bool(&timer.cancel_on_shutdown, scope)?,
            actions: self.defer(&Reaction::Actions(timer.children.clone()), scope)?,
        })
    }

    fn handler(
        &mut self,
        context: ActionContext<'_>,
        handler: &HandlerAction,
        scope: &Scope,
    ) -> Result<Handler> {
        Ok(Handler {
            id: handler.id,
            trigger: handler.trigger.clone(),
            target: handler.target.as_ref().map(|target| context.target(target, scope)).transpose()?,
            once: handler.once,
            actions: self.defer(&handler.reaction, scope)?,
        })
    }

    /// Evaluates actions that are performed later. In a launch file in Python, functions may depend on the time at which they
    /// are called, so the actions are evaluated when they are performed.
    fn defer(&mut self, reaction: &Reaction, scope: &Scope) -> Result<Deferred> {
        match reaction {
            Reaction::Actions(actions) if !scope.is_python() => {
                Ok(Deferred::Steps(self.actions(actions, &mut scope.clone())?))
            }
            _ => Ok(Deferred::Reaction { reaction: reaction.clone(), scope: Box::new(scope.clone()) }),
        }
    }

    /// Returns the steps of actions that are performed now, because of an event or because a time has passed.
    ///
    /// # Errors
    ///
    /// Returns an error if an action can't be evaluated.
    pub fn steps_now(&mut self, actions: &Deferred, event: Option<serde_json::Value>) -> Result<Vec<Step>> {
        let (reaction, scope) = match actions {
            Deferred::Steps(steps) => return Ok(steps.clone()),
            Deferred::Reaction { reaction, scope } => (reaction, scope),
        };
        let mut scope = Scope { event, ..(**scope).clone() };
        self.changes.apply(&mut scope);
        let before = scope.clone();
        let steps = self.react(reaction, &mut scope);
        self.changes.add(&before, &scope);
        steps
    }

    fn react(&mut self, reaction: &Reaction, scope: &mut Scope) -> Result<Vec<Step>> {
        match reaction {
            Reaction::Actions(actions) => self.actions(actions, scope),
            Reaction::Python(object) => {
                let actions = self.world.call(*object, scope).map_err(LaunchError::without_origin)?;
                self.actions(&actions, scope)
            }
        }
    }

    /// Evaluates the actions that are performed later, as far as they are known now. This is for those who read a plan.
    pub fn preview(&mut self, steps: &mut [Step]) {
        for step in steps {
            let deferred = match &mut step.kind {
                StepKind::Timer { actions, .. } => actions,
                StepKind::Handler(handler) => &mut handler.actions,
                StepKind::Group(steps) | StepKind::Include { steps, .. } => {
                    self.preview(steps);
                    continue;
                }
                _ => continue,
            };
            // A function is not called: it may have effects. An action may need the event.
            if let Deferred::Reaction { reaction: Reaction::Actions(actions), scope } = deferred
                && !calls_functions(actions)
                && let Ok(mut known) = self.actions(actions, &mut (**scope).clone())
            {
                self.preview(&mut known);
                *deferred = Deferred::Steps(known);
            }
        }
    }

    /// Whether a function of a launch file in Python chooses the process of an action. A function that fails chooses none.
    pub fn chooses(&self, object: Object, action: Object) -> bool {
        let chosen = self.world.chooses(object, action);
        chosen.unwrap_or_else(|error| {
            self.world.warn(&format!("a matcher has failed: {error}"));
            false
        })
    }

    /// Calls a function of a launch file in Python, and evaluates the actions that it returns.
    fn call(&mut self, context: ActionContext<'_>, object: Object, scope: &mut Scope) -> Result<Vec<Step>> {
        let actions = self.world.call(object, scope).map_err(|error| context.error(error))?;
        note_arguments(&actions, &mut self.declared);
        self.actions(&actions, scope)
    }

    fn group(&mut self, context: ActionContext<'_>, group: &Group, scope: &mut Scope) -> Result<Vec<Step>> {
        match self.inner_scope(context, group, scope)? {
            Some(mut inner) => self.actions(&group.children, &mut inner),
            None => self.actions(&group.children, scope),
        }
    }

    /// Returns the scope of a group. If the group has none of its own, changes the scope around it.
    fn inner_scope(
        &self,
        context: ActionContext<'_>,
        group: &Group,
        scope: &mut Scope,
    ) -> Result<Option<Scope>> {
        let keep = context.pairs(&group.keep, scope)?;
        if !context.bool(&group.scoped, scope)? {
            scope.variables.extend(keep);
            return Ok(None);
        }
        let mut inner = if context.bool(&group.forwarding, scope)? {
            scope.clone()
        } else {
            Scope { environment: self.environment.clone(), file: scope.file.clone(), ..Scope::default() }
        };
        inner.variables.extend(keep);
        Ok(Some(inner))
    }

    /// Evaluates another file. As in ROS 2, its changes of the scope stay afterwards.
    fn include(
        &mut self,
        context: ActionContext<'_>,
        include: &Include,
        scope: &mut Scope,
    ) -> Result<StepKind> {
        let file = PathBuf::from(context.text(&include.file, scope)?);
        for argument in &include.arguments {
            let (name, value) = context.pair(argument, scope)?;
            scope.variables.insert(name, value);
        }
        let steps = self.with_include(context, |this| this.file(&file, scope))?;
        Ok(StepKind::Include { file, steps })
    }

    /// Calls a function for an included file. Its errors name the line of the include.
    fn with_include<T>(
        &mut self,
        context: ActionContext<'_>,
        call: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if self.depth == MAX_DEPTH {
            return Err(context.error("too many files include each other"));
        }
        self.depth += 1;
        let result = call(self);
        self.depth -= 1;
        result.map_err(|error| error.included_from(context.origin))
    }

    fn declared_in_file(
        &mut self,
        path: &Path,
        scope: &mut Scope,
        is_conditional: bool,
        declared: &mut Vec<DeclaredArgument>,
    ) -> Result<()> {
        self.with_file(path, scope, |this, actions, scope| {
            this.declared_in(actions, scope, is_conditional, declared)
        })
    }

    fn declared_in(
        &mut self,
        actions: &[Action],
        scope: &mut Scope,
        is_conditional: bool,
        declared: &mut Vec<DeclaredArgument>,
    ) -> Result<()> {
        for action in actions {
            let context = ActionContext { origin: &action.origin, world: self.world };
            let is_conditional = is_conditional || action.condition.is_some();
            match &action.kind {
                ActionKind::Arg(argument) => {
                    if declared.iter().all(|other| other.argument.name != argument.name) {
                        declared.push(DeclaredArgument { argument: argument.clone(), is_conditional });
                    }
                    // The value may be missing: the user wants to see the arguments.
                    let _ = context.change(&action.kind, scope, &self.environment);
                }
                ActionKind::Group(group) => match self.inner_scope(context, group, scope) {
                    Ok(Some(mut inner)) => {
                        self.declared_in(&group.children, &mut inner, is_conditional, declared)?;
                    }
                    _ => self.declared_in(&group.children, scope, is_conditional, declared)?,
                },
                ActionKind::Timer(timer) => {
                    self.declared_in(&timer.children, &mut scope.clone(), true, declared)?;
                }
                ActionKind::Include(include) => {
                    self.declared_in_include(context, include, scope, is_conditional, declared)?;
                }
                other => {
                    let _ = context.change(other, scope, &self.environment);
                }
            }
        }
        Ok(())
    }

    fn declared_in_include(
        &mut self,
        context: ActionContext<'_>,
        include: &Include,
        scope: &mut Scope,
        is_conditional: bool,
        declared: &mut Vec<DeclaredArgument>,
    ) -> Result<()> {
        let Ok(file) = context.text(&include.file, scope) else { return Ok(()) };
        for argument in &include.arguments {
            if let Ok((name, value)) = context.pair(argument, scope) {
                scope.variables.insert(name, value);
            }
        }
        self.with_include(context, |this| {
            this.declared_in_file(Path::new(&file), scope, is_conditional, declared)
        })
    }
}

/// Notes the names of the arguments that actions declare. Evaluates nothing, because commands and functions may have effects.
fn note_arguments(actions: &[Action], names: &mut BTreeSet<String>) {
    for action in actions {
        match &action.kind {
            ActionKind::Arg(argument) => {
                names.insert(argument.name.clone());
            }
            ActionKind::Group(group) => note_arguments(&group.children, names),
            ActionKind::Timer(timer) => note_arguments(&timer.children, names),
            ActionKind::Handler(HandlerAction { reaction: Reaction::Actions(actions), .. }) => {
                note_arguments(actions, names);
            }
            _ => {}
        }
    }
}

/// Whether actions call functions of a launch file, or include another file that may.
fn calls_functions(actions: &[Action]) -> bool {
    actions.iter().any(|action| match &action.kind {
        ActionKind::Opaque(_) | ActionKind::Include(_) => true,
        ActionKind::Group(group) => calls_functions(&group.children),
        _ => false,
    })
}
