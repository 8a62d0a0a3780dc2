//! The simulator and the commander.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use saltus::{
    Context, Executor, SingleThreadedExecutor, Subscription,
    context::ContextOptions,
    executor::ExecutorHandle,
    msgs::{
        geometry_msgs::msg::Twist,
        nav_msgs::msg::Odometry,
        nav2_msgs::action::{NavigateToPose, NavigateToPose_Feedback},
    },
    types::lock,
};
use saltus_commander::{CommandError, Commander, Outcome, Task};
use saltus_motion::{Pose, wrapped};
use saltus_sim_node::{Options, load_world, run};

use super::types::sleep;
use crate::error::RunError;

/// Where the robot starts, and where it drives to, as published.
const START: Pose = Pose::new(-2.0, -0.5, 0.0);
const GOAL: Pose = Pose::new(1.4, -1.6, 0.0);
/// The longest time that the stack may need to be ready.
const READY: Duration = Duration::from_secs(30);
/// The smallest distance between the points of a path, in metres.
const STEP: f64 = 0.02;
/// The longest time to wait for a velocity, and for the end of a task.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(5);

/// The simulator and the commander, in this process, which is not counted.
pub(super) struct Field {
    context: Context,
    commander: Commander,
    /// When a velocity was commanded, and whether it is 0.
    velocities: Receiver<(Instant, bool)>,
    pose: Arc<Mutex<Pose>>,
    path: Arc<Mutex<Vec<[f64; 2]>>>,
    executor: ExecutorHandle,
    threads: Vec<JoinHandle<Result<(), String>>>,
    _subscriptions: (Subscription<Twist>, Subscription<Odometry>),
}

fn from_goal(pose: &Pose) -> [f64; 2] {
    [pose.distance(&GOAL), wrapped(pose.yaw - GOAL.yaw).abs()]
}

fn failed(error: impl std::fmt::Display) -> RunError {
    RunError::Failed("the simulator and the commander".into(), error.to_string())
}

fn commanded(error: CommandError) -> RunError {
    match error {
        CommandError::Interrupted => RunError::Interrupted,
        error => failed(error),
    }
}

impl Field {
    pub(super) fn start(shm: &Path) -> Result<Self, RunError> {
        let context = ContextOptions::default().folder(shm).handle_signals(false).create().map_err(failed)?;
        let world = load_world("turtlebot3_world").map_err(failed)?;
        let node = context.node("commander").create().map_err(failed)?;
        let (sender, velocities) = channel();
        let tell = move |twist: Twist| {
            let is_still = twist.linear.x.abs() < 1e-6 && twist.angular.z.abs() < 1e-6;
            let _ = sender.send((Instant::now(), is_still));
        };
        let pose = Arc::<Mutex<Pose>>::default();
        let path = Arc::<Mutex<Vec<[f64; 2]>>>::default();
        let (set, add) = (pose.clone(), path.clone());
        let see = move |odometry: Odometry| {
            if let Some(seen) = saltus_nav_server::from_pose(&odometry.pose.pose) {
                *lock(&set) = seen;
                let mut path = lock(&add);
                if path.last().is_none_or(|[x, y]| (seen.x - x).hypot(seen.y - y) >= STEP) {
                    path.push([seen.x, seen.y]);
                }
            }
        };
        let subscriptions = (
            node.subscription("cmd_vel").callback(tell).map_err(failed)?,
            node.subscription("odom").callback(see).map_err(failed)?,
        );
        let commander = Commander::new(&node).map_err(failed)?;
        let mut executor = SingleThreadedExecutor::new(&context).map_err(failed)?;
        executor.add_node(&node);
        let handle = executor.handle();
        let simulated = context.clone();
        let simulating = thread::spawn(move || {
            run(&simulated, &world, &Options::default()).map(drop).map_err(|error| error.to_string())
        });
        let spinning = thread::spawn(move || executor.spin().map_err(|error| error.to_string()));
        Ok(Self {
            context,
            commander,
            velocities,
            pose,
            path,
            executor: handle,
            threads: vec![simulating, spinning],
            _subscriptions: subscriptions,
        })
    }

