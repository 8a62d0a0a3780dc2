//! The robot of the published experiment, with its controllers.

use saltus_costmap::Footprint;
use saltus_dwb::{
    Aggregation, BaseObstacle, Critic, Dwb, DwbSettings, GoalAlign, GoalDist, Kinematics, ObstacleFootprint,
    Oscillation, PathAlign, PathDist, RotateToGoal, Simulation, Window,
};
use saltus_mppi::{
    ConstraintCritic, CostCritic, GoalAngleCritic, GoalCritic, Mppi, MppiSettings, PathAlignCritic,
    PathAngleCritic, PathFollowCritic, PreferForwardCritic, Weight,
};
use saltus_pursuit::{Pursuit, PursuitSettings};

/// Returns the footprint of the robot, with the padding of costmaps.
pub fn footprint() -> Footprint {
    Footprint::circle(0.22).padded(0.01)
}

/// Creates DWB with the settings of the experiment. If it `has_outline`, it checks the outline of the robot for obstacles, and otherwise
/// the cost at its centre.
pub fn dwb(has_outline: bool) -> Dwb {
    let kinematics = Kinematics {
        min_velocity: [0.0, 0.0],
        max_velocity: [0.26, 0.0, 1.0],
        min_speed: 0.0,
        max_speed: 0.26,
        min_turning: 0.0,
        acceleration: [2.5, 0.0, 3.2],
        deceleration: [-2.5, 0.0, -3.2],
    };
    let settings = DwbSettings {
        kinematics,
        simulation: Simulation { linear_step: 0.05, ..Simulation::default() },
        window: Window { behind: Some(1.0), ahead: Some(1.0), search: f64::INFINITY },
        ..DwbSettings::default()
    };
    let obstacle: Box<dyn Critic> = match has_outline {
        true => Box::new(ObstacleFootprint::default()),
        false => Box::new(BaseObstacle::default()),
    };
    let path_align = PathAlign { forward_point_distance: 0.1, ..PathAlign::default() };
    let critics: Vec<(&str, f64, Box<dyn Critic>)> = vec![
        ("RotateToGoal", 32.0, Box::new(RotateToGoal::default())),
        ("Oscillation", 1.0, Box::new(Oscillation::default())),
        ("BaseObstacle", 0.02, obstacle),
        ("GoalAlign", 24.0, Box::new(GoalAlign::new(Aggregation::Last, 0.1))),
        ("PathAlign", 32.0, Box::new(path_align)),
        ("PathDist", 32.0, Box::new(PathDist::default())),
        ("GoalDist", 24.0, Box::new(GoalDist::default())),
    ];
    let named = |(name, scale, critic): (&str, f64, Box<dyn Critic>)| (name.to_owned(), scale, critic);
    Dwb::new(settings, critics.into_iter().map(named).collect())
}

/// Creates regulated pure pursuit for the same robot.
pub fn pursuit() -> Pursuit {
    Pursuit::new(PursuitSettings { desired_linear_vel: 0.26, ..PursuitSettings::default() })
}

/// Creates MPPI for the same robot, with the critics and weights of the default parameter file of Nav2.
///
/// # Panics
///
/// Never: the settings are valid.
pub fn mppi() -> Mppi {
    let settings = MppiSettings {
        vx_max: 0.26,
        vx_min: -0.2,
        wz_max: 1.0,
        prune_distance: 1.7,
        ..MppiSettings::default()
    };
    let critics: Vec<Box<dyn saltus_mppi::Critic>> = vec![
        Box::new(ConstraintCritic { vx_max: 0.26, vx_min: -0.2, vy_max: 0.5, ..ConstraintCritic::default() }),
        Box::new(CostCritic { near_goal_distance: 1.0, ..CostCritic::default() }),
        Box::new(GoalCritic::default()),
        Box::new(GoalAngleCritic::default()),
        Box::new(PathAlignCritic {
            weight: Weight::linear(14.0),
            max_path_occupancy_ratio: 0.05,
            ..PathAlignCritic::default()
        }),
        Box::new(PathFollowCritic { offset_from_furthest: 5, ..PathFollowCritic::default() }),
        Box::new(PathAngleCritic {
            weight: Weight::linear(2.0),
            max_angle_to_furthest: 1.0,
            ..PathAngleCritic::default()
        }),
        Box::new(PreferForwardCritic::default()),
    ];
    Mppi::new(settings, critics).expect("the settings are valid")
}
