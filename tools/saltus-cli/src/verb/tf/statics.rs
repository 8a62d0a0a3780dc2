//! `saltus tf static`

use saltus::{
    Context, Executor, SingleThreadedExecutor,
    tf::{StampedTransform, StaticTransformBroadcaster, Transform},
};

use saltus_verb::{error::Error, ros_args};

/// `saltus tf static …`
#[derive(Debug, clap::Args)]
#[command(allow_negative_numbers = true)]
pub(crate) struct Static {
    /// The x component of the translation, in metres
    #[arg(long, default_value_t = 0.0)]
    x: f64,
    /// The y component of the translation
    #[arg(long, default_value_t = 0.0)]
    y: f64,
    /// The z component of the translation
    #[arg(long, default_value_t = 0.0)]
    z: f64,
    /// The x component of the quaternion
    #[arg(long, conflicts_with_all = ["roll", "pitch", "yaw"])]
    qx: Option<f64>,
    /// The y component of the quaternion
    #[arg(long, conflicts_with_all = ["roll", "pitch", "yaw"])]
    qy: Option<f64>,
    /// The z component of the quaternion
    #[arg(long, conflicts_with_all = ["roll", "pitch", "yaw"])]
    qz: Option<f64>,
    /// The w component of the quaternion [default: 1]
    #[arg(long, conflicts_with_all = ["roll", "pitch", "yaw"])]
    qw: Option<f64>,
    /// The angle about the axis x, in radians
    #[arg(long)]
    roll: Option<f64>,
    /// The angle about the axis y, in radians
    #[arg(long)]
    pitch: Option<f64>,
    /// The angle about the axis z, in radians
    #[arg(long)]
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
        let stamped = StampedTransform::new(
            &self.frame_id,
            &self.child_frame_id,
            node.clock().now(),
            self.transform()?,
        );
        if [&self.frame_id, &self.child_frame_id].iter().any(|name| name.is_empty() || name.starts_with('/'))
        {
            return Err("the name of a frame must not be empty, and must not start with `/`".into());
        }
        if self.frame_id == self.child_frame_id {
            return Err("the frames of a transform must be different".into());
        }
        let broadcaster = StaticTransformBroadcaster::new(&node)?;
        broadcaster.send(&[stamped])?;
        saltus_verb::output::tell!(
            "Spinning until stopped - publishing transform from '{}' to '{}'",
            self.frame_id,
            self.child_frame_id
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
