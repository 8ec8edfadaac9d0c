/* The patched algorithms under the names of the NIST interface. `PLAIN_` offers what PQClean offers, and `GIVEN_` also
   the functions that take random bytes. */

#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))
#define DSA(name) pqcrystals_ml_dsa_44_ref_##name
#define KEM(name) PQCP_MLKEM_NATIVE_MLKEM768_C_##name

typedef uint8_t u8;

int DSA(keypair)(u8 *, u8 *);
int DSA(signature)(u8 *, size_t *, const u8 *, size_t, const u8 *, size_t, const u8 *);
int DSA(verify)(const u8 *, size_t, const u8 *, size_t, const u8 *, size_t, const u8 *);
int DSA(signature_internal)(u8 *, size_t *, const u8 *, size_t, const u8 *, size_t, const u8 *, const u8 *);
int KEM(keypair)(u8 *, u8 *);
int KEM(enc)(u8 *, u8 *, const u8 *);
int KEM(dec)(u8 *, const u8 *, const u8 *);
int KEM(keypair_derand)(u8 *, u8 *, const u8 *);
int KEM(enc_derand)(u8 *, u8 *, const u8 *, const u8 *);

#define NIST(prefix) \
    API int prefix##crypto_sign_keypair(u8 *pk, u8 *sk) { return DSA(keypair)(pk, sk); } \
    API int prefix##crypto_sign_signature_ctx(u8 *s, size_t *n, const u8 *m, size_t l, const u8 *c, size_t k, \
                                              const u8 *sk) { \
        return DSA(signature)(s, n, m, l, c, k, sk); \
    } \
    API int prefix##crypto_sign_verify_ctx(const u8 *s, size_t n, const u8 *m, size_t l, const u8 *c, size_t k, \
                                           const u8 *pk) { \
        return DSA(verify)(s, n, m, l, c, k, pk); \
    } \
    API int prefix##crypto_kem_keypair(u8 *pk, u8 *sk) { return KEM(keypair)(pk, sk); } \
    API int prefix##crypto_kem_enc(u8 *ct, u8 *ss, const u8 *pk) { return KEM(enc)(ct, ss, pk); } \
    API int prefix##crypto_kem_dec(u8 *ss, const u8 *ct, const u8 *sk) { return KEM(dec)(ss, ct, sk); }

NIST(PLAIN_)
NIST(GIVEN_)

API int GIVEN_crypto_sign_signature_internal(u8 *s, size_t *n, const u8 *m, size_t l, const u8 *p, size_t k, const u8 *rnd,
                                             const u8 *sk) {
    return DSA(signature_internal)(s, n, m, l, p, k, rnd, sk);
}
API int GIVEN_crypto_kem_keypair_derand(u8 *pk, u8 *sk, const u8 *coins) { return KEM(keypair_derand)(pk, sk, coins); }
API int GIVEN_crypto_kem_enc_derand(u8 *ct, u8 *ss, const u8 *pk, const u8 *coins) {
    return KEM(enc_derand)(ct, ss, pk, coins);
}
