//! A world over time.

use std::collections::BTreeSet;

use rapier2d_f64::{
    math::Vector,
    pipeline::PhysicsWorld,
    prelude::{IntegrationParameters, RigidBodyHandle},
};

use crate::{
    Command, WorldError,
    drive::FASTEST,
    fields::ANY,
    moving::{Mover, isometry, pose},
    pose::{Pose, Velocity},
    rays::{Fixed, Group, Scene},
    reading::{Output, Reading},
    robot::{Robot, Schedule, View},
    world::{RobotSpec, World},
};

/// Why something can't be done with a thing in a world.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntityError {
    /// There is no such thing.
    #[error("there is no `{0}` in the world")]
    NotFound(String),
    /// There is one with this name already.
    #[error("there is already a `{0}` in the world")]
    NotUnique(String),
    /// Only robots can be deleted.
    #[error("`{0}` is not a robot; only robots can be deleted")]
    NotARobot(String),
    /// A robot does not fit into the world.
    #[error("{0}")]
    Unfit(String),
    /// A pose is too far away, or a velocity is too high.
    #[error("a pose must be within 10000 km, and a velocity at most 1000 m/s and 1000 rad/s")]
    TooLarge,
}

/// A world over time. The same world and the same commands give the same outputs, bit for bit, on any number of threads.
pub struct Simulation {
    /// As it was at the beginning, and with the robots that were spawned and deleted.
    initial: World,
    world: World,
    threads: usize,
    time: i64,
    physics: PhysicsWorld,
    fixed: Fixed,
    clock: Schedule,
    /// A robot that was deleted leaves its place empty, so that the numbers of the others stay.
    robots: Vec<Option<Robot>>,
    movers: Vec<Mover>,
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
    /// Returns the simulation of a world at the time 0. Rays are cast on up to `threads` threads.
    ///
    /// # Errors
    ///
    /// Returns an error if the world has names twice, things too far away, or a step that is not positive.
    pub fn new(world: &World, threads: usize) -> Result<Self, WorldError> {
        if world.step <= 0 {
            return Err(WorldError::Content("the step of a world must be positive".into()));
        }
        world.check()?;
        Ok(Self::at(world, world, threads, 0))
    }

    fn at(initial: &World, world: &World, threads: usize, time: i64) -> Self {
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
        let movers = world.moving.iter().map(|spec| Mover::new(spec, &mut physics)).collect();
        Self {
            initial: initial.clone(),
            world: world.clone(),
            threads: threads.max(1),
            time,
            fixed: Fixed::new(edges),
            clock: Schedule::new(world.clock_rate, time),
            robots,
            movers,
            spawned: BTreeSet::new(),
            physics,
        }
    }

    /// Returns the world with the robots that there are now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the time, in nanoseconds since the start.
    pub fn time(&self) -> i64 {
        self.time
    }

    /// Returns the numbers and the descriptions of all robots.
    pub fn robots(&self) -> impl Iterator<Item = (usize, &RobotSpec)> {
        let robots = self.robots.iter().enumerate();
        robots.filter_map(|(number, robot)| Some((number, &robot.as_ref()?.spec)))
    }

    /// Tells a robot how to move, until it is told something else. A command that is not finite is ignored.
    pub fn command(&mut self, robot: usize, command: Command) {
        if let Some(robot) =
            self.robots.get_mut(robot).and_then(Option::as_mut).filter(|_| command.is_finite())
        {
            robot.command(command);
        }
    }

    /// Advances by one step, and tells what is due then.
    pub fn step(&mut self, sink: &mut dyn FnMut(Output)) {
        let seconds = seconds(self.world.step);
        for robot in self.robots.iter_mut().flatten() {
            robot.drive(&mut self.physics, self.time, seconds);
        }
        for mover in &mut self.movers {
            mover.advance(&mut self.physics, seconds);
        }
        self.physics.step();
        self.time += self.world.step;
        self.tell(sink);
    }

    fn tell(&mut self, sink: &mut dyn FnMut(Output)) {
        let now = self.time;
        if self.clock.is_due(now) {
            sink(Output { time: now, robot: 0, sensor: 0, reading: Reading::Clock });
        }
        let looks = self.robots.iter().flatten().any(|robot| robot.looks(now));
        let groups = if looks { self.groups() } else { Vec::new() };
        for (number, robot) in self.robots.iter_mut().enumerate() {
            let Some(robot) = robot else { continue };
            let view = looks.then(|| View {
                scene: Scene { fixed: &self.fixed, groups: &groups, own: number },
                threads: self.threads,
                height: self.world.height,
            });
            robot.tell(number, &self.physics, now, view.as_ref(), sink);
        }
    }

