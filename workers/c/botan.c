/* Worker for Botan, through its C interface. Link it with libbotan-3. Keys are loaded, and the objects for operations
 * are created, when a case is prepared. */
#include "pqlab_schemes.h"

#include <botan/ffi.h>

static botan_rng_t generator;

struct algorithm {
    struct pqlab_scheme scheme;
    const char *name, *set; /* Botan's names of the algorithm and the parameter set */
    const char *padding;    /* hash function and encoding of signatures */
    int (*load_public)(botan_pubkey_t *, const uint8_t *, size_t, const char *);
    int (*load_private)(botan_privkey_t *, const uint8_t *, size_t, const char *);
};

/* Keys and objects of one set of inputs. */
struct prepared {
    botan_pubkey_t public;
    botan_privkey_t private;
    botan_pk_op_kem_encrypt_t encapsulate;
    botan_pk_op_kem_decrypt_t decapsulate;
    botan_pk_op_ka_t agree;
    botan_pk_op_sign_t sign;
    botan_pk_op_verify_t verify;
};

static void drop(void *state) {
    struct prepared *prepared = state;
    if (!prepared) return;
    botan_pk_op_verify_destroy(prepared->verify);
    botan_pk_op_sign_destroy(prepared->sign);
    botan_pk_op_key_agreement_destroy(prepared->agree);
    botan_pk_op_kem_decrypt_destroy(prepared->decapsulate);
    botan_pk_op_kem_encrypt_destroy(prepared->encapsulate);
    botan_privkey_destroy(prepared->private);
    botan_pubkey_destroy(prepared->public);
    free(prepared);
}

static struct prepared *get_prepared(struct pqlab_set *set) {
    set->drop = drop;
    return set->state ? set->state : pqlab_allocate_state(set, sizeof(struct prepared));
}

/* ---- Loading. Key agreements need no object for the public key. */

static int load_public(struct pqlab_set *set, const struct pqlab_field *key) {
    const struct algorithm *algorithm = set->context;
    struct prepared *prepared = get_prepared(set);
    if (algorithm->load_public(&prepared->public, key->bytes, key->length, algorithm->set)) return 0;
    if (algorithm->padding)
        return !botan_pk_op_verify_create(&prepared->verify, prepared->public, algorithm->padding, 0);
    return !botan_pk_op_kem_encrypt_create(&prepared->encapsulate, prepared->public, "Raw");
}

static int load_private(struct pqlab_set *set, const struct pqlab_field *key) {
    const struct algorithm *algorithm = set->context;
    struct prepared *prepared = get_prepared(set);
    if (algorithm->load_private(&prepared->private, key->bytes, key->length, algorithm->set)) return 0;
    if (algorithm->padding) return !botan_pk_op_sign_create(&prepared->sign, prepared->private, algorithm->padding, 0);
    if (!strcmp(algorithm->name, "X25519"))
        return !botan_pk_op_key_agreement_create(&prepared->agree, prepared->private, "Raw", 0);
    return !botan_pk_op_kem_decrypt_create(&prepared->decapsulate, prepared->private, "Raw");
}

static int load_public_ed25519(botan_pubkey_t *key, const uint8_t *bytes, size_t length, const char *set) {
    return (void)length, (void)set, botan_pubkey_load_ed25519(key, bytes);
}

static int load_private_ed25519(botan_privkey_t *key, const uint8_t *bytes, size_t length, const char *set) {
    return (void)length, (void)set, botan_privkey_load_ed25519(key, bytes);
}

static int load_private_x25519(botan_privkey_t *key, const uint8_t *bytes, size_t length, const char *set) {
    return (void)length, (void)set, botan_privkey_load_x25519(key, bytes);
}

static int load_private_ecdsa(botan_privkey_t *key, const uint8_t *bytes, size_t length, const char *set) {
    botan_mp_t scalar = NULL;
    int code = botan_mp_init(&scalar);
    if (!code) code = botan_mp_from_bin(scalar, bytes, length);
    if (!code) code = botan_privkey_load_ecdsa(key, scalar, set);
    botan_mp_destroy(scalar);
    return code;
}

