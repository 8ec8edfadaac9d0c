/* Worker for wolfSSL's wolfCrypt. Link it with libwolfssl. Keys are loaded when a case is prepared. */
#include "pqlab_schemes.h"

#include <wolfssl/options.h>

#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/ed25519.h>
#include <wolfssl/wolfcrypt/hash.h>
#include <wolfssl/wolfcrypt/random.h>
#include <wolfssl/wolfcrypt/sha3.h>
#include <wolfssl/wolfcrypt/wc_mldsa.h>
#include <wolfssl/wolfcrypt/wc_mlkem.h>
#include <wolfssl/wolfcrypt/wc_slhdsa.h>

static WC_RNG generator;

struct algorithm {
    struct pqlab_scheme scheme;
    int type; /* wolfCrypt's number of the parameter set */
};

static int get_type(const struct pqlab_set *set) { return ((const struct algorithm *)set->context)->type; }

/* ---- ML-KEM. */

static void kem_drop(void *key) {
    if (key) wc_MlKemKey_Free(key);
    free(key);
}

static MlKemKey *kem_new(struct pqlab_set *set) {
    MlKemKey *key = pqlab_replace_state(set, sizeof *key, kem_drop);
    if (wc_MlKemKey_Init(key, get_type(set), NULL, INVALID_DEVID)) abort();
    return key;
}

static int kem_load_public(struct pqlab_set *set, const struct pqlab_field *key) {
    return !wc_MlKemKey_DecodePublicKey(kem_new(set), key->bytes, key->length);
}

static int kem_load_private(struct pqlab_set *set, const struct pqlab_field *key) {
    return !wc_MlKemKey_DecodePrivateKey(kem_new(set), key->bytes, key->length);
}

static int kem_keygen(struct pqlab_set *set) { return pqlab_check(!wc_MlKemKey_MakeKey(kem_new(set), &generator)); }

static int kem_keygen_from_seed(struct pqlab_set *set) {
    return pqlab_check(!wc_MlKemKey_MakeKeyWithRandom(kem_new(set), set->in[0].bytes, (int)set->in[0].length));
}

static int kem_encode(struct pqlab_set *set) {
    const struct pqlab_field *public = &set->out[0], *private = &set->out[1];
    return pqlab_check(!wc_MlKemKey_EncodePublicKey(set->state, public->bytes, public->length) &&
                       !wc_MlKemKey_EncodePrivateKey(set->state, private->bytes, private->length));
}

static int kem_encapsulate(struct pqlab_set *set) {
    return pqlab_check(!wc_MlKemKey_Encapsulate(set->state, set->out[0].bytes, set->out[1].bytes, &generator));
}

static int kem_with_coins(struct pqlab_set *set) {
    return pqlab_check(!wc_MlKemKey_EncapsulateWithRandom(set->state, set->out[0].bytes, set->out[1].bytes,
                                                          set->in[1].bytes, (int)set->in[1].length));
}

static int kem_decapsulate(struct pqlab_set *set) {
    const struct pqlab_field *ciphertext = &set->in[2];
    return pqlab_check(!wc_MlKemKey_Decapsulate(set->state, set->out[0].bytes, ciphertext->bytes, ciphertext->length));
}

#define ML_KEM(TYPE, PUBLIC, PRIVATE, CIPHERTEXT)                                                                      \
    {{.keys = {{"expanded", PRIVATE}},                                                                                 \
      .public_key = PUBLIC,                                                                                            \
      .output = CIPHERTEXT,                                                                                            \
      .secret = 32,                                                                                                    \
      .seed = 64,                                                                                                      \
      .coins = 32,                                                                                                     \
      .load_public = kem_load_public,                                                                                  \
      .load_private = kem_load_private,                                                                                \
      .keygen_from_seed = kem_keygen_from_seed,                                                                        \
      .run_with_coins = kem_with_coins},                                                                               \
     TYPE}

static const struct pqlab_operation kem_operations[] =
    PQLAB_KEM(kem_keygen, kem_encode, kem_encapsulate, kem_decapsulate);