    /// Waits until the robot knows where it is and can navigate.
    pub(super) fn wait_until_found(&self) -> Result<(), RunError> {
        self.commander.wait_until_found(&START, READY).map_err(commanded)
    }

    pub(super) fn go_to_goal(&self) -> Result<Task<NavigateToPose>, RunError> {
        self.commander.go_to(&GOAL).map_err(commanded)
    }

    /// Returns when the goal was reached; `None` if it was not yet. Takes at most 0.1 s, as published.
    pub(super) fn poll(&self, task: &mut Task<NavigateToPose>) -> Result<Option<Instant>, RunError> {
        match task.poll(Duration::from_millis(100)).map_err(commanded)? {
            None => Ok(None),
            Some(Outcome::Succeeded) => Ok(Some(self.last_stop())),
            Some(outcome) => Err(failed(format!("the goal has ended: {outcome:?}"))),
        }
    }

    /// Returns when the robot was told last to stop.
    fn last_stop(&self) -> Instant {
        let stops = self.velocities.try_iter().filter(|(_, is_still)| *is_still);
        stops.last().map_or_else(Instant::now, |(time, _)| time)
    }

    /// Returns how far the robot really is from the goal: metres, and radians.
    pub(super) fn error(&self) -> [f64; 2] {
        from_goal(&lock(&self.pose))
    }

    /// Returns where the robot really was until now, every few centimetres.
    pub(super) fn path(&self) -> Vec<[f64; 2]> {
        lock(&self.path).clone()
    }

    /// Returns how far the robot was from the goal in its last feedback, as it estimates itself.
    pub(super) fn estimate(&self, task: &Task<NavigateToPose>) -> [f64; 2] {
        let pose =
            task.feedback().and_then(|feedback| saltus_nav_server::from_pose(&feedback.current_pose.pose));
        pose.map_or([f64::NAN; 2], |pose| from_goal(&pose))
    }

    pub(super) fn recoveries(&self, task: &Task<NavigateToPose>) -> i16 {
        task.feedback().map_or(0, |feedback: NavigateToPose_Feedback| feedback.number_of_recoveries)
    }

    /// Returns the time from the request of a goal to the first velocity, and from the end of the request to cancel it to the
    /// velocity 0.
    pub(super) fn latencies(&self, drive: Duration) -> Result<(f64, f64), RunError> {
        self.velocities.try_iter().for_each(drop);
        let begin = Instant::now();
        let mut task = self.commander.go_to(&START).map_err(commanded)?;
        let start = self.wait_for(false)?.saturating_duration_since(begin).as_secs_f64();
        sleep(drive)?;
        self.velocities.try_iter().for_each(drop);
        task.cancel(COMMAND_TIMEOUT).map_err(commanded)?;
        let canceled = Instant::now();
        // It may be there before the answer.
        let cancel = self.wait_for(true)?.saturating_duration_since(canceled).as_secs_f64();
        task.wait(COMMAND_TIMEOUT).map_err(commanded)?;
        Ok((start, cancel))
    }

    /// Returns when a velocity came that is 0, or one that is not.
    fn wait_for(&self, stillness: bool) -> Result<Instant, RunError> {
        let end = Instant::now() + COMMAND_TIMEOUT;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let (time, is_still) =
                self.velocities.recv_timeout(left).map_err(|_| failed("no velocity was commanded"))?;
            if is_still == stillness {
                return Ok(time);
            }
        }
    }

    /// Ends the simulator.
    pub(super) fn end(mut self) -> Result<(), RunError> {
        self.context.shut_down();
        for thread in std::mem::take(&mut self.threads) {
            let ended = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            ended.map_err(failed)?;
        }
        Ok(())
    }
}

impl Drop for Field {
    fn drop(&mut self) {
        self.context.shut_down();
        self.executor.cancel();
        for thread in std::mem::take(&mut self.threads) {
            // The error that ended the measurement is reported.
            let _ = thread.join();
        }
    }
}