/* ---- Key generation. Private keys of Ed25519 contain the public key after the seed. */

static int keygen(struct pqlab_set *set) {
    const struct algorithm *algorithm = set->context;
    struct prepared *prepared = pqlab_replace_state(set, sizeof *prepared, drop);
    return pqlab_check(!botan_privkey_create(&prepared->private, algorithm->name, algorithm->set, generator));
}

static int keygen_from_seed(struct pqlab_set *set) {
    const struct algorithm *algorithm = set->context;
    struct prepared *prepared = get_prepared(set);
    return pqlab_check(
        !algorithm->load_private(&prepared->private, set->in[0].bytes, set->in[0].length, algorithm->set));
}

/* Copies the beginning of a view to a field. */
static int copy(botan_view_ctx context, const uint8_t *bytes, size_t length) {
    struct pqlab_field *field = context;
    if (length < field->length) return -1;
    memcpy(field->bytes, bytes, field->length);
    return 0;
}

static int encode(struct pqlab_set *set) {
    struct prepared *prepared = set->state;
    botan_pubkey_destroy(prepared->public);
    prepared->public = NULL;
    return pqlab_check(!botan_privkey_export_pubkey(&prepared->public, prepared->private) &&
                       !botan_pubkey_view_raw(prepared->public, &set->out[0], copy) &&
                       !botan_privkey_view_raw(prepared->private, &set->out[1], copy));
}

/* ---- Operations. */

static int encapsulate(struct pqlab_set *set) {
    const struct prepared *prepared = set->state;
    struct pqlab_field *ciphertext = &set->out[0], *secret = &set->out[1];
    return pqlab_check(!botan_pk_op_kem_encrypt_create_shared_key(prepared->encapsulate, generator, NULL, 0,
                                                                  secret->length, secret->bytes, &secret->length,
                                                                  ciphertext->bytes, &ciphertext->length));
}

static int decapsulate(struct pqlab_set *set) {
    const struct prepared *prepared = set->state;
    struct pqlab_field *ciphertext = &set->in[2], *secret = &set->out[0];
    return pqlab_check(!botan_pk_op_kem_decrypt_shared_key(prepared->decapsulate, NULL, 0, ciphertext->bytes,
                                                           ciphertext->length, secret->length, secret->bytes,
                                                           &secret->length));
}

static int agree(botan_pk_op_ka_t operation, struct pqlab_field *secret, const struct pqlab_field *peer) {
    return botan_pk_op_key_agreement(operation, secret->bytes, &secret->length, peer->bytes, peer->length, NULL, 0);
}

/* Encapsulation with X25519 sends the public half of this key. */
static int send_ephemeral(struct pqlab_set *set, botan_privkey_t key) {
    botan_pk_op_ka_t operation = NULL;
    int code = botan_pk_op_key_agreement_create(&operation, key, "Raw", 0);
    if (!code) code = agree(operation, &set->out[1], &set->in[0]);
    if (!code) code = botan_pk_op_key_agreement_export_public(key, set->out[0].bytes, &set->out[0].length);
    botan_pk_op_key_agreement_destroy(operation);
    return code;
}

static int x25519_encapsulate(struct pqlab_set *set) {
    botan_privkey_t key = NULL;
    int code = botan_privkey_create(&key, "X25519", "", generator);
    if (!code) code = send_ephemeral(set, key);
    botan_privkey_destroy(key);
    return pqlab_check(!code);
}

static int x25519_with_coins(struct pqlab_set *set) {
    botan_privkey_t key = NULL;
    int code = botan_privkey_load_x25519(&key, set->in[1].bytes);
    if (!code) code = send_ephemeral(set, key);
    botan_privkey_destroy(key);
    return pqlab_check(!code);
}

static int x25519_decapsulate(struct pqlab_set *set) {
    const struct prepared *prepared = set->state;
    return pqlab_check(!agree(prepared->agree, &set->out[0], &set->in[2]));
}