static const struct algorithm kems[] = {ML_KEM(WC_ML_KEM_512, 800, 1632, 768), ML_KEM(WC_ML_KEM_768, 1184, 2400, 1088),
                                        ML_KEM(WC_ML_KEM_1024, 1568, 3168, 1568)};

/* ---- X25519. The ciphertext is an ephemeral public key. */

static void x25519_drop(void *key) {
    if (key) wc_curve25519_free(key);
    free(key);
}

static curve25519_key *x25519_new(struct pqlab_set *set) {
    curve25519_key *key = pqlab_replace_state(set, sizeof *key, x25519_drop);
    if (wc_curve25519_init(key)) abort();
    return key;
}

static int x25519_import(curve25519_key *key, const struct pqlab_field *public) {
    return wc_curve25519_import_public_ex(public->bytes, public->length, key, EC25519_LITTLE_ENDIAN);
}

static int x25519_load_public(struct pqlab_set *set, const struct pqlab_field *key) {
    return !x25519_import(x25519_new(set), key);
}

static int x25519_load_private(struct pqlab_set *set, const struct pqlab_field *key) {
    curve25519_key *loaded = x25519_new(set);
    return !wc_curve25519_import_private_ex(key->bytes, key->length, loaded, EC25519_LITTLE_ENDIAN);
}

static int x25519_keygen(struct pqlab_set *set) {
    return pqlab_check(!wc_curve25519_make_key(&generator, CURVE25519_KEYSIZE, x25519_new(set)));
}

static int x25519_keygen_from_seed(struct pqlab_set *set) { return pqlab_check(x25519_load_private(set, &set->in[0])); }

/* Writes the public half of a key to a field. */
static int x25519_export_public(curve25519_key *key, struct pqlab_field *field) {
    word32 length = (word32)field->length;
    return wc_curve25519_export_public_ex(key, field->bytes, &length, EC25519_LITTLE_ENDIAN);
}

static int x25519_encode(struct pqlab_set *set) {
    word32 length = (word32)set->out[1].length;
    return pqlab_check(
        !x25519_export_public(set->state, &set->out[0]) &&
        !wc_curve25519_export_private_raw_ex(set->state, set->out[1].bytes, &length, EC25519_LITTLE_ENDIAN));
}

static int x25519_agree(curve25519_key *private, curve25519_key *public, struct pqlab_field *secret) {
    word32 length = (word32)secret->length;
    return wc_curve25519_shared_secret_ex(private, public, secret->bytes, &length, EC25519_LITTLE_ENDIAN);
}

static int x25519_encapsulate(struct pqlab_set *set) {
    curve25519_key key;
    int code = wc_curve25519_init(&key);
    if (!code) code = wc_curve25519_make_key(&generator, CURVE25519_KEYSIZE, &key);
    if (!code) code = x25519_export_public(&key, &set->out[0]);
    if (!code) code = x25519_agree(&key, set->state, &set->out[1]);
    wc_curve25519_free(&key);
    return pqlab_check(!code);
}

static int x25519_decapsulate(struct pqlab_set *set) {
    curve25519_key peer;
    int code = wc_curve25519_init(&peer);
    if (!code) code = x25519_import(&peer, &set->in[2]);
    if (!code) code = x25519_agree(set->state, &peer, &set->out[0]);
    wc_curve25519_free(&peer);
    return pqlab_check(!code);
}

static const struct pqlab_operation x25519_operations[] =
    PQLAB_KEM(x25519_keygen, x25519_encode, x25519_encapsulate, x25519_decapsulate);
static const struct algorithm x25519 = {{.keys = {{"scalar", 32}},
                                         .public_key = 32,
                                         .output = 32,
                                         .secret = 32,
                                         .seed = 32,
                                         .load_public = x25519_load_public,
                                         .load_private = x25519_load_private,
                                         .keygen_from_seed = x25519_keygen_from_seed},
                                        0};

/* ---- ML-DSA. */

