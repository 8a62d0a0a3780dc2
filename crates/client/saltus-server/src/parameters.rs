//! Parameters that are declared where they are read.

use std::{ops::RangeInclusive, sync::Arc, time::Duration};

use saltus::{
    Node,
    param::{
        FloatingPointRange, IntegerRange, Parameter, ParameterBuilder, ParameterError, ParameterType,
        ParameterVariant,
    },
};

/// The longest time of a parameter, in seconds: about three years. A stamp ends in 2038, so a time this far ahead fits
/// until 2034.
const LONGEST: f64 = 1e8;

/// Ranges that many parameters have.
pub mod range {
    use std::ops::RangeInclusive;

    /// All numbers, also infinity.
    pub const NUMBER: RangeInclusive<f64> = f64::NEG_INFINITY..=f64::INFINITY;
    /// Numbers whose absolute value is at most a billion.
    pub const FINITE: RangeInclusive<f64> = -1e9..=1e9;
    /// Numbers from 0 to a billion.
    pub const NOT_NEGATIVE: RangeInclusive<f64> = 0.0..=1e9;
    /// Numbers that something can be divided by: from a millionth to a billion.
    pub const POSITIVE: RangeInclusive<f64> = 1e-6..=1e9;
    /// Shares of a whole.
    pub const SHARE: RangeInclusive<f64> = 0.0..=1.0;
    /// Seconds: from none to about three years.
    pub const SECONDS: RangeInclusive<f64> = 0.0..=super::LONGEST;
    /// Speeds, in m/s or rad/s.
    pub const SPEED: RangeInclusive<f64> = 0.0..=1000.0;
    /// Velocities, in m/s or rad/s.
    pub const VELOCITY: RangeInclusive<f64> = -1000.0..=1000.0;
    /// Accelerations, in m/s² or rad/s². Those of Nav2 that slow a robot down are negative.
    pub const ACCELERATION: RangeInclusive<f64> = -1e6..=1e6;
    /// Rates of something that repeats, in Hz. A robot whose velocities come more rarely can't be controlled.
    pub const RATE: RangeInclusive<f64> = 0.1..=1000.0;
}

/// The parameters of a node or of a plugin. The names of a plugin's parameters begin with the name of the plugin.
///
/// ```
/// use saltus_server::Parameters;
/// # let folder = tempfile::tempdir()?;
/// # let context = saltus::context::ContextOptions::default().folder(folder.path()).create()?;
/// let node = context.node("controller_server").create()?;
/// let plugin = Parameters::for_plugin(&node, "FollowPath");
/// assert_eq!(plugin.get("max_vel_x", 0.26)?, 0.26);
/// node.set_parameter("FollowPath.max_vel_x", 0.3)?;
/// assert_eq!(plugin.get("max_vel_x", 0.26)?, 0.3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parameters {
    node: Node,
    prefix: String,
    /// The values that count instead of those of the node; see [`Parameters::proposing`].
    proposed: Option<Arc<[Parameter]>>,
}

impl Parameters {
    /// Returns the parameters of a node.
    pub fn new(node: &Node) -> Self {
        Self { node: node.clone(), prefix: String::new(), proposed: None }
    }

    /// Returns the parameters of a plugin.
    pub fn for_plugin(node: &Node, plugin: &str) -> Self {
        Self::new(node).part(plugin)
    }

    /// Returns the parameters of a part of this plugin.
    #[must_use]
    pub fn part(&self, name: &str) -> Self {
        Self { prefix: format!("{}{name}.", self.prefix), ..self.clone() }
    }

    /// Returns the parameters of the node of this plugin.
    #[must_use]
    pub fn of_node(&self) -> Self {
        Self { prefix: String::new(), ..self.clone() }
    }

    /// Whether these parameters have proposed values: see [`Parameters::proposing`].
    #[must_use]
    pub fn is_proposal(&self) -> bool {
        self.proposed.is_some()
    }

    /// Returns the parameters as they will be when `proposed` are set. Reading them declares nothing.
    ///
    /// A callback of [`Node::on_set_parameters`] reads all of its settings with them, and rejects values that it can't use.
    #[must_use]
    pub fn proposing(&self, proposed: &[Parameter]) -> Self {
        Self { proposed: Some(proposed.into()), ..self.clone() }
    }

    /// Returns the node.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Returns the value of a parameter. Declares the parameter if that was not done before.
    ///
    /// # Errors
    ///
    /// Returns an error if the value has another type.
    pub fn get<T: ParameterVariant>(&self, name: &str, default: T) -> Result<T, ParameterError> {
        self.read(&format!("{}{name}", self.prefix), default, |builder| builder)
    }

    /// Returns the value of a parameter by its whole name. `with` sets what a declaration has beside the default.
    fn read<T: ParameterVariant>(
        &self,
        name: &str,
        default: T,
        with: impl FnOnce(ParameterBuilder) -> ParameterBuilder,
    ) -> Result<T, ParameterError> {
        let mut proposed = self.proposed.iter().flat_map(|list| list.iter()).rev();
        match proposed.find(|parameter| parameter.name == name) {
            Some(parameter) => T::from_value(parameter.value.clone()).ok_or_else(|| ParameterError::Type {
                name: name.to_owned(),
                expected: T::TYPE,
                found: ParameterType::of(&parameter.value),
            }),
            None if self.node.has_parameter(name) => self.node.get_parameter(name),
            None if self.proposed.is_some() => Ok(default),
            None => with(self.node.parameter(name)).declare(default),
        }
    }

    /// Returns the value of a text.
    ///
    /// # Errors
    ///
    /// See [`get`](Self::get).
    pub fn text(&self, name: &str, default: &str) -> Result<String, ParameterError> {
        self.get(name, default.to_owned())
    }

