/* KEMs and signature schemes for workers in C. The functions here are `ready` functions: they check lengths, encodings,
 * seeds and coins, load keys, and allocate outputs. A worker adds its schemes and the functions that are timed:
 *
 *     static const struct pqlab_operation kem[] = PQLAB_KEM(keygen, NULL, encapsulate, decapsulate);
 *     static const struct pqlab_scheme scheme = {.keys = {{"expanded", 2400}}, .public_key = 1184, ...};
 *     struct pqlab_offer offers[] = {{"kem ML-KEM-768", kem, &scheme}, {0}};
 *
 * The context of an offer must begin with a pqlab_scheme. */
#ifndef PQLAB_SCHEMES_H
#define PQLAB_SCHEMES_H

#include "pqlab_worker.h"

/* A KEM or signature scheme. All lengths are in bytes. A scheme without functions to load keys takes keys as bytes.
 * Without the last two functions, callers cannot choose seeds or coins. */
struct pqlab_scheme {
    struct {
        const char *encoding; /* seed, expanded or scalar */
        size_t length;
    } keys[2]; /* private keys; key generation writes the first encoding */
    size_t public_key;
    size_t output; /* the ciphertext, or the longest signature */
    size_t secret; /* the shared secret of a KEM */
    size_t seed, coins;
    int has_context; /* whether signatures take a context */
    /* Load a key into the state of a set. Return whether the key is valid. */
    int (*load_public)(struct pqlab_set *set, const struct pqlab_field *key);
    int (*load_private)(struct pqlab_set *set, const struct pqlab_field *key);
    int (*keygen_from_seed)(struct pqlab_set *set);
    int (*run_with_coins)(struct pqlab_set *set); /* encapsulates or signs with the coins in the last input */
};

/* Operations of a scheme. `encode` encodes a generated key, and may be NULL. */
#define PQLAB_KEM(keygen, encode, encapsulate, decapsulate)                                                            \
    {{"keygen", 0, 1, pqlab_keygen_ready, keygen, encode},                                                             \
     {"encapsulate", 1, 2, pqlab_encapsulate_ready, encapsulate, NULL},                                                \
     {"decapsulate", 3, 3, pqlab_decapsulate_ready, decapsulate, NULL},                                                \
     {0}}
#define PQLAB_SIGNATURE(keygen, encode, sign, verify)                                                                  \
    {{"keygen", 0, 1, pqlab_keygen_ready, keygen, encode},                                                             \
     {"sign", 3, 5, pqlab_sign_ready, sign, NULL},                                                                     \
     {"verify", 3, 4, pqlab_verify_ready, verify, NULL},                                                               \
     {0}}
#define PQLAB_HASH(digest) {{"digest", 1, 1, pqlab_digest_ready, digest, NULL}, {0}}

/* Allocates the state of a set. */
static inline void *pqlab_allocate_state(struct pqlab_set *set, size_t size) {
    set->state = calloc(1, size);
    if (!set->state) abort();
    return set->state;
}

/* Allocates a new state for a set, and drops the previous state after the visit. For key generation, which keeps the
 * key that it generated last. */
static inline void *pqlab_replace_state(struct pqlab_set *set, size_t size, void (*drop)(void *state)) {
    pqlab_drop_later(drop, set->state);
    set->drop = drop;
    return pqlab_allocate_state(set, size);
}

/* Result of an operation that succeeded or failed. */
static inline int pqlab_check(int succeeded) { return succeeded ? PQLAB_OK : PQLAB_ERROR; }

/* Stores the verdict of a verification. */
static inline int pqlab_store_verdict(struct pqlab_set *set, int valid) {
    set->out[0].bytes[0] = valid ? '1' : '0';
    return PQLAB_OK;
}

static inline int pqlab_load(struct pqlab_set *set, int (*load)(struct pqlab_set *, const struct pqlab_field *),
                             const struct pqlab_field *key, size_t length) {
    if (key->length != length) return pqlab_refuse(set, PQLAB_ERROR, "wrong key length");
    if (load && !load(set, key)) return pqlab_refuse(set, PQLAB_ERROR, "invalid key");
    return PQLAB_OK;
}

