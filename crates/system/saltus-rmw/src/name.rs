//! Names with `/` as one part of a key, and names of types in DDS.

/// Returns a name as one part of a key: each `/` becomes `%`.
pub(crate) fn mangle(name: &str) -> String {
    name.replace('/', "%")
}

/// Returns the name that is a part of a key.
pub(crate) fn demangle(part: &str) -> String {
    part.replace('%', "/")
}

/// Returns the name of a type in DDS: `std_msgs/msg/String` is `std_msgs::msg::dds_::String_`. `None` if it is no name of a type.
pub(crate) fn dds_type(name: &str) -> Option<String> {
    let mut parts = name.split('/');
    let (package, kind, base) = (parts.next()?, parts.next()?, parts.next()?);
    let is_name = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let is_valid = parts.next().is_none() && [package, kind, base].into_iter().all(is_name);
    is_valid.then(|| format!("{package}::{kind}::dds_::{base}_"))
}

/// Returns the name of the type with a name in DDS.
pub(crate) fn ros_type(dds: &str) -> Option<String> {
    let mut parts = dds.split("::");
    let (package, kind, space, base) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let base = base.strip_suffix('_')?;
    let name = format!("{package}/{kind}/{base}");
    // The check of the other direction is the same.
    (space == "dds_" && parts.next().is_none() && dds_type(&name).as_deref() == Some(dds)).then_some(name)
}