static void dsa_drop(void *key) {
    if (key) wc_MlDsaKey_Free(key);
    free(key);
}

static wc_MlDsaKey *dsa_new(struct pqlab_set *set) {
    wc_MlDsaKey *key = pqlab_replace_state(set, sizeof *key, dsa_drop);
    if (wc_MlDsaKey_Init(key, NULL, INVALID_DEVID) || wc_MlDsaKey_SetParams(key, (byte)get_type(set))) abort();
    return key;
}

static int dsa_load_public(struct pqlab_set *set, const struct pqlab_field *key) {
    return !wc_MlDsaKey_ImportPubRaw(dsa_new(set), key->bytes, key->length);
}

static int dsa_load_private(struct pqlab_set *set, const struct pqlab_field *key) {
    return !wc_MlDsaKey_ImportPrivRaw(dsa_new(set), key->bytes, key->length);
}

static int dsa_keygen(struct pqlab_set *set) { return pqlab_check(!wc_MlDsaKey_MakeKey(dsa_new(set), &generator)); }

static int dsa_keygen_from_seed(struct pqlab_set *set) {
    return pqlab_check(!wc_MlDsaKey_MakeKeyFromSeed(dsa_new(set), set->in[0].bytes));
}

static int dsa_encode(struct pqlab_set *set) {
    word32 public = (word32)set->out[0].length, private = (word32)set->out[1].length;
    return pqlab_check(!wc_MlDsaKey_ExportPubRaw(set->state, set->out[0].bytes, &public) &&
                       !wc_MlDsaKey_ExportPrivRaw(set->state, set->out[1].bytes, &private));
}

static int dsa_sign(struct pqlab_set *set) {
    const struct pqlab_field *message = &set->in[2], *context = &set->in[3];
    word32 length = (word32)set->out[0].length;
    return pqlab_check(!wc_MlDsaKey_SignCtx(set->state, context->bytes, (byte)context->length, set->out[0].bytes,
                                            &length, message->bytes, message->length, &generator));
}

static int dsa_with_coins(struct pqlab_set *set) {
    const struct pqlab_field *message = &set->in[2], *context = &set->in[3];
    word32 length = (word32)set->out[0].length;
    byte coins[32] = {0};
    memcpy(coins, set->in[4].bytes, set->in[4].length);
    return pqlab_check(!wc_MlDsaKey_SignCtxWithSeed(set->state, context->bytes, (byte)context->length,
                                                    set->out[0].bytes, &length, message->bytes, message->length,
                                                    coins));
}

static int dsa_verify(struct pqlab_set *set) {
    const struct pqlab_field *message = &set->in[1], *signature = &set->in[2], *context = &set->in[3];
    int valid = 0;
    int code = wc_MlDsaKey_VerifyCtx(set->state, signature->bytes, signature->length, context->bytes,
                                     (byte)context->length, message->bytes, message->length, &valid);
    return pqlab_store_verdict(set, !code && valid);
}

#define ML_DSA(TYPE, PUBLIC, PRIVATE, SIGNATURE)                                                                       \
    {{.keys = {{"expanded", PRIVATE}},                                                                                 \
      .public_key = PUBLIC,                                                                                            \
      .output = SIGNATURE,                                                                                             \
      .seed = 32,                                                                                                      \
      .coins = 32,                                                                                                     \
      .has_context = 1,                                                                                                \
      .load_public = dsa_load_public,                                                                                  \
      .load_private = dsa_load_private,                                                                                \
      .keygen_from_seed = dsa_keygen_from_seed,                                                                        \
      .run_with_coins = dsa_with_coins},                                                                               \
     TYPE}

static const struct pqlab_operation dsa_operations[] = PQLAB_SIGNATURE(dsa_keygen, dsa_encode, dsa_sign, dsa_verify);
static const struct algorithm dsas[] = {ML_DSA(WC_ML_DSA_44, 1312, 2560, 2420), ML_DSA(WC_ML_DSA_65, 1952, 4032, 3309),
                                        ML_DSA(WC_ML_DSA_87, 2592, 4896, 4627)};

