//! `saltus tf static`

use std::ffi::{OsStr, OsString};

use saltus::{
    Context, Executor, SingleThreadedExecutor,
    tf::{StampedTransform, StaticTransformBroadcaster, Transform},
};

use saltus_verb::{error::Error, ros_args};

/// The meanings of the values of the older form, in their order: with three angles, and with a quaternion.
const WITH_ANGLES: &[&str] = &["x", "y", "z", "yaw", "pitch", "roll", "frame-id", "child-frame-id"];
const WITH_QUATERNION: &[&str] = &["x", "y", "z", "qx", "qy", "qz", "qw", "frame-id", "child-frame-id"];

/// Gives the values of `tf static` their names, if they have none. This is an older form of ROS 2's command, which launch files still use.
pub(crate) fn with_names(mut words: Vec<OsString>) -> Vec<OsString> {
    if words.get(1..3).is_none_or(|verbs| verbs != ["tf", "static"]) {
        return words;
    }
    let end = words.iter().position(|word| word == "--ros-args").unwrap_or(words.len());
    let names = [WITH_ANGLES, WITH_QUATERNION].into_iter().find(|names| names.len() + 3 == end);
    let Some(names) = names else { return words };
    if words[3..end].iter().any(|word| word.as_encoded_bytes().starts_with(b"--")) {
        return words;
    }
    for (name, word) in names.iter().zip(&mut words[3..end]) {
        let mut named = OsString::from(format!("--{name}="));
        named.push(&*word);
        *word = named;
    }
    let form = words[3..end].join(OsStr::new(" "));
    saltus_verb::output::tell!(
        "saltus: warning: values without names are deprecated; write {}",
        form.display()
    );
    words
}

/// `saltus tf static …`
#[derive(Debug, clap::Args)]
#[command(allow_negative_numbers = true)]
pub(crate) struct Static {
    /// The x component of the translation, in metres
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    x: f64,
    /// The y component of the translation
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    y: f64,
    /// The z component of the translation
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    z: f64,
    /// The x component of the quaternion
    #[arg(long, conflicts_with_all = ["roll", "pitch", "yaw"], allow_hyphen_values = true)]
    qx: Option<f64>,
    /// The y component of the quaternion
    #[arg(long, conflicts_with_all = ["roll", "pitch", "yaw"], allow_hyphen_values = true)]
    qy: Option<f64>,
    /// The z component of the quaternion
    #[arg(long, conflicts_with_all = ["roll", "pitch", "yaw"], allow_hyphen_values = true)]
    qz: Option<f64>,
    /// The w component of the quaternion [default: 1]
    #[arg(long, conflicts_with_all = ["roll", "pitch", "yaw"], allow_hyphen_values = true)]
    qw: Option<f64>,
    /// The angle about the axis x, in radians
    #[arg(long, allow_hyphen_values = true)]
    roll: Option<f64>,
    /// The angle about the axis y, in radians
    #[arg(long, allow_hyphen_values = true)]
    pitch: Option<f64>,
    /// The angle about the axis z, in radians
    #[arg(long, allow_hyphen_values = true)]
    yaw: Option<f64>,
    /// The parent frame
    #[arg(long)]
    frame_id: String,
    /// The child frame
    #[arg(long)]
    child_frame_id: String,
    /// The arguments for the node, from --ros-args on
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ROS_ARGS")]
    ros_args: Vec<String>,
}

impl Static {
    pub(super) fn run(&self) -> Result<(), Error> {
        ros_args::check(&self.ros_args)?;
        let context = Context::from_args()?;
        let node = context.node(&format!("static_transform_publisher_{}", std::process::id())).create()?;
        // As in tf2, a leading `/` does not count.
        let [parent, child] =
            [&self.frame_id, &self.child_frame_id].map(|name| name.strip_prefix('/').unwrap_or(name));
        if parent.is_empty() || child.is_empty() {
            return Err("the name of a frame must not be empty".into());
        }
        if parent == child {
            return Err("the frames of a transform must be different".into());
        }
        let stamped = StampedTransform::new(parent, child, node.clock().now(), self.transform()?);
        let broadcaster = StaticTransformBroadcaster::new(&node)?;
        broadcaster.send(&[stamped])?;
        saltus_verb::output::tell!(
            "Spinning until stopped - publishing transform from '{}' to '{}'",
            parent,
            child
        );
        Ok(SingleThreadedExecutor::new(&context)?.spin_node(&node)?)
    }

    fn transform(&self) -> Result<Transform, Error> {
        let translation = [self.x, self.y, self.z];
        let rotation = match (self.qx, self.qy, self.qz, self.qw) {
            (None, None, None, None) => {
                let angles = [self.roll, self.pitch, self.yaw].map(Option::unwrap_or_default);
                Transform::from_xyz_rpy([0.0; 3], angles).rotation()
            }
            (x, y, z, w) => {
                [x.unwrap_or_default(), y.unwrap_or_default(), z.unwrap_or_default(), w.unwrap_or(1.0)]
            }
        };
        Ok(Transform::new(translation, rotation)?)
    }
}
