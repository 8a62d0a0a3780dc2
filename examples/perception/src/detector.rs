//! Finds the bright square in images.

use saltus::{
    Node, Subscription,
    component::{Component, ComponentError, NodeOptions},
    msgs::{
        geometry_msgs::msg::{Point, PointStamped},
        sensor_msgs::msg::{Image, ImageView},
        std_msgs::msg::Header,
    },
};

/// Publishes `detection`, the centre of the bright pixels of each `image`, in pixels.
#[derive(Debug)]
pub struct Detector {
    node: Node,
    _images: Subscription<Image>,
}

impl Component for Detector {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("detector").create()?;
        let threshold: i64 = node.parameter("threshold").integer_range(0, 255, 0).declare(128)?;
        let threshold = u8::try_from(threshold)?;
        let detections = node.publisher::<PointStamped>("detection").create()?;
        let logger = node.logger();
        let images = node.subscription::<Image>("image").view(move |image| {
            let Some(point) = centre(&image, threshold) else { return };
            let seen = image.header();
            let header = Header { stamp: *seen.stamp(), frame_id: seen.frame_id().into() };
            if let Err(error) = detections.publish(&PointStamped { header, point }) {
                saltus::error!(logger, "can't publish a detection: {error}");
            }
        })?;
        Ok(Self { node, _images: images })
    }

    fn node(&self) -> &Node {
        &self.node
    }
}

/// Returns the centre of the pixels that are brighter than a threshold. The image is read in place.
fn centre(image: &ImageView<'_>, threshold: u8) -> Option<Point> {
    let (mut count, mut x_sum, mut y_sum) = (0, 0, 0);
    let width = usize::try_from(image.step()).ok().filter(|width| *width > 0)?;
    for (y, row) in image.data().chunks_exact(width).enumerate() {
        for (x, _) in row.iter().enumerate().filter(|(_, pixel)| **pixel > threshold) {
            (count, x_sum, y_sum) = (count + 1, x_sum + x, y_sum + y);
        }
    }
    let mean = |sum: usize| sum as f64 / f64::from(count);
    (count > 0).then(|| Point { x: mean(x_sum), y: mean(y_sum), z: 0.0 })
}