/* ---- SLH-DSA. The seed for key generation is SK.seed || SK.prf || PK.seed. */

static void slh_drop(void *key) {
    if (key) wc_SlhDsaKey_Free(key);
    free(key);
}

static SlhDsaKey *slh_new(struct pqlab_set *set) {
    SlhDsaKey *key = pqlab_replace_state(set, sizeof *key, slh_drop);
    if (wc_SlhDsaKey_Init(key, get_type(set), NULL, INVALID_DEVID)) abort();
    return key;
}

static int slh_load_public(struct pqlab_set *set, const struct pqlab_field *key) {
    return !wc_SlhDsaKey_ImportPublic(slh_new(set), key->bytes, key->length);
}

static int slh_load_private(struct pqlab_set *set, const struct pqlab_field *key) {
    return !wc_SlhDsaKey_ImportPrivate(slh_new(set), key->bytes, key->length);
}

static int slh_keygen(struct pqlab_set *set) { return pqlab_check(!wc_SlhDsaKey_MakeKey(slh_new(set), &generator)); }

static int slh_keygen_from_seed(struct pqlab_set *set) {
    const byte *seed = set->in[0].bytes;
    word32 n = (word32)set->in[0].length / 3;
    return pqlab_check(!wc_SlhDsaKey_MakeKeyWithRandom(slh_new(set), seed, n, seed + n, n, seed + 2 * n, n));
}

static int slh_encode(struct pqlab_set *set) {
    word32 public = (word32)set->out[0].length, private = (word32)set->out[1].length;
    return pqlab_check(!wc_SlhDsaKey_ExportPublic(set->state, set->out[0].bytes, &public) &&
                       !wc_SlhDsaKey_ExportPrivate(set->state, set->out[1].bytes, &private));
}

static int slh_sign(struct pqlab_set *set) {
    const struct pqlab_field *message = &set->in[2], *context = &set->in[3];
    word32 length = (word32)set->out[0].length;
    return pqlab_check(!wc_SlhDsaKey_Sign(set->state, context->bytes, (byte)context->length, message->bytes,
                                          message->length, set->out[0].bytes, &length, &generator));
}

static int slh_with_coins(struct pqlab_set *set) {
    const struct pqlab_field *message = &set->in[2], *context = &set->in[3], *coins = &set->in[4];
    word32 length = (word32)set->out[0].length;
    if (coins->length == 0)
        return pqlab_check(!wc_SlhDsaKey_SignDeterministic(set->state, context->bytes, (byte)context->length,
                                                           message->bytes, message->length, set->out[0].bytes,
                                                           &length));
    return pqlab_check(!wc_SlhDsaKey_SignWithRandom(set->state, context->bytes, (byte)context->length, message->bytes,
                                                    message->length, set->out[0].bytes, &length, coins->bytes));
}

static int slh_verify(struct pqlab_set *set) {
    const struct pqlab_field *message = &set->in[1], *signature = &set->in[2], *context = &set->in[3];
    return pqlab_store_verdict(set,
                               !wc_SlhDsaKey_Verify(set->state, context->bytes, (byte)context->length, message->bytes,
                                                    message->length, signature->bytes, signature->length));
}

#define SLH_DSA(TYPE, N, SIGNATURE)                                                                                    \
    {{.keys = {{"expanded", 4 * (N)}},                                                                                 \
      .public_key = 2 * (N),                                                                                           \
      .output = SIGNATURE,                                                                                             \
      .seed = 3 * (N),                                                                                                 \
      .coins = N,                                                                                                      \
      .has_context = 1,                                                                                                \
      .load_public = slh_load_public,                                                                                  \
      .load_private = slh_load_private,                                                                                \
      .keygen_from_seed = slh_keygen_from_seed,                                                                        \
      .run_with_coins = slh_with_coins},                                                                               \
     TYPE}

