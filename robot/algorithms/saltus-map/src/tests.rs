//! Tests of reading and writing maps.

use proptest::prelude::*;

use super::*;

const TEXT: &str = "image: room.pgm\nmode: trinary\nresolution: 0.05\norigin: [-10.0, -10.0, 0.0]\nnegate: 0\noccupied_thresh: \
                    0.65\nfree_thresh: 0.196\n";

fn file() -> MapFile {
    MapFile::parse(TEXT).unwrap()
}

/// Returns an image of one row.
fn row(shades: &[u8]) -> Picture {
    let head = format!("P5\n# CREATOR: a test\n{} 1\n255\n", shades.len());
    Picture::decode(&[head.as_bytes(), shades].concat()).unwrap()
}

#[test]
fn a_file_is_parsed_and_printed() {
    assert_eq!(file().text(), TEXT);
    let other = "image: '/a b/\"c\".png'\nresolution: 1\norigin: [0, 0, 1.5]\nnegate: true\noccupied_thresh: 1\nfree_thresh: 0";
    let other = MapFile::parse(other).unwrap();
    let upper = TEXT.replace("trinary", "Scale");
    assert_eq!(MapFile::parse(&upper).unwrap().mode, Mode::Scale);
    assert_eq!((other.mode, other.negate, other.image.as_str()), (Mode::Trinary, true, "/a b/\"c\".png"));
    assert_eq!(MapFile::parse(&other.text()).unwrap(), other);
    for image in ["-", ".png", "a\rb\u{1}", "\u{85}\u{2028}"] {
        let odd = MapFile { image: image.into(), ..other.clone() };
        assert_eq!(MapFile::parse(&odd.text()).unwrap(), odd);
    }
    let tiny = MapFile { origin: [1e-17, -3e9, 0.1 + 0.2], image: "a\nb".into(), ..other };
    assert_eq!(MapFile::parse(&tiny.text()).unwrap(), tiny);
}

