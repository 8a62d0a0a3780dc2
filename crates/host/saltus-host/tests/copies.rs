//! Each copy of this library in a process is a separate member of the domain. For example, a Python package and a
//! plugin can each contain a copy.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(unsafe_code, reason = "a copy is loaded at run time and called through pointers")]

mod common;

use std::{
    ffi::{CString, c_char, c_void},
    path::{Path, PathBuf},
    process::Command,
};

use common::TestGraph;
use saltus_types::QoS;

/// A loaded copy of the library, with its own statics.
struct LibraryCopy(*mut c_void);

/// A member that a copy has created.
type Member = *mut c_void;

impl LibraryCopy {
    /// Copies the library to a new file and loads that file. If the same file is loaded twice, the loader returns the
    /// same copy.
    fn load(folder: &Path, number: u32) -> Self {
        let file = folder.join(format!("libcopy{number}.so"));
        std::fs::copy(library(), &file).unwrap();
        let path = CString::new(file.to_str().unwrap()).unwrap();
        // SAFETY: the path is a C string, and the library's initializers may run at any time.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!handle.is_null(), "{}", file.display());
        Self(handle)
    }

    fn symbol(&self, name: &str) -> *mut c_void {
        let name = CString::new(name).unwrap();
        // SAFETY: the handle is open, and the name is a C string.
        let symbol = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!symbol.is_null());
        symbol
    }

    fn join(&self, folder: &Path, name: &str) -> Member {
        type Join = extern "C" fn(*const c_char, *const c_char) -> Member;
        let (folder, name) = (CString::new(folder.to_str().unwrap()).unwrap(), CString::new(name).unwrap());
        // SAFETY: the function of that name has this type.
        let join = unsafe { std::mem::transmute::<*mut c_void, Join>(self.symbol("saltus_copy_join")) };
        let member = join(folder.as_ptr(), name.as_ptr());
        assert!(!member.is_null());
        member
    }

    fn publish(&self, member: Member, publishers: usize, byte: u8) -> usize {
        type Publish = extern "C" fn(Member, usize, u8) -> usize;
        // SAFETY: as above.
        let publish =
            unsafe { std::mem::transmute::<*mut c_void, Publish>(self.symbol("saltus_copy_publish")) };
        publish(member, publishers, byte)
    }

    fn take(&self, member: Member) -> usize {
        type Take = extern "C" fn(Member) -> usize;
        // SAFETY: as above.
        let take = unsafe { std::mem::transmute::<*mut c_void, Take>(self.symbol("saltus_copy_take")) };
        take(member)
    }

    fn leave(&self, member: Member) {
        type Leave = extern "C" fn(Member);
        // SAFETY: as above.
        let leave = unsafe { std::mem::transmute::<*mut c_void, Leave>(self.symbol("saltus_copy_leave")) };
        leave(member);
    }
}

/// Builds the library and returns its path. `cargo test` does not build it if only one test is run. The settings of
/// this test are in the environment, so Cargo builds the library with the same settings.
fn library() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    let profile = program.ancestors().nth(2).unwrap();
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--package", "saltus-host", "--example", "copy"]);
    if profile.ends_with("release") {
        build.arg("--release");
    }
    assert!(build.status().unwrap().success());
    profile.join("examples/libcopy.so")
}

#[test]
fn two_copies_in_one_process_are_two_members() {
    let (graph, copies) = (TestGraph::new(), TestGraph::new());
    let [one, other] = [0, 1].map(|number| LibraryCopy::load(copies.folder(), number));
    let own = graph.context("own");
    let (publisher, subscription) =
        (own.publisher("t", QoS::keep_last(10)), own.subscription("t", QoS::keep_last(10)));
    let first = one.join(graph.folder(), "first");
    let second = other.join(graph.folder(), "second");
    let wait_until_matched = |count| {
        graph.wait(&own, || (publisher.status().matched, subscription.status().matched) == (count, count));
    };
    wait_until_matched(3);
    assert_eq!(one.publish(first, 3, 1), 3);
    assert_eq!(other.publish(second, 3, 2), 3);
    publisher.publish_bytes(&[3]).unwrap();
    assert_eq!((one.take(first), other.take(second)), (3, 3));
    assert_eq!(std::iter::from_fn(|| subscription.take()).count(), 3);

    one.leave(first);
    wait_until_matched(2);
    assert_eq!(own.participant.graph().nodes.len(), 2, "the other copy stays");
    assert_eq!(other.publish(second, 2, 4), 2);
    publisher.publish_bytes(&[5]).unwrap();
    assert_eq!(other.take(second), 2);
    assert_eq!(std::iter::from_fn(|| subscription.take()).count(), 2);
    let again = one.join(graph.folder(), "again");
    wait_until_matched(3);
    other.leave(second);
    one.leave(again);
    wait_until_matched(1);
    drop((publisher, subscription, own));
    assert_eq!(graph.files(), [""; 0]);
}