static int sign(struct pqlab_set *set) {
    const struct prepared *prepared = set->state;
    return pqlab_check(!botan_pk_op_sign_update(prepared->sign, set->in[2].bytes, set->in[2].length) &&
                       !botan_pk_op_sign_finish(prepared->sign, generator, set->out[0].bytes, &set->out[0].length));
}

static int verify(struct pqlab_set *set) {
    const struct prepared *prepared = set->state;
    return pqlab_store_verdict(set,
                               !botan_pk_op_verify_update(prepared->verify, set->in[1].bytes, set->in[1].length) &&
                                   !botan_pk_op_verify_finish(prepared->verify, set->in[2].bytes, set->in[2].length));
}

/* ---- Seeds and coins. Operations take them from a generator that returns given bytes. */

static int give(void *context, uint8_t *out, size_t length) {
    struct pqlab_field *left = context;
    if (length > left->length) return -1;
    memcpy(out, left->bytes, length);
    left->bytes += length;
    left->length -= length;
    return 0;
}

static int with_bytes(struct pqlab_set *set, struct pqlab_field bytes, int (*run)(struct pqlab_set *set)) {
    botan_rng_t usual = generator;
    int code = botan_rng_init_custom(&generator, "given bytes", &bytes, give, NULL, NULL) ? PQLAB_ERROR : run(set);
    if (generator != usual) botan_rng_destroy(generator);
    generator = usual;
    return code;
}

static int keygen_with_seed(struct pqlab_set *set) { return with_bytes(set, set->in[0], keygen); }

static int encapsulate_with_coins(struct pqlab_set *set) { return with_bytes(set, set->in[1], encapsulate); }

static int sign_with_coins(struct pqlab_set *set) {
    struct prepared *prepared = set->state;
    if (set->in[4].length > 0) return with_bytes(set, set->in[4], sign);
    botan_pk_op_sign_destroy(prepared->sign);
    prepared->sign = NULL;
    return botan_pk_op_sign_create(&prepared->sign, prepared->private, "Deterministic", 0) ? PQLAB_ERROR : sign(set);
}

/* ---- Hash functions. */

static void hash_drop(void *state) { botan_hash_destroy(state); }

static int hash_ready(struct pqlab_set *set) {
    const struct algorithm *algorithm = set->context;
    botan_hash_t hash = NULL;
    if (botan_hash_init(&hash, algorithm->name, 0))
        return pqlab_refuse(set, PQLAB_ERROR, "the hash function is missing");
    set->drop = hash_drop;
    set->state = hash;
    return pqlab_digest_ready(set);
}

static int digest(struct pqlab_set *set) {
    return pqlab_check(!botan_hash_update(set->state, set->in[0].bytes, set->in[0].length) &&
                       !botan_hash_final(set->state, set->out[0].bytes));
}

/* ---- Algorithms. */

#define COINS(BYTES, RUN) .coins = BYTES, .run_with_coins = RUN
#define LOADS .load_public = load_public, .load_private = load_private
#define SEEDS(BYTES) .seed = BYTES, .keygen_from_seed = keygen_from_seed

#define ML_KEM(SET, PUBLIC, EXPANDED, CIPHERTEXT)                                                                      \
    {{.keys = {{"seed", 64}, {"expanded", EXPANDED}},                                                                  \
      .public_key = PUBLIC,                                                                                            \
      .output = CIPHERTEXT,                                                                                            \
      .secret = 32,                                                                                                    \
      SEEDS(64),                                                                                                       \
      COINS(32, encapsulate_with_coins),                                                                               \
      LOADS},                                                                                                          \
     "ML-KEM",                                                                                                         \
     SET,                                                                                                              \
     NULL,                                                                                                             \
     botan_pubkey_load_ml_kem,                                                                                         \
     botan_privkey_load_ml_kem}

