//! Tests of the body of a robot and the mounts of its sensors from a description in URDF.

use super::*;

const URDF: &str = r#"<robot name="rover">
  <link name="base_link">
    <inertial><origin xyz="0.1 0 0"/><mass value="4"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.05"/></inertial>
    <collision><origin xyz="0.1 0 0.05"/><geometry><box size="0.4 0.2 0.1"/></geometry></collision>
  </link>
  <link name="left">
    <inertial><mass value="0.5"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.002"/></inertial>
    <collision><geometry><cylinder radius="0.05" length="0.02"/></geometry></collision>
  </link>
  <joint name="left_joint" type="continuous">
    <parent link="base_link"/><child link="left"/><axis xyz="0 0 1"/>
    <origin xyz="0 0.15 0" rpy="-1.5707963267948966 0 0"/>
  </joint>
  <link name="right">
    <inertial><mass value="0.5"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.002"/></inertial>
  </link>
  <joint name="right_joint" type="continuous">
    <parent link="base_link"/><child link="right"/><axis xyz="0 0 1"/>
    <origin xyz="0 -0.15 0" rpy="-1.5707963267948966 0 0"/>
  </joint>
  <link name="mast"><collision><geometry><cylinder radius="0.03" length="1"/></geometry></collision></link>
  <joint name="mast_joint" type="fixed">
    <parent link="base_link"/><child link="mast"/><origin xyz="0.2 0.05 0.5" rpy="0 0 1"/>
  </joint>
  <link name="base_scan"/>
  <joint name="scan_joint" type="fixed">
    <parent link="mast"/><child link="base_scan"/><origin xyz="0.1 0 -0.2"/>
  </joint>
  <link name="tilted"/>
  <joint name="tilted_joint" type="fixed">
    <parent link="base_link"/><child link="tilted"/><origin rpy="0 0.5 0"/>
  </joint>
</robot>"#;

const ROVER: &str =
    "urdf: rover.urdf\nbase_frame: base_link\ndrive: {wheel_separation: 0.3, wheel_radius: 0.05}\n";

fn model(yaml: &str, urdf: &str) -> Result<Model, String> {
    let model = Model::parse_with(yaml, &mut |path| {
        assert_eq!(path, "rover.urdf");
        Ok(urdf.as_bytes().to_vec())
    });
    model.map_err(|error| error.to_string())
}

#[test]
fn a_body_is_the_outline_of_its_description_from_above() {
    let model = model(ROVER, URDF).unwrap();
    let corners = |shape: &Shape| {
        let Shape::Polygon(corners) = shape else { panic!("{shape:?}") };
        corners.clone()
    };
    let rectangle = |x: [f64; 2], y: [f64; 2]| {
        [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])].map(|(x, y)| Point::new(x, y)).to_vec()
    };
    assert_eq!(corners(&model.shapes[0]), rectangle([-0.1, 0.3], [-0.1, 0.1]));
    // A wheel lies on its side, and each of its ends has many corners.
    assert_eq!(corners(&model.shapes[1]), rectangle([-0.05, 0.05], [0.14, 0.16]));
    assert_eq!(model.shapes[2], Shape::Circle { center: Point::new(0.2, 0.05), radius: 0.03 });
    assert_eq!(model.shapes.len(), 3);
    assert_eq!(model.mass, 5.0);
    let center = model.center_of_mass.unwrap();
    assert!((center - Point::new(0.08, 0.0)).length() < 1e-12, "{center:?}");
    // Steiner: 0.05 + 4 * 0.02², and for each wheel 0.001 + 0.5 * (0.08² + 0.15²).
    assert!((model.inertia.unwrap() - 0.0825).abs() < 1e-12, "{:?}", model.inertia);
}

#[test]
fn a_tilted_cylinder_and_a_turned_box_have_the_outline_of_their_corners() {
    let urdf = URDF.replace("<box size=\"0.4 0.2 0.1\"/>", "<cylinder radius=\"0.1\" length=\"0.6\"/>");
    let urdf = urdf.replace("xyz=\"0.1 0 0.05\"", "xyz=\"0.1 0 0.05\" rpy=\"0 0.5235987755982988 0\"");
    let model = model(ROVER, &urdf).unwrap();
    let Shape::Polygon(corners) = &model.shapes[0] else { panic!() };
    // Half of the length counts by the sine of 30°, and the radius by the cosine.
    let most = corners.iter().map(|corner| corner.x).fold(0.0, f64::max);
    assert!((most - (0.1 + 0.3 * 0.5 + 0.1 * 0.75_f64.sqrt())).abs() < 1e-8, "{most}");
    let widest = corners.iter().map(|corner| corner.y).fold(0.0, f64::max);
    assert!((widest - 0.1).abs() < 1e-8, "{widest}");
}