static const struct pqlab_operation slh_operations[] = PQLAB_SIGNATURE(slh_keygen, slh_encode, slh_sign, slh_verify);
static const struct algorithm slhs[] = {
    SLH_DSA(SLHDSA_SHA2_128S, 16, 7856),  SLH_DSA(SLHDSA_SHA2_128F, 16, 17088), SLH_DSA(SLHDSA_SHA2_192S, 24, 16224),
    SLH_DSA(SLHDSA_SHA2_192F, 24, 35664), SLH_DSA(SLHDSA_SHA2_256S, 32, 29792), SLH_DSA(SLHDSA_SHA2_256F, 32, 49856),
    SLH_DSA(SLHDSA_SHAKE128S, 16, 7856),  SLH_DSA(SLHDSA_SHAKE128F, 16, 17088), SLH_DSA(SLHDSA_SHAKE192S, 24, 16224),
    SLH_DSA(SLHDSA_SHAKE192F, 24, 35664), SLH_DSA(SLHDSA_SHAKE256S, 32, 29792), SLH_DSA(SLHDSA_SHAKE256F, 32, 49856)};

/* ---- Ed25519. */

static void ed25519_drop(void *key) {
    if (key) wc_ed25519_free(key);
    free(key);
}

static ed25519_key *ed25519_new(struct pqlab_set *set) {
    ed25519_key *key = pqlab_replace_state(set, sizeof *key, ed25519_drop);
    if (wc_ed25519_init(key)) abort();
    return key;
}

static int ed25519_load_public(struct pqlab_set *set, const struct pqlab_field *key) {
    return !wc_ed25519_import_public(key->bytes, key->length, ed25519_new(set));
}

/* Signing uses the public key, which wolfCrypt does not compute on its own. */
static int ed25519_load_private(struct pqlab_set *set, const struct pqlab_field *key) {
    ed25519_key *loaded = ed25519_new(set);
    byte public[ED25519_PUB_KEY_SIZE];
    return !wc_ed25519_import_private_only(key->bytes, key->length, loaded) &&
           !wc_ed25519_make_public(loaded, public, sizeof public) &&
           !wc_ed25519_import_private_key(key->bytes, key->length, public, sizeof public, loaded);
}

static int ed25519_keygen(struct pqlab_set *set) {
    return pqlab_check(!wc_ed25519_make_key(&generator, ED25519_KEY_SIZE, ed25519_new(set)));
}

static int ed25519_keygen_from_seed(struct pqlab_set *set) {
    return pqlab_check(ed25519_load_private(set, &set->in[0]));
}

static int ed25519_encode(struct pqlab_set *set) {
    word32 public = (word32)set->out[0].length, private = (word32)set->out[1].length;
    return pqlab_check(!wc_ed25519_export_public(set->state, set->out[0].bytes, &public) &&
                       !wc_ed25519_export_private_only(set->state, set->out[1].bytes, &private));
}

static int ed25519_sign(struct pqlab_set *set) {
    const struct pqlab_field *message = &set->in[2];
    word32 length = (word32)set->out[0].length;
    return pqlab_check(!wc_ed25519_sign_msg(message->bytes, message->length, set->out[0].bytes, &length, set->state));
}

static int ed25519_verify(struct pqlab_set *set) {
    const struct pqlab_field *message = &set->in[1], *signature = &set->in[2];
    int valid = 0;
    int code =
        wc_ed25519_verify_msg(signature->bytes, signature->length, message->bytes, message->length, &valid, set->state);
    return pqlab_store_verdict(set, !code && valid);
}

static const struct pqlab_operation ed25519_operations[] =
    PQLAB_SIGNATURE(ed25519_keygen, ed25519_encode, ed25519_sign, ed25519_verify);
static const struct algorithm ed25519 = {{.keys = {{"seed", 32}},
                                          .public_key = 32,
                                          .output = 64,
                                          .seed = 32,
                                          .load_public = ed25519_load_public,
                                          .load_private = ed25519_load_private,
                                          .keygen_from_seed = ed25519_keygen_from_seed},
                                         0};

