//! A robot: its body, its drive and its sensors.

use saltus_yaml::Node;

use crate::{
    WorldError,
    drive::Drive,
    fields::{Fields, FileLoader, NOT_NEGATIVE, POSITIVE, Result, text},
    pose::Point,
    sensor::{RATES, Sensor},
    shape::Shape,
    shapes::shape,
    urdf::{PlanarBody, PlanarDescription},
};

/// The source of odometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OdometrySource {
    /// The true pose without errors. The frame of the odometry is the world.
    World,
    /// The encoders of the wheels. The first pose is the origin.
    Encoder {
        /// The standard deviation of the distance of a wheel after one metre, in metres. It grows with the square root of the distance.
        drift: f64,
    },
}

/// The model of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The shapes of the body in the frame of the robot.
    pub shapes: Vec<Shape>,
    /// The text of the description in URDF, if there is one.
    pub urdf: Option<String>,
    /// The mass, in kg.
    pub mass: f64,
    /// The moment of inertia about the vertical axis through the centre of mass, in kg m²; computed from the shapes if `None`.
    pub inertia: Option<f64>,
    /// The centre of mass in the frame of the robot; computed from the shapes if `None`.
    pub center_of_mass: Option<Point>,
    /// The drive.
    pub drive: Drive,
    /// The sensors.
    pub sensors: Vec<Sensor>,
    /// The name of the frame of the robot.
    pub base_frame: String,
    /// The source of the odometry.
    pub odometry: OdometrySource,
    /// The name of the frame of the odometry.
    pub odometry_frame: String,
    /// The rate of the odometry, in Hz.
    pub odometry_rate: f64,
    /// The rate of the states of joints, in Hz.
    pub joint_rate: f64,
}

impl Model {
    /// Reads a model in YAML that names no other files.
    ///
    /// # Errors
    ///
    /// Fails if the text is not YAML, or if a key is missing, not known or has an invalid value.
    pub fn parse(text: &str) -> Result<Self, WorldError> {
        Self::parse_with(text, &mut |_| Err("this robot must not name other files".into()))
    }

    /// Reads a model in YAML. `load` reads the description in URDF by the path in the model.
    ///
    /// # Errors
    ///
    /// Fails as [`parse`](Self::parse), or if `load` fails.
    pub fn parse_with(
        text: &str,
        load: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Self, WorldError> {
        Ok(Self::read(&saltus_yaml::parse(text)?, load)?)
    }

    pub(crate) fn read(node: &Node, load: FileLoader<'_>) -> Result<Self> {
        let fields = Fields::new(node)?;
        let base_frame = fields.text_or("base_frame", "base_footprint")?;
        let urdf =
            fields.find("urdf").map(|node| Ok((node, outline(node, &base_frame, load)?))).transpose()?;
        let body = match (fields.find("body"), &urdf) {
            (None, Some((node, (_, outline)))) => outline.body().map_err(|text| node.error(text))?,
            _ => body(fields.get("body")?)?,
        };
        let outline = urdf.as_ref().map(|(_, (_, outline))| outline);
        let odometry = fields.find("odometry").map(Fields::new).transpose()?;
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
        fields.finish()?;
        Ok(model)
    }
}

/// Reads the sensors. The topic of each sensor must be unique.
fn sensors(fields: &Fields<'_>, outline: Option<&PlanarDescription>) -> Result<Vec<Sensor>> {
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

/// Reads the source, the frame and the rate of the odometry.
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
    fields.finish()?;
    Ok((source, frame, rate))
}

/// Reads the description of a robot. Returns its text and its planar part.
fn outline(node: &Node, base_frame: &str, load: FileLoader<'_>) -> Result<(String, PlanarDescription)> {
    let path = text(node, "urdf")?;
    let description = saltus_xml::decoded(load(&path).map_err(|text| node.error(text))?);
    let outline = PlanarDescription::read(&description, base_frame);
    Ok((description, outline.map_err(|text| node.error(format!("{path}: {text}")))?))
}

fn body(node: &Node) -> Result<PlanarBody> {
    let fields = Fields::new(node)?;
    let body = PlanarBody {
        shapes: shapes(&fields)?,
        mass: fields.number("mass", POSITIVE)?,
        inertia: fields.find("inertia").map(|_| fields.number("inertia", POSITIVE)).transpose()?,
        center: fields.find("center_of_mass").map(|_| fields.point("center_of_mass")).transpose()?,
    };
    fields.finish()?;
    Ok(body)
}

/// Reads the shapes of a body: a single one, or the list `shapes`.
fn shapes(body: &Fields<'_>) -> Result<Vec<Shape>> {
    let mut shapes = Vec::new();
    for node in body.list("shapes")? {
        let fields = Fields::new(node)?;
        shapes.extend(shape(&fields)?);
        fields.finish()?;
    }
    shapes.extend(shape(body)?);
    if shapes.is_empty() {
        return Err(body.error("a body needs `box`, `circle`, `polygon` or `shapes`"));
    }
    Ok(shapes)
}
