//! Groups of users: finding the gid of a group by its name.

use std::{ffi::CString, io, mem::MaybeUninit};

use rustix::process::{getegid, geteuid, getgroups};

/// Returns the gid of a group of users that is given by its name or its gid; `None` if there is no such group.
pub fn group_id(name: &str) -> io::Result<Option<u32>> {
    if let Ok(number) = name.parse() {
        return Ok(Some(number));
    }
    let name = CString::new(name)?;
    let mut group = MaybeUninit::<libc::group>::uninit();
    let mut text = vec![0; 1 << 14];
    loop {
        let mut found = std::ptr::null_mut();
        // SAFETY: all pointers point to memory that lives as long as the call, and the length is that of `text`.
        let error = unsafe {
            libc::getgrnam_r(name.as_ptr(), group.as_mut_ptr(), text.as_mut_ptr(), text.len(), &mut found)
        };
        match error {
            0 if found.is_null() => return Ok(None),
            // SAFETY: it points to `group`, which the call has filled in.
            0 => return Ok(Some(unsafe { (*found).gr_gid })),
            libc::ERANGE if text.len() < 1 << 24 => text.resize(text.len() * 4, 0),
            // Databases differ in how they report that there is no such group (getgrnam(3)).
            libc::ENOENT | libc::ESRCH => return Ok(None),
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Whether this process may use the files of a group: it is in the group, or runs as root.
pub fn may_use_group(gid: u32) -> bool {
    let groups = getgroups().unwrap_or_default();
    let is_member = groups.into_iter().chain([getegid()]).any(|group| group.as_raw() == gid);
    is_member || geteuid().as_raw() == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_by_name_and_by_number() {
        assert_eq!(group_id("root").unwrap(), Some(0));
        assert_eq!(group_id("4242").unwrap(), Some(4242));
        assert_eq!(group_id("there is no such group").unwrap(), None);
    }

    #[test]
    fn this_process_may_use_its_own_group() {
        assert!(may_use_group(getegid().as_raw()));
    }
}
