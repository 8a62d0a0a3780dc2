//! The builder for parameters.

use saltus_param::{
    Declaration, FloatingPointRange, IntegerRange, ParameterDescriptor, ParameterError, ParameterType,
    ParameterValue, ParameterVariant,
};

use super::access::typed;
use crate::Node;

impl Node {
    /// Declares a parameter with a default value, and returns its value. This is the user's value if one was
    /// given by `-p`, `--params-file` or the node's options.
    ///
    /// ```no_run
    /// let context = saltus::Context::from_args()?;
    /// let node = context.node("driver").create()?;
    /// let rate: f64 = node.declare_parameter("rate", 10.0)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn declare_parameter<T: ParameterVariant>(
        &self,
        name: &str,
        default: T,
    ) -> Result<T, ParameterError> {
        self.parameter(name).declare(default)
    }

    /// Returns a builder for a parameter that needs more settings than its default value.
    pub fn parameter(&self, name: &str) -> ParameterBuilder {
        ParameterBuilder::new(self, name)
    }
}

/// A builder for parameters.
///
/// ```no_run
/// let context = saltus::Context::from_args()?;
/// let node = context.node("driver").create()?;
/// let speed: f64 = node
///     .parameter("max_speed")
///     .description("how fast the robot may go, in m/s")
///     .floating_point_range(0.0, 2.5, 0.0)
///     .declare(1.0)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "nothing is declared before `declare`"]
pub struct ParameterBuilder {
    node: Node,
    name: String,
    descriptor: ParameterDescriptor,
    ignore_override: bool,
}

impl ParameterBuilder {
    pub(crate) fn new(node: &Node, name: &str) -> Self {
        let descriptor = ParameterDescriptor::default();
        Self { node: node.clone(), name: name.into(), descriptor, ignore_override: false }
    }

    /// Sets its whole descriptor. It replaces all settings of the descriptor that were made before.
    pub fn descriptor(mut self, descriptor: ParameterDescriptor) -> Self {
        self.descriptor = descriptor;
        self
    }

    /// Sets the description of what it is for.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.descriptor.description = description.into();
        self
    }

    /// Sets a text about constraints that the other settings can't express.
    pub fn additional_constraints(mut self, constraints: impl Into<String>) -> Self {
        self.descriptor.additional_constraints = constraints.into();
        self
    }

    /// Sets the whole numbers that it may have: both ends, and every `step`-th number from the first end on. With a
    /// `step` of 0, it may have any number between the ends.
    pub fn integer_range(mut self, from_value: i64, to_value: i64, step: u64) -> Self {
        self.descriptor.integer_range = Some(IntegerRange { from_value, to_value, step });
        self
    }

    /// Sets the numbers that it may have: both ends, and the numbers that are a multiple of `step` away from the first
    /// end. With a `step` of 0, it may have any number between the ends.
    pub fn floating_point_range(mut self, from_value: f64, to_value: f64, step: f64) -> Self {
        self.descriptor.floating_point_range = Some(FloatingPointRange { from_value, to_value, step });
        self
    }

    /// Makes it read-only. Its value is given at its declaration, or by the user, and never changes.
    pub fn read_only(mut self) -> Self {
        self.descriptor.read_only = true;
        self
    }

    /// Allows its type to change, and allows any node to undeclare it.
    pub fn dynamic_typing(mut self) -> Self {
        self.descriptor.dynamic_typing = true;
        self
    }

    /// Ignores a value that the user gives, so that it has the default.
    pub fn ignore_override(mut self) -> Self {
        self.ignore_override = true;
        self
    }

    /// Declares it, and returns its value.
    pub fn declare<T: ParameterVariant>(self, default: T) -> Result<T, ParameterError> {
        let name = self.name.clone();
        typed(&name, self.declare_value(default.into_value())?)
    }

    /// Declares it without a default value. It has no value until it is set, unless the user has given one.
    pub fn declare_type(mut self, ty: ParameterType) -> Result<ParameterValue, ParameterError> {
        self.descriptor.ty = ty;
        self.declare_value(ParameterValue::NotSet)
    }

    /// Declares it with a default value whose type is known only at run time, and returns its value.
    pub fn declare_value(self, default: ParameterValue) -> Result<ParameterValue, ParameterError> {
        let Self { node, name, descriptor, ignore_override } = self;
        node.declare_value(&name, Declaration { descriptor, default, ignore_override })
    }
}
