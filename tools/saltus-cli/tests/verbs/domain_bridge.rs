//! The flags that `saltus domain-bridge` rejects before it joins a domain. The end-to-end tests check which messages
//! it forwards.

use super::*;

#[test]
fn domain_bridge_rejects_flags_that_would_have_no_effect() {
    let scene = Scene::new();
    for (flags, text) in [
        ("", "nothing to forward"),
        ("--from 0 --to 1 --remap /a:=/b", "--remap also needs --topic, --service, --action or --all"),
        ("--from 0 --to 1 --bidirectional", "--bidirectional also needs --topic"),
        ("--topic /a", "expected --from and --to"),
        ("--from 0 --to 1 --topic /a --remap /b:=/c", "--remap /b: nothing that is forwarded has that name"),
        ("--from 0 --to 1 --topic /a --remap /a", "expected FROM:=TO after --remap, found `/a`"),
        ("--from 0 --to there --topic /a", "expected a domain such as `3`"),
        ("--from 0 --to 0 --topic /a", "domain 0 can't be connected with itself"),
    ] {
        let arguments: Vec<&str> = std::iter::once("domain-bridge").chain(flags.split_whitespace()).collect();
        let said = scene.failure(&arguments);
        assert!(said.contains(text), "{flags}: {said}");
    }
}
