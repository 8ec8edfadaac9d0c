/* Worker for BoringSSL. Link it with libcrypto, and define VERSION as its version. Keys of ML-KEM, ML-DSA and ECDSA are
 * parsed when a case is prepared. The other functions take keys as bytes. */
#include "pqlab_schemes.h"

#include <openssl/bytestring.h>
#include <openssl/curve25519.h>
#include <openssl/ec.h>
#include <openssl/ec_key.h>
#include <openssl/ecdsa.h>
#include <openssl/mldsa.h>
#include <openssl/mlkem.h>
#include <openssl/nid.h>
#include <openssl/sha2.h>
#include <openssl/slhdsa.h>

/* ---- ML-KEM. The public interface reads private keys only as seeds. */

#define ML_KEM(N)                                                                                                      \
    static int kem_load_public##N(struct pqlab_set *set, const struct pqlab_field *key) {                              \
        CBS bytes;                                                                                                     \
        CBS_init(&bytes, key->bytes, key->length);                                                                     \
        return MLKEM##N##_parse_public_key(pqlab_allocate_state(set, sizeof(struct MLKEM##N##_public_key)), &bytes) && \
               CBS_len(&bytes) == 0;                                                                                   \
    }                                                                                                                  \
    static int kem_load_private##N(struct pqlab_set *set, const struct pqlab_field *key) {                             \
        return MLKEM##N##_private_key_from_seed(pqlab_allocate_state(set, sizeof(struct MLKEM##N##_private_key)),      \
                                                key->bytes, key->length);                                              \
    }                                                                                                                  \
    static int kem_keygen##N(struct pqlab_set *set) {                                                                  \
        struct MLKEM##N##_private_key key;                                                                             \
        MLKEM##N##_generate_key(set->out[0].bytes, set->out[1].bytes, &key);                                           \
        return PQLAB_OK;                                                                                               \
    }                                                                                                                  \
    static int kem_keygen_from_seed##N(struct pqlab_set *set) {                                                        \
        struct MLKEM##N##_public_key public;                                                                           \
        struct MLKEM##N##_private_key private;                                                                         \
        CBB bytes;                                                                                                     \
        memcpy(set->out[1].bytes, set->in[0].bytes, MLKEM_SEED_BYTES);                                                 \
        if (!MLKEM##N##_private_key_from_seed(&private, set->in[0].bytes, set->in[0].length)) return PQLAB_ERROR;      \
        MLKEM##N##_public_from_private(&public, &private);                                                             \
        return pqlab_check(CBB_init_fixed(&bytes, set->out[0].bytes, set->out[0].length) &&                            \
                           MLKEM##N##_marshal_public_key(&bytes, &public));                                            \
    }                                                                                                                  \
    static int encapsulate##N(struct pqlab_set *set) {                                                                 \
        MLKEM##N##_encap(set->out[0].bytes, set->out[1].bytes, set->state);                                            \
        return PQLAB_OK;                                                                                               \
    }                                                                                                                  \
    static int decapsulate##N(struct pqlab_set *set) {                                                                 \
        return pqlab_check(MLKEM##N##_decap(set->out[0].bytes, set->in[2].bytes, set->in[2].length, set->state));      \
    }                                                                                                                  \
    static const struct pqlab_operation kem_operations##N[] =                                                          \
        PQLAB_KEM(kem_keygen##N, NULL, encapsulate##N, decapsulate##N);                                                \
    static const struct pqlab_scheme kem##N = {.keys = {{"seed", MLKEM_SEED_BYTES}},                                   \
                                               .public_key = MLKEM##N##_PUBLIC_KEY_BYTES,                              \
                                               .output = MLKEM##N##_CIPHERTEXT_BYTES,                                  \
                                               .secret = MLKEM_SHARED_SECRET_BYTES,                                    \
                                               .seed = MLKEM_SEED_BYTES,                                               \
                                               .load_public = kem_load_public##N,                                      \
                                               .load_private = kem_load_private##N,                                    \
                                               .keygen_from_seed = kem_keygen_from_seed##N};

ML_KEM(768)
ML_KEM(1024)

/* ---- X25519. The ciphertext is an ephemeral public key. */

static int x25519_keygen(struct pqlab_set *set) {
    X25519_keypair(set->out[0].bytes, set->out[1].bytes);
    return PQLAB_OK;
}

static int x25519_keygen_from_seed(struct pqlab_set *set) {
    memcpy(set->out[1].bytes, set->in[0].bytes, 32);
    X25519_public_from_private(set->out[0].bytes, set->in[0].bytes);
    return PQLAB_OK;
}

static int x25519_encapsulate(struct pqlab_set *set) {
    uint8_t ephemeral[32];
    X25519_keypair(set->out[0].bytes, ephemeral);
    return pqlab_check(X25519(set->out[1].bytes, ephemeral, set->in[0].bytes));
}

static int x25519_with_coins(struct pqlab_set *set) {
    X25519_public_from_private(set->out[0].bytes, set->in[1].bytes);
    return pqlab_check(X25519(set->out[1].bytes, set->in[1].bytes, set->in[0].bytes));
}

static int x25519_decapsulate(struct pqlab_set *set) {
    return pqlab_check(X25519(set->out[0].bytes, set->in[1].bytes, set->in[2].bytes));
}

static const struct pqlab_operation x25519_operations[] =
    PQLAB_KEM(x25519_keygen, NULL, x25519_encapsulate, x25519_decapsulate);
static const struct pqlab_scheme x25519 = {.keys = {{"scalar", 32}},
                                           .public_key = 32,
                                           .output = 32,
                                           .secret = 32,
                                           .seed = 32,
                                           .coins = 32,
                                           .keygen_from_seed = x25519_keygen_from_seed,
                                           .run_with_coins = x25519_with_coins};

/* ---- ML-DSA. */

#define ML_DSA(N)                                                                                                      \
    static int sig_load_public##N(struct pqlab_set *set, const struct pqlab_field *key) {                              \
        CBS bytes;                                                                                                     \
        CBS_init(&bytes, key->bytes, key->length);                                                                     \
        return MLDSA##N##_parse_public_key(pqlab_allocate_state(set, sizeof(struct MLDSA##N##_public_key)), &bytes) && \
               CBS_len(&bytes) == 0;                                                                                   \
    }                                                                                                                  \
    static int sig_load_private##N(struct pqlab_set *set, const struct pqlab_field *key) {                             \
        return MLDSA##N##_private_key_from_seed(pqlab_allocate_state(set, sizeof(struct MLDSA##N##_private_key)),      \
                                                key->bytes, key->length);                                              \
    }                                                                                                                  \
    static int sig_keygen##N(struct pqlab_set *set) {                                                                  \
        struct MLDSA##N##_private_key key;                                                                             \
        return pqlab_check(MLDSA##N##_generate_key(set->out[0].bytes, set->out[1].bytes, &key));                       \
    }                                                                                                                  \
    static int sig_keygen_from_seed##N(struct pqlab_set *set) {                                                        \
        struct MLDSA##N##_public_key public;                                                                           \
        struct MLDSA##N##_private_key private;                                                                         \
        CBB bytes;                                                                                                     \
        memcpy(set->out[1].bytes, set->in[0].bytes, MLDSA_SEED_BYTES);                                                 \
        return pqlab_check(MLDSA##N##_private_key_from_seed(&private, set->in[0].bytes, set->in[0].length) &&          \
                           MLDSA##N##_public_from_private(&public, &private) &&                                        \
                           CBB_init_fixed(&bytes, set->out[0].bytes, set->out[0].length) &&                            \
                           MLDSA##N##_marshal_public_key(&bytes, &public));                                            \
    }                                                                                                                  \
    static int sign##N(struct pqlab_set *set) {                                                                        \
        return pqlab_check(MLDSA##N##_sign(set->out[0].bytes, set->state, set->in[2].bytes, set->in[2].length,         \
                                           set->in[3].bytes, set->in[3].length));                                      \
    }                                                                                                                  \
    static int verify##N(struct pqlab_set *set) {                                                                      \
        return pqlab_store_verdict(set, MLDSA##N##_verify(set->state, set->in[2].bytes, set->in[2].length,             \
                                                          set->in[1].bytes, set->in[1].length, set->in[3].bytes,       \
                                                          set->in[3].length));                                         \
    }                                                                                                                  \
    static const struct pqlab_operation sig_operations##N[] =                                                          \
        PQLAB_SIGNATURE(sig_keygen##N, NULL, sign##N, verify##N);                                                      \
    static const struct pqlab_scheme sig##N = {.keys = {{"seed", MLDSA_SEED_BYTES}},                                   \
                                               .public_key = MLDSA##N##_PUBLIC_KEY_BYTES,                              \
                                               .output = MLDSA##N##_SIGNATURE_BYTES,                                   \
                                               .seed = MLDSA_SEED_BYTES,                                               \
                                               .has_context = 1,                                                       \
                                               .load_public = sig_load_public##N,                                      \
                                               .load_private = sig_load_private##N,                                    \
                                               .keygen_from_seed = sig_keygen_from_seed##N};

ML_DSA(44)
ML_DSA(65)
ML_DSA(87)

/* ---- SLH-DSA. */

#define SLH_DSA(SET)                                                                                                   \
    static int keygen##SET(struct pqlab_set *set) {                                                                    \
        SLHDSA_##SET##_generate_key(set->out[0].bytes, set->out[1].bytes);                                             \
        return PQLAB_OK;                                                                                               \
    }                                                                                                                  \
    static int keygen_from_seed##SET(struct pqlab_set *set) {                                                          \
        SLHDSA_##SET##_generate_key_from_seed(set->out[0].bytes, set->out[1].bytes, set->in[0].bytes);                 \
        return PQLAB_OK;                                                                                               \
    }                                                                                                                  \
    static int sign##SET(struct pqlab_set *set) {                                                                      \
        return pqlab_check(SLHDSA_##SET##_sign(set->out[0].bytes, set->in[1].bytes, set->in[2].bytes,                  \
                                               set->in[2].length, set->in[3].bytes, set->in[3].length));               \
    }                                                                                                                  \
    static int verify##SET(struct pqlab_set *set) {                                                                    \
        return pqlab_store_verdict(set, SLHDSA_##SET##_verify(set->in[2].bytes, set->in[2].length, set->in[0].bytes,   \
                                                              set->in[1].bytes, set->in[1].length, set->in[3].bytes,   \
                                                              set->in[3].length));                                     \
    }                                                                                                                  \
    static const struct pqlab_operation operations##SET[] =                                                            \
        PQLAB_SIGNATURE(keygen##SET, NULL, sign##SET, verify##SET);                                                    \
    static const struct pqlab_scheme scheme##SET = {.keys = {{"expanded", SLHDSA_##SET##_PRIVATE_KEY_BYTES}},          \
                                                    .public_key = SLHDSA_##SET##_PUBLIC_KEY_BYTES,                     \
                                                    .output = SLHDSA_##SET##_SIGNATURE_BYTES,                          \
                                                    .seed = SLHDSA_##SET##_SEED_BYTES,                                 \
                                                    .has_context = 1,                                                  \
                                                    .keygen_from_seed = keygen_from_seed##SET};

SLH_DSA(SHA2_128S)
SLH_DSA(SHAKE_256F)

/* ---- Ed25519. A private key is a seed, followed by the public key. */

static int ed25519_load_private(struct pqlab_set *set, const struct pqlab_field *key) {
    uint8_t public[ED25519_PUBLIC_KEY_LEN];
    ED25519_keypair_from_seed(public, pqlab_allocate_state(set, ED25519_PRIVATE_KEY_LEN), key->bytes);
    return 1;
}

static int ed25519_keygen(struct pqlab_set *set) {
    uint8_t private[ED25519_PRIVATE_KEY_LEN];
    ED25519_keypair(set->out[0].bytes, private);
    memcpy(set->out[1].bytes, private, 32);
    return PQLAB_OK;
}

static int ed25519_keygen_from_seed(struct pqlab_set *set) {
    uint8_t private[ED25519_PRIVATE_KEY_LEN];
    ED25519_keypair_from_seed(set->out[0].bytes, private, set->in[0].bytes);
    memcpy(set->out[1].bytes, private, 32);
    return PQLAB_OK;
}

static int ed25519_sign(struct pqlab_set *set) {
    return pqlab_check(ED25519_sign(set->out[0].bytes, set->in[2].bytes, set->in[2].length, set->state));
}

static int ed25519_verify(struct pqlab_set *set) {
    const struct pqlab_field *message = &set->in[1], *signature = &set->in[2];
    return pqlab_store_verdict(set,
                               signature->length == ED25519_SIGNATURE_LEN &&
                                   ED25519_verify(message->bytes, message->length, signature->bytes, set->in[0].bytes));
}

static const struct pqlab_operation ed25519_operations[] =
    PQLAB_SIGNATURE(ed25519_keygen, NULL, ed25519_sign, ed25519_verify);
static const struct pqlab_scheme ed25519 = {.keys = {{"seed", 32}},
                                            .public_key = ED25519_PUBLIC_KEY_LEN,
                                            .output = ED25519_SIGNATURE_LEN,
                                            .seed = 32,
                                            .load_private = ed25519_load_private,
                                            .keygen_from_seed = ed25519_keygen_from_seed};

/* ---- ECDSA, with SHA-256 on P-256 and SHA-384 on P-384. */

struct curve {
    struct pqlab_scheme scheme;
    int nid;
    size_t digest;
    uint8_t *(*hash)(const uint8_t *, size_t, uint8_t *);
};

static void ec_drop(void *key) { EC_KEY_free(key); }

static EC_KEY *ec_new(struct pqlab_set *set) {
    set->drop = ec_drop;
    return set->state = EC_KEY_new_by_curve_name(((const struct curve *)set->context)->nid);
}

static int ec_load_public(struct pqlab_set *set, const struct pqlab_field *key) {
    return EC_KEY_oct2key(ec_new(set), key->bytes, key->length, NULL);
}

static int ec_load_private(struct pqlab_set *set, const struct pqlab_field *key) {
    return EC_KEY_oct2priv(ec_new(set), key->bytes, key->length);
}

static int ec_keygen(struct pqlab_set *set) {
    pqlab_drop_later(ec_drop, set->state);
    EC_KEY *key = ec_new(set);
    return pqlab_check(key && EC_KEY_generate_key(key));
}

static int ec_encode(struct pqlab_set *set) {
    const EC_KEY *key = set->state;
    const struct pqlab_field *public = &set->out[0], *private = &set->out[1];
    return pqlab_check(EC_POINT_point2oct(EC_KEY_get0_group(key), EC_KEY_get0_public_key(key),
                                          POINT_CONVERSION_UNCOMPRESSED, public->bytes, public->length,
                                          NULL) == public->length &&
                       EC_KEY_priv2oct(key, private->bytes, private->length) == private->length);
}

static int ec_sign(struct pqlab_set *set) {
    const struct curve *curve = set->context;
    uint8_t digest[SHA512_DIGEST_LENGTH];
    struct pqlab_field *out = &set->out[0];
    curve->hash(set->in[2].bytes, set->in[2].length, digest);
    return pqlab_check(
        ECDSA_sign_p1363(digest, curve->digest, out->bytes, &out->length, curve->scheme.output, set->state));
}

static int ec_verify(struct pqlab_set *set) {
    const struct curve *curve = set->context;
    uint8_t digest[SHA512_DIGEST_LENGTH];
    curve->hash(set->in[1].bytes, set->in[1].length, digest);
    return pqlab_store_verdict(
        set, ECDSA_verify_p1363(digest, curve->digest, set->in[2].bytes, set->in[2].length, set->state));
}

#define CURVE(BYTES, NID, DIGEST, HASH)                                                                                \
    {{.keys = {{"scalar", BYTES}},                                                                                     \
      .public_key = 2 * (BYTES) + 1,                                                                                   \
      .output = 2 * (BYTES),                                                                                           \
      .load_public = ec_load_public,                                                                                   \
      .load_private = ec_load_private},                                                                                \
     NID,                                                                                                              \
     DIGEST,                                                                                                           \
     HASH}

static const struct pqlab_operation ec_operations[] = PQLAB_SIGNATURE(ec_keygen, ec_encode, ec_sign, ec_verify);
static const struct curve p256 = CURVE(32, NID_X9_62_prime256v1, SHA256_DIGEST_LENGTH, SHA256);
static const struct curve p384 = CURVE(48, NID_secp384r1, SHA384_DIGEST_LENGTH, SHA384);

/* ---- Hash functions. */

#define SHA2(N)                                                                                                        \
    static int digest##N(struct pqlab_set *set) {                                                                      \
        SHA##N(set->in[0].bytes, set->in[0].length, set->out[0].bytes);                                                \
        return PQLAB_OK;                                                                                               \
    }                                                                                                                  \
    static const struct pqlab_operation digest_operations##N[] = PQLAB_HASH(digest##N);                                \
    static const struct pqlab_scheme hash##N = {.output = (N) / 8};

