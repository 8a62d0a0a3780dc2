//! A world over time.

use std::collections::BTreeSet;

use rapier2d_f64::{
    math::Vector,
    pipeline::PhysicsWorld,
    prelude::{IntegrationParameters, RigidBodyHandle},
};

use crate::{
    Command, WorldError,
    drive::MAX_VELOCITY,
    fields::ANY,
    moving::{MovingObstacle, isometry, pose},
    pose::{Pose, Velocity},
    rays::{EdgeGroup, FixedEdges, RayScene},
    reading::{Output, Reading},
    robot::{Robot, Schedule, SensorView},
    world::{RobotSpec, World},
};

/// The reason why an operation on a robot or an obstacle failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntityError {
    /// There is no robot or moving obstacle with this name.
    #[error("there is no `{0}` in the world")]
    NotFound(String),
    /// The name is already in use.
    #[error("there is already a `{0}` in the world")]
    NotUnique(String),
    /// Only robots can be deleted.
    #[error("`{0}` is not a robot; only robots can be deleted")]
    NotARobot(String),
    /// The robot cannot be in the world; the text says why.
    #[error("{0}")]
    Unfit(String),
    /// A pose is too far away, or a velocity is too high, or a number is not finite.
    #[error("a pose must be within 10000 km, and a velocity at most 1000 m/s and 1000 rad/s")]
    TooLarge,
}

/// A simulation of a world. The same world and the same commands give the same outputs, bit for bit, on any number of threads.
pub struct Simulation {
    /// The world at the start.
    initial: World,
    /// The world with the robots that were spawned, and without those that were deleted.
    world: World,
    threads: usize,
    /// The time since the start, in nanoseconds.
    time: i64,
    physics: PhysicsWorld,
    fixed: FixedEdges,
    clock: Schedule,
    /// The robots by their index. The entry of a deleted robot stays empty, so that the indices of the others do not change.
    robots: Vec<Option<Robot>>,
    moving: Vec<MovingObstacle>,
    /// The names of the robots that were spawned.
    spawned: BTreeSet<String>,
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation")
            .field("world", &self.world.name)
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

impl Simulation {
    /// Creates a simulation of a world at the time 0. Rays are cast on up to `threads` threads.
    ///
    /// # Errors
    ///
    /// Fails if a name in the world is not unique, if a robot is too far away, or if the step is not positive.
    pub fn new(world: &World, threads: usize) -> Result<Self, WorldError> {
        if world.step <= 0 {
            return Err(WorldError::Content("the step of a world must be positive".into()));
        }
        world.check()?;
        Ok(Self::with_time(world, world, threads, 0))
    }

    /// Creates a simulation of a world that starts at a time.
    fn with_time(initial: &World, world: &World, threads: usize, time: i64) -> Self {
        let mut physics = PhysicsWorld {
            gravity: Vector::ZERO,
            integration_parameters: IntegrationParameters { dt: seconds(world.step), ..Default::default() },
            ..PhysicsWorld::default()
        };
        for obstacle in &world.obstacles {
            physics.insert_collider(obstacle.collider(), None);
        }
        let edges = world.obstacles.iter().flat_map(crate::Shape::edges).collect();
        let robots = world.robots.iter().map(|spec| Some(Robot::new(spec, &mut physics, world.seed, time)));
        let robots = robots.collect();
        let moving = world.moving.iter().map(|spec| MovingObstacle::new(spec, &mut physics)).collect();
        Self {
            initial: initial.clone(),
            world: world.clone(),
            threads: threads.max(1),
            time,
            fixed: FixedEdges::new(edges),
            clock: Schedule::new(world.clock_rate, time),
            robots,
            moving,
            spawned: BTreeSet::new(),
            physics,
        }
    }

    /// Returns the world with its current robots.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the time, in nanoseconds since the start.
    pub fn time(&self) -> i64 {
        self.time
    }

    /// Returns the indices and the specifications of all robots.
    pub fn robots(&self) -> impl Iterator<Item = (usize, &RobotSpec)> {
        let robots = self.robots.iter().enumerate();
        robots.filter_map(|(index, robot)| Some((index, &robot.as_ref()?.spec)))
    }

