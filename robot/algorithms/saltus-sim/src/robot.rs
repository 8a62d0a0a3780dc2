//! A robot in a simulation, which drives and measures.

use rapier2d_f64::{
    geometry::ColliderHandle,
    parry::{mass_properties::MassProperties, query::distance},
    pipeline::PhysicsWorld,
    prelude::{RigidBodyBuilder, RigidBodyHandle},
};

use crate::{
    drive::Command,
    model::{Model, OdometrySource},
    moving::{isometry, pose},
    noise::Noise,
    pose::{Point, Pose, Velocity},
    rays::{EdgeGroup, RayScene},
    reading::{DepthImage, ImuReading, JointReading, OdometryReading, Output, Reading, Scan},
    sensor::{Camera, Imu, Lidar, Sensor, SensorKind},
    traction::WheeledBody,
    wheels::{GRAVITY, Wheels},
    world::RobotSpec,
};

/// The schedule of a periodic event. Times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Schedule {
    period: i64,
    next: i64,
}

impl Schedule {
    pub(crate) fn new(rate: f64, start: i64) -> Self {
        let period = ((1e9 / rate).round() as i64).max(1);
        Self { period, next: start + period }
    }

    /// Returns whether the event is due now, and schedules the next one. Missed events are left out.
    pub(crate) fn is_due(&mut self, now: i64) -> bool {
        if now < self.next {
            return false;
        }
        self.next += self.period * ((now - self.next) / self.period + 1);
        true
    }

    /// Restarts the schedule at a time.
    pub(crate) fn restart(&mut self, start: i64) {
        self.next = start + self.period;
    }
}

/// A robot in a simulation.
#[derive(Debug)]
pub(crate) struct Robot {
    pub(crate) spec: RobotSpec,
    pub(crate) body: RigidBodyHandle,
    colliders: Vec<ColliderHandle>,
    wheels: Wheels,
    command: Command,
    /// The number of scheduled commands that were executed.
    executed: usize,
    drift: Noise,
    update: Schedule,
    odometry: Schedule,
    joints: Schedule,
    sensors: Vec<SensorState>,
}

#[derive(Debug)]
struct SensorState {
    schedule: Schedule,
    noise: Noise,
    /// The time and the velocity in the world at the last measurement.
    velocity: Option<(i64, Point)>,
}

/// The surroundings of a robot for its sensors.
pub(crate) struct SensorView<'a> {
    pub(crate) scene: RayScene<'a>,
    /// The number of threads that may cast rays.
    pub(crate) threads: usize,
    /// The height of the obstacles, in metres.
    pub(crate) height: f64,
}

/// The minimum number of rays of a thread. Starting a thread takes about as long as casting them.
const RAYS_PER_THREAD: usize = 1000;

impl Robot {
    pub(crate) fn new(spec: &RobotSpec, physics: &mut PhysicsWorld, seed: u64, now: i64) -> Self {
        let model = &spec.model;
        let body = RigidBodyBuilder::dynamic().pose(isometry(&spec.pose)).can_sleep(false);
        let body = physics.insert_body(body);
        let colliders = colliders(model, physics, body);
        let sensors = model.sensors.iter().enumerate().map(|(index, sensor)| SensorState {
            schedule: Schedule::new(sensor.rate, now),
            noise: Noise::new(seed, &spec.name, &format!("{index} {}", sensor.topic)),
            velocity: None,
        });
        Self {
            body,
            colliders,
            wheels: Wheels::new(&model.drive),
            command: Command::default(),
            executed: 0,
            drift: Noise::new(seed, &spec.name, "odometry"),
            update: Schedule::new(model.drive.update_rate, now),
            odometry: Schedule::new(model.odometry_rate, now),
            joints: Schedule::new(model.joint_rate, now),
            sensors: sensors.collect(),
            spec: spec.clone(),
        }
    }

    /// Sets the commanded velocity.
    pub(crate) fn command(&mut self, command: Command) {
        self.command = self.spec.model.drive.limited(command);
    }

