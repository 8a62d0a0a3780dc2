//! A robot: its body, its drive and its sensors.

use saltus_yaml::Node;

use crate::{
    WorldError,
    drive::Drive,
    fields::{Fields, Load, NOT_NEGATIVE, POSITIVE, Result, file, text},
    pose::Point,
    sensor::{RATES, Sensor},
    shape::Shape,
    shapes::shape,
    urdf::{Body, Outline},
};

/// Where odometry comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OdometrySource {
    /// From the true pose, without errors: the frame of the odometry is the world.
    World,
    /// From the wheels, from the pose 0 on.
    Encoder {
        /// How wrong the distance of a wheel is: the standard deviation after one metre, in metres. It grows with the root of
        /// the distance.
        drift: f64,
    },
}

/// A kind of robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The shapes of its body.
    pub shapes: Vec<Shape>,
    /// Its description in URDF, if it has one.
    pub urdf: Option<String>,
    /// Its mass.
    pub mass: f64,
    /// Its moment of inertia about the vertical axis through the centre of mass, in kg m²; from its shapes if it is `None`.
    pub inertia: Option<f64>,
    /// Its centre of mass; from its shapes if it is `None`.
    pub center_of_mass: Option<Point>,
    /// How it drives.
    pub drive: Drive,
    /// Its sensors.
    pub sensors: Vec<Sensor>,
    /// The name of its frame.
    pub base_frame: String,
    /// Where its odometry comes from.
    pub odometry: OdometrySource,
    /// The name of the frame of its odometry.
    pub odometry_frame: String,
    /// How often odometry is published, in hertz.
    pub odometry_rate: f64,
    /// How often the states of joints are published, in hertz.
    pub joint_rate: f64,
}

impl Model {
    /// Reads a robot in YAML that names no other files.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not YAML, or if a key is missing, not known or wrong.
    pub fn parse(text: &str) -> Result<Self, WorldError> {
        Self::parse_with(text, &mut |_| Err("this robot must not name other files".into()))
    }

    /// Reads a robot in YAML. `load` reads the description in URDF that it names.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`parse`](Self::parse) and those of `load`.
    pub fn parse_with(
        text: &str,
        load: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, WorldError> {
        Ok(Self::read(&saltus_yaml::parse(text)?, load)?)
    }

    pub(crate) fn read(node: &Node, load: Load<'_>) -> Result<Self> {
        let fields = Fields::of(node)?;
        let base_frame = fields.text_or("base_frame", "base_footprint")?;
        let urdf =
            fields.find("urdf").map(|node| Ok((node, outline(node, &base_frame, load)?))).transpose()?;
        let body = match (fields.find("body"), &urdf) {
            (None, Some((node, (_, outline)))) => outline.body().map_err(|text| node.error(text))?,
            _ => body(fields.get("body")?)?,
        };
        let outline = urdf.as_ref().map(|(_, (_, outline))| outline);
        let odometry = fields.find("odometry").map(Fields::of).transpose()?;
        let (source, frame, rate) = match odometry {
            Some(odometry) => self::odometry(odometry)?,
            None => (OdometrySource::World, "odom".into(), 30.0),
        };
        let sensors = sensors(&fields, outline)?;
        let model = Self {
            shapes: body.shapes,
            urdf: urdf.map(|(_, (text, _))| text),
            mass: body.mass,
            inertia: body.inertia,
            center_of_mass: body.center,
            drive: Drive::read(fields.get("drive")?)?,
            sensors,
            base_frame,
            odometry: source,
            odometry_frame: frame,
            odometry_rate: rate,
            joint_rate: fields.number_or("joint_rate", RATES, 30.0)?,
        };
        fields.end()?;
        Ok(model)
    }
}

/// Reads the sensors. Each one has its own topic.
fn sensors(fields: &Fields<'_>, outline: Option<&Outline>) -> Result<Vec<Sensor>> {
    let mut sensors = Vec::<Sensor>::new();
    for node in fields.list("sensors")? {
        let sensor = Sensor::read(node, outline)?;
        if sensors.iter().any(|other| other.topic == sensor.topic) {
            return Err(node.error(format!("two sensors have the topic `{}`", sensor.topic)));
        }
        sensors.push(sensor);
    }
    Ok(sensors)
}

fn odometry(fields: Fields<'_>) -> Result<(OdometrySource, String, f64)> {
    let source = match &*fields.text_or("source", "world")? {
        "world" => OdometrySource::World,
        "encoder" => OdometrySource::Encoder { drift: fields.number_or("drift", NOT_NEGATIVE, 0.0)? },
        other => {
            let text = format!("`source` must be world or encoder, found `{other}`");
            return Err(fields.get("source")?.error(text));
        }
    };
    let (frame, rate) = (fields.text_or("frame", "odom")?, fields.number_or("rate", RATES, 30.0)?);
    fields.end()?;
    Ok((source, frame, rate))
}

/// Reads the description that a robot names. Returns its text, too.
fn outline(node: &Node, base_frame: &str, load: Load<'_>) -> Result<(String, Outline)> {
    let path = text(node, "urdf")?;
    let description = file(node, &path, load)?;
    let outline = Outline::read(&description, base_frame);
    Ok((description, outline.map_err(|text| node.error(format!("{path}: {text}")))?))
}

fn body(node: &Node) -> Result<Body> {
    let fields = Fields::of(node)?;
    let body = Body {
        shapes: shapes(&fields)?,
        mass: fields.number("mass", POSITIVE)?,
        inertia: fields.find("inertia").map(|_| fields.number("inertia", POSITIVE)).transpose()?,
        center: fields.find("center_of_mass").map(|_| fields.point("center_of_mass")).transpose()?,
    };
    fields.end()?;
    Ok(body)
}

/// Returns the shapes of a body: one, or the list `shapes`.
fn shapes(body: &Fields<'_>) -> Result<Vec<Shape>> {
    let mut shapes = Vec::new();
    for node in body.list("shapes")? {
        let fields = Fields::of(node)?;
        shapes.extend(shape(&fields)?);
        fields.end()?;
    }
    shapes.extend(shape(body)?);
    if shapes.is_empty() {
        return Err(body.error("a body needs `box`, `circle`, `polygon` or `shapes`"));
    }
    Ok(shapes)
}