    /// Sets the commanded velocity of a robot, which it keeps until the next command. A command that is not finite, or for a robot that does
    /// not exist, is ignored.
    pub fn command(&mut self, robot: usize, command: Command) {
        if let Some(robot) =
            self.robots.get_mut(robot).and_then(Option::as_mut).filter(|_| command.is_finite())
        {
            robot.command(command);
        }
    }

    /// Advances by one step, and passes the outputs that are due then to `sink`.
    pub fn step(&mut self, sink: &mut dyn FnMut(Output)) {
        let seconds = seconds(self.world.step);
        for robot in self.robots.iter_mut().flatten() {
            robot.drive(&mut self.physics, self.time, seconds);
        }
        for obstacle in &mut self.moving {
            obstacle.advance(&mut self.physics, seconds);
        }
        self.physics.step();
        self.time += self.world.step;
        self.emit(sink);
    }

    /// Emits the outputs that are due now.
    fn emit(&mut self, sink: &mut dyn FnMut(Output)) {
        let now = self.time;
        if self.clock.is_due(now) {
            sink(Output { time: now, robot: 0, sensor: 0, reading: Reading::Clock });
        }
        let needs_view = self.robots.iter().flatten().any(|robot| robot.needs_view(now));
        let groups = if needs_view { self.groups() } else { Vec::new() };
        for (index, robot) in self.robots.iter_mut().enumerate() {
            let Some(robot) = robot else { continue };
            let view = needs_view.then(|| SensorView {
                scene: RayScene { fixed: &self.fixed, groups: &groups, excluded: index },
                threads: self.threads,
                height: self.world.height,
            });
            robot.emit(index, &self.physics, now, view.as_ref(), sink);
        }
    }

    /// Returns the edges of the robots, at the indices of the robots, and then those of the obstacles that move.
    fn groups(&self) -> Vec<EdgeGroup> {
        let empty = EdgeGroup { center: Vector::ZERO, reach: -1.0, edges: Vec::new() };
        let robots = self.robots.iter().map(|robot| {
            robot.as_ref().map_or_else(|| empty.clone(), |robot| robot.edge_group(&self.physics))
        });
        robots.chain(self.moving.iter().map(|obstacle| obstacle.edge_group(&self.physics))).collect()
    }

    /// Resets the time, the state of all robots and obstacles, or both. With `spawned`, robots that were spawned are deleted as well.
    pub fn reset(&mut self, time: bool, state: bool, spawned: bool) {
        if spawned {
            // The deletion cannot fail: the set has only names of robots that are there.
            std::mem::take(&mut self.spawned).iter().for_each(|name| drop(self.delete(name)));
        }
        let start = if time { 0 } else { self.time };
        if state {
            let world = if spawned { self.initial.clone() } else { self.world.clone() };
            let spawned = std::mem::take(&mut self.spawned);
            *self = Self { spawned, ..Self::with_time(&self.initial, &world, self.threads, start) };
        } else if time {
            self.time = 0;
            self.clock.restart(0);
            self.robots.iter_mut().flatten().for_each(|robot| robot.restart(0));
        }
    }

    /// Adds a robot, and returns its index.
    ///
    /// # Errors
    ///
    /// Fails if the name is not unique, if the pose is not finite or too far away, or if a camera is above the obstacles.
    pub fn spawn(&mut self, spec: RobotSpec) -> Result<usize, EntityError> {
        if self.body(&spec.name).is_some() {
            return Err(EntityError::NotUnique(spec.name));
        }
        check_pose(&spec.pose)?;
        self.world.check_robot(&spec).map_err(EntityError::Unfit)?;
        let robot = Robot::new(&spec, &mut self.physics, self.world.seed, self.time);
        let index = self.robots.iter().position(Option::is_none).unwrap_or(self.robots.len());
        self.robots.resize_with(self.robots.len().max(index + 1), || None);
        self.robots[index] = Some(robot);
        self.spawned.insert(spec.name.clone());
        self.world.robots.push(spec);
        Ok(index)
    }

