//! The controller DWB.

use std::collections::BTreeMap;

use saltus_motion::{ControlError, Controller, Pose, Situation, SpeedLimit, Velocity};

use crate::{
    context::Context,
    critic::{Critic, Illegal},
    evaluation::{Evaluation, Scored},
    kinematics::Kinematics,
    samples::samples,
    trajectory::{Simulation, Trajectory},
    window::Window,
};

/// The settings of the controller, besides its critics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DwbSettings {
    /// The limits of the robot.
    pub kinematics: Kinematics,
    /// The number of velocities that are tried on each axis: forward, to the left, and turning.
    pub samples: [u32; 3],
    /// The settings of the simulation of trajectories.
    pub simulation: Simulation,
    /// The part of the path that counts.
    pub window: Window,
    /// Whether the part of the path behind the robot is discarded.
    pub prunes: bool,
    /// Whether critics skip a trajectory that is already worse than the best one.
    pub short_circuits: bool,
    /// Whether all trajectories are kept for [`Dwb::evaluation`].
    pub keeps_evaluation: bool,
}

impl Default for DwbSettings {
    fn default() -> Self {
        Self {
            kinematics: Kinematics::default(),
            samples: [20, 5, 20],
            simulation: Simulation::default(),
            window: Window::default(),
            prunes: true,
            short_circuits: true,
            keeps_evaluation: false,
        }
    }
}

/// The controller DWB.
pub struct Dwb {
    settings: DwbSettings,
    /// The name, the scale and the critic of each entry.
    critics: Vec<(String, f64, Box<dyn Critic>)>,
    limit: SpeedLimit,
    /// The index of the first pose of the path that is not discarded.
    start: usize,
    local_path: Vec<Pose>,
    best: Trajectory,
    evaluation: Evaluation,
}

impl Dwb {
    /// Creates a controller. Each critic has a name, and a scale by which its scores are multiplied.
    pub fn new(settings: DwbSettings, critics: Vec<(String, f64, Box<dyn Critic>)>) -> Self {
        Self {
            settings,
            critics,
            limit: SpeedLimit::None,
            start: 0,
            local_path: Vec::new(),
            best: Trajectory::default(),
            evaluation: Evaluation::default(),
        }
    }

    /// Returns the settings for changes.
    pub fn settings_mut(&mut self) -> &mut DwbSettings {
        &mut self.settings
    }

    /// Returns the names of the critics.
    pub fn critics(&self) -> impl Iterator<Item = &str> {
        self.critics.iter().map(|(name, ..)| name.as_str())
    }

    /// Returns the part of the path that counted in the last cycle.
    pub fn local_path(&self) -> &[Pose] {
        &self.local_path
    }

    /// Returns the best trajectory of the last cycle.
    pub fn best(&self) -> &Trajectory {
        &self.best
    }

    /// Returns all trajectories of the last cycle, if the settings keep them.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// Selects the part of the path near the robot. Returns the end of the whole path.
    fn shorten(&mut self, situation: &Situation<'_>) -> Result<Pose, ControlError> {
        let part = self.settings.window.select(situation.map, &situation.robot, situation.path, self.start);
        self.local_path.clear();
        self.local_path.extend_from_slice(&situation.path[part.clone()]);
        if self.settings.prunes {
            self.start = part.start;
        }
        match situation.path.last() {
            Some(goal) if !self.local_path.is_empty() => Ok(*goal),
            _ => Err(ControlError::Path("Resulting plan has 0 poses in it.".into())),
        }
    }

