//! Callback groups.

use saltus::executor::CallbackGroup;

use crate::status::destroy;

/// A callback group: it says which callbacks may run at the same time.
#[derive(Debug)]
pub struct Group(pub(crate) CallbackGroup);

/// At most one callback of the group runs at a time.
pub const SALTUS_GROUP_MUTUALLY_EXCLUSIVE: u8 = 0;
/// Callbacks of the group may run at the same time, several calls of one callback too.
pub const SALTUS_GROUP_REENTRANT: u8 = 1;

/// Destroys the handle of a callback group.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_group_destroy(group: Option<Box<Group>>) {
    destroy(group);
}
