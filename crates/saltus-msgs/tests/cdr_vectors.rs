//! Every bundled message reads and writes the bytes that an independent implementation makes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeMap, fs};

use saltus_cdr::{Body, Buildable, Built, CdrError, Message, Scratch, decode, encode, view};

#[expect(non_snake_case, reason = "a function per message, named after it")]
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

/// What a builder wrote, with its header.
fn built<B: Built<Target = Body<Scratch>>>(builder: B) -> Vec<u8> {
    let (scratch, used) = builder.into_target().finish().unwrap();
    [&saltus_cdr::ENCAPSULATION, &scratch.as_bytes()[..used]].concat()
}

/// What the test needs to know of a type, without knowing the type.
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

/// `(type, little-endian bytes, big-endian bytes)` of every vector.
fn vectors() -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/vectors/rosbags_cdr.txt");
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let parts: Vec<_> = line.split(' ').collect();
            (parts[0].to_owned(), unhex(parts[1]), unhex(parts[2]))
        })
        .collect()
}

/// A copy of a message whose body is 8-aligned: it begins 4 bytes into these words.
fn aligned(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0u64; 1 + bytes.len().div_ceil(8)];
    let room: &mut [u8] = saltus_cdr::bytemuck::cast_slice_mut(&mut words);
    room[4..4 + bytes.len()].copy_from_slice(bytes);
    words
}

#[test]
fn both_byte_orders_decode_to_what_encodes_to_the_same_bytes() {
    let codecs = codecs();
    let vectors = vectors();
    for (name, little, big) in &vectors {
        let codec = &codecs[name.as_str()];
        assert_eq!((codec.recode)(little).as_ref(), Ok(little), "{name}");
        assert_eq!((codec.recode)(big).as_ref(), Ok(little), "{name}, big-endian");
    }
    println!("{} values of {} types equal both ways", vectors.len(), codecs.len());
    assert!(vectors.len() > 2000);
}

#[test]
fn what_is_built_in_place_is_what_is_encoded() {
    let codecs = codecs();
    for (name, little, _) in vectors() {
        assert_eq!((codecs[name.as_str()].rebuild)(&little).as_ref(), Ok(&little), "{name}");
    }
}

#[test]
fn a_view_shows_the_same_values_in_either_byte_order_aligned_or_not() {
    let codecs = codecs();
    for (name, little, big) in vectors() {
        let codec = &codecs[name.as_str()];
        let words = aligned(&little);
        let in_place = &saltus_cdr::bytemuck::cast_slice::<u64, u8>(&words)[4..4 + little.len()];
        let shown = (codec.view)(in_place).unwrap();
        assert_eq!((codec.view)(&little).unwrap(), shown, "{name}, askew");
        let swapped = (codec.view)(&big).unwrap();
        assert_eq!(swapped, shown, "{name}, big-endian");
    }
}

#[test]
fn cut_short_bytes_are_an_error_and_views_and_values_agree() {
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
fn every_default_survives_the_wire() {
    for (name, codec) in codecs() {
        let bytes = (codec.default)();
        assert_eq!((codec.recode)(&bytes).as_ref(), Ok(&bytes), "{name}");
    }
}
