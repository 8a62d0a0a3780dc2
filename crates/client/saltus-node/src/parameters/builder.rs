//! The builder for parameters.

use saltus_param::{
    Declaration, FloatingPointRange, IntegerRange, ParameterDescriptor, ParameterError, ParameterType,
    ParameterValue, ParameterVariant,
};

use super::access::typed;
use crate::Node;

impl Node {
    /// Declares a parameter with a default value. Returns its value: the default, or the value that the user gave with
    /// `-p`, `--params-file` or the options of the node.
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

    /// Returns a builder for a parameter with more settings than a default value.
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

    /// Sets the whole descriptor. This replaces all settings of the descriptor that were made before.
    pub fn descriptor(mut self, descriptor: ParameterDescriptor) -> Self {
        self.descriptor = descriptor;
        self
    }

    /// Sets the description: a text about what the parameter is for.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.descriptor.description = description.into();
        self
    }

    /// Sets a text about constraints that the other settings can't express.
    pub fn additional_constraints(mut self, constraints: impl Into<String>) -> Self {
        self.descriptor.additional_constraints = constraints.into();
        self
    }

    /// Sets the range of an integer parameter: both ends, and every `step`-th number from `from_value` on. A step of 0
    /// allows every number between the ends.
    pub fn integer_range(mut self, from_value: i64, to_value: i64, step: u64) -> Self {
        self.descriptor.integer_range = Some(IntegerRange { from_value, to_value, step });
        self
    }

    /// Sets the range of a floating-point parameter: both ends, and the numbers at multiples of `step` from
    /// `from_value` on. A step of 0 allows every number between the ends.
    pub fn floating_point_range(mut self, from_value: f64, to_value: f64, step: f64) -> Self {
        self.descriptor.floating_point_range = Some(FloatingPointRange { from_value, to_value, step });
        self
    }

    /// Makes the parameter read-only. It gets its value when it is declared, and the value can't be changed later.
    pub fn read_only(mut self) -> Self {
        self.descriptor.read_only = true;
        self
    }

    /// Allows the type of the parameter to change, and allows every node to undeclare the parameter.
    pub fn dynamic_typing(mut self) -> Self {
        self.descriptor.dynamic_typing = true;
        self
    }

    /// Makes the declaration ignore a value that the user gives. The parameter then has its default value.
    pub fn ignore_override(mut self) -> Self {
        self.ignore_override = true;
        self
    }

    /// Declares the parameter. Returns its value.
    pub fn declare<T: ParameterVariant>(self, default: T) -> Result<T, ParameterError> {
        let name = self.name.clone();
        typed(&name, self.declare_value(default.into_value())?)
    }

    /// Declares the parameter with only a type. It has no value until it is set, unless the user has given a value.
    pub fn declare_type(mut self, ty: ParameterType) -> Result<ParameterValue, ParameterError> {
        self.descriptor.ty = ty;
        self.declare_value(ParameterValue::NotSet)
    }

    /// Declares the parameter with a default value whose type is known only at run time. Returns its value.
    pub fn declare_value(self, default: ParameterValue) -> Result<ParameterValue, ParameterError> {
        let Self { node, name, descriptor, ignore_override } = self;
        node.declare_value(&name, Declaration { descriptor, default, ignore_override })
    }
}