#define ML_DSA(SET, PUBLIC, SIGNATURE)                                                                                 \
    {{.keys = {{"seed", 32}},                                                                                          \
      .public_key = PUBLIC,                                                                                            \
      .output = SIGNATURE,                                                                                             \
      SEEDS(32),                                                                                                       \
      COINS(32, sign_with_coins),                                                                                      \
      LOADS},                                                                                                          \
     "ML-DSA",                                                                                                         \
     SET,                                                                                                              \
     "",                                                                                                               \
     botan_pubkey_load_ml_dsa,                                                                                         \
     botan_privkey_load_ml_dsa}

#define SLH_DSA(SET, PUBLIC, SIGNATURE)                                                                                \
    {{.keys = {{"expanded", 2 * (PUBLIC)}},                                                                            \
      .public_key = PUBLIC,                                                                                            \
      .output = SIGNATURE,                                                                                             \
      .seed = 3 * (PUBLIC) / 2,                                                                                        \
      .keygen_from_seed = keygen_with_seed,                                                                            \
      COINS((PUBLIC) / 2, sign_with_coins),                                                                            \
      LOADS},                                                                                                          \
     "SLH-DSA",                                                                                                        \
     SET,                                                                                                              \
     "",                                                                                                               \
     botan_pubkey_load_slh_dsa,                                                                                        \
     botan_privkey_load_slh_dsa}

#define ECDSA(BYTES, SET, HASH)                                                                                        \
    {{.keys = {{"scalar", BYTES}}, .public_key = 2 * (BYTES) + 1, .output = 2 * (BYTES), SEEDS(BYTES), LOADS},         \
     "ECDSA",                                                                                                          \
     SET,                                                                                                              \
     HASH,                                                                                                             \
     botan_pubkey_load_ecdsa_sec1,                                                                                     \
     load_private_ecdsa}

static const struct algorithm x25519 = {{.keys = {{"scalar", 32}},
                                         .public_key = 32,
                                         .output = 32,
                                         .secret = 32,
                                         .coins = 32,
                                         .run_with_coins = x25519_with_coins,
                                         .load_private = load_private,
                                         SEEDS(32)},
                                        "X25519",
                                        "",
                                        NULL,
                                        NULL,
                                        load_private_x25519};
static const struct algorithm kems[] = {ML_KEM("ML-KEM-512", 800, 1632, 768), ML_KEM("ML-KEM-768", 1184, 2400, 1088),
                                        ML_KEM("ML-KEM-1024", 1568, 3168, 1568)};
static const struct algorithm ed25519 = {{.keys = {{"seed", 32}}, .public_key = 32, .output = 64, SEEDS(32), LOADS},
                                         "Ed25519",
                                         "",
                                         "Pure",
                                         load_public_ed25519,
                                         load_private_ed25519};
static const struct algorithm ml_dsa[] = {ML_DSA("ML-DSA-4x4", 1312, 2420), ML_DSA("ML-DSA-6x5", 1952, 3309),
                                          ML_DSA("ML-DSA-8x7", 2592, 4627)};
static const struct algorithm ecdsa[] = {ECDSA(32, "secp256r1", "SHA-256"), ECDSA(48, "secp384r1", "SHA-384")};
static const struct algorithm slh_dsa[] = {
    SLH_DSA("SLH-DSA-SHA2-128s", 32, 7856),   SLH_DSA("SLH-DSA-SHA2-128f", 32, 17088),
    SLH_DSA("SLH-DSA-SHA2-192s", 48, 16224),  SLH_DSA("SLH-DSA-SHA2-192f", 48, 35664),
    SLH_DSA("SLH-DSA-SHA2-256s", 64, 29792),  SLH_DSA("SLH-DSA-SHA2-256f", 64, 49856),
    SLH_DSA("SLH-DSA-SHAKE-128s", 32, 7856),  SLH_DSA("SLH-DSA-SHAKE-128f", 32, 17088),
    SLH_DSA("SLH-DSA-SHAKE-192s", 48, 16224), SLH_DSA("SLH-DSA-SHAKE-192f", 48, 35664),
    SLH_DSA("SLH-DSA-SHAKE-256s", 64, 29792), SLH_DSA("SLH-DSA-SHAKE-256f", 64, 49856)};
