//! Tests of reading worlds and robots from YAML, maps and SDF.

use saltus_map::OccupancyGrid;

use super::*;

fn error(text: &str) -> String {
    World::parse(text).unwrap_err().to_string()
}

#[test]
fn each_kind_of_obstacle_has_its_shape() {
    let text = "obstacles:\n- circle: {radius: 1.0}\n- box: {size: [1.0, 2.0]}\n- polygon: [[0, 0], [0, 1], [1, 0]]\n\
                - regular: {center: [0, 0], sides: 5, radius: 1.0}\n- wall: {points: [[0, 0], [1, 0], [1, 1]], thickness: 0.1, \
                closed: true}\n- ring: {sides: 8, inner: 1.0, outer: 1.5}\n";
    let world = World::parse(text).unwrap();
    assert_eq!(world.obstacles.len(), 4 + 3 + 8);
    // The points of a polygon are ordered counterclockwise.
    let Shape::Polygon(points) = &world.obstacles[2] else { panic!() };
    assert_eq!(points[0], Point::new(1.0, 0.0));
    assert_eq!((world.step, world.seed, world.clock_rate), (1_000_000, 0, 10.0));
}

#[test]
fn invalid_worlds_are_errors_with_their_position() {
    for (text, expected) in [
        ("obstacle: []\n", "line 1, column 11: the key `obstacle` is not known; expected step, name"),
        ("obstacles:\n- {}\n", "line 2, column 3: an obstacle is a circle, a box, a polygon"),
        (
            "obstacles:\n- circle: {radius: -1}\n",
            "line 2, column 20: `radius` must be a number from 0.000001 to 1000000",
        ),
        ("obstacles:\n- circle: {radius: .nan}\n", "`radius` must be a number"),
        (
            "obstacles:\n- polygon: [[0, 0], [2, 0], [1, 0.5], [0, 2]]\n",
            "a polygon must be convex and have an area",
        ),
        (
            "obstacles:\n- polygon: [[0, 0], [1, 0], [2, 0.00001]]\n",
            "a polygon must be convex and have an area",
        ),
        ("obstacles:\n- box: {size: [0, 1]}\n", "the size of a box must be positive"),
        ("obstacles:\n- box: {size: [-1, -1]}\n", "the size of a box must be positive"),
        ("obstacles:\n- ring: {sides: 6, inner: 2, outer: 1}\n", "`outer` must be larger than `inner`"),
        ("obstacles:\n- wall: {points: [[0, 0], [0, 0]], thickness: 0}\n", "`thickness` must be a number"),
        ("obstacles:\n- map: room.yaml\n", "this world must not name other files"),
        ("robots:\n- model: waffle.yaml\n", "line 2, column 10: this world must not name other files"),
        (
            "robots:\n- model: {body: {mass: 1.0}, drive: {}}\n",
            "a body needs `box`, `circle`, `polygon` or `shapes`",
        ),
        ("moving:\n- {name: a, circle: {radius: 1.0}}\n", "the key `mass` is missing"),
        (
            "moving:\n- {name: a, circle: {radius: 1.0}, path: {points: [[0, 0]], speed: 1}}\n",
            "a path needs two different points",
        ),
        ("step: 0\n", "`step` must be a number from 0.00001 to 0.1"),
    ] {
        let error = error(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
    let robot = "- model:\n    body: {circle: {radius: 0.1}, mass: 1.0}\n    drive: {wheel_separation: 0.2, wheel_radius: 0.03}\n";
    assert_eq!(error(&format!("robots:\n{robot}{robot}")), "two things have the name `robot`");
    let with = |more: &str| error(&format!("robots:\n{robot}{more}"));
    assert!(
        with("    sensors: [{sonar: {rate: 1.0}}]\n")
            .contains("expected lidar, imu, bumper, position or camera, found `sonar`")
    );
    assert!(
        with("    sensors: [{lidar: {rate: 1.0, samples: 0, range: [0, 1]}}]\n")
            .contains("`samples` must be a whole number from 1")
    );
    assert!(
        with("    sensors: [{lidar: {rate: 1.0, samples: 9, range: [2, 1]}}]\n")
            .contains("`range` must be the least and the largest")
    );
    assert!(
        with("  commands: [[2, 0, 0, 0], [1, 0, 0, 0]]\n")
            .contains("the times of `commands` must be in order")
    );
}

#[test]
fn the_occupied_cells_of_a_map_are_covered_exactly() {
    let rows = ["#####", "#...#", "#.#.#", "#..##", "####."];
    let cells = rows
        .iter()
        .rev()
        .flat_map(|row| row.bytes().map(|cell| if cell == b'#' { 100 } else { 0 }))
        .collect();
    let grid = OccupancyGrid { width: 5, height: 5, resolution: 0.5, origin: [-1.0, 2.0, 0.0], cells };
    let world = World::from_map(&grid).unwrap();
    assert!(world.obstacles.len() < 12, "{}", world.obstacles.len());
    for row in 0..5 {
        for column in 0..5 {
            let [x, y] = grid.center(column, row);
            let inside = |shape: &Shape| {
                let Shape::Polygon(points) = shape else { return false };
                (0..points.len()).all(|index| {
                    let (from, to) = (points[index], points[(index + 1) % points.len()]);
                    (to - from).perp_dot(Point::new(x, y) - from) >= 0.0
                })
            };
            let covered = world.obstacles.iter().filter(|shape| inside(shape)).count();
            assert_eq!(covered, usize::from(grid.cell(column, row) == Some(100)), "{column} {row}");
        }
    }
}

#[test]
fn a_map_far_away_keeps_its_cells_and_a_hostile_one_is_refused() {
    let far = OccupancyGrid {
        width: 50,
        height: 1,
        resolution: 0.02,
        origin: [500_000.0, 5_400_000.0, 0.3],
        cells: (0..50).map(|cell| if cell % 2 == 0 { 100 } else { 0 }).collect(),
    };
    assert_eq!(World::from_map(&far).unwrap().obstacles.len(), 25);
    let error = |grid: OccupancyGrid| World::from_map(&grid).unwrap_err().to_string();
    assert_eq!(
        error(OccupancyGrid { origin: [1e300, 0.0, 0.0], ..far.clone() }),
        "the map is more than 10000000 m away"
    );
    let board =
        (0..4_000_000).map(|cell| if (cell / 2000 + cell % 2000) % 2 == 0 { 100 } else { 0 }).collect();
    let board = OccupancyGrid { width: 2000, height: 2000, cells: board, ..far };
    assert_eq!(error(board), "the map has more than 1000000 obstacles");
}

#[test]
fn a_world_loads_a_map_and_its_image() {
    let text = "obstacles:\n- map: maps/room.yaml\n";
    let mut requested = Vec::new();
    let world = World::parse_with(text, &mut |path| {
        requested.push(path.to_owned());
        Ok(match path {
            "maps/room.yaml" => b"image: room.pgm\nresolution: 1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n".to_vec(),
            _ => b"P5 2 1 255 \x00\xfe".to_vec(),
        })
    });
    assert_eq!(world.unwrap().obstacles.len(), 1);
    assert_eq!(requested, ["maps/room.yaml", "maps/room.pgm"]);
}

const SDF: &str = r#"<?xml version="1.0"?>
<sdf version="1.6"><world name="hall">
  <include><uri>model://ground_plane</uri></include>
  <model name="house"><static>1</static><pose>1 2 0 0 0 1.5707963267948966</pose>
    <link name="walls"><pose>1 0 0 0 0 0</pose>
      <collision name="box"><pose>0 0 0.5 0 0 0</pose><geometry><box><size>2 1 1</size></box></geometry></collision>
      <collision name="high"><pose>0 0 3 0 0 0</pose><geometry><box><size>1 1 1</size></box></geometry></collision>
      <collision name="pillar"><geometry><cylinder><radius>0.2</radius><length>1</length></cylinder></geometry></collision>
      <collision name="ball"><pose>0 0 0.13 0 0 0</pose><geometry><sphere><radius>0.5</radius></sphere></geometry></collision>
      <collision name="prism"><geometry><polyline><point>0 0</point><point>1 0</point><point>0 1</point><height>1</height></polyline></geometry></collision>
      <collision name="floor"><geometry><plane/></geometry></collision>
    </link>
  </model>
</world></sdf>"#;

#[test]
fn the_planar_part_of_sdf_is_read() {
    let world = World::from_sdf(SDF, 0.13).unwrap();
    assert_eq!((&*world.name, world.obstacles.len()), ("hall", 4));
    let Shape::Polygon(corners) = &world.obstacles[0] else { panic!() };
    // The model is turned by a quarter, and the link is 1 m ahead of it.
    assert!(corners.iter().any(|corner| (corner - Point::new(0.5, 4.0)).length() < 1e-9), "{corners:?}");
    let Shape::Circle { center, radius } = world.obstacles[1] else { panic!() };
    assert!((center - Point::new(1.0, 3.0)).length() < 1e-9 && radius == 0.2);
    assert!(matches!(world.obstacles[2], Shape::Circle { radius, .. } if (radius - 0.5).abs() < 1e-12));
}

#[test]
fn unsupported_sdf_is_an_error_with_its_line() {
    let error = |from: &str, to: &str| World::from_sdf(&SDF.replace(from, to), 0.13).unwrap_err().to_string();
    assert_eq!(
        error("ground_plane", "house"),
        "line 3 of the world: models of other files are not read; write their shapes into the world"
    );
    assert_eq!(
        error("0 0 0.5 0 0 0", "0 0 0.5 1 0 0"),
        "line 6 of the world: only rotations about the vertical axis are possible"
    );
    assert_eq!(error("<plane/>", "<mesh/>"), "line 11 of the world: a shape of the kind `mesh` is not read");
    assert_eq!(
        error("0 0 0.13 0 0 0", "0 0 x 0.13 0 0 0"),
        "line 9 of the world: expected 6 numbers, found `0 0 x 0.13 0 0 0`"
    );
    assert_eq!(
        error("<pose>1 0", "<pose degrees=\"true\">1 0"),
        "line 5 of the world: the attribute `degrees` of a pose is not read"
    );
    assert_eq!(
        error("<link name", "<model name=\"inner\"/><link name"),
        "line 5 of the world: models within models are not read"
    );
    assert_eq!(
        error("<radius>0.2", "<radius>-0.2"),
        "line 8 of the world: the shape has no area, or it is not convex"
    );
    for (from, to) in
        [("2 1 1", "2 1 -1"), ("2 1 1", "-2 1 1"), ("<length>1", "<length>-1"), ("<height>1", "<height>-1")]
    {
        assert!(error(from, to).ends_with("the shape has no area, or it is not convex"), "{to}");
    }
    assert!(error("<radius>0.5", "<radius>-0.5").ends_with("the shape has no area, or it is not convex"));
    assert_eq!(error("2 1 1", "2 1"), "line 6 of the world: expected 3 numbers, found `2 1`");
    assert!(World::from_sdf("<sdf", 0.1).is_err());
}