#[test]
fn a_sensor_is_where_the_description_has_its_frame() {
    let lidar = "sensors:\n- lidar: {rate: 5.0, samples: 4, range: [0.1, 5.0]";
    let with = |more: &str| model(&format!("{ROVER}{lidar}{more}}}\n"), URDF);
    let mount = with("").unwrap().sensors[0].mount.clone();
    let expected = Point::new(0.2 + 0.1 * 1.0_f64.cos(), 0.05 + 0.1 * 1.0_f64.sin());
    assert!((mount.pose.point() - expected).length() < 1e-12, "{mount:?}");
    assert!((mount.pose.yaw - 1.0).abs() < 1e-12 && (mount.height - 0.3).abs() < 1e-12, "{mount:?}");
    // The pose in the file of the robot has priority.
    let own = with(", pose: [0.5, 0, 0], height: 0.1").unwrap().sensors[0].mount.clone();
    assert_eq!((own.pose, own.height), (Pose::new(0.5, 0.0, 0.0), 0.1));
    let elsewhere = with(", frame: antenna").unwrap().sensors[0].mount.clone();
    assert_eq!(elsewhere.pose, Pose::default());
    let error = with(", frame: tilted").unwrap_err();
    assert!(error.contains("the frame `tilted` is tilted; write the `pose` of the sensor"), "{error}");
}

#[test]
fn a_camera_looks_along_its_optical_frame() {
    let optical = "<link name='camera_depth_optical_frame'/><joint name='optical_joint' type='fixed'>\
         <parent link='mast'/><child link='camera_depth_optical_frame'/>\
         <origin xyz='0 0 -0.1' rpy='-1.5707963267948966 0 -1.5707963267948966'/></joint></robot>";
    let camera = "sensors:\n- camera: {rate: 5.0, width: 4, image_height: 2, fov: 1.0, range_max: 5.0";
    let with = |more: &str, urdf: &str| model(&format!("{ROVER}{camera}{more}}}\n"), urdf);
    let mount = with("", &URDF.replace("</robot>", optical)).unwrap().sensors[0].mount.clone();
    assert!((mount.pose.point() - Point::new(0.2, 0.05)).length() < 1e-12, "{mount:?}");
    assert!((mount.pose.yaw - 1.0).abs() < 1e-9 && (mount.height - 0.4).abs() < 1e-12, "{mount:?}");
    let error = with(", frame: mast", URDF).unwrap_err();
    assert!(error.contains("the frame `mast` is not that of a level camera: its axis z must"), "{error}");
    let error = with(", frame: elsewhere", URDF).unwrap_err();
    assert!(error.contains("a camera needs its `height` above the ground"), "{error}");
    assert_eq!(with(", frame: elsewhere, height: 0.3", URDF).unwrap().sensors[0].mount.height, 0.3);
}

#[test]
fn a_robot_from_a_description_drives() {
    let text = "robots:\n- model: robots/rover.yaml\n  commands: [[0.0, 0.2, 0.0, 0.0]]\n";
    let world = World::parse_with(text, &mut |path| match path {
        "robots/rover.yaml" => Ok(ROVER.into()),
        "robots/rover.urdf" => Ok(URDF.into()),
        other => Err(format!("there is no {other}")),
    })
    .unwrap();
    let mut simulation = Simulation::new(&world, 1).unwrap();
    run(&mut simulation, 5.0);
    let (pose, _) = simulation.state("robot").unwrap();
    assert!((0.9..1.0).contains(&pose.x) && pose.y.abs() < 1e-6, "{pose:?}");
}

#[test]
fn unsupported_descriptions_are_errors() {
    for (from, to, expected) in [
        ("<box size=\"0.4 0.2 0.1\"/>", "<mesh filename=\"a.stl\"/>", "the link `base_link` has a mesh"),
        ("size=\"0.4 0.2 0.1\"", "size=\"0.4 0 0.1\"", "too large, or without an area"),
        ("size=\"0.4 0.2 0.1\"", "size=\"1e300 1e300 1\"", "too large, or without an area"),
        ("radius=\"0.03\"", "radius=\"-1\"", "the link `mast` has a shape that is too large, or without"),
        ("mass value=\"4\"", "mass value=\"-4\"", "the masses of all links are -3 kg"),
        ("mass value=\"4\"", "mass value=\"1e300\"", "write the `body` of the robot"),
        ("xyz=\"0.1 0 0\"", "xyz=\"1e300 0 0\"", "the centre of mass is too far away"),
        ("name=\"rover\"", "", "rover.urdf: line 1"),
    ] {
        let error = model(ROVER, &URDF.replace(from, to)).unwrap_err();
        assert!(error.contains(expected), "{to}: {error}");
        assert!(error.starts_with("line 1, column 7: "), "{error}");
    }
    let base = |name: &str| model(&ROVER.replace("base_link", name), URDF).unwrap_err();
    assert!(base("chassis").contains("there is no link `chassis`; `base_frame` must be a link"));
    assert!(base("tilted").contains("the link `tilted` is tilted; `base_frame` must not be"));
    assert_eq!(
        Model::parse(ROVER).unwrap_err().to_string(),
        "line 1, column 7: this robot must not name other files"
    );
    // With its own body, only the frames of a description count.
    let own = format!("{ROVER}body: {{circle: {{radius: 0.2}}, mass: 2.0}}\n");
    let own =
        model(&own, &URDF.replace("<box size=\"0.4 0.2 0.1\"/>", "<mesh filename=\"a.stl\"/>")).unwrap();
    assert_eq!((own.shapes.len(), own.mass, own.inertia), (1, 2.0, None));
}