    /// Restarts all schedules.
    pub(crate) fn restart(&mut self, now: i64) {
        let schedules = [&mut self.update, &mut self.odometry, &mut self.joints];
        let sensors = self.sensors.iter_mut().map(|sensor| {
            sensor.velocity = None;
            &mut sensor.schedule
        });
        schedules.into_iter().chain(sensors).for_each(|schedule| schedule.restart(now));
        self.executed = 0;
    }

    /// Applies the forces of the wheels to the body for one step that starts now.
    pub(crate) fn drive(&mut self, physics: &mut PhysicsWorld, now: i64, seconds: f64) {
        while let Some((_, command)) = self.spec.commands.get(self.executed).filter(|(time, _)| *time <= now)
        {
            self.command = self.spec.model.drive.limited(*command);
            self.executed += 1;
        }
        let model = &self.spec.model;
        if self.update.is_due(now) {
            // A step may be longer than the time between updates.
            let period = (1.0 / model.drive.update_rate).max(seconds);
            self.wheels.control(&model.drive, self.command, period);
        }
        let rigid = &mut physics.bodies[self.body];
        let pose = pose(rigid.position());
        let properties = rigid.mass_properties().local_mprops;
        let mut body = WheeledBody {
            inverse_mass: properties.inv_mass,
            inverse_inertia: properties.inv_principal_inertia,
            velocity: rigid.linvel(),
            turn: rigid.angvel(),
        };
        let center = rigid.local_center_of_mass();
        self.wheels.push(&model.drive, &pose, center, model.mass, &mut body, seconds);
        rigid.set_linvel(body.velocity, true);
        rigid.set_angvel(body.turn, true);
        if let OdometrySource::Encoder { drift } = model.odometry {
            self.wheels.measure(&model.drive, drift, &mut self.drift, seconds);
        }
    }

    /// Whether a sensor that casts rays is due.
    pub(crate) fn needs_view(&self, now: i64) -> bool {
        let sensors = self.spec.model.sensors.iter().zip(&self.sensors);
        let mut casting =
            sensors.filter(|(sensor, _)| matches!(sensor.kind, SensorKind::Lidar(_) | SensorKind::Camera(_)));
        casting.any(|(_, state)| now >= state.schedule.next)
    }

    pub(crate) fn pose(&self, physics: &PhysicsWorld) -> Pose {
        pose(physics.bodies[self.body].position())
    }

    /// Returns the velocity in its own frame.
    pub(crate) fn velocity(&self, physics: &PhysicsWorld) -> Velocity {
        let body = &physics.bodies[self.body];
        let pose = self.pose(physics);
        let Point { x, y } = pose.rotate_back(body.velocity_at_point(pose.point()));
        Velocity { forward: x, left: y, turn: body.angvel() }
    }

    /// Returns the edges of the robot at its current pose.
    pub(crate) fn edge_group(&self, physics: &PhysicsWorld) -> EdgeGroup {
        let pose = self.pose(physics);
        let shapes = &self.spec.model.shapes;
        EdgeGroup {
            center: pose.point(),
            reach: shapes.iter().map(crate::shape::Shape::reach).fold(0.0, f64::max),
            edges: shapes.iter().flat_map(|shape| shape.placed(&pose).edges()).collect(),
        }
    }

    /// Emits the outputs that are due now. `view` must be there if [`needs_view`](Self::needs_view) is true.
    pub(crate) fn emit(
        &mut self,
        robot: usize,
        physics: &PhysicsWorld,
        now: i64,
        view: Option<&SensorView<'_>>,
        sink: &mut dyn FnMut(Output),
    ) {
        let mut output = |sensor, reading| sink(Output { time: now, robot, sensor, reading });
        if self.odometry.is_due(now) {
            output(0, Reading::Odometry(self.odometry(physics)));
        }
        if self.joints.is_due(now) {
            let (positions, velocities) = self.wheels.joints(&self.spec.model.drive);
            output(0, Reading::Joints(JointReading { positions, velocities }));
        }
        let body = BodyState {
            pose: self.pose(physics),
            turn: physics.bodies[self.body].angvel(),
            velocity_at: &|point| physics.bodies[self.body].velocity_at_point(point),
            touches: &|| self.colliders.iter().any(|collider| touches(physics, *collider)),
        };
        for (index, (sensor, state)) in self.spec.model.sensors.iter().zip(&mut self.sensors).enumerate() {
            if state.schedule.is_due(now) {
                output(index, state.measure(sensor, &body, now, view));
            }
        }
    }

