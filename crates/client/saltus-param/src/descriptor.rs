//! Descriptors of parameters: their types, ranges and other attributes.

use std::fmt;

use saltus_types::ParameterValue;

/// The largest distance between a number and a multiple of the step of its range, as a count of representable `f64`
/// numbers.
const ULPS: u64 = 100;

/// The types of parameters, numbered as in `rcl_interfaces/msg/ParameterType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ParameterType {
    /// No value.
    #[default]
    NotSet = 0,
    /// True or false.
    Bool = 1,
    /// An integer of 64 bits.
    Integer = 2,
    /// A floating-point number of double precision.
    Double = 3,
    /// Text.
    String = 4,
    /// Bytes.
    ByteArray = 5,
    /// Bools.
    BoolArray = 6,
    /// Integers.
    IntegerArray = 7,
    /// Floating-point numbers of double precision.
    DoubleArray = 8,
    /// Texts.
    StringArray = 9,
}

impl ParameterType {
    /// All types, in the order of their numbers.
    pub const ALL: [Self; 10] = [
        Self::NotSet,
        Self::Bool,
        Self::Integer,
        Self::Double,
        Self::String,
        Self::ByteArray,
        Self::BoolArray,
        Self::IntegerArray,
        Self::DoubleArray,
        Self::StringArray,
    ];

    /// Returns the type with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Returns the type of a value.
    pub fn of(value: &ParameterValue) -> Self {
        Self::from_number(value.type_id()).unwrap_or_default()
    }
}

impl fmt::Display for ParameterType {
    /// Writes the name that ROS 2's tools use.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotSet => "not set",
            Self::Bool => "boolean",
            Self::Integer => "integer",
            Self::Double => "double",
            Self::String => "string",
            Self::ByteArray => "byte array",
            Self::BoolArray => "boolean array",
            Self::IntegerArray => "integer array",
            Self::DoubleArray => "double array",
            Self::StringArray => "string array",
        })
    }
}

/// The range of an integer parameter: both ends, and every `step`-th number from `from_value` on. A step of 0 allows
/// every number between the ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntegerRange {
    /// The smallest number.
    pub from_value: i64,
    /// The largest number.
    pub to_value: i64,
    /// The distance between two allowed numbers.
    pub step: u64,
}

impl IntegerRange {
    /// Whether a number is in the range.
    ///
    /// ```
    /// let range = saltus_param::IntegerRange { from_value: 0, to_value: 10, step: 4 };
    /// assert!([0, 4, 8, 10].iter().all(|n| range.contains(*n)));
    /// assert!(![-1, 1, 9, 11, 12].iter().any(|n| range.contains(*n)));
    /// ```
    pub fn contains(&self, number: i64) -> bool {
        if number == self.from_value || number == self.to_value {
            return true;
        }
        let distance = i128::from(number) - i128::from(self.from_value);
        let inside = number > self.from_value && number < self.to_value;
        inside && (self.step == 0 || distance % i128::from(self.step) == 0)
    }
}

impl fmt::Display for IntegerRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe(f, &self.from_value, &self.to_value, (self.step != 0).then_some(&self.step))
    }
}

/// The range of a floating-point parameter: both ends, and the numbers at multiples of `step` from `from_value` on. A
/// step of 0 allows every number between the ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FloatingPointRange {
    /// The smallest number.
    pub from_value: f64,
    /// The largest number.
    pub to_value: f64,
    /// The distance between two allowed numbers.
    pub step: f64,
}

impl FloatingPointRange {
    /// Whether a number is in the range. A rounding error is allowed.
    ///
    /// ```
    /// let range = saltus_param::FloatingPointRange { from_value: 0.0, to_value: 1.0, step: 0.1 };
    /// assert!(range.contains(0.1 + 0.2) && range.contains(1.0));
    /// let around_zero = saltus_param::FloatingPointRange { from_value: -0.3, to_value: 0.3, step: 0.1 };
    /// assert!(around_zero.contains(0.0) && !around_zero.contains(0.05));
    /// assert!(!range.contains(0.25) && !range.contains(1.1) && !range.contains(f64::NAN));
    /// ```
    pub fn contains(&self, number: f64) -> bool {
        if are_close(number, self.from_value) || are_close(number, self.to_value) {
            return true;
        }
        let inside = number > self.from_value && number < self.to_value;
        let count = ((number - self.from_value) / self.step).round();
        let on_grid = self.from_value + count * self.step;
        // If the sum is near zero, its rounding error is relative to the two added numbers, not to the sum.
        let scale = self.from_value.abs().max((count * self.step).abs());
        let is_near = (number - on_grid).abs() <= ULPS as f64 * f64::EPSILON * scale;
        inside && (self.step == 0.0 || are_close(number, on_grid) || is_near)
    }
}

/// Whether the distance between two numbers is at most [`ULPS`] representable numbers.
fn are_close(a: f64, b: f64) -> bool {
    // Maps numbers to integers with the same order: a positive number to its bits, and a negative number to the negated
    // bits of its absolute value.
    let ordered = |x: f64| {
        let bits = x.to_bits() as i64;
        if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits }
    };
    a == b || a.is_finite() && b.is_finite() && ordered(a).abs_diff(ordered(b)) <= ULPS
}

