//! A library with its own copy of this crate, like a plugin. `tests/copies.rs` loads it.

#![expect(unsafe_code, reason = "a library that is loaded at run time is called through pointers")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    ffi::{CStr, c_char},
    path::Path,
    time::Duration,
};

use saltus_host::{
    DomainId, EndpointSpec, NodeEntry, NodeSpec, Participant, Publisher, Subscription, TypeText,
};
use saltus_types::{NodeName, QoS, TopicName, TypeHash};

/// A member with a publisher and a subscription on one topic.
pub struct Member {
    participant: Participant,
    _node: NodeEntry,
    publisher: Publisher,
    subscription: Subscription,
}

/// Joins domain 0 of a folder. If that fails, prints the error to standard error and returns null.
///
/// # Safety
/// `folder` and `name` must be strings that end with a zero byte.
// SAFETY: no other function of the process has this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_copy_join(folder: *const c_char, name: *const c_char) -> *mut Member {
    // SAFETY: as the caller promises.
    let (folder, name) = unsafe { (CStr::from_ptr(folder), CStr::from_ptr(name)) };
    let (folder, name) = (Path::new(folder.to_str().unwrap()), name.to_str().unwrap());
    match join(folder, &NodeName::new("/", name).unwrap()) {
        Ok(member) => Box::into_raw(Box::new(member)),
        Err(error) => {
            eprintln!("{error}");
            std::ptr::null_mut()
        }
    }
}

fn join(folder: &Path, name: &NodeName) -> Result<Member, Box<dyn std::error::Error>> {
    let participant = Participant::join(DomainId::in_folder(folder, 0), Box::new(|_| {}))?;
    let node = participant.node(&NodeSpec::new(name))?;
    let topic = TopicName::expand("t", name)?;
    let spec = EndpointSpec {
        node: node.info().gid,
        foreign: None,
        only_from: None,
        skips_own: false,
        topic: &topic,
        type_name: "test/msg/Type",
        type_hash: TypeHash::from_digest([1; 32]),
        qos: QoS::keep_last(10),
        description: TypeText::Unknown,
    };
    let publisher = participant.publisher(&spec)?;
    let subscription = participant.subscription(&spec)?;
    Ok(Member { participant, _node: node, publisher, subscription })
}

/// Waits until the member's subscription is connected to `publishers` publishers, and its publisher to as many
/// subscriptions. Then publishes one byte. Returns how many publishers are connected.
///
/// # Safety
/// `member` must come from [`saltus_copy_join`] and not have left.
// SAFETY: no other function of the process has this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_copy_publish(member: *const Member, publishers: usize, byte: u8) -> usize {
    // SAFETY: as the caller promises.
    let member = unsafe { &*member };
    let matched = || (member.subscription.status().matched, member.publisher.status().matched);
    member.participant.wait_until(Duration::from_secs(5), || matched() == (publishers, publishers));
    member.publisher.publish_bytes(&[byte]).unwrap();
    matched().0
}

/// Takes all messages of the member's subscription, and returns how many there were.
///
/// # Safety
/// As for [`saltus_copy_publish`].
// SAFETY: no other function of the process has this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_copy_take(member: *const Member) -> usize {
    // SAFETY: as the caller promises.
    let member = unsafe { &*member };
    std::iter::from_fn(|| member.subscription.take()).count()
}

/// Leaves the domain.
///
/// # Safety
/// As for [`saltus_copy_publish`]. The member must not be used afterwards.
// SAFETY: no other function of the process has this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_copy_leave(member: *mut Member) {
    // SAFETY: as the caller promises.
    drop(unsafe { Box::from_raw(member) });
}
