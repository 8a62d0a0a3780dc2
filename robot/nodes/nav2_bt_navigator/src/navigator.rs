//! The work of the two actions: a tree that is ticked for a goal.

use std::{
    marker::PhantomData,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use saltus::{
    Publisher,
    action::GoalHandle,
    cdr::Action,
    component::ComponentError,
    lifecycle::LifecycleNode,
    msgs::{
        nav_msgs::msg::Path,
        nav2_msgs::msg::{BehaviorTreeLog, BehaviorTreeStatusChange},
    },
    types::lock,
};
use saltus_behavior_tree::{Boards, Factory, FromValue, Status, Tree, Value};
use saltus_motion::path;
use saltus_nav_server::{from_path, time_since_start};
use saltus_server::{Cycle, CycleServer, CyclicWork, GoalOutcome, Goals, Parameters};

use crate::{
    goals::{Goal, ROOT, Travel},
    world::World,
};
use nav2_behavior_tree::load;

/// The action of the navigator that has a goal, if there is one. Navigators share it.
pub(crate) type Busy = Arc<Mutex<Option<&'static str>>>;

/// A function that returns a factory with all nodes.
pub(crate) type MakeFactory = Arc<dyn Fn(&Arc<World>) -> Factory<()> + Send + Sync>;

/// Navigates to the goals of an action.
pub(crate) struct Navigator<G: Goal> {
    world: Arc<World>,
    make: MakeFactory,
    settings: NavigatorSettings,
    busy: Busy,
    log: Publisher<BehaviorTreeLog>,
    /// The tree, and its file.
    tree: Option<(String, Tree<()>)>,
    /// The time at which the goal began, if there is one.
    since: Option<Duration>,
    /// The time until which the next goal waits for the pose of the robot.
    waits_until: Option<Instant>,
    goal: PhantomData<fn() -> G>,
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

/// The default names of the codes of errors.
const CODES: [&str; 2] = ["follow_path_error_code", "compute_path_error_code"];
/// The longest time that a goal waits for the pose of the robot. AMCL publishes the transform of the robot for a time that is a second
/// ahead, so that a node that has just been configured does not know the pose at first.
const WAIT_FOR_POSE: Duration = Duration::from_secs(2);
/// The speed in m/s and the distance in metres below which the remaining time is 0 in the feedback.
const SLOW: f64 = 0.01;
const NEAR: f64 = 0.1;

impl<G: Goal> CyclicWork for Navigator<G> {
    type Action = G::Action;

    /// Loads the default tree.
    fn start(&mut self) -> bool {
        let file = self.settings.tree.clone();
        if let Err(error) = self.load(&file) {
            saltus::error!(self.world.logger(), "Exception when loading BT: {error}");
            saltus::error!(self.world.logger(), "Error loading XML file: {file}");
            return false;
        }
        true
    }

    fn cycle(&mut self, cycle: &Cycle<'_, G::Action>) -> bool {
        match self.since {
            Some(since) => self.tick(cycle.goals, since),
            None => self.begin(cycle.goals),
        }
    }

    fn reacts(&self, _goals: &Goals<G::Action>) -> bool {
        true
    }

    fn stop(&mut self, _node: &LifecycleNode) {
        if self.since.take().is_some() {
            self.halt();
            *lock(&self.busy) = None;
        }
        self.tree = None;
        self.waits_until = None;
    }
}

impl<G: Goal> Navigator<G> {
    /// Opens the action.
    pub(crate) fn open(
        node: &LifecycleNode,
        world: &Arc<World>,
        parameters: &Parameters,
        make: &MakeFactory,
        busy: &Busy,
    ) -> Result<CycleServer<Self>, ComponentError> {
        let settings = NavigatorSettings {
            tree: parameters.text(G::TREE.0, G::TREE.1)?,
            goal_key: parameters.text(G::KEY.0, G::KEY.1)?,
            path_key: parameters.text("path_blackboard_id", "path")?,
            codes: parameters.texts("error_code_names", &CODES)?,
            always_reloads: parameters.get("always_reload_bt_xml", false)?,
        };
        let navigator = Self {
            world: world.clone(),
            make: make.clone(),
            settings,
            busy: busy.clone(),
            log: world.node.publisher("behavior_tree_log").create()?,
            tree: None,
            since: None,
            waits_until: None,
            goal: PhantomData,
        };
        let timeout = parameters.seconds("action_server_result_timeout", 900.0)?;
        // As in Nav2, a tree is ticked in real time.
        let timer = node.wall_timer(world.settings.loop_duration);
        Ok(CycleServer::open(node, &world.group, G::NAME, timeout, timer, navigator)?)
    }

    fn now(&self) -> Duration {
        time_since_start(self.world.node.clock().now())
    }

    /// Loads a tree, unless it is loaded already.
    fn load(&mut self, file: &str) -> Result<(), String> {
        let is_loaded = self.tree.as_ref().is_some_and(|(known, _)| known == file);
        if is_loaded && !self.settings.always_reloads {
            return Ok(());
        }
        let mut factory = (self.make)(&self.world);
        load(&mut factory, file).map_err(|error| error.to_string())?;
        let mut boards = Boards::new();
        boards.set(ROOT, "number_recoveries", 0_i64.into());
        let tree = factory.create_main_with(boards).map_err(|error| error.to_string())?;
        self.tree = Some((file.to_owned(), tree));
        Ok(())
    }

    /// Begins with a new goal, if there is one and the pose of the robot is known. Returns whether the work goes on.
    fn begin(&mut self, goals: &Goals<G::Action>) -> bool {
        if !goals.has_pending() {
            self.waits_until = None;
            return false;
        }
        if !goals.is_canceled() && self.must_wait() {
            return true;
        }
        self.waits_until = None;
        let Some(handle) = goals.take() else { return false };
        match self.begin_with(&handle) {
            Ok(since) => self.tick(goals, since),
            Err(text) => {
                saltus::error!(self.world.logger(), "{text}");
                goals.end(GoalOutcome::Aborted, G::result(0, text));
                false
            }
        }
    }

    /// Whether the next goal waits until the pose of the robot is known.
    fn must_wait(&mut self) -> bool {
        let settings = &self.world.settings;
        let is_known = self.world.frames.pose(&settings.global_frame, &settings.base_frame).is_ok();
        let end = *self.waits_until.get_or_insert_with(|| Instant::now() + WAIT_FOR_POSE);
        let waits = !is_known && Instant::now() < end;
        if !waits {
            self.waits_until = None;
        }
        waits
    }

    /// Puts a new goal on the blackboard. Returns the time.
    fn begin_with(&mut self, handle: &GoalHandle<G::Action>) -> Result<Duration, String> {
        let goal = handle.goal_value().map_err(|error| error.to_string())?;
        let busy = self.busy.clone();
        let mut busy = lock(&busy);
        if busy.is_some() {
            return Err(format!(
                "Requested navigation from {} while another navigator is processing, rejecting request.",
                G::NAME
            ));
        }
        let file = self.file(&goal);
        if let Err(error) = self.load(&file) {
            return Err(format!("{error}. Navigation canceled."));
        }
        let now = self.now();
        let Some((_, tree)) = &mut self.tree else { return Err("there is no tree".into()) };
        if !G::start(&goal, &self.world, &self.settings.goal_key, tree.boards_mut()) {
            return Err("it is not known where the robot or the goal is".into());
        }
        tree.boards_mut().set(ROOT, "number_recoveries", 0_i64.into());
        self.since = Some(now);
        *busy = Some(G::NAME);
        Ok(now)
    }

    /// Returns the file with the tree of a goal.
    fn file(&self, goal: &<G::Action as Action>::Goal) -> String {
        let own = G::tree(goal);
        if own.is_empty() { self.settings.tree.clone() } else { own.to_owned() }
    }

    /// Ticks the tree for a goal that began at a time. Returns whether the work goes on.
    fn tick(&mut self, goals: &Goals<G::Action>, since: Duration) -> bool {
        if goals.is_canceled() {
            return self.end(goals, GoalOutcome::Canceled, String::new());
        }
        let now = self.now();
        let Some((_, tree)) = &mut self.tree else { return false };
        match tree.tick(&mut (), now) {
            Ok(Status::Running | Status::Idle) => {
                self.publish_log();
                self.publish_feedback(goals, now.saturating_sub(since));
                match self.take_newer(goals) {
                    true => {
                        let text = "the goal that replaced this one was canceled";
                        self.end(goals, GoalOutcome::Aborted, text.into())
                    }
                    false => true,
                }
            }
            Ok(Status::Success) => self.end(goals, GoalOutcome::Succeeded, String::new()),
            Ok(status) => self.end(goals, GoalOutcome::Aborted, format!("the tree has ended with {status}")),
            Err(error) => {
                saltus::error!(
                    self.world.logger(),
                    "Behavior tree threw exception: {error}. Exiting with failure."
                );
                self.end(goals, GoalOutcome::Aborted, error.to_string())
            }
        }
    }

    /// Takes a newer goal, if it has the same tree. The tree is not halted. Returns whether the newer goal was canceled after the tree had
    /// got it.
    fn take_newer(&mut self, goals: &Goals<G::Action>) -> bool {
        let Some(pending) = goals.pending() else { return false };
        if self.must_wait() {
            return false;
        }
        saltus::info!(self.world.logger(), "Received goal preemption request");
        let Ok(goal) = pending.goal_value() else {
            goals.refuse(&pending);
            return false;
        };
        let (file, now) = (self.file(&goal), self.now());
        let Some((loaded, tree)) = &mut self.tree else { return false };
        if file != *loaded {
            saltus::warn!(
                self.world.logger(),
                "Preemption request was rejected since the requested BT XML file is not the same as the one that the \
                 current goal is executing. Preemption with a new BT is invalid since it would require cancellation of \
                 the previous goal instead of true preemption.\nCancel the current goal and send a new action request if \
                 you want to use a different BT XML file. For now, continuing to track the last goal until completion."
            );
            goals.refuse(&pending);
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
            goals.refuse(&pending);
            return false;
        }
        if goals.take_this(&pending).is_some() {
            boards.set(ROOT, "number_recoveries", 0_i64.into());
            self.since = Some(now);
            return false;
        }
        // If an even newer goal has replaced it, that one is taken in the next tick. It may be refused.
        if let Some(before) = before {
            boards.set(ROOT, key, before);
        }
        !goals.has_pending()
    }

    /// Ends the goal. Returns that the work does not go on.
    fn end(&mut self, goals: &Goals<G::Action>, outcome: GoalOutcome, text: String) -> bool {
        self.halt();
        self.since = None;
        let code = self.take_code();
        *lock(&self.busy) = None;
        let logger = self.world.logger();
        match outcome {
            GoalOutcome::Succeeded => saltus::info!(logger, "Goal succeeded"),
            GoalOutcome::Aborted => saltus::error!(logger, "Goal failed"),
            GoalOutcome::Canceled => saltus::info!(logger, "Goal canceled"),
        }
        goals.end(outcome, G::result(code, text));
        false
    }

    /// Halts the tree.
    fn halt(&mut self) {
        let now = self.now();
        if let Some((_, tree)) = &mut self.tree {
            if let Err(error) = tree.halt(&mut (), now) {
                saltus::error!(self.world.logger(), "{error}");
            }
            self.publish_log();
        }
    }

    /// Returns the lowest code of an error, and resets all codes.
    fn take_code(&mut self) -> u16 {
        let Some((_, tree)) = &mut self.tree else { return 0 };
        let boards = tree.boards_mut();
        let codes = self.settings.codes.iter();
        let values = codes.clone().filter_map(|name| i64::from_value(boards.get(ROOT, name)?).ok());
        let lowest = values.filter(|code| *code != 0).min().unwrap_or(0);
        codes.for_each(|name| boards.set(ROOT, name, 0_i64.into()));
        u16::try_from(lowest).unwrap_or(u16::MAX)
    }

    /// Publishes the nodes whose status has changed.
    fn publish_log(&mut self) {
        let Some((_, tree)) = &mut self.tree else { return };
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
        // A failure does not matter: the next message comes soon.
        let _ = self.log.publish(&BehaviorTreeLog { timestamp: now.into(), event_log });
    }

    /// Publishes the feedback with the progress of the robot.
    fn publish_feedback(&self, goals: &Goals<G::Action>, elapsed: Duration) {
        let (Some(handle), Some((_, tree))) = (goals.current(), &self.tree) else { return };
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