SHA2(256)
SHA2(512)

int main(int count, char **arguments) {
    static const struct pqlab_offer offers[] = {
        {"kem ML-KEM-768 encodings=seed coins=keygen", kem_operations768, &kem768},
        {"kem ML-KEM-1024 encodings=seed coins=keygen", kem_operations1024, &kem1024},
        {"kem X25519 encodings=scalar coins=keygen,operation", x25519_operations, &x25519},
        {"signature ML-DSA-44 encodings=seed coins=keygen context=yes hedged=yes", sig_operations44, &sig44},
        {"signature ML-DSA-65 encodings=seed coins=keygen context=yes hedged=yes", sig_operations65, &sig65},
        {"signature ML-DSA-87 encodings=seed coins=keygen context=yes hedged=yes", sig_operations87, &sig87},
        {"signature SLH-DSA-SHA2-128s coins=keygen context=yes hedged=yes", operationsSHA2_128S, &schemeSHA2_128S},
        {"signature SLH-DSA-SHAKE-256f coins=keygen context=yes hedged=yes", operationsSHAKE_256F, &schemeSHAKE_256F},
        {"signature Ed25519 encodings=seed coins=keygen", ed25519_operations, &ed25519},
        {"signature ECDSA-P-256 encodings=scalar hedged=yes", ec_operations, &p256},
        {"signature ECDSA-P-384 encodings=scalar hedged=yes", ec_operations, &p384},
        {"hash SHA-256", digest_operations256, &hash256},
        {"hash SHA-512", digest_operations512, &hash512},
        {0}};
    return pqlab_main(count, arguments, offers, PQLAB_RUNTIME, "BoringSSL " VERSION,
                      "BoringSSL's default generator");
}
