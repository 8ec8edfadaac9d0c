//! Tests libraries whose functions take random bytes. Verification must compare the signatures of these libraries with
//! published ones.

#![allow(clippy::unwrap_used, reason = "test helpers")]

mod common;

use common::{built, opened};
use pqlab_primitives::Provider;
use pqlab_testing::{Need, require};
use pqlab_verification::{Line, Vectors, verify};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// C source of functions that call liboqs's ML-DSA-44, under the names that other projects use. Each variant has a
/// prefix. `SEVEN_` and `FIVE_` use the same names for signing functions with seven and with five arguments. `NINE_`
/// has the names and arguments of mldsa-native. `WRONG_` ignores the random bytes.
const RENAMED: &str = r#"
#include <stddef.h>
#include <stdint.h>
typedef uint8_t u8;
int OQS_SIG_ml_dsa_44_keypair(u8 *, u8 *);
int OQS_SIG_ml_dsa_44_sign(u8 *, size_t *, const u8 *, size_t, const u8 *);
int OQS_SIG_ml_dsa_44_verify(const u8 *, size_t, const u8 *, size_t, const u8 *);
int OQS_SIG_ml_dsa_44_sign_with_ctx_str(u8 *, size_t *, const u8 *, size_t, const u8 *, size_t, const u8 *);
int OQS_SIG_ml_dsa_44_verify_with_ctx_str(const u8 *, size_t, const u8 *, size_t, const u8 *, size_t, const u8 *);
int pqcrystals_ml_dsa_44_ref_signature_internal(u8 *, size_t *, const u8 *, size_t, const u8 *, size_t, const u8 *,
                                                const u8 *);
int pqcrystals_ml_dsa_44_ref_verify_internal(const u8 *, size_t, const u8 *, size_t, const u8 *, size_t, const u8 *);

#define KEYPAIR(name) int name(u8 *pk, u8 *sk) { return OQS_SIG_ml_dsa_44_keypair(pk, sk); }
#define SIGN7(name) int name(u8 *s, size_t *n, const u8 *m, size_t l, const u8 *c, size_t k, const u8 *sk) \
    { return OQS_SIG_ml_dsa_44_sign_with_ctx_str(s, n, m, l, c, k, sk); }
#define VERIFY7(name) int name(const u8 *s, size_t n, const u8 *m, size_t l, const u8 *c, size_t k, const u8 *pk) \
    { return OQS_SIG_ml_dsa_44_verify_with_ctx_str(m, l, s, n, c, k, pk); }

KEYPAIR(SEVEN_crypto_sign_keypair)
SIGN7(SEVEN_crypto_sign_signature)
VERIFY7(SEVEN_crypto_sign_verify)
int SEVEN_crypto_sign_signature_internal(u8 *s, size_t *n, const u8 *m, size_t l, const u8 *p, size_t k, const u8 *rnd,
                                         const u8 *sk) {
    return pqcrystals_ml_dsa_44_ref_signature_internal(s, n, m, l, p, k, rnd, sk);
}

KEYPAIR(FIVE_crypto_sign_keypair)
int FIVE_crypto_sign_signature(u8 *s, size_t *n, const u8 *m, size_t l, const u8 *sk) {
    return OQS_SIG_ml_dsa_44_sign(s, n, m, l, sk);
}
int FIVE_crypto_sign_verify(const u8 *s, size_t n, const u8 *m, size_t l, const u8 *pk) {
    return OQS_SIG_ml_dsa_44_verify(m, l, s, n, pk);
}

KEYPAIR(NINE_keypair)
SIGN7(NINE_signature)
VERIFY7(NINE_verify)
int NINE_signature_internal(u8 *s, size_t *n, const u8 *m, size_t l, const u8 *p, size_t k, const u8 *rnd, const u8 *sk,
                            int mu) {
    return mu ? -1 : pqcrystals_ml_dsa_44_ref_signature_internal(s, n, m, l, p, k, rnd, sk);
}
int NINE_verify_internal(const u8 *s, size_t n, const u8 *m, size_t l, const u8 *p, size_t k, const u8 *pk, int mu) {
    return mu ? -1 : pqcrystals_ml_dsa_44_ref_verify_internal(s, n, m, l, p, k, pk);
}

