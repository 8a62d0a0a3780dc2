//! Compares the encoded bytes of values with bytes that other implementations published.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use saltus_cdr::{Body, Buffer, BuildError, Buildable, Built, Cdr, CdrError, Scratch, decode, encode, view};
use saltus_msgs::{
    builtin_interfaces::msg::Time,
    example_interfaces::msg::WString,
    geometry_msgs::msg::Quaternion,
    rcl_interfaces::msg::Log,
    sensor_msgs::msg::{Image, JointState, NavSatStatus},
    std_msgs::msg::{Empty, Header, String as Text},
    tf2_msgs::msg::TFMessage,
    type_description_interfaces::srv::GetTypeDescription_Request,
};

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

/// Returns the bytes that a builder wrote, with the encapsulation header.
fn built<B: Built<Target = Body<Scratch>>>(builder: B) -> Vec<u8> {
    let (scratch, used) = builder.into_target().finish().unwrap();
    [&saltus_cdr::ENCAPSULATION, &scratch.as_bytes()[..used]].concat()
}

fn start<M: Buildable>() -> M::Builder<Body<Scratch>> {
    M::build_in(Body::new(Scratch::default()))
}

#[test]
fn strings_headers_and_empty_messages_have_the_published_bytes() {
    let hello = hex("00 01 00 00 0f 00 00 00 48 65 6c 6c 6f 20 57 6f 72 6c 64 3a 20 31 00");
    assert_eq!(encode(&Text { data: "Hello World: 1".into() }).unwrap(), hello);
    assert_eq!(built(start::<Text>().data("Hello World: 1")), hello);
    let header = Header { stamp: Time { sec: 1, nanosec: 2 }, frame_id: "map".into() };
    let bytes = hex("00 01 00 00 01 00 00 00 02 00 00 00 04 00 00 00 6d 61 70 00");
    assert_eq!(encode(&header).unwrap(), bytes);
    assert_eq!(built(start::<Header>().stamp(header.stamp).frame_id("map")), bytes);
    assert_eq!(encode(&Empty {}).unwrap(), hex("00 01 00 00 00"));
    assert_eq!(built(start::<Empty>()), hex("00 01 00 00 00"));
    assert_eq!(
        decode::<Text>(&hex("00 01 00 00 00 00 00 00")).unwrap().data,
        "",
        "a string without a NUL is also read as empty"
    );
}

#[test]
fn empty_sequences_have_no_padding_after_the_count() {
    let state = JointState {
        header: Header { stamp: Time { sec: 1, nanosec: 0 }, frame_id: String::new() },
        name: vec!["j".into()],
        position: vec![0.5],
        ..JointState::default()
    };
    let bytes = hex(
        "00 01 00 00 01 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 01 00 00 00 02 00 00 00 6a 00 00 00 \
         01 00 00 00 00 00 00 00 00 00 e0 3f 00 00 00 00 00 00 00 00",
    );
    assert_eq!(encode(&state).unwrap(), bytes);
    let builder = start::<JointState>()
        .header(|header| header.stamp(state.header.stamp).frame_id(""))
        .name(1, |_| "j")
        .position(1, |values| values.fill(0.5))
        .velocity(0, |_| ())
        .effort(0, |_| ());
    assert_eq!(built(builder), bytes);
    assert_eq!(decode::<JointState>(&bytes).unwrap(), state);
}

#[test]
fn a_log_message_has_padding_after_its_level() {
    let log = Log {
        stamp: Time { sec: 1, nanosec: 2 },
        level: Log::INFO,
        name: "talker".into(),
        msg: "hi".into(),
        file: "a.cpp".into(),
        function: "f".into(),
        line: 7,
    };
    let bytes = hex(
        "00 01 00 00 01 00 00 00 02 00 00 00 14 00 00 00 07 00 00 00 74 61 6c 6b 65 72 00 00 03 00 00 00 \
         68 69 00 00 06 00 00 00 61 2e 63 70 70 00 00 00 02 00 00 00 66 00 00 00 07 00 00 00",
    );
    assert_eq!(encode(&log).unwrap(), bytes);
    assert_eq!(view::<Log>(&bytes).unwrap().file(), "a.cpp");
}

#[test]
fn wide_strings_have_four_bytes_for_each_code_unit_and_no_nul() {
    let bytes = hex("00 01 00 00 02 00 00 00 68 00 00 00 e9 00 00 00");
    assert_eq!(encode(&WString { data: "h\u{e9}".into() }).unwrap(), bytes);
    assert_eq!(built(start::<WString>().data("h\u{e9}")), bytes);
    assert_eq!(view::<WString>(&bytes).unwrap().data().to_wstring().to_string(), "h\u{e9}");
    let wide = hex("00 01 00 00 01 00 00 00 00 00 01 00");
    assert_eq!(decode::<WString>(&wide), Err(CdrError::WideChar { at: 4, found: 0x10000 }));
}

