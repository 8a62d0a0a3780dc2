//! Publishes images of a bright square that moves.

use std::time::Duration;

use saltus::{
    Node, Publisher, Time, Timer,
    component::{Component, ComponentError, NodeOptions},
    msgs::sensor_msgs::msg::Image,
};

/// The width and the height of an image, in pixels.
const SIZE: usize = 128;
/// The width of the square, in pixels.
const SQUARE: usize = 8;

/// Publishes `image` at `rate` images per second, when there is a subscription.
#[derive(Debug)]
pub struct Camera {
    node: Node,
    _timer: Timer,
}

impl Component for Camera {
    fn new(options: &NodeOptions) -> Result<Self, ComponentError> {
        let node = options.node("camera").create()?;
        let rate: f64 = node.parameter("rate").floating_point_range(0.1, 1000.0, 0.0).declare(30.0)?;
        let images = node.publisher::<Image>("image").create()?;
        let logger = node.logger();
        let period = Duration::from_secs_f64(1.0 / rate);
        let mut frame = 0;
        let timer = node.wall_timer(period).callback(move || {
            if images.subscription_count() == 0 {
                return;
            }
            match publish(&images, frame, period) {
                Ok(()) => frame += 1,
                Err(error) => saltus::error!(logger, "can't publish an image: {error}"),
            }
        })?;
        Ok(Self { node, _timer: timer })
    }

    fn node(&self) -> &Node {
        &self.node
    }
}

/// Publishes an image, written in place in shared memory. Its stamp is the time since the first image.
fn publish(images: &Publisher<Image>, frame: u32, period: Duration) -> Result<(), ComponentError> {
    let stamp = Time::from_nanos((period * frame).as_nanos().try_into()?);
    let (left, top) = corner(frame as usize);
    images
        .loan(Image::size_hint(SIZE * SIZE))?
        .header(|header| header.stamp(stamp.into()).frame_id("camera"))
        .height(SIZE as u32)
        .width(SIZE as u32)
        .encoding("mono8")
        .is_bigendian(0)
        .step(SIZE as u32)
        .data(SIZE * SIZE, |pixels| {
            pixels.fill(0);
            for row in pixels.chunks_exact_mut(SIZE).skip(top).take(SQUARE) {
                row[left..left + SQUARE].fill(255);
            }
        })
        .publish()?;
    Ok(())
}

/// Returns the left upper corner of the square in an image. The square moves 2 pixels to the right and 3 down.
fn corner(frame: usize) -> (usize, usize) {
    let most = SIZE - SQUARE;
    (2 * frame % most, 3 * frame % most)
}
