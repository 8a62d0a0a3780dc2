//! Installed packages, as ROS 2 arranges them: prefixes, and the index of resources in each prefix.
//!
//! A prefix has these folders and files:
//!
//! | path | content |
//! |---|---|
//! | `share/ament_index/resource_index/packages/<package>` | an empty file for each package |
//! | `share/ament_index/resource_index/saltus_components/<package>` | the components of a package, one on a line |
//! | `share/ament_index/resource_index/rclcpp_components/<package>` | its components in C++ |
//! | `share/<package>/` | the files of the package: interfaces, parameters, launch files |
//! | `lib/<package>/` | the programs of the package |
//! | `lib/saltus/<build>/` | the libraries of components that were built together, and the program that loads them |
//! | `lib/python/` | Python packages |
//! | `lib/saltus/current` | the name of the last such folder |
//!
//! | module | content |
//! |---|---|
//! | `entry` | an entry of the index: a component and its library |
//! | `prefix` | the files of one prefix |
//! | `path` | the prefixes of the environment |

mod entry;
mod path;
mod prefix;

pub use entry::{Entry, Language};
pub use path::{LIBRARY_PATH, PackagePath, VARIABLE};
pub use prefix::{IndexError, Prefix};