    /// Returns the edges of what moves: first those of the robots, whose numbers they have.
    fn groups(&self) -> Vec<Group> {
        let nothing = Group { center: Vector::ZERO, reach: -1.0, edges: Vec::new() };
        let robots = self
            .robots
            .iter()
            .map(|robot| robot.as_ref().map_or_else(|| nothing.clone(), |robot| robot.group(&self.physics)));
        robots.chain(self.movers.iter().map(|mover| mover.group(&self.physics))).collect()
    }

    /// Begins again: the time, the state of all things, or both. With `spawned`, robots that were spawned are deleted, too.
    pub fn reset(&mut self, time: bool, state: bool, spawned: bool) {
        if spawned {
            // They are there: their names were kept since they were spawned.
            std::mem::take(&mut self.spawned).iter().for_each(|name| drop(self.delete(name)));
        }
        let start = if time { 0 } else { self.time };
        if state {
            let world = if spawned { self.initial.clone() } else { self.world.clone() };
            let spawned = std::mem::take(&mut self.spawned);
            *self = Self { spawned, ..Self::at(&self.initial, &world, self.threads, start) };
        } else if time {
            self.time = 0;
            self.clock.restart(0);
            self.robots.iter_mut().flatten().for_each(|robot| robot.restart(0));
        }
    }

    /// Adds a robot, and returns its number.
    ///
    /// # Errors
    ///
    /// Returns an error if its name is not unique, or if its pose is not finite.
    pub fn spawn(&mut self, spec: RobotSpec) -> Result<usize, EntityError> {
        if self.body(&spec.name).is_some() {
            return Err(EntityError::NotUnique(spec.name));
        }
        check(&spec.pose)?;
        self.world.check_robot(&spec).map_err(EntityError::Unfit)?;
        let robot = Robot::new(&spec, &mut self.physics, self.world.seed, self.time);
        let number = self.robots.iter().position(Option::is_none).unwrap_or(self.robots.len());
        self.robots.resize_with(self.robots.len().max(number + 1), || None);
        self.robots[number] = Some(robot);
        self.spawned.insert(spec.name.clone());
        self.world.robots.push(spec);
        Ok(number)
    }

    /// Removes a robot, and returns the number that it had.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such robot.
    pub fn delete(&mut self, name: &str) -> Result<usize, EntityError> {
        let number = self.robots().find(|(_, robot)| robot.name == name).map(|(number, _)| number);
        let number = number.ok_or_else(|| match self.body(name) {
            Some(_) => EntityError::NotARobot(name.into()),
            None => EntityError::NotFound(name.into()),
        })?;
        if let Some(robot) = self.robots[number].take() {
            self.physics.remove_body(robot.body);
        }
        while let Some(None) = self.robots.last() {
            self.robots.pop();
        }
        self.spawned.remove(name);
        self.world.robots.retain(|robot| robot.name != name);
        Ok(number)
    }

    /// Returns the pose of a robot or an obstacle that moves, and its velocity in its own frame.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such thing.
    pub fn state(&self, name: &str) -> Result<(Pose, Velocity), EntityError> {
        self.body(name).map(|body| self.state_of(body)).ok_or_else(|| EntityError::NotFound(name.into()))
    }

    /// Returns the names, poses and velocities of all robots and obstacles that move; see [`state`](Self::state).
    pub fn states(&self) -> impl Iterator<Item = (&str, Pose, Velocity)> {
        let robots = self.robots.iter().flatten().map(|robot| (&*robot.spec.name, robot.body));
        let all = robots.chain(self.movers.iter().map(|mover| (&*mover.name, mover.body)));
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

    /// Puts a robot or an obstacle that moves to another place, with this velocity in its own frame.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such thing, or if the pose is not finite.
    pub fn set_state(&mut self, name: &str, pose: Pose, velocity: Velocity) -> Result<(), EntityError> {
        let handle = self.body(name).ok_or_else(|| EntityError::NotFound(name.into()))?;
        check(&pose)?;
        let Velocity { forward, left, turn } = velocity;
        // This is also false for numbers that are not finite.
        if ![forward, left, turn].iter().all(|speed| speed.abs() <= FASTEST) {
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
        robot.or_else(|| self.movers.iter().find(|mover| mover.name == name).map(|mover| mover.body))
    }
}

fn seconds(nanos: i64) -> f64 {
    nanos as f64 / 1e9
}

fn check(pose: &Pose) -> Result<(), EntityError> {
    if pose.is_within(ANY.1) { Ok(()) } else { Err(EntityError::TooLarge) }
}