/* ---- ECDSA, with SHA-256 on P-256 and SHA-384 on P-384. wolfCrypt's signatures are DER, so r || s is converted to and
 * from DER in each call. */

enum { ECDSA_BYTES = 48 };

static void ecdsa_drop(void *key) {
    if (key) wc_ecc_free(key);
    free(key);
}

static ecc_key *ecdsa_new(struct pqlab_set *set) {
    ecc_key *key = pqlab_replace_state(set, sizeof *key, ecdsa_drop);
    if (wc_ecc_init(key)) abort();
    return key;
}

/* Length of a scalar in bytes. */
static word32 get_scalar_length(const struct pqlab_set *set) {
    return (word32)((const struct algorithm *)set->context)->scheme.keys[0].length;
}

static int ecdsa_load_public(struct pqlab_set *set, const struct pqlab_field *key) {
    return !wc_ecc_import_x963_ex2(key->bytes, key->length, ecdsa_new(set), get_type(set), 1);
}

static int ecdsa_load_private(struct pqlab_set *set, const struct pqlab_field *key) {
    ecc_key *loaded = ecdsa_new(set);
    return !wc_ecc_import_private_key_ex(key->bytes, key->length, NULL, 0, loaded, get_type(set)) &&
           !wc_ecc_set_rng(loaded, &generator);
}

static int ecdsa_keygen(struct pqlab_set *set) {
    return pqlab_check(!wc_ecc_make_key_ex(&generator, (int)get_scalar_length(set), ecdsa_new(set), get_type(set)));
}

static int ecdsa_keygen_from_seed(struct pqlab_set *set) {
    return pqlab_check(ecdsa_load_private(set, &set->in[0]) && !wc_ecc_make_pub_ex(set->state, NULL, &generator));
}

static int ecdsa_encode(struct pqlab_set *set) {
    word32 public = (word32)set->out[0].length, private = (word32)set->out[1].length;
    return pqlab_check(!wc_ecc_export_x963(set->state, set->out[0].bytes, &public) &&
                       !wc_ecc_export_private_only(set->state, set->out[1].bytes, &private));
}

static int ecdsa_hash(const struct pqlab_set *set, const struct pqlab_field *message, byte *digest) {
    return get_scalar_length(set) == 32 ? wc_Sha256Hash(message->bytes, message->length, digest)
                                        : wc_Sha384Hash(message->bytes, message->length, digest);
}

static int ecdsa_sign(struct pqlab_set *set) {
    byte digest[ECDSA_BYTES], der[ECC_MAX_SIG_SIZE], r[ECDSA_BYTES], s[ECDSA_BYTES], *out = set->out[0].bytes;
    word32 n = get_scalar_length(set), length = sizeof der, r_length = n, s_length = n;
    if (ecdsa_hash(set, &set->in[2], digest) || wc_ecc_sign_hash(digest, n, der, &length, &generator, set->state) ||
        wc_ecc_sig_to_rs(der, length, r, &r_length, s, &s_length))
        return PQLAB_ERROR;
    memset(out, 0, 2 * n);
    memcpy(out + n - r_length, r, r_length);
    memcpy(out + 2 * n - s_length, s, s_length);
    return PQLAB_OK;
}

static int ecdsa_verify(struct pqlab_set *set) {
    const struct pqlab_field *signature = &set->in[2];
    byte digest[ECDSA_BYTES], der[ECC_MAX_SIG_SIZE];
    word32 n = get_scalar_length(set), length = sizeof der;
    int valid = 0;
    int code = signature->length != 2 * n || ecdsa_hash(set, &set->in[1], digest) ||
               wc_ecc_rs_raw_to_sig(signature->bytes, n, signature->bytes + n, n, der, &length) ||
               wc_ecc_verify_hash(der, length, digest, n, &valid, set->state);
    return pqlab_store_verdict(set, !code && valid);
}