    /// Tries all velocities. Returns the best trajectory. If there is none, returns the number of trajectories for each critic and reason
    /// to reject them.
    fn best_trajectory(
        &mut self,
        situation: &Situation<'_>,
        context: &Context<'_>,
    ) -> Result<Trajectory, BTreeMap<(usize, &'static str), usize>> {
        let kinematics = self.settings.kinematics.limited(self.limit);
        let simulation = self.settings.simulation;
        let scales: Vec<f64> =
            self.critics.iter().map(|(_, scale, critic)| critic.scale(*scale, context)).collect();
        let (mut best, mut least) = (Trajectory::default(), None::<f64>);
        let mut tried = Trajectory::default();
        let mut illegal = BTreeMap::new();
        self.evaluation = Evaluation { velocity: situation.velocity, ..Evaluation::default() };
        let start = (situation.robot, situation.velocity);
        for velocity in samples(&kinematics, &situation.velocity, self.settings.samples, simulation.time) {
            simulation.run(&kinematics, situation.map, start, velocity, &mut tried);
            let total = self.score(&tried, context, &scales, least);
            match total {
                Ok(total) if least.is_none_or(|least| total < least) => {
                    least = Some(total);
                    std::mem::swap(&mut best, &mut tried);
                }
                Ok(_) => {}
                Err((critic, Illegal(reason))) => *illegal.entry((critic, reason)).or_insert(0) += 1,
            }
        }
        if least.is_some() { Ok(best) } else { Err(illegal) }
    }

    /// Returns the sum of the scaled scores, or the index of the critic that rejects the trajectory, and the reason. If the settings allow
    /// it, the sum ends once it is above `least`.
    fn score(
        &mut self,
        trajectory: &Trajectory,
        context: &Context<'_>,
        scales: &[f64],
        least: Option<f64>,
    ) -> Result<f64, (usize, Illegal)> {
        let mut total = 0.0;
        let mut scores = Vec::new();
        let mut illegal = None;
        for (index, ((_, _, critic), scale)) in self.critics.iter().zip(scales).enumerate() {
            let is_worse = least.is_some_and(|least| total > least);
            if self.settings.short_circuits && is_worse {
                break;
            }
            let score = if *scale == 0.0 { Ok(0.0) } else { critic.score(trajectory, context) };
            match score {
                Ok(score) => total += score * scale,
                Err(reason) => {
                    illegal = Some((index, reason));
                    break;
                }
            }
            if self.settings.keeps_evaluation {
                scores.push((score.unwrap_or_default(), *scale));
            }
        }
        if total.is_nan() {
            illegal = illegal.or(Some((0, Illegal("The score is not a number."))));
        }
        let result = illegal.map_or(Ok(total), Err);
        if self.settings.keeps_evaluation {
            let total = result.map_err(|(_, reason)| reason);
            self.evaluation.add(Scored { trajectory: trajectory.clone(), scores, total });
        }
        result
    }

    /// Returns the text of the error if all trajectories were rejected. The text is Nav2's.
    fn explained(&self, illegal: &BTreeMap<(usize, &'static str), usize>) -> String {
        let count: usize = illegal.values().sum();
        let mut text = format!("No valid trajectories out of {count}! ");
        for ((critic, reason), times) in illegal {
            let share = *times as f64 / count as f64;
            text += &format!("\n{share:.2}: {:>10}/{reason}", self.critics[*critic].0);
        }
        text
    }
}

impl Controller for Dwb {
    fn start_path(&mut self) {
        self.start = 0;
        self.critics.iter_mut().for_each(|(_, _, critic)| critic.reset());
    }

    fn command(&mut self, situation: &Situation<'_>) -> Result<Velocity, ControlError> {
        situation.check()?;
        let goal = self.shorten(situation)?;
        let path = std::mem::take(&mut self.local_path);
        let context = Context::new(situation, goal, &path);
        self.critics.iter_mut().for_each(|(_, _, critic)| critic.prepare(&context));
        let best = self.best_trajectory(situation, &context);
        let chosen = best.as_ref().map(|best| best.velocity).unwrap_or_default();
        self.critics.iter_mut().for_each(|(_, _, critic)| critic.velocity_chosen(&chosen, &context));
        drop(context);
        self.local_path = path;
        self.best = best.map_err(|illegal| ControlError::NoValidControl(self.explained(&illegal)))?;
        Ok(self.best.velocity)
    }

    fn limit_speed(&mut self, limit: SpeedLimit) {
        if limit.is_possible() {
            self.limit = limit;
        }
    }
}