    /// Returns the value of a list of texts.
    ///
    /// # Errors
    ///
    /// See [`get`](Self::get).
    pub fn texts(&self, name: &str, default: &[&str]) -> Result<Vec<String>, ParameterError> {
        self.get(name, default.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    /// Returns a number. It is in `range`: the parameter can have no other value.
    ///
    /// ```
    /// use saltus_server::{Parameters, range};
    /// # let folder = tempfile::tempdir()?;
    /// # let context = saltus::context::ContextOptions::default().folder(folder.path()).create()?;
    /// let node = context.node("controller_server").create()?;
    /// assert_eq!(Parameters::new(&node).number("tolerance", 0.5, range::NOT_NEGATIVE)?, 0.5);
    /// let error = node.set_parameter("tolerance", -1.0).unwrap_err().to_string();
    /// assert!(error.starts_with("parameter 'tolerance': -1 is not in the range from 0 to"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the value has another type, or is not in the range.
    pub fn number(
        &self,
        name: &str,
        default: f64,
        range: RangeInclusive<f64>,
    ) -> Result<f64, ParameterError> {
        let (name, (from, to)) = (format!("{}{name}", self.prefix), range.into_inner());
        let value = self.read(&name, default, |builder| builder.floating_point_range(from, to, 0.0))?;
        // The parameter may have been declared by others, with another range.
        let range = FloatingPointRange { from_value: from, to_value: to, step: 0.0 };
        if range.contains(value) { Ok(value) } else { Err(outside(name, &value, &range)) }
    }

    /// Returns a whole number. It is in `range`: the parameter can have no other value.
    ///
    /// # Errors
    ///
    /// See [`number`](Self::number).
    pub fn whole(&self, name: &str, default: i64, range: RangeInclusive<i64>) -> Result<i64, ParameterError> {
        self.whole_in_steps(name, default, range, 0)
    }

    /// Returns a whole number: the first of `range`, or one that is a multiple of `step` above it. With the step 0, each number of
    /// the range is allowed.
    ///
    /// # Errors
    ///
    /// See [`number`](Self::number).
    pub fn whole_in_steps(
        &self,
        name: &str,
        default: i64,
        range: RangeInclusive<i64>,
        step: u64,
    ) -> Result<i64, ParameterError> {
        let (name, (from, to)) = (format!("{}{name}", self.prefix), range.into_inner());
        let value = self.read(&name, default, |builder| builder.integer_range(from, to, step))?;
        let range = IntegerRange { from_value: from, to_value: to, step };
        if range.contains(value) { Ok(value) } else { Err(outside(name, &value, &range)) }
    }

    /// Returns a number of things. It is in `range`.
    ///
    /// # Errors
    ///
    /// See [`number`](Self::number).
    pub fn count(&self, name: &str, default: u32, range: RangeInclusive<u32>) -> Result<u32, ParameterError> {
        let (from, to) = range.into_inner();
        let value = self.whole(name, i64::from(default), i64::from(from)..=i64::from(to))?;
        // The range contains only numbers that fit.
        Ok(u32::try_from(value).unwrap_or(to))
    }

    /// Returns a number of seconds as a duration. It is in the range [`SECONDS`](range::SECONDS).
    ///
    /// # Errors
    ///
    /// See [`number`](Self::number).
    pub fn seconds(&self, name: &str, default: f64) -> Result<Duration, ParameterError> {
        // A range contains what is as near to its end as the rounding of a number. A duration is not negative.
        self.number(name, default, range::SECONDS).map(|seconds| Duration::from_secs_f64(seconds.max(0.0)))
    }

    /// Returns the time between two cycles. The parameter is a frequency in Hz, in the range [`RATE`](range::RATE).
    ///
    /// # Errors
    ///
    /// See [`number`](Self::number).
    pub fn period(&self, name: &str, default: f64) -> Result<Duration, ParameterError> {
        self.number(name, default, range::RATE).map(|rate| Duration::from_secs_f64(1.0 / rate))
    }

    /// Returns the time between two cycles; `None` if the frequency is 0 or negative, which means that there are none.
    ///
    /// # Errors
    ///
    /// See [`number`](Self::number).
    pub fn optional_period(&self, name: &str, default: f64) -> Result<Option<Duration>, ParameterError> {
        let rate = self.number(name, default, *range::FINITE.start()..=*range::RATE.end())?;
        Ok((rate > 0.0).then(|| Duration::from_secs_f64((1.0 / rate).min(LONGEST))))
    }

    /// Returns a number, or `None` if it is negative, which means that there is none.
    ///
    /// # Errors
    ///
    /// See [`number`](Self::number).
    pub fn unless_negative(&self, name: &str, default: f64) -> Result<Option<f64>, ParameterError> {
        let value = self.number(name, default, range::FINITE)?;
        Ok((value >= 0.0).then_some(value))
    }
}

fn outside(name: String, value: &impl ToString, range: &impl ToString) -> ParameterError {
    ParameterError::Range { name, value: value.to_string(), range: range.to_string() }
}

/// Returns the type of a plugin: its parameter `plugin`. `defaults` are the names and the types of the default plugins. Another plugin
/// must have the parameter.
///
/// # Errors
///
/// Returns the text of ROS 2 if there is no type.
pub fn plugin_type(
    parameters: &Parameters,
    plugin: &str,
    defaults: &[(&str, &str)],
) -> Result<String, String> {
    let default = defaults.iter().find(|(name, _)| *name == plugin).map_or("", |(_, kind)| kind);
    let kind = parameters.part(plugin).text("plugin", default).map_err(|error| error.to_string())?;
    match kind.is_empty() {
        true => Err(format!("Can not get 'plugin' param value for {plugin}")),
        false => Ok(kind),
    }
}