    /// Deletes a robot, and returns the index that it had.
    ///
    /// # Errors
    ///
    /// Fails if there is no robot with this name.
    pub fn delete(&mut self, name: &str) -> Result<usize, EntityError> {
        let index = self.robots().find(|(_, robot)| robot.name == name).map(|(index, _)| index);
        let index = index.ok_or_else(|| match self.body(name) {
            Some(_) => EntityError::NotARobot(name.into()),
            None => EntityError::NotFound(name.into()),
        })?;
        if let Some(robot) = self.robots[index].take() {
            self.physics.remove_body(robot.body);
        }
        while let Some(None) = self.robots.last() {
            self.robots.pop();
        }
        self.spawned.remove(name);
        self.world.robots.retain(|robot| robot.name != name);
        Ok(index)
    }

    /// Returns the pose in the world of a robot or an obstacle that moves, and its velocity in its own frame.
    ///
    /// # Errors
    ///
    /// Fails if there is no robot or moving obstacle with this name.
    pub fn state(&self, name: &str) -> Result<(Pose, Velocity), EntityError> {
        self.body(name).map(|body| self.state_of(body)).ok_or_else(|| EntityError::NotFound(name.into()))
    }

    /// Returns the names, poses and velocities of all robots and obstacles that move; see [`state`](Self::state).
    pub fn states(&self) -> impl Iterator<Item = (&str, Pose, Velocity)> {
        let robots = self.robots.iter().flatten().map(|robot| (&*robot.spec.name, robot.body));
        let all = robots.chain(self.moving.iter().map(|obstacle| (&*obstacle.name, obstacle.body)));
        all.map(|(name, body)| {
            let (pose, velocity) = self.state_of(body);
            (name, pose, velocity)
        })
    }

    fn state_of(&self, handle: RigidBodyHandle) -> (Pose, Velocity) {
        let body = &self.physics.bodies[handle];
        let pose = pose(body.position());
        let velocity = pose.rotate_back(body.velocity_at_point(pose.point()));
        (pose, Velocity { forward: velocity.x, left: velocity.y, turn: body.angvel() })
    }

    /// Sets the pose in the world of a robot or an obstacle that moves, and its velocity in its own frame.
    ///
    /// # Errors
    ///
    /// Fails if there is no robot or moving obstacle with this name, or if a number is not finite or too large.
    pub fn set_state(&mut self, name: &str, pose: Pose, velocity: Velocity) -> Result<(), EntityError> {
        let handle = self.body(name).ok_or_else(|| EntityError::NotFound(name.into()))?;
        check_pose(&pose)?;
        let Velocity { forward, left, turn } = velocity;
        // The comparison is also false for numbers that are not finite.
        if ![forward, left, turn].iter().all(|speed| speed.abs() <= MAX_VELOCITY) {
            return Err(EntityError::TooLarge);
        }
        let turned = pose.rotate(Vector::new(forward, left));
        let body = &mut self.physics.bodies[handle];
        body.set_position(isometry(&pose), true);
        let arm = body.center_of_mass() - pose.point();
        body.set_linvel(turned + velocity.turn * arm.perp(), true);
        body.set_angvel(velocity.turn, true);
        Ok(())
    }

    /// Returns the names of all robots and obstacles that move.
    pub fn names(&self) -> Vec<String> {
        self.states().map(|(name, ..)| name.to_owned()).collect()
    }

    fn body(&self, name: &str) -> Option<RigidBodyHandle> {
        let robot =
            self.robots.iter().flatten().find(|robot| robot.spec.name == name).map(|robot| robot.body);
        robot.or_else(|| {
            self.moving.iter().find(|obstacle| obstacle.name == name).map(|obstacle| obstacle.body)
        })
    }
}

fn seconds(nanos: i64) -> f64 {
    nanos as f64 / 1e9
}

/// Checks that a pose is finite and not too far away.
fn check_pose(pose: &Pose) -> Result<(), EntityError> {
    if pose.is_within(ANY.1) { Ok(()) } else { Err(EntityError::TooLarge) }
}