impl fmt::Display for FloatingPointRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = (self.step != 0.0).then(|| short(self.step));
        describe(f, &short(self.from_value), &short(self.to_value), step.as_ref())
    }
}

fn describe<T: fmt::Display, S: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    from: &T,
    to: &T,
    step: Option<&S>,
) -> fmt::Result {
    write!(f, "from {from} to {to}")?;
    step.map_or(Ok(()), |step| write!(f, " in steps of {step}"))
}

/// The descriptor of a parameter, as in `rcl_interfaces/msg/ParameterDescriptor`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterDescriptor {
    /// The name of the parameter. It is set when the parameter is declared.
    pub name: String,
    /// The type of the parameter.
    pub ty: ParameterType,
    /// A text about what the parameter is for.
    pub description: String,
    /// A text about constraints that the other fields can't express.
    pub additional_constraints: String,
    /// Whether the parameter gets its value when it is declared and can't be changed later.
    pub read_only: bool,
    /// Whether the type of the parameter may change, and every node may undeclare the parameter.
    pub dynamic_typing: bool,
    /// The range of the parameter if it is a double.
    pub floating_point_range: Option<FloatingPointRange>,
    /// The range of the parameter if it is an integer.
    pub integer_range: Option<IntegerRange>,
}

impl ParameterDescriptor {
    /// Returns what is wrong with the descriptor, or `None` if it is valid.
    pub(crate) fn fault(&self) -> Option<String> {
        let wrong = |range: &dyn fmt::Display| Some(format!("its range {range} is empty"));
        match (self.integer_range, self.floating_point_range) {
            (Some(_), Some(_)) => Some("it has a range of integers and a range of doubles".into()),
            (Some(range), _) if range.from_value > range.to_value => wrong(&range),
            (_, Some(range)) if [range.from_value, range.to_value, range.step].iter().any(|x| x.is_nan()) => {
                wrong(&range)
            }
            (_, Some(range)) if range.from_value > range.to_value => wrong(&range),
            (Some(_), _) if !self.may_be(ParameterType::Integer) => {
                Some(format!("it has a range of integers, but its type is {}", self.ty))
            }
            (_, Some(_)) if !self.may_be(ParameterType::Double) => {
                Some(format!("it has a range of doubles, but its type is {}", self.ty))
            }
            _ => None,
        }
    }

    fn may_be(&self, ty: ParameterType) -> bool {
        self.dynamic_typing || self.ty == ty
    }

    /// If a value is outside the range of the parameter, returns the value and the range, both as text.
    pub(crate) fn violated_range(&self, value: &ParameterValue) -> Option<(String, String)> {
        match (value, self.integer_range, self.floating_point_range) {
            (ParameterValue::Integer(n), Some(range), _) if !range.contains(*n) => {
                Some((n.to_string(), range.to_string()))
            }
            (ParameterValue::Double(x), _, Some(range)) if !range.contains(*x) => {
                Some((short(*x), range.to_string()))
            }
            _ => None,
        }
    }
}

/// Returns a number as text. Very large and very small numbers have an exponent, and not hundreds of digits.
fn short(x: f64) -> String {
    let is_plain = x == 0.0 || !x.is_finite() || (1e-6..1e15).contains(&x.abs());
    if is_plain { x.to_string() } else { format!("{x:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_and_small_numbers_are_short_texts() {
        let texts = [0.0, -2.5, 1e308, f64::MIN, 5e-324, f64::NAN, f64::NEG_INFINITY].map(short);
        assert_eq!(texts, ["0", "-2.5", "1e308", "-1.7976931348623157e308", "5e-324", "NaN", "-inf"]);
    }

    #[test]
    fn a_step_that_is_not_smaller_than_the_range_allows_only_the_ends() {
        let range = IntegerRange { from_value: -5, to_value: 5, step: 10 };
        assert!(range.contains(-5) && range.contains(5) && !range.contains(0));
        let range = FloatingPointRange { from_value: 0.0, to_value: 1.0, step: 2.0 };
        assert!(range.contains(0.0) && range.contains(1.0) && !range.contains(0.5));
    }

    #[test]
    fn the_widest_ranges_do_not_overflow() {
        let range = IntegerRange { from_value: i64::MIN, to_value: i64::MAX, step: u64::MAX };
        assert!(range.contains(i64::MIN) && range.contains(i64::MAX) && !range.contains(0));
        let range = FloatingPointRange { from_value: f64::MIN, to_value: f64::MAX, step: 0.0 };
        assert!(range.contains(1.0) && !range.contains(f64::INFINITY));
    }

    #[test]
    fn numbers_on_both_sides_of_zero_are_close_only_if_their_distance_is_small() {
        assert!(are_close(-0.0, 0.0) && are_close(-f64::MIN_POSITIVE * 0.0, 5e-324));
        assert!(!are_close(-1e-300, 1e-300));
    }

    #[test]
    fn types_have_the_numbers_of_the_definition() {
        for (number, ty) in (0..).zip(ParameterType::ALL) {
            assert_eq!((ty as u8, ParameterType::from_number(number)), (number, Some(ty)));
        }
        assert_eq!(ParameterType::from_number(10), None);
    }
}
