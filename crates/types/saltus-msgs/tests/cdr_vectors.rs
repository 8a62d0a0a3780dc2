//! Compares how bundled messages are read and written with the bytes of an independent implementation.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeMap, fs};

use saltus_cdr::{Body, Buildable, Built, CdrError, Message, Scratch, decode, encode, view};

#[expect(non_snake_case, reason = "each function is named after its message")]
mod generated {
    //! Generated for this test.
    #[rustfmt::skip]
    pub(crate) mod rebuild;
}

/// A message that can be built in place from its value.
trait Rebuild {
    fn rebuild(&self) -> Vec<u8>;
}

fn start<M: Buildable>() -> M::Builder<Body<Scratch>> {
    M::build_in(Body::new(Scratch::default()))
}

/// Returns the bytes that a builder wrote, with the encapsulation header.
fn built<B: Built<Target = Body<Scratch>>>(builder: B) -> Vec<u8> {
    let (scratch, used) = builder.into_target().finish().unwrap();
    [&saltus_cdr::ENCAPSULATION, &scratch.as_bytes()[..used]].concat()
}

/// The operations on a message, without its type.
struct Codec {
    recode: fn(&[u8]) -> Result<Vec<u8>, CdrError>,
    rebuild: fn(&[u8]) -> Result<Vec<u8>, CdrError>,
    view: fn(&[u8]) -> Result<String, CdrError>,
    default: fn() -> Vec<u8>,
}

fn codec<M: Message + Default + Rebuild>() -> (&'static str, Codec)
where
    for<'a> M::View<'a>: std::fmt::Debug,
{
    let codec = Codec {
        recode: |bytes| encode(&decode::<M>(bytes)?),
        rebuild: |bytes| Ok(decode::<M>(bytes)?.rebuild()),
        view: |bytes| Ok(format!("{:?}", view::<M>(bytes)?)),
        default: || encode(&M::default()).unwrap(),
    };
    (M::TYPE_NAME, codec)
}

fn codecs() -> BTreeMap<&'static str, Codec> {
    let mut all = BTreeMap::new();
    macro_rules! add {
        ($ty:ty) => {
            let (name, codec) = codec::<$ty>();
            all.insert(name, codec);
        };
    }
    saltus_msgs::for_each_message!(add);
    all
}

fn unhex(text: &str) -> Vec<u8> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// Returns `(type, little-endian bytes, big-endian bytes)` of every vector.
fn vectors() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../spec/vectors/rosbags_cdr.txt");
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let parts: Vec<_> = line.split(' ').collect();
            (parts[0].to_owned(), unhex(parts[1]), unhex(parts[2]))
        })
        .collect()
}

/// Returns a copy of a message, whose body is 8-aligned. The message begins 4 bytes after the start of the words.
fn aligned(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0u64; 1 + bytes.len().div_ceil(8)];
    let bytes_of_words: &mut [u8] = saltus_cdr::bytemuck::cast_slice_mut(&mut words);
    bytes_of_words[4..4 + bytes.len()].copy_from_slice(bytes);
    words
}

#[test]
fn values_decoded_from_either_byte_order_encode_to_the_little_endian_bytes() {
    let codecs = codecs();
    let vectors = vectors();
    for (name, little, big) in &vectors {
        let codec = &codecs[name.as_str()];
        assert_eq!((codec.recode)(little).as_ref(), Ok(little), "{name}");
        assert_eq!((codec.recode)(big).as_ref(), Ok(little), "{name}, big-endian");
    }
    println!("{} values of {} types are equal in both byte orders", vectors.len(), codecs.len());
    assert!(vectors.len() > 2000);
}

#[test]
fn builders_write_the_same_bytes_as_encode() {
    let codecs = codecs();
    for (name, little, _) in vectors() {
        assert_eq!((codecs[name.as_str()].rebuild)(&little).as_ref(), Ok(&little), "{name}");
    }
}

#[test]
fn a_view_has_the_same_values_in_either_byte_order_and_at_any_alignment() {
    let codecs = codecs();
    for (name, little, big) in vectors() {
        let codec = &codecs[name.as_str()];
        let words = aligned(&little);
        let in_place = &saltus_cdr::bytemuck::cast_slice::<u64, u8>(&words)[4..4 + little.len()];
        let expected = (codec.view)(in_place).unwrap();
        assert_eq!((codec.view)(&little).unwrap(), expected, "{name}, misaligned");
        let swapped = (codec.view)(&big).unwrap();
        assert_eq!(swapped, expected, "{name}, big-endian");
    }
}

#[test]
fn truncated_bytes_are_an_error_for_values_and_views() {
    let codecs = codecs();
    for (name, little, _) in vectors() {
        let codec = &codecs[name.as_str()];
        for length in 0..little.len() {
            let cut = &little[..length];
            assert!((codec.recode)(cut).is_err(), "{name} of {length} bytes");
            assert!((codec.view)(cut).is_err(), "{name} of {length} bytes, viewed");
        }
    }
}

#[test]
fn every_default_value_is_unchanged_after_encoding_and_decoding() {
    for (name, codec) in codecs() {
        let bytes = (codec.default)();
        assert_eq!((codec.recode)(&bytes).as_ref(), Ok(&bytes), "{name}");
    }
}
