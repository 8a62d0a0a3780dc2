//! What the fuzz targets do with their input. None may panic, whatever it is.
//!
//! The targets themselves (`fuzz/targets`) need a fuzzer and are run by `make fuzz`; a test replays
//! the corpus on the stable toolchain.

use std::fmt::Debug;

use saltus_cdr::{Message, bytemuck, decode, encode, view};
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
    // Showing it walks over every element. Bytes borrow only where they are aligned, so both ways
    // are taken, and must show the same.
    let askew = format!("{seen:?}");
    let words = aligned(bytes);
    let in_place = &bytemuck::cast_slice::<u64, u8>(&words)[4..4 + bytes.len()];
    assert_eq!(format!("{:?}", view::<M>(in_place)), askew, "aligned and askew disagree");
    if let Ok(value) = value {
        let written = encode(&value);
        let again = written.and_then(|written| encode(&decode::<M>(&written)?).map(|again| (written, again)));
        assert!(again.is_ok_and(|(written, again)| written == again), "it does not survive the wire");
    }
}

/// A copy of a message whose body is 8-aligned: it begins 4 bytes into these words.
fn aligned(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0u64; 1 + bytes.len().div_ceil(8)];
    bytemuck::cast_slice_mut::<u64, u8>(&mut words)[4..4 + bytes.len()].copy_from_slice(bytes);
    words
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