static const struct algorithm hashes[] = {
    {{.output = 28}, .name = "SHA-3(224)"}, {{.output = 32}, .name = "SHA-3(256)"},
    {{.output = 48}, .name = "SHA-3(384)"}, {{.output = 64}, .name = "SHA-3(512)"},
    {{.output = 32}, .name = "SHA-256"},    {{.output = 64}, .name = "SHA-512"}};

#define SLH_DSA_OFFER(I, NAME)                                                                                         \
    {"signature SLH-DSA-" NAME " encodings=expanded coins=keygen,operation hedged=yes", signature_operations,          \
     &slh_dsa[I]}

int main(int count, char **arguments) {
    static const struct pqlab_operation kem_operations[] = PQLAB_KEM(keygen, encode, encapsulate, decapsulate);
    static const struct pqlab_operation x25519_operations[] =
        PQLAB_KEM(keygen, encode, x25519_encapsulate, x25519_decapsulate);
    static const struct pqlab_operation signature_operations[] = PQLAB_SIGNATURE(keygen, encode, sign, verify);
    static const struct pqlab_operation hash_operations[] = {{"digest", 1, 1, hash_ready, digest, NULL}, {0}};
    static const struct pqlab_offer offers[] = {
        {"kem ML-KEM-512 encodings=seed,expanded coins=keygen,operation", kem_operations, &kems[0]},
        {"kem ML-KEM-768 encodings=seed,expanded coins=keygen,operation", kem_operations, &kems[1]},
        {"kem ML-KEM-1024 encodings=seed,expanded coins=keygen,operation", kem_operations, &kems[2]},
        {"kem X25519 encodings=scalar coins=keygen,operation", x25519_operations, &x25519},
        {"signature ML-DSA-44 encodings=seed coins=keygen,operation hedged=yes", signature_operations, &ml_dsa[0]},
        {"signature ML-DSA-65 encodings=seed coins=keygen,operation hedged=yes", signature_operations, &ml_dsa[1]},
        {"signature ML-DSA-87 encodings=seed coins=keygen,operation hedged=yes", signature_operations, &ml_dsa[2]},
        SLH_DSA_OFFER(0, "SHA2-128s"),
        SLH_DSA_OFFER(1, "SHA2-128f"),
        SLH_DSA_OFFER(2, "SHA2-192s"),
        SLH_DSA_OFFER(3, "SHA2-192f"),
        SLH_DSA_OFFER(4, "SHA2-256s"),
        SLH_DSA_OFFER(5, "SHA2-256f"),
        SLH_DSA_OFFER(6, "SHAKE-128s"),
        SLH_DSA_OFFER(7, "SHAKE-128f"),
        SLH_DSA_OFFER(8, "SHAKE-192s"),
        SLH_DSA_OFFER(9, "SHAKE-192f"),
        SLH_DSA_OFFER(10, "SHAKE-256s"),
        SLH_DSA_OFFER(11, "SHAKE-256f"),
        {"signature Ed25519 encodings=seed coins=keygen", signature_operations, &ed25519},
        {"signature ECDSA-P-256 encodings=scalar coins=keygen", signature_operations, &ecdsa[0]},
        {"signature ECDSA-P-384 encodings=scalar coins=keygen", signature_operations, &ecdsa[1]},
        {"hash SHA3-224", hash_operations, &hashes[0]},
        {"hash SHA3-256", hash_operations, &hashes[1]},
        {"hash SHA3-384", hash_operations, &hashes[2]},
        {"hash SHA3-512", hash_operations, &hashes[3]},
        {"hash SHA-256", hash_operations, &hashes[4]},
        {"hash SHA-512", hash_operations, &hashes[5]},
        {0}};
    static char libraries[64];
    if (botan_rng_init(&generator, "system")) return 1;
    snprintf(libraries, sizeof libraries, "Botan %u.%u.%u", botan_version_major(), botan_version_minor(),
             botan_version_patch());
    return pqlab_main(count, arguments, offers, PQLAB_RUNTIME, libraries, "Botan's System_RNG");
}
