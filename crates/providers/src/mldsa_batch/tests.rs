use super::*;

#[test]
fn each_backend_offers_all_sets_or_gives_a_reason() {
    let providers = providers();
    let ids: Vec<String> = providers.iter().map(Provider::id).collect();
    assert_eq!(ids, ["mldsa-batch:avx512", "mldsa-batch:avx2", "mldsa-batch:portable"]);
    for provider in &providers {
        assert_eq!(provider.batch_verifiers.len() + provider.unsupported.len(), 3, "{}", provider.id());
        assert!(provider.signatures.is_empty(), "must not offer signing");
        for missing in &provider.unsupported {
            assert!(missing.reason.contains("AVX"), "{}", missing.reason);
        }
    }
    assert_eq!(providers[2].batch_verifiers.len(), 3, "the portable code must run everywhere");
}

#[test]
fn rejects_keys_of_other_sets_and_other_verifiers() {
    struct Foreign;
    impl BatchKey for Foreign {}
    let providers = providers();
    let [smaller, verifier, ..] = &providers[2].batch_verifiers[..] else { panic!("need three sets") };
    let other = smaller.prepare(&[1; MlDsa44::KEY]).unwrap();
    let key = verifier.prepare(&[1; MlDsa65::KEY]).unwrap();
    let message = SignedMessage::Pure { context: b"", message: b"" };
    let claim = |key| Claim { key, message, signature: &[2; MlDsa65::SIGNATURE] };
    let malformed = Err(Error::Malformed("key: prepared for a different verifier or parameter set"));
    let verdicts = verifier.verify(&[
        claim(ClaimKey::Prepared(&*key)),
        claim(ClaimKey::Prepared(&*other)),
        claim(ClaimKey::Encoded(&[1; MlDsa44::KEY])),
        claim(ClaimKey::Prepared(&Foreign)),
        claim(ClaimKey::Encoded(&[1; MlDsa65::KEY])),
    ]);
    let length = Err(Error::Length { what: "verifying key", expected: MlDsa65::KEY, actual: MlDsa44::KEY });
    let failed = Err(Error::VerificationFailed);
    assert_eq!(verdicts, [failed.clone(), malformed.clone(), length.clone(), malformed, failed]);
    assert_eq!(verifier.prepare(&[1; MlDsa44::KEY]).err().map(Err), Some(length));
    assert_eq!(verifier.verify(&[]), []);
}
