//! Generates the types of `interfaces/`.

fn main() -> Result<(), saltus_build::Error> {
    saltus_build::interfaces(["interfaces"])
}