/* Signing ignores the random bytes. */
KEYPAIR(WRONG_keypair)
SIGN7(WRONG_signature)
VERIFY7(WRONG_verify)
int WRONG_signature_internal(u8 *s, size_t *n, const u8 *m, size_t l, const u8 *p, size_t k, const u8 *rnd, const u8 *sk,
                             int mu) {
    static const u8 zeros[32];
    return pqcrystals_ml_dsa_44_ref_signature_internal(s, n, m, l, p, k, zeros, sk);
}
"#;

/// Compiles [`RENAMED`]. Returns the path of the library.
fn renamed(folder: &Path, liboqs: &Path) -> String {
    let (source, library) = (folder.join("renamed.c"), folder.join("librenamed.so"));
    std::fs::write(&source, RENAMED).unwrap();
    let rpath = format!("-Wl,-rpath,{}", liboqs.parent().unwrap().display());
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library).args([&source, liboqs]).arg(rpath);
    assert!(compiler.status().unwrap().success());
    library.display().to_string()
}

fn lines(provider: &Arc<Provider>, suite: &str) -> Line {
    let mut lines = Vec::new();
    let select = |_: &str, _: &str, name: &str| name == suite;
    verify(std::slice::from_ref(provider), &Vectors::new(None), &select, &mut |line| lines.push(line));
    assert_eq!(lines.len(), 1, "{suite}");
    lines.remove(0)
}

const DETERMINISTIC: &str = "ACVP ML-DSA sigGen, pure, deterministic";
const HEDGED: &str = "ACVP ML-DSA sigGen, pure, hedged";
const INTERNAL: &str = "ACVP ML-DSA sigVer, internal";

#[test]
fn nist_libraries_are_compared_through_their_internal_functions() {
    let liboqs = require!(built("liboqs-generic/liboqs.so"), Need::Built);
    let folder = tempfile::tempdir().unwrap();
    let path = renamed(folder.path(), &liboqs);
    let open = |prefix: &str| opened(&format!("{prefix}=nist:{path}?prefix={prefix}_&algorithm=ML-DSA-44"));
    for (prefix, context, given, internal) in
        [("SEVEN", true, true, false), ("FIVE", false, false, false), ("NINE", true, true, true)]
    {
        let provider = open(prefix);
        let info = provider.signatures[0].info().clone();
        assert_eq!((info.context, info.coins.operation), (context, given), "{prefix}");
        let signed = lines(&provider, DETERMINISTIC);
        assert_eq!((signed.attempted > 0, signed.failed()), (given, 0), "{signed:?}");
        let requested = signed.compared.iter().map(|compared| compared.asked).sum::<u64>();
        assert_eq!(requested > 0, given, "{signed:?}");
        let verified = lines(&provider, INTERNAL);
        assert_eq!((verified.attempted > 0, verified.failed()), (internal, 0), "{verified:?}");
    }
    let wrong = lines(&open("WRONG"), HEDGED);
    assert!(wrong.failed() > 0, "{wrong:?}");
}

#[test]
fn liboqs_is_compared_through_its_random_generator() {
    let path = require!(built("liboqs/liboqs.so"), Need::Built);
    let provider = opened(&format!("loaded=liboqs:{}", path.display()));
    let before = provider.signature("ML-DSA-44").unwrap().info().coins;
    assert!(!before.keygen && !before.operation, "only verification replaces the generator");
    let mut lines = Vec::new();
    let select = |_: &str, algorithm: &str, suite: &str| {
        ["ML-DSA-44", "ML-KEM-768"].contains(&algorithm)
            && [HEDGED, "ACVP ML-DSA keyGen", "Wycheproof ML-KEM encaps"].contains(&suite)
    };
    verify(&[provider], &Vectors::new(None), &select, &mut |line| lines.push(line));
    assert_eq!(lines.len(), 3);
    for line in &lines {
        assert_eq!(line.failed(), 0, "{line:?}");
        assert!(line.compared.iter().all(|compared| compared.asked == compared.published), "{line:?}");
    }
}