    fn odometry(&self, physics: &PhysicsWorld) -> OdometryReading {
        match self.spec.model.odometry {
            OdometrySource::World => {
                OdometryReading { pose: self.pose(physics), velocity: self.velocity(physics) }
            }
            OdometrySource::Encoder { .. } => OdometryReading {
                pose: self.wheels.odometer(),
                velocity: self.wheels.velocity(&self.spec.model.drive),
            },
        }
    }
}

/// Inserts the colliders of a body, and sets the mass properties of the model.
fn colliders(model: &Model, physics: &mut PhysicsWorld, body: RigidBodyHandle) -> Vec<ColliderHandle> {
    let solids: Vec<_> = model.shapes.iter().map(|shape| shape.collider().density(1.0).build()).collect();
    let whole: MassProperties =
        solids.iter().map(|solid| solid.mass_properties().transform_by(solid.position())).sum();
    let (mass, inertia) = (whole.mass(), whole.principal_inertia());
    let handles: Vec<_> = solids
        .into_iter()
        .map(|mut solid| {
            solid.set_density(0.0);
            physics.insert_collider(solid, Some(body))
        })
        .collect();
    // The moment of inertia of the shapes is for a density of 1.
    let inertia = model.inertia.unwrap_or(inertia * model.mass / mass);
    let center = model.center_of_mass.unwrap_or(whole.local_com);
    let rigid = &mut physics.bodies[body];
    rigid.set_additional_mass_properties(MassProperties::new(center, model.mass, inertia), true);
    rigid.recompute_mass_properties_from_colliders(&physics.colliders);
    handles
}

/// The largest gap between colliders that touch, in metres. The physics engine keeps such gaps between colliders that are pressed together.
const TOUCH_GAP: f64 = 1e-3;

/// Whether another collider touches a collider. The contact pairs of the physics engine include colliders that are only near.
fn touches(physics: &PhysicsWorld, collider: ColliderHandle) -> bool {
    physics.narrow_phase.contact_pairs_with(collider).any(|pair| {
        let [one, other] = [pair.collider1, pair.collider2].map(|handle| &physics.colliders[handle]);
        distance(one.position(), one.shape(), other.position(), other.shape())
            .is_ok_and(|gap| gap.distance <= TOUCH_GAP)
    })
}

/// The state of the body of a robot for its sensors.
struct BodyState<'a> {
    pose: Pose,
    turn: f64,
    velocity_at: &'a dyn Fn(Point) -> Point,
    touches: &'a dyn Fn() -> bool,
}

impl SensorState {
    /// Returns the reading of the sensor.
    fn measure(
        &mut self,
        sensor: &Sensor,
        body: &BodyState<'_>,
        now: i64,
        view: Option<&SensorView<'_>>,
    ) -> Reading {
        let pose = body.pose.compose(&sensor.mount.pose);
        let view = || view.expect("the view is there when a sensor that casts rays is due");
        match &sensor.kind {
            SensorKind::Lidar(lidar) => Reading::Scan(self.scan(lidar, &pose, view())),
            SensorKind::Camera(camera) => {
                Reading::Depth(self.image(camera, &pose, sensor.mount.height, view()))
            }
            SensorKind::Imu(imu) => Reading::Imu(self.imu(imu, &pose, body, now)),
            SensorKind::Bumper => Reading::Bumper((body.touches)()),
            SensorKind::Position { noise, yaw_noise } => {
                let [x, y] = [pose.x, pose.y].map(|part| part + self.noise.normal(*noise));
                Reading::Position(Pose::new(x, y, pose.yaw + self.noise.normal(*yaw_noise)))
            }
        }
    }

