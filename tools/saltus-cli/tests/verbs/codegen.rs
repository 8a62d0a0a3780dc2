//! The generated C99 code of all bundled packages, and of definitions with unusual constants and names, compiles.

use std::{fs, process::Command};

use crate::Scene;

/// Names and constants that are legal in a definition, and need care in C.
const UNUSUAL: &str = "\
float64 ENDLESS=inf
float64 SMALLEST=-inf
float64 NO_NUMBER=nan
float32 LARGE=1e39
float32 PART=0.1
int64 LEAST=-9223372036854775808
uint64 MOST=18446744073709551615
int8 NEGATIVE=-5
bool YES=true
string QUOTED='a \"quote\" \\\\ what??! \u{e9}\u{a0}'
wstring WIDE='wide'
bool class
int64 unix
float32 static_cast
string<=3[<=2] default
wstring[] operator
Setpoint[2] nested
";

fn compile(folder: &std::path::Path, text: &str) {
    let micro = concat!(env!("CARGO_MANIFEST_DIR"), "/../../micro/include");
    let program = folder.join("program.c");
    fs::write(&program, text).unwrap();
    let output = Command::new("cc")
        .args(["-std=gnu99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", micro, "-I"])
        .arg(folder)
        .arg(&program)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn generated_c_compiles_for_all_bundled_packages_and_for_unusual_definitions() {
    let scene = Scene::new();
    let own = scene.folder.join("interfaces/odd_msgs/msg");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("SetPoint.msg"), UNUSUAL).unwrap();
    // Its upper-case name is the same as that of the other one.
    fs::write(own.join("Setpoint.msg"), "float64 value\n").unwrap();
    let folder = scene.folder.join("generated");
    let packages = scene.text(&["interface", "packages"]);
    let mut words = vec![
        "interface",
        "codegen",
        "--lang",
        "c99",
        "--all",
        "--output",
        folder.to_str().unwrap(),
        "odd_msgs",
    ];
    words.extend(packages.lines());
    let mut command = scene.command(&words);
    let output = command.env("SALTUS_INTERFACE_PATH", scene.folder.join("interfaces")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut all = String::new();
    for package in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
        for kind in fs::read_dir(&package).unwrap().map(|entry| entry.unwrap().path()) {
            for file in fs::read_dir(&kind).unwrap().map(|entry| entry.unwrap().path()) {
                let is_source = file.extension().is_some_and(|extension| extension == "c");
                if is_source {
                    all += &format!("#include \"{}\"\n", file.strip_prefix(&folder).unwrap().display());
                }
            }
        }
    }
    assert!(all.lines().count() > 200, "{all}");
    let constants = ["ENDLESS", "SMALLEST", "NO_NUMBER", "LARGE", "PART", "LEAST", "MOST", "NEGATIVE", "YES"];
    let used: String = constants
        .iter()
        .map(|name| format!("    sum += (double)odd_msgs__msg__SetPoint__{name};\n"))
        .collect();
    all += &format!(
        "double use(void);\ndouble use(void) {{\n    double sum = sizeof(odd_msgs__msg__SetPoint__QUOTED);\n{used}    return sum;\n}}\n"
    );
    compile(&folder, &all);
}

/// Adds the paths of all sources below a folder.
fn add_sources(folder: &std::path::Path, sources: &mut Vec<std::path::PathBuf>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => add_sources(&path, sources),
            false if path.extension().is_some_and(|extension| extension == "c") => sources.push(path),
            false => {}
        }
    }
}

#[test]
fn generated_c_links_with_the_library() {
    let scene = Scene::new();
    let folder = scene.folder.join("msgs");
    let words = [
        "interface",
        "codegen",
        "--lang",
        "c99",
        "--output",
        folder.to_str().unwrap(),
        "sensor_msgs/msg/Imu",
    ];
    let text = scene.text(&words);
    assert!(text.contains("#include \"sensor_msgs/msg/imu.h\"\n"), "{text}");
    let program = folder.join("program.c");
    let source = "#include \"saltus/saltus.h\"\n#include \"sensor_msgs/msg/imu.h\"\n\
                  int main(void) { return sensor_msgs__msg__Imu__type.name[0] == 's' ? 0 : 1; }\n";
    fs::write(&program, source).unwrap();
    assert!(Command::new(build(&folder, &[])).status().unwrap().success());
    // The example of the documentation.
    fs::remove_file(&program).unwrap();
    let port = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let _agent = scene.start(&["agent", "udp4", "--port", &port]);
    let example = build(&folder, &["examples/imu.c", "port/posix/posix.c", "port/posix/net.c"]);
    let mut device = Command::new(example).arg(&port).spawn().unwrap();
    let begun = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let text = scene.text(&["topic", "echo", "--once", "/imu/data", "--field", "header", "--timeout", "60"]);
    device.kill().unwrap();
    device.wait().unwrap();
    let seconds = text.lines().find_map(|line| line.trim().strip_prefix("sec: ")).unwrap();
    assert!(seconds.parse::<u64>().unwrap() >= begun && text.contains("frame_id: imu_link"), "{text}");
}

/// Links a program with the library, its messages and those in `folder`. Returns its path. `more` are files of the library.
fn build(folder: &std::path::Path, more: &[&str]) -> std::path::PathBuf {
    let micro = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../micro"));
    let mut sources: Vec<_> = more.iter().map(|file| micro.join(file)).collect();
    [folder.to_owned(), micro.join("src"), micro.join("msgs")]
        .iter()
        .for_each(|one| add_sources(one, &mut sources));
    let program = folder.join("program");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu99", "-O0", "-o"]).arg(&program);
    for include in [folder.to_owned(), micro.join("include"), micro.join("msgs"), micro.join("port/posix")] {
        compiler.arg("-I").arg(include);
    }
    assert!(compiler.args(&sources).arg("-lm").status().unwrap().success());
    program
}

#[test]
fn definitions_with_the_same_file_are_refused() {
    let scene = Scene::new();
    let own = scene.folder.join("interfaces/odd_msgs/msg");
    fs::create_dir_all(&own).unwrap();
    for name in ["HTTPState", "HttpState"] {
        fs::write(own.join(format!("{name}.msg")), "int32 code\n").unwrap();
    }
    let folder = scene.folder.join("generated");
    let words = ["interface", "codegen", "--lang", "c99", "--output", folder.to_str().unwrap(), "odd_msgs"];
    let mut command = scene.command(&words);
    let output = command.env("SALTUS_INTERFACE_PATH", scene.folder.join("interfaces")).output().unwrap();
    let want = "saltus: `odd_msgs/msg/HTTPState` and `odd_msgs/msg/HttpState` have the same file, \
                odd_msgs/msg/http_state.h; give one of them another name\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), want);
    assert!(!output.status.success());
    assert!(!folder.exists());
}
