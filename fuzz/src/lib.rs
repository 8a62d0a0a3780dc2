//! What the fuzz targets do with their input. None may panic, whatever it is.
//!
//! The targets themselves (`fuzz/targets`) need a fuzzer and are run by `make fuzz`; a test replays
//! the corpus on the stable toolchain.

use std::fmt::Debug;

use saltus_cdr::{Message, decode, encode, view};
use saltus_idl::{Interfaces, SourceKind};

type Check = fn(&[u8]);

/// Reads bytes as some bundled message: as a value and as a view, which must agree on whether it is
/// one; and what was read must survive the wire.
///
/// The first two bytes choose the message, so that one corpus serves all of them.
pub fn cdr(data: &[u8]) {
    let Some((index, bytes)) = data.split_first_chunk::<2>() else { return };
    let mut checks: Vec<Check> = Vec::new();
    macro_rules! add {
        ($ty:ty) => {
            checks.push(check::<$ty>);
        };
    }
    saltus_msgs::for_each_message!(add);
    checks[usize::from(u16::from_le_bytes(*index)) % checks.len()](bytes);
}

fn check<M: Message>(bytes: &[u8])
where
    for<'a> M::View<'a>: Debug,
{
    let (value, seen) = (decode::<M>(bytes), view::<M>(bytes));
    assert_eq!(value.is_ok(), seen.is_ok(), "value and view disagree");
    // Showing it walks over every element.
    let _ = format!("{seen:?}");
    if let Ok(value) = value {
        let written = encode(&value);
        let again = written.and_then(|written| encode(&decode::<M>(&written)?).map(|again| (written, again)));
        assert!(again.is_ok_and(|(written, again)| written == again), "it does not survive the wire");
    }
}

/// Reads text as each kind of definition, and hashes what it defines.
pub fn definition(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for kind in [SourceKind::Message, SourceKind::Service, SourceKind::Action] {
        let mut interfaces = Interfaces::default();
        if interfaces.add("fuzz", kind, "Fuzz", &text).is_ok() {
            let names: Vec<String> = interfaces.messages().map(|message| message.name.to_string()).collect();
            // Most refer to types that are not there: an error, not a panic.
            names.iter().for_each(|name| drop(interfaces.type_hash(name)));
        }
    }
}

/// Reads bytes as an entry of another process's registry.
pub fn registry(data: &[u8]) {
    saltus_shm::fuzzing::registry_entry(data);
}
