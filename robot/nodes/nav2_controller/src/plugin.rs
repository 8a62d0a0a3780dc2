//! The trait of controllers.

use saltus::{component::ComponentError, msgs::std_msgs::msg::Header, param::Parameter};
use saltus_motion::{Controller, Pose};

/// A controller with its parameters and topics.
pub trait ControllerPlugin: Send {
    /// Returns the controller.
    fn controller(&mut self) -> &mut dyn Controller;

    /// Reads parameters of the controller that have changed.
    ///
    /// # Errors
    ///
    /// Returns an error if their values can't be used.
    fn read_parameters(&mut self) -> Result<(), ComponentError> {
        Ok(())
    }

    /// Checks values that parameters are about to get, of this controller or of its node.
    ///
    /// # Errors
    ///
    /// Returns an error if the controller can't use its parameters with these values.
    fn check_parameters(&self, _proposed: &[Parameter]) -> Result<(), ComponentError> {
        Ok(())
    }

    /// Prepares the next command. It can check whether there are subscribers, for example.
    fn prepare(&mut self) {}

    /// Publishes what the controller has seen and chosen. `header` has the frame of the costmap, and `path` is in it.
    fn publish(&mut self, _header: &Header, _path: &[Pose]) {}
}