#define ECDSA(TYPE, BYTES)                                                                                             \
    {{.keys = {{"scalar", BYTES}},                                                                                     \
      .public_key = 2 * (BYTES) + 1,                                                                                   \
      .output = 2 * (BYTES),                                                                                           \
      .seed = BYTES,                                                                                                   \
      .load_public = ecdsa_load_public,                                                                                \
      .load_private = ecdsa_load_private,                                                                              \
      .keygen_from_seed = ecdsa_keygen_from_seed},                                                                     \
     TYPE}

static const struct pqlab_operation ecdsa_operations[] =
    PQLAB_SIGNATURE(ecdsa_keygen, ecdsa_encode, ecdsa_sign, ecdsa_verify);
static const struct algorithm ecdsas[] = {ECDSA(ECC_SECP256R1, 32), ECDSA(ECC_SECP384R1, 48)};

/* ---- Hash functions. */

struct hash {
    struct pqlab_scheme scheme;
    int (*digest)(const byte *, word32, byte *);
};

static int digest(struct pqlab_set *set) {
    const struct hash *hash = set->context;
    return pqlab_check(!hash->digest(set->in[0].bytes, set->in[0].length, set->out[0].bytes));
}

static const struct pqlab_operation hash_operations[] = PQLAB_HASH(digest);
static const struct hash hashes[] = {{{.output = 28}, wc_Sha3_224Hash}, {{.output = 32}, wc_Sha3_256Hash},
                                     {{.output = 48}, wc_Sha3_384Hash}, {{.output = 64}, wc_Sha3_512Hash},
                                     {{.output = 32}, wc_Sha256Hash},   {{.output = 64}, wc_Sha512Hash}};

#define KEM(I, NAME) {"kem ML-KEM-" NAME " encodings=expanded coins=keygen,operation", kem_operations, &kems[I]}
#define DSA(I, NAME)                                                                                                   \
    {"signature ML-DSA-" NAME " encodings=expanded coins=keygen,operation context=yes hedged=yes", dsa_operations,     \
     &dsas[I]}
#define SLH(I, NAME)                                                                                                   \
    {"signature SLH-DSA-" NAME " encodings=expanded coins=keygen,operation context=yes hedged=yes", slh_operations,    \
     &slhs[I]}
#define HASH(I, NAME) {"hash " NAME, hash_operations, &hashes[I]}

int main(int count, char **arguments) {
    static const struct pqlab_offer offers[] = {
        KEM(0, "512"),
        KEM(1, "768"),
        KEM(2, "1024"),
        {"kem X25519 encodings=scalar coins=keygen", x25519_operations, &x25519},
        DSA(0, "44"),
        DSA(1, "65"),
        DSA(2, "87"),
        SLH(0, "SHA2-128s"),
        SLH(1, "SHA2-128f"),
        SLH(2, "SHA2-192s"),
        SLH(3, "SHA2-192f"),
        SLH(4, "SHA2-256s"),
        SLH(5, "SHA2-256f"),
        SLH(6, "SHAKE-128s"),
        SLH(7, "SHAKE-128f"),
        SLH(8, "SHAKE-192s"),
        SLH(9, "SHAKE-192f"),
        SLH(10, "SHAKE-256s"),
        SLH(11, "SHAKE-256f"),
        {"signature Ed25519 encodings=seed coins=keygen", ed25519_operations, &ed25519},
        {"signature ECDSA-P-256 encodings=scalar coins=keygen hedged=yes", ecdsa_operations, &ecdsas[0]},
        {"signature ECDSA-P-384 encodings=scalar coins=keygen hedged=yes", ecdsa_operations, &ecdsas[1]},
        HASH(0, "SHA3-224"),
        HASH(1, "SHA3-256"),
        HASH(2, "SHA3-384"),
        HASH(3, "SHA3-512"),
        HASH(4, "SHA-256"),
        HASH(5, "SHA-512"),
        {0}};
    if (wolfCrypt_Init() || wc_InitRng(&generator)) return 1;
    return pqlab_main(count, arguments, offers, PQLAB_RUNTIME, "wolfSSL " LIBWOLFSSL_VERSION_STRING,
                      "wolfCrypt's generator (Hash_DRBG)");
}