#[test]
fn a_view_of_an_image_borrows_its_pixels() {
    let image = Image { height: 2, width: 3, encoding: "mono8".into(), data: vec![9; 6], ..Image::default() };
    let bytes = encode(&image).unwrap();
    let view = view::<Image>(&bytes).unwrap();
    assert_eq!((view.height(), view.width(), view.encoding()), (2, 3, "mono8"));
    assert!(bytes.as_ptr_range().contains(&view.data().as_ptr()));
    assert_eq!(view.data(), [9; 6]);
}

#[test]
fn the_messages_of_a_sequence_are_built_and_read_one_by_one() {
    let bytes = built(start::<TFMessage>().transforms(3, |i, transform| {
        transform
            .header(|header| header.stamp(Time { sec: i as i32, nanosec: 0 }).frame_id("map"))
            .child_frame_id(&format!("link{i}"))
            .transform(Default::default())
    }));
    let view = view::<TFMessage>(&bytes).unwrap();
    let children: Vec<&str> = view.transforms().map(|transform| transform.child_frame_id()).collect();
    assert_eq!(children, ["link0", "link1", "link2"]);
    assert_eq!(view.transforms().map(|transform| transform.header().stamp().sec).sum::<i32>(), 3);
    assert_eq!(decode::<TFMessage>(&bytes).unwrap().end(0), bytes.len() - 4);
}

#[test]
fn wrong_lengths_are_errors_before_memory_is_allocated() {
    let wrong_length = hex("00 01 00 00 ff ff ff ff");
    assert!(matches!(decode::<TFMessage>(&wrong_length), Err(CdrError::End { .. })));
    assert!(matches!(decode::<Text>(&wrong_length), Err(CdrError::End { .. })));
    assert_eq!(decode::<Text>(&hex("00 07 00 00 00")), Err(CdrError::Encapsulation(0, 7)));
    assert_eq!(decode::<Text>(&hex("00 01 00 00 02 00 00 00 61 62")), Err(CdrError::Nul { at: 4 }));
    assert_eq!(decode::<Text>(&hex("00 01 00 00 02 00 00 00 ff 00")), Err(CdrError::Utf8 { at: 4 }));
}

#[test]
fn a_count_that_exceeds_its_bound_ends_the_builder_with_an_error() {
    let built = start::<TFMessage>().transforms(usize::MAX, |_, _| panic!("an element was built"));
    let error = built.into_target().finish().unwrap_err();
    assert_eq!(error, BuildError::Value(CdrError::Bound { bound: u32::MAX as usize, found: usize::MAX }));
    let mut body = Body::new(Scratch::default());
    body.plain(1u32);
    body.fill::<u8>(usize::MAX, |_| panic!("the closure was called"));
    assert!(matches!(body.finish(), Err(BuildError::Value(CdrError::Bound { .. }))));
}

/// A buffer of 16 bytes that can't grow. `shift` is the distance of its address from a multiple of 8.
struct Small {
    words: [u64; 3],
    shift: usize,
}

impl Buffer for Small {
    type Error = &'static str;

    fn bytes(&mut self) -> &mut [u8] {
        let bytes: &mut [u8] = saltus_cdr::bytemuck::cast_slice_mut(&mut self.words);
        &mut bytes[self.shift..self.shift + 16]
    }

    fn grow(&mut self, _used: usize, _length: usize) -> Result<(), &'static str> {
        Err("full")
    }
}

#[test]
fn a_full_buffer_and_a_misaligned_buffer_are_errors_that_finish_returns() {
    let body = |shift| Body::new(Small { words: [0; 3], shift });
    let mut full = body(0);
    full.string("seventeen letters", usize::MAX);
    full.plain(7u32);
    assert!(matches!(full.finish(), Err(BuildError::Room("full"))));
    let mut misaligned = body(4);
    misaligned.fill::<f64>(1, |_| panic!("the closure was called"));
    assert!(matches!(misaligned.finish(), Err(BuildError::Misaligned)));
}

#[test]
fn wide_strings_with_equal_code_units_are_equal_in_any_byte_order() {
    let little = hex("00 01 00 00 01 00 00 00 e9 00 00 00");
    let big = hex("00 00 00 00 00 00 00 01 00 00 00 e9");
    let (little, big) = (view::<WString>(&little).unwrap(), view::<WString>(&big).unwrap());
    assert_eq!(little.data(), big.data());
}

#[test]
fn default_values_are_those_of_the_definitions() {
    assert_eq!(Quaternion::default().w, 1.0);
    assert_eq!(NavSatStatus::default().status, -2);
    assert!(GetTypeDescription_Request::default().include_type_sources);
}