    fn scan(&mut self, lidar: &Lidar, pose: &Pose, view: &SensorView<'_>) -> Scan {
        let increment = lidar.increment();
        let angle = |ray: usize| pose.yaw + lidar.angle_min + increment * ray as f64;
        let mut ranges = cast(view, pose.point(), lidar.samples as usize, lidar.range_max, &angle);
        for range in &mut ranges {
            if !range.is_finite() {
                continue;
            }
            *range += self.noise.normal(lidar.noise);
            if lidar.resolution > 0.0 {
                *range = (*range / lidar.resolution).round() * lidar.resolution;
            }
            *range = match *range {
                near if near < lidar.range_min => f64::NEG_INFINITY,
                far if far > lidar.range_max => f64::INFINITY,
                range => range,
            };
        }
        Scan { ranges }
    }

    fn image(
        &mut self,
        camera: &Camera,
        pose: &Pose,
        camera_height: f64,
        view: &SensorView<'_>,
    ) -> DepthImage {
        let focal_length = camera.focal_length();
        let offset =
            |index: u32, count: u32| (f64::from(count) / 2.0 - f64::from(index) - 0.5) / focal_length;
        let angle = |column: usize| pose.yaw + offset(column as u32, camera.width).atan();
        // The depth is measured along the axis of the camera, so rays to the side are longer.
        let max_range = camera.range_max / (camera.fov / 2.0).cos();
        let hits = cast(view, pose.point(), camera.width as usize, max_range, &angle);
        let walls: Vec<f64> = (0..camera.width)
            .zip(hits)
            .map(|(column, hit)| hit * offset(column, camera.width).atan().cos())
            .collect();
        let mut depths = Vec::with_capacity(camera.width as usize * camera.height as usize);
        for row in 0..camera.height {
            let slope = offset(row, camera.height);
            let ground = if slope < 0.0 { camera_height / -slope } else { f64::INFINITY };
            for wall in &walls {
                let distance =
                    if camera_height + wall * slope <= view.height { wall.min(ground) } else { ground };
                let depth =
                    distance + if distance.is_finite() { self.noise.normal(camera.noise) } else { 0.0 };
                depths.push(if depth <= camera.range_max { depth as f32 } else { f32::INFINITY });
            }
        }
        DepthImage { depths }
    }

    /// Returns the reading of an inertial measurement unit. The acceleration is the mean since the last measurement.
    fn imu(&mut self, imu: &Imu, pose: &Pose, body: &BodyState<'_>, now: i64) -> ImuReading {
        let velocity = (body.velocity_at)(pose.point());
        let before = self.velocity.replace((now, velocity));
        let mean =
            before.map_or(Point::ZERO, |(time, before)| (velocity - before) / ((now - time) as f64 / 1e9));
        let Point { x, y } = pose.rotate_back(mean);
        let mut noisy = |value: f64, deviation| value + self.noise.normal(deviation);
        ImuReading {
            yaw: pose.yaw,
            turn: [0.0, 0.0, body.turn].map(|turn| noisy(turn, imu.turn_noise)),
            acceleration: [x, y, GRAVITY].map(|part| noisy(part, imu.acceleration_noise)),
        }
    }
}

/// Casts rays, on several threads if there are many. Returns the distances in metres, infinity for a ray that hits nothing. The result
/// does not depend on the number of threads.
fn cast(
    view: &SensorView<'_>,
    origin: Point,
    count: usize,
    max_range: f64,
    angle: &(dyn Fn(usize) -> f64 + Sync),
) -> Vec<f64> {
    let ray = |index: usize| {
        let direction = Point::from_angle(angle(index));
        view.scene.cast(origin, direction, max_range).unwrap_or(f64::INFINITY)
    };
    let parts = view.threads.min(count / RAYS_PER_THREAD).max(1);
    if parts == 1 {
        return (0..count).map(ray).collect();
    }
    let mut ranges = vec![0.0; count];
    let length = count.div_ceil(parts);
    std::thread::scope(|scope| {
        for (part, ranges) in ranges.chunks_mut(length).enumerate() {
            scope.spawn(move || {
                for (index, range) in ranges.iter_mut().enumerate() {
                    *range = ray(part * length + index);
                }
            });
        }
    });
    ranges
}