static inline int pqlab_load_private(struct pqlab_set *set, const struct pqlab_scheme *scheme) {
    for (size_t i = 0; i < 2 && scheme->keys[i].encoding; i++)
        if (pqlab_is(&set->in[0], scheme->keys[i].encoding))
            return pqlab_load(set, scheme->load_private, &set->in[1], scheme->keys[i].length);
    return pqlab_refuse(set, PQLAB_UNSUPPORTED, "this encoding of private keys is not supported");
}

static inline int pqlab_keygen_ready(struct pqlab_set *set) {
    const struct pqlab_scheme *scheme = set->context;
    if (set->in[0].length > 0) {
        if (!scheme->keygen_from_seed) return pqlab_refuse(set, PQLAB_UNSUPPORTED, "seeds are not supported");
        if (set->in[0].length != scheme->seed) return pqlab_refuse(set, PQLAB_ERROR, "wrong seed length");
        set->run_in_call = scheme->keygen_from_seed;
    }
    pqlab_out(set, scheme->public_key);
    pqlab_out(set, scheme->keys[0].length);
    return PQLAB_OK;
}

static inline int pqlab_encapsulate_ready(struct pqlab_set *set) {
    const struct pqlab_scheme *scheme = set->context;
    if (set->in[1].length > 0) {
        if (!scheme->run_with_coins) return pqlab_refuse(set, PQLAB_UNSUPPORTED, "coins are not supported");
        if (set->in[1].length != scheme->coins) return pqlab_refuse(set, PQLAB_ERROR, "wrong length of coins");
        set->run_in_call = scheme->run_with_coins;
    }
    pqlab_out(set, scheme->output);
    pqlab_out(set, scheme->secret);
    return pqlab_load(set, scheme->load_public, &set->in[0], scheme->public_key);
}

static inline int pqlab_decapsulate_ready(struct pqlab_set *set) {
    const struct pqlab_scheme *scheme = set->context;
    int code = pqlab_load_private(set, scheme);
    if (code) return code;
    if (set->in[2].length != scheme->output) return pqlab_refuse(set, PQLAB_ERROR, "wrong ciphertext length");
    pqlab_out(set, scheme->secret);
    return PQLAB_OK;
}

static inline int pqlab_sign_ready(struct pqlab_set *set) {
    const struct pqlab_scheme *scheme = set->context;
    if (set->in[3].length > 0 && !scheme->has_context)
        return pqlab_refuse(set, PQLAB_UNSUPPORTED, "contexts are not supported");
    if (set->in[3].length > 255) return pqlab_refuse(set, PQLAB_ERROR, "the context is longer than 255 bytes");
    if (set->ins > 4) {
        if (!scheme->run_with_coins) return pqlab_refuse(set, PQLAB_UNSUPPORTED, "coins are not supported");
        if (set->in[4].length > 0 && set->in[4].length != scheme->coins)
            return pqlab_refuse(set, PQLAB_ERROR, "wrong length of coins");
        set->run_in_call = scheme->run_with_coins;
    }
    pqlab_out(set, scheme->output);
    return pqlab_load_private(set, scheme);
}

static inline int pqlab_verify_ready(struct pqlab_set *set) {
    const struct pqlab_scheme *scheme = set->context;
    if (set->in[3].length > 0 && !scheme->has_context)
        return pqlab_refuse(set, PQLAB_UNSUPPORTED, "contexts are not supported");
    pqlab_out(set, 1);
    return pqlab_load(set, scheme->load_public, &set->in[0], scheme->public_key);
}

/* The scheme of a hash function has only an output. */
static inline int pqlab_digest_ready(struct pqlab_set *set) {
    pqlab_out(set, ((const struct pqlab_scheme *)set->context)->output);
    return PQLAB_OK;
}

#endif
