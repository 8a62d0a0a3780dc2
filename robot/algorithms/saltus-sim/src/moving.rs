//! Obstacles that move, in a simulation.

use rapier2d_f64::{
    math::Pose as Isometry,
    pipeline::PhysicsWorld,
    prelude::{RigidBodyBuilder, RigidBodyHandle},
};

use crate::{
    pose::{Point, Pose},
    rays::EdgeGroup,
    shape::{Edge, Shape},
    world::{MovingObstacleSpec, ObstacleMotion},
};

/// An obstacle that moves, in a simulation.
#[derive(Debug)]
pub(crate) struct MovingObstacle {
    pub(crate) name: String,
    pub(crate) body: RigidBodyHandle,
    shape: Shape,
    path: Option<MotionPath>,
}

/// The motion of an obstacle along points.
#[derive(Debug)]
struct MotionPath {
    points: Vec<Point>,
    speed: f64,
    /// The index of the next point.
    next: usize,
}

impl MovingObstacle {
    pub(crate) fn new(spec: &MovingObstacleSpec, physics: &mut PhysicsWorld) -> Self {
        let (builder, collider) = match spec.motion {
            ObstacleMotion::Path { .. } => {
                (RigidBodyBuilder::kinematic_position_based(), spec.shape.collider())
            }
            ObstacleMotion::Pushed { mass, damping } => {
                let body = RigidBodyBuilder::dynamic().linear_damping(damping).angular_damping(damping);
                (body, spec.shape.collider().mass(mass))
            }
        };
        let (body, _) = physics.insert(builder.pose(isometry(&spec.pose)).can_sleep(false), collider);
        let path = match &spec.motion {
            ObstacleMotion::Path { points, speed } => {
                Some(MotionPath { points: points.clone(), speed: *speed, next: 1 })
            }
            ObstacleMotion::Pushed { .. } => None,
        };
        Self { name: spec.name.clone(), body, shape: spec.shape.clone(), path }
    }

    /// Sets the position after the next step, if the obstacle moves along a path.
    pub(crate) fn advance(&mut self, physics: &mut PhysicsWorld, seconds: f64) {
        let Some(path) = &mut self.path else { return };
        let body = &mut physics.bodies[self.body];
        let mut position = body.translation();
        let mut remaining = path.speed * seconds;
        // Each point is passed at most once in a step, so that a tiny path does not loop without end.
        for _ in 0..path.points.len() {
            let offset = path.points[path.next] - position;
            if offset.length() > remaining {
                position += offset.normalize_or_zero() * remaining;
                break;
            }
            remaining -= offset.length();
            position = path.points[path.next];
            path.next = (path.next + 1) % path.points.len();
        }
        let angle = body.rotation().angle();
        body.set_next_kinematic_position(Isometry::new(position, angle));
    }

    /// Returns the edges at the current pose.
    pub(crate) fn edge_group(&self, physics: &PhysicsWorld) -> EdgeGroup {
        let pose = pose(physics.bodies[self.body].position());
        EdgeGroup { center: pose.point(), reach: self.shape.reach(), edges: self.edges(&pose) }
    }

    fn edges(&self, pose: &Pose) -> Vec<Edge> {
        self.shape.placed(pose).edges()
    }
}

pub(crate) fn isometry(pose: &Pose) -> Isometry {
    Isometry::new(pose.point(), pose.yaw)
}

pub(crate) fn pose(isometry: &Isometry) -> Pose {
    Pose::new(isometry.translation.x, isometry.translation.y, isometry.rotation.angle())
}
