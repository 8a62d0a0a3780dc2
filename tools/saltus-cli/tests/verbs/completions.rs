//! Completion of words in a shell, from the running graph.

use std::process::Command;

use crate::{Graph, Scene, graph};

/// Returns the completions that the command gives to a shell for the last of the words.
fn offered(scene: &Scene, shell: &str, words: &[&str]) -> Vec<String> {
    let words = [&["--", "saltus"], words].concat();
    let mut command = scene.command(&words);
    command.env("SALTUS_COMPLETE", shell).env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", (words.len() - 2).to_string()).env("_CLAP_COMPLETE_COMP_TYPE", "9");
    let output = command.env("_CLAP_COMPLETE_SPACE", "false").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    // For zsh and fish a description follows the word.
    text.lines().map(|line| line.split(['\t', ':']).next().unwrap_or_default().trim().to_owned()).collect()
}

#[test]
fn names_and_types_of_the_graph_are_completed() {
    let Graph { scene, .. } = &graph();
    let _server = scene
        .node("/", "adder")
        .service::<saltus::msgs::std_srvs::srv::Empty>("clear")
        .callback(|_| saltus::msgs::std_srvs::srv::Empty_Response {});
    for shell in ["bash", "zsh", "fish"] {
        let topics = offered(scene, shell, &["topic", "echo", "/"]);
        assert_eq!(topics, ["/chatter", "/talker/count"], "{shell}");
        assert_eq!(offered(scene, shell, &["topic", "info", "/ch"]), ["/chatter"], "{shell}");
        let nodes = offered(scene, shell, &["node", "info", "/"]);
        assert!(
            nodes.contains(&"/talker".to_owned()) && nodes.contains(&"/robot1/listener".to_owned()),
            "{nodes:?}"
        );
        let services = offered(scene, shell, &["service", "call", "/cl"]);
        assert_eq!(services, ["/clear"], "{shell}");
        let types = offered(scene, shell, &["topic", "pub", "/chatter", "std_msgs/msg/Str"]);
        assert_eq!(types, ["std_msgs/msg/String"], "{shell}");
        let subverbs = offered(scene, shell, &["topic", "ec"]);
        assert_eq!(subverbs, ["echo"], "{shell}");
    }
}

#[test]
fn bash_completes_with_the_script() {
    let Graph { scene, .. } = &graph();
    let script = scene.text(&["completions", "bash"]);
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_saltus")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let test = format!(
        "{script}\nCOMP_WORDS=(saltus topic info /cha); COMP_CWORD=3; COMP_TYPE=9\n\
         _clap_complete_saltus saltus /cha info; echo \"${{COMPREPLY[@]}}\""
    );
    let output = Command::new("bash")
        .args(["-c", &test])
        .env("PATH", path)
        .env("SALTUS_SHM_DIR", &scene.folder)
        .env("ROS_DOMAIN_ID", "0")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "/chatter");
}

#[test]
fn there_is_a_script_for_each_shell() {
    let scene = Scene::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(scene.text(&["completions", shell]).contains("SALTUS_COMPLETE"), "{shell}");
    }
    assert!(scene.failure(&["completions", "tcsh"]).contains("possible values"));
}
