//! A tree that is ticked for goals.

use std::{
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

use saltus::{
    Publisher, Timer,
    action::GoalHandle,
    cdr::Action,
    component::ComponentError,
    msgs::{
        nav_msgs::msg::Path,
        nav2_msgs::msg::{BehaviorTreeLog, BehaviorTreeStatusChange},
    },
    types::lock,
};
use saltus_behavior_tree::{Boards, Factory, FromValue, Status, Tree, Value};
use saltus_motion::path;
use saltus_nav_server::{from_path, time_since_start};
use saltus_server::{Ended, Parameters, Tasks};

use crate::{
    goals::{Goal, ROOT, Travel},
    world::World,
};
use nav2_behavior_tree::load;

/// Which of several navigators has a goal.
pub(crate) type Busy = Arc<Mutex<Option<&'static str>>>;

/// Makes a factory with all nodes.
pub(crate) type MakeFactory = Arc<dyn Fn(&Arc<World>) -> Factory<()> + Send + Sync>;

/// Navigates to goals of an action.
pub(crate) struct Navigator<G: Goal> {
    world: Arc<World>,
    make: MakeFactory,
    settings: NavigatorSettings,
    busy: Busy,
    log: Publisher<BehaviorTreeLog>,
    state: Mutex<State>,
    /// Set once, after what its callbacks use.
    task: OnceLock<(Tasks<G::Action>, Timer)>,
}

struct NavigatorSettings {
    /// The tree, if a goal has no other.
    tree: String,
    /// The names of the goal and of the path on the blackboard.
    goal_key: String,
    path_key: String,
    /// The names of the codes of errors on the blackboard.
    codes: Vec<String>,
    always_reloads: bool,
}

#[derive(Default)]
struct State {
    /// The tree, and its file.
    tree: Option<(String, Tree<()>)>,
    /// When the goal began, if there is one.
    since: Option<Duration>,
    /// Whether goals are accepted. A goal that has just been accepted may come after the deactivation.
    is_active: bool,
    /// Until when the next goal waits for the pose of the robot.
    waits_until: Option<Instant>,
}

/// The names of the codes of errors, if the user says nothing else.
const CODES: [&str; 2] = ["follow_path_error_code", "compute_path_error_code"];
/// How long a goal waits for the pose of the robot. AMCL says where the robot is for a second ahead, so that a node which has just
/// been configured does not know it at first.
const WAIT_FOR_POSE: Duration = Duration::from_secs(2);
/// Below this speed and distance, nothing is said about the time that is left.
const SLOW: f64 = 0.01;
const NEAR: f64 = 0.1;

impl<G: Goal> Navigator<G> {
    /// Opens the action.
    pub(crate) fn open(
        world: &Arc<World>,
        parameters: &Parameters,
        make: &MakeFactory,
        busy: &Busy,
        timeout: Duration,
    ) -> Result<Arc<Self>, ComponentError> {
        let settings = NavigatorSettings {
            tree: parameters.text(G::TREE.0, G::TREE.1)?,
            goal_key: parameters.text(G::KEY.0, G::KEY.1)?,
            path_key: parameters.text("path_blackboard_id", "path")?,
            codes: parameters.texts("error_code_names", &CODES)?,
            always_reloads: parameters.get("always_reload_bt_xml", false)?,
        };
        let navigator = Arc::new(Self {
            world: world.clone(),
            make: make.clone(),
            settings,
            busy: busy.clone(),
            log: world.node.publisher("behavior_tree_log").create()?,
            state: Mutex::default(),
            task: OnceLock::new(),
        });
        let (weak, ticked) = (Arc::downgrade(&navigator), Arc::downgrade(&navigator));
        let tick = move || ticked.upgrade().iter().for_each(|navigator| navigator.tick());
        let changed = move || weak.upgrade().iter().for_each(|navigator| navigator.changed());
        // As in Nav2, a tree is ticked in real time.
        let period = world.settings.loop_duration;
        let timer = world.node.wall_timer(period).callback_group(&world.group).callback(tick)?;
        timer.cancel();
        let tasks = Tasks::open(&world.node, &world.group, G::NAME, timeout, changed)?;
        let _ = navigator.task.set((tasks, timer));
        Ok(navigator)
    }

    /// Loads the default tree, and accepts goals from now on. Returns whether that is possible.
    pub(crate) fn activate(&self) -> bool {
        {
            let mut state = lock(&self.state);
            if let Err(error) = self.load(&mut state, &self.settings.tree) {
                saltus::error!(self.world.logger(), "Exception when loading BT: {error}");
                saltus::error!(self.world.logger(), "Error loading XML file: {}", self.settings.tree);
                return false;
            }
            state.is_active = true;
        }
        self.task.get().iter().for_each(|(tasks, _)| tasks.activate());
        true
    }

    /// Ends the goal, and accepts no others.
    pub(crate) fn deactivate(&self) {
        let Some((tasks, timer)) = self.task.get() else { return };
        {
            let mut state = lock(&self.state);
            state.is_active = false;
            timer.cancel();
            let is_busy = state.since.take().is_some();
            if is_busy {
                self.halt(&mut state);
            }
            state.tree = None;
            state.waits_until = None;
            drop(state);
            if is_busy {
                *lock(&self.busy) = None;
            }
        }
        tasks.deactivate();
    }

    /// Ticks the tree at once, if it runs.
    pub(crate) fn wake(&self) {
        if self.task.get().is_some_and(|(_, timer)| !timer.is_cancelled()) {
            self.tick();
        }
    }

    fn now(&self) -> Duration {
        time_since_start(self.world.node.clock().now())
    }

    /// Loads a tree, if it is not there already.
    fn load(&self, state: &mut State, file: &str) -> Result<(), String> {
        let is_there = state.tree.as_ref().is_some_and(|(known, _)| known == file);
        if is_there && !self.settings.always_reloads {
            return Ok(());
        }
        let mut factory = (self.make)(&self.world);
        load(&mut factory, file)?;
        let mut boards = Boards::new();
        boards.set(ROOT, "number_recoveries", 0_i64.into());
        let tree = factory.create_main_with(boards).map_err(|error| error.to_string())?;
        state.tree = Some((file.to_owned(), tree));
        Ok(())
    }

    /// There is a goal, or its client does not want it any more.
    fn changed(&self) {
        let Some((_, timer)) = self.task.get() else { return };
        if timer.is_cancelled() {
            self.begin();
        } else {
            self.tick();
        }
    }

    /// Begins with a new goal, if there is one and if it is known where the robot is.
    fn begin(&self) {
        let Some((tasks, timer)) = self.task.get() else { return };
        // When a goal fails, its client may have sent the next one already. That one may wait as long as any other.
        while let Some(handle) = self.next_goal(tasks, timer) {
            match self.start(&handle) {
                Ok(()) => {
                    timer.reset();
                    self.tick();
                    return;
                }
                Err(text) => {
                    saltus::error!(self.world.logger(), "{text}");
                    tasks.end(Ended::Aborted, G::result(0, text));
                }
            }
        }
    }

    /// Takes the next goal, if there is one. If that goal must wait, it is not taken, and the timer runs.
    fn next_goal(&self, tasks: &Tasks<G::Action>, timer: &Timer) -> Option<GoalHandle<G::Action>> {
        let is_there = tasks.has_pending();
        {
            let mut state = lock(&self.state);
            if is_there && !tasks.is_canceled() && self.must_wait(&mut state) {
                timer.reset();
                return None;
            }
            state.waits_until = None;
        }
        // A goal that comes after the check above calls `changed` again.
        if is_there { tasks.take() } else { None }
    }

    /// Whether the next goal waits until it is known where the robot is.
    fn must_wait(&self, state: &mut State) -> bool {
        let settings = &self.world.settings;
        let is_known = self.world.frames.pose(&settings.global_frame, &settings.base_frame).is_ok();
        let end = *state.waits_until.get_or_insert_with(|| Instant::now() + WAIT_FOR_POSE);
        let waits = state.is_active && !is_known && Instant::now() < end;
        if !waits {
            state.waits_until = None;
        }
        waits
    }

    /// Puts a new goal on the blackboard.
    fn start(&self, handle: &GoalHandle<G::Action>) -> Result<(), String> {
        let goal = handle.goal_value().map_err(|error| error.to_string())?;
        let mut busy = lock(&self.busy);
        if busy.is_some() {
            return Err(format!(
                "Requested navigation from {} while another navigator is processing, rejecting request.",
                G::NAME
            ));
        }
        let mut state = lock(&self.state);
        if !state.is_active {
            return Err("the navigator is not active".into());
        }
        let file = self.file(&goal);
        if let Err(error) = self.load(&mut state, &file) {
            return Err(format!("{error}. Navigation canceled."));
        }
        let Some((_, tree)) = &mut state.tree else { return Err("there is no tree".into()) };
        if !G::start(&goal, &self.world, &self.settings.goal_key, tree.boards_mut()) {
            return Err("it is not known where the robot or the goal is".into());
        }
        tree.boards_mut().set(ROOT, "number_recoveries", 0_i64.into());
        state.since = Some(self.now());
        *busy = Some(G::NAME);
        Ok(())
    }

    /// Returns the file with the tree of a goal.
    fn file(&self, goal: &<G::Action as Action>::Goal) -> String {
        let own = G::tree(goal);
        if own.is_empty() { self.settings.tree.clone() } else { own.to_owned() }
    }

    /// Ticks the tree.
    fn tick(&self) {
        let Some((tasks, timer)) = self.task.get() else { return };
        let mut state = lock(&self.state);
        let Some(since) = state.since else {
            timer.cancel();
            drop(state);
            return self.begin();
        };
        if tasks.is_canceled() {
            return self.end(state, Ended::Canceled, String::new());
        }
        let now = self.now();
        let Some((_, tree)) = &mut state.tree else { return };
        match tree.tick(&mut (), now) {
            Ok(Status::Running | Status::Idle) => {
                self.publish_log(tree);
                self.tell(tasks, tree, now.saturating_sub(since));
                if self.take_newer(tasks, &mut state) {
                    self.end(state, Ended::Aborted, "the goal that replaced this one was canceled".into());
                }
            }
            Ok(Status::Success) => self.end(state, Ended::Succeeded, String::new()),
            Ok(status) => self.end(state, Ended::Aborted, format!("the tree has ended with {status}")),
            Err(error) => {
                saltus::error!(
                    self.world.logger(),
                    "Behavior tree threw exception: {error}. Exiting with failure."
                );
                self.end(state, Ended::Aborted, error.to_string());
            }
        }
    }

    /// Takes a newer goal, if it has the same tree. The tree is not halted. Returns whether the newer goal was canceled when the tree
    /// had it already.
    fn take_newer(&self, tasks: &Tasks<G::Action>, state: &mut State) -> bool {
        let Some(pending) = tasks.pending() else { return false };
        if self.must_wait(state) {
            return false;
        }
        saltus::info!(self.world.logger(), "Received goal preemption request");
        let Ok(goal) = pending.goal_value() else {
            tasks.refuse(&pending);
            return false;
        };
        let Some((file, tree)) = &mut state.tree else { return false };
        if self.file(&goal) != *file {
            saltus::warn!(
                self.world.logger(),
                "Preemption request was rejected since the requested BT XML file is not the same as the one that the \
                 current goal is executing. Preemption with a new BT is invalid since it would require cancellation of \
                 the previous goal instead of true preemption.\nCancel the current goal and send a new action request if \
                 you want to use a different BT XML file. For now, continuing to track the last goal until completion."
            );
            tasks.refuse(&pending);
            return false;
        }
        let (boards, key) = (tree.boards_mut(), &self.settings.goal_key);
        let before = boards.get(ROOT, key).cloned();
        if !G::start(&goal, &self.world, key, boards) {
            saltus::warn!(
                self.world.logger(),
                "Preemption request was rejected since the goal pose could not be transformed. For now, continuing to \
                 track the last goal until completion."
            );
            tasks.refuse(&pending);
            return false;
        }
        if tasks.take_this(&pending).is_some() {
            boards.set(ROOT, "number_recoveries", 0_i64.into());
            state.since = Some(self.now());
            return false;
        }
        // If an even newer goal has replaced it, that one is taken in the next tick. It may be refused.
        if let Some(before) = before {
            boards.set(ROOT, key, before);
        }
        !tasks.has_pending()
    }

    /// Ends the goal.
    fn end(&self, mut state: std::sync::MutexGuard<'_, State>, how: Ended, text: String) {
        let Some((tasks, timer)) = self.task.get() else { return };
        timer.cancel();
        self.halt(&mut state);
        state.since = None;
        let code = state.tree.as_mut().map_or(0, |(_, tree)| self.take_code(tree.boards_mut()));
        drop(state);
        *lock(&self.busy) = None;
        let logger = self.world.logger();
        match how {
            Ended::Succeeded => saltus::info!(logger, "Goal succeeded"),
            Ended::Aborted => saltus::error!(logger, "Goal failed"),
            Ended::Canceled => saltus::info!(logger, "Goal canceled"),
        }
        tasks.end(how, G::result(code, text));
        // The one that came meanwhile.
        self.begin();
    }

    fn halt(&self, state: &mut State) {
        if let Some((_, tree)) = &mut state.tree {
            if let Err(error) = tree.halt(&mut (), self.now()) {
                saltus::error!(self.world.logger(), "{error}");
            }
            self.publish_log(tree);
        }
    }

    /// Returns the lowest code of an error, and forgets all.
    fn take_code(&self, boards: &mut Boards) -> u16 {
        let codes = self.settings.codes.iter();
        let values = codes.clone().filter_map(|name| i64::from_value(boards.get(ROOT, name)?).ok());
        let lowest = values.filter(|code| *code != 0).min().unwrap_or(0);
        codes.for_each(|name| boards.set(ROOT, name, 0_i64.into()));
        u16::try_from(lowest).unwrap_or(u16::MAX)
    }

    /// Publishes the nodes whose status has changed.
    fn publish_log(&self, tree: &mut Tree<()>) {
        let changes = tree.take_changes();
        if changes.is_empty() || self.log.subscription_count() == 0 {
            return;
        }
        let now = self.world.node.clock().now();
        let event = |change: saltus_behavior_tree::Change| BehaviorTreeStatusChange {
            timestamp: saltus::Time::from_nanos(i64::try_from(change.time.as_nanos()).unwrap_or(i64::MAX))
                .into(),
            node_name: change.name,
            uid: change.uid,
            previous_status: change.before.to_string(),
            current_status: change.after.to_string(),
        };
        let event_log = changes.into_iter().map(event).collect();
        // The next one comes soon.
        let _ = self.log.publish(&BehaviorTreeLog { timestamp: now.into(), event_log });
    }

    /// Tells the client how far the robot is.
    fn tell(&self, tasks: &Tasks<G::Action>, tree: &Tree<()>, elapsed: Duration) {
        let Some(handle) = tasks.current() else { return };
        let settings = &self.world.settings;
        let boards = tree.boards();
        let Some(pose) = self.world.robot_message(&settings.global_frame, &settings.base_frame) else {
            saltus::error!(self.world.logger(), "Robot pose is not available.");
            return;
        };
        let path =
            boards.get(ROOT, &self.settings.path_key).and_then(|path| Arc::<Path>::from_value(path).ok());
        let robot = saltus_nav_server::from_pose(&pose.pose).unwrap_or_default();
        let distance =
            path.and_then(|path| from_path(&path)).map_or(0.0, |path| path::remaining(&path, &robot));
        let speed = self.world.odometry.velocity().speed();
        let remaining = if speed > SLOW && distance > NEAR { distance / speed } else { 0.0 };
        let recoveries = boards.get(ROOT, "number_recoveries").and_then(Value::number).unwrap_or(0.0);
        let travel = Travel {
            pose,
            elapsed,
            remaining: Duration::from_secs_f64(remaining.min(86_400.0)),
            recoveries: recoveries as i16,
            distance,
        };
        // The client may have closed.
        let _ = handle.publish_feedback(&G::feedback(travel, &self.settings.goal_key, boards));
    }
}
