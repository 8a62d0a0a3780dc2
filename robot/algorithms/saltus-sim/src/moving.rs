//! Obstacles that move.

use rapier2d_f64::{
    math::Pose as Isometry,
    pipeline::PhysicsWorld,
    prelude::{RigidBodyBuilder, RigidBodyHandle},
};

use crate::{
    pose::{Point, Pose},
    rays::Group,
    shape::{Edge, Shape},
    world::{Motion, Moving},
};

/// An obstacle that moves, in a simulation.
#[derive(Debug)]
pub(crate) struct Mover {
    pub(crate) name: String,
    pub(crate) body: RigidBodyHandle,
    shape: Shape,
    path: Option<Path>,
}

#[derive(Debug)]
struct Path {
    points: Vec<Point>,
    speed: f64,
    /// The point that it moves to.
    next: usize,
}

impl Mover {
    pub(crate) fn new(spec: &Moving, physics: &mut PhysicsWorld) -> Self {
        let (builder, collider) = match spec.motion {
            Motion::Path { .. } => (RigidBodyBuilder::kinematic_position_based(), spec.shape.collider()),
            Motion::Pushed { mass, damping } => {
                let body = RigidBodyBuilder::dynamic().linear_damping(damping).angular_damping(damping);
                (body, spec.shape.collider().mass(mass))
            }
        };
        let (body, _) = physics.insert(builder.pose(isometry(&spec.pose)).can_sleep(false), collider);
        let path = match &spec.motion {
            Motion::Path { points, speed } => Some(Path { points: points.clone(), speed: *speed, next: 1 }),
            Motion::Pushed { .. } => None,
        };
        Self { name: spec.name.clone(), body, shape: spec.shape.clone(), path }
    }

    /// Sets where it is after the next step.
    pub(crate) fn advance(&mut self, physics: &mut PhysicsWorld, seconds: f64) {
        let Some(path) = &mut self.path else { return };
        let body = &mut physics.bodies[self.body];
        let mut position = body.translation();
        let mut left = path.speed * seconds;
        // Each point is passed at most once in a step, so that a tiny path does not take for ever.
        for _ in 0..path.points.len() {
            let way = path.points[path.next] - position;
            if way.length() > left {
                position += way.normalize_or_zero() * left;
                break;
            }
            left -= way.length();
            position = path.points[path.next];
            path.next = (path.next + 1) % path.points.len();
        }
        let angle = body.rotation().angle();
        body.set_next_kinematic_position(Isometry::new(position, angle));
    }

    pub(crate) fn group(&self, physics: &PhysicsWorld) -> Group {
        let pose = pose(physics.bodies[self.body].position());
        Group { center: pose.point(), reach: self.shape.reach(), edges: self.edges(&pose) }
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
