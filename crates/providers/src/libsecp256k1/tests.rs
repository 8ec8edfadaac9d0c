use super::*;

#[test]
fn build_info_names_the_versions() {
    let BuildInfo { version, build } = providers().pop().unwrap().build_info;
    assert!(version.starts_with("secp256k1 0.33."), "{version}");
    assert!(build.contains("SHA-256 by sha2 0."), "{build}");
}