#[test]
fn wrong_files_are_errors_with_their_line() {
    for (from, to, expected) in [
        ("image: room.pgm\n", "", "the key `image` is missing"),
        ("room.pgm", "''", "`image` must be the path of an image"),
        ("0.05", "-1", "`resolution` must be a positive number of metres"),
        // As a `float`, these are 0 and infinite.
        (
            "0.05",
            "0.0000000000000000000000000000000000000000000000001",
            "`resolution` must be a positive number",
        ),
        ("0.05", "1.0e+39", "`resolution` must be a positive number of metres"),
        ("[-10.0, -10.0, 0.0]", "[0, 0]", "`origin` must be a list of three numbers: x, y and the angle"),
        ("trinary", "binary", "`mode` must be trinary, scale or raw"),
        ("negate: 0", "negate: maybe", "`negate` must be 0 or 1"),
        ("0.65", "high", "`occupied_thresh` must be a number"),
        ("0.196", ".nan", "`free_thresh` must be a number"),
    ] {
        let error = MapFile::parse(&TEXT.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(MapFile::parse("[]").unwrap_err().to_string().contains("expected a mapping with `image`"));
}

#[test]
fn the_shade_205_is_unknown_with_the_usual_threshold() {
    assert_eq!(
        file().grid(&row(&[0, 89, 90, 204, 205, 206, 254, 255])).cells,
        [100, 100, -1, -1, -1, 0, 0, 0]
    );
    let negated = MapFile { negate: true, ..file() };
    assert_eq!(negated.grid(&row(&[0, 49, 50, 165, 166, 255])).cells, [0, 0, -1, -1, 100, 100]);
}

/// The map of the TurtleBot3 world has this many pixels of each shade.
#[test]
fn the_counts_of_a_whole_map_are_exact() {
    let counts = [(0, 870), (205, 138_683), (254, 7_903)];
    let shades: Vec<u8> = counts.iter().flat_map(|(shade, count)| vec![*shade; *count]).collect();
    let head = b"P5\n# CREATOR: a test\n384 384\n255\n".as_slice();
    let cells = file().grid(&Picture::decode(&[head, &*shades].concat()).unwrap()).cells;
    let count = |value| cells.iter().filter(|cell| **cell == value).count();
    assert_eq!([count(OCCUPIED), count(UNKNOWN), count(0)], [870, 138_683, 7_903]);
}

#[test]
fn colors_have_the_weights_of_ros_2() {
    let picture = Picture::decode(b"P6 4 1 255 \xff\0\0\0\xff\0\0\0\xff\xcd\xcd\xcd").unwrap();
    let raw = MapFile { mode: Mode::Raw, ..file() };
    assert_eq!(raw.grid(&picture).cells, [76, -1, 29, -1]);
    // 205 of each color is 205.
    assert_eq!(file().grid(&picture).cells, [100, -1, 100, -1]);
}

#[test]
fn the_modes_scale_and_raw() {
    let scale = MapFile { mode: Mode::Scale, occupied_thresh: 0.8, free_thresh: 0.2, ..file() };
    assert_eq!(scale.grid(&row(&[0, 51, 52, 127, 203, 204, 255])).cells, [100, 100, 99, 50, 1, 0, 0]);
    let raw = MapFile { mode: Mode::Raw, ..file() };
    assert_eq!(raw.grid(&row(&[0, 50, 100, 101, 127, 128, 255])).cells, [0, 50, 100, -1, -1, -1, -1]);
}

#[test]
fn the_first_row_of_an_image_is_the_top_one() {
    let picture = Picture::decode(b"P5 2 3 255 \x00\x00\xfe\xfe\xcd\x00").unwrap();
    let grid = file().grid(&picture);
    assert_eq!(grid.cells, [-1, 100, 0, 0, 100, 100]);
    assert_eq!(
        (grid.cell(0, 0), grid.cell(1, 0), grid.cell(2, 0), grid.cell(0, 3)),
        (Some(-1), Some(100), None, None)
    );
    let [x, y] = grid.center(1, 2);
    assert!((x + 9.925).abs() < 1e-12 && (y + 9.875).abs() < 1e-12);
    assert_eq!(grid.cell_at([x, y]), Some((1, 2)));
    assert_eq!((grid.cell_at([-10.01, -9.9]), grid.cell_at([-9.95, -9.84])), (None, None));
}

#[test]
fn the_cells_of_a_turned_map_are_turned_about_its_corner() {
    let turned = MapFile { origin: [1.0, 2.0, std::f64::consts::FRAC_PI_2], resolution: 1.0, ..file() };
    let grid = turned.grid(&row(&[0, 254, 254]));
    let [x, y] = grid.center(2, 0);
    assert!((x - 0.5).abs() < 1e-12 && (y - 4.5).abs() < 1e-12);
    assert_eq!(grid.cell_at([0.5, 4.5]), Some((2, 0)));
}

#[test]
fn invalid_and_too_large_images_are_errors() {
    for bytes in [
        &b""[..],
        b"P5 3 1 255 \x00",
        b"no image",
        b"P5 99999 99999 255 ",
        b"P5 0 4294967295 255 ",
        b"\x89PNG\r\n\x1a\n",
    ] {
        assert!(Picture::decode(bytes).is_err(), "{bytes:?}");
    }
    let text = Picture::decode(b"P5 99999 99999 255 ").unwrap_err().to_string();
    assert_eq!(text, "the image of the map has 99999 x 99999 pixels; a map may have 100000000");
}

#[test]
fn wrong_grids_and_thresholds_are_not_saved() {
    let grid = OccupancyGrid { width: 2, height: 2, resolution: 0.1, origin: [0.0; 3], cells: vec![0; 3] };
    let error = save(&grid, "room", Mode::Trinary, Format::Pgm, Thresholds::default()).unwrap_err();
    assert_eq!(error.to_string(), "a grid of 2 x 2 has 3 cells");
    let empty = OccupancyGrid { width: 0, height: u32::MAX, cells: Vec::new(), ..grid.clone() };
    let error = save(&empty, "room", Mode::Trinary, Format::Pgm, Thresholds::default()).unwrap_err();
    assert_eq!(error.to_string(), "a map must have a cell, and a grid of 0 x 4294967295 has none");
    let flat = OccupancyGrid { resolution: 0.0, cells: vec![0; 4], ..grid.clone() };
    let error = save(&flat, "room", Mode::Trinary, Format::Pgm, Thresholds::default()).unwrap_err();
    assert!(error.to_string().contains("the resolution must be positive"), "{error}");
    let error = save(
        &OccupancyGrid { resolution: 0.1, ..flat },
        "room",
        Mode::Scale,
        Format::Pgm,
        Thresholds::default(),
    )
    .unwrap_err();
    assert!(error.to_string().contains("only PNG keeps what is unknown in the mode scale"), "{error}");
    let error =
        save(&grid, "room", Mode::Raw, Format::Pgm, Thresholds { occupied: 0.2, free: 0.3 }).unwrap_err();
    assert!(error.to_string().contains("below that of occupied ones"), "{error}");
}

fn grids() -> impl Strategy<Value = OccupancyGrid> {
    (1_u32..20, 1_u32..20).prop_flat_map(|(width, height)| {
        let count = (width * height) as usize;
        proptest::collection::vec(-1_i8..=100, count).prop_map(move |cells| OccupancyGrid {
            width,
            height,
            resolution: 0.05,
            origin: [-1.5, 2.25, 0.0],
            cells,
        })
    })
}

proptest! {
    #[test]
    fn a_raw_map_is_the_same_after_it_was_saved(grid in grids()) {
        for format in Format::ALL {
            let (file, image) = save(&grid, "room", Mode::Raw, format, Thresholds::default()).unwrap();
            let file = MapFile::parse(&file.text()).unwrap();
            prop_assert_eq!(&file.grid(&Picture::decode(&image).unwrap()), &grid);
        }
    }

    #[test]
    fn a_map_of_three_values_is_the_same_after_it_was_saved(grid in grids()) {
        let three = |cell: &i8| match cell { -1 => UNKNOWN, ..=40 => 0, 41..=70 => UNKNOWN, _ => OCCUPIED };
        let grid = OccupancyGrid { cells: grid.cells.iter().map(three).collect(), ..grid };
        for (mode, format) in [Mode::Trinary, Mode::Raw].into_iter().flat_map(|mode| Format::ALL.map(|format| (mode, format))) {
            let (file, image) = save(&grid, "room", mode, format, Thresholds::default()).unwrap();
            prop_assert_eq!(&file.grid(&Picture::decode(&image).unwrap()), &grid);
        }
    }

    /// With other thresholds, reading scales the shades between them to the whole range, as in ROS 2.
    #[test]
    fn a_scaled_map_is_the_same_if_the_thresholds_are_the_ends(grid in grids()) {
        let (file, image) = save(&grid, "room", Mode::Scale, Format::Png, Thresholds { occupied: 1.0, free: 0.0 }).unwrap();
        prop_assert_eq!(&file.grid(&Picture::decode(&image).unwrap()), &grid);
    }

    #[test]
    fn images_with_changed_bytes_do_not_panic(grid in grids(), position: prop::sample::Index, byte: u8, is_cut: bool) {
        for format in Format::ALL {
            let (_, mut image) = save(&grid, "room", Mode::Raw, format, Thresholds::default()).unwrap();
            let position = position.index(image.len());
            image[position] = byte;
            let length = if is_cut { position } else { image.len() };
            let _ = Picture::decode(&image[..length]);
        }
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes: Vec<u8>, text: String) {
        let _ = Picture::decode(&bytes);
        let _ = Picture::decode(&[&b"P5 2 2 255 "[..], &bytes].concat());
        let _ = MapFile::parse(&text);
    }
}

/// Blocks of 8 x 8 pixels with one shade keep it exactly.
#[test]
fn an_image_may_be_in_jpeg() {
    let shades: Vec<u8> = (0..128).map(|index| if index % 16 < 8 { 0 } else { 254 }).collect();
    let mut bytes = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, 100);
    image::ImageEncoder::write_image(encoder, &shades, 16, 8, image::ExtendedColorType::L8).unwrap();
    let grid = file().grid(&Picture::decode(&bytes).unwrap());
    assert_eq!((grid.cell(0, 0), grid.cell(15, 7)), (Some(OCCUPIED), Some(0)));
}
