/* Worker for mldsa-native. Link it with mldsa-native, built for all three parameter sets with the prefix `mldsa`, and
 * define VERSION as its version. mldsa-native takes keys as bytes, so parsing is part of each operation. */
#include "pqlab_schemes.h"

#include <sys/random.h>

#define MLD_CONFIG_PARAMETER_SET 44
#include <mldsa_native.h>
#undef MLD_CONFIG_PARAMETER_SET
#undef MLD_H
#define MLD_CONFIG_PARAMETER_SET 65
#include <mldsa_native.h>
#undef MLD_CONFIG_PARAMETER_SET
#undef MLD_H
#define MLD_CONFIG_PARAMETER_SET 87
#include <mldsa_native.h>

/* mldsa-native calls this function for random bytes. */
int randombytes(uint8_t *bytes, size_t length) { return getrandom(bytes, length, 0) == (ssize_t)length ? 0 : -1; }

#define ML_DSA(N)                                                                                                      \
    static int keygen##N(struct pqlab_set *set) {                                                                      \
        return pqlab_check(!mldsa##N##_keypair(set->out[0].bytes, set->out[1].bytes));                                 \
    }                                                                                                                  \
    static int keygen_from_seed##N(struct pqlab_set *set) {                                                            \
        return pqlab_check(!mldsa##N##_keypair_internal(set->out[0].bytes, set->out[1].bytes, set->in[0].bytes));      \
    }                                                                                                                  \
    static int sign##N(struct pqlab_set *set) {                                                                        \
        const struct pqlab_field *message = &set->in[2], *context = &set->in[3];                                       \
        return pqlab_check(!mldsa##N##_signature(set->out[0].bytes, &set->out[0].length, message->bytes,               \
                                                 message->length, context->bytes, context->length, set->in[1].bytes)); \
    }                                                                                                                  \
    static int sign_with_coins##N(struct pqlab_set *set) {                                                             \
        const struct pqlab_field *message = &set->in[2], *context = &set->in[3];                                       \
        uint8_t prefix[MLD_DOMAIN_SEPARATION_MAX_BYTES], coins[MLDSA_RNDBYTES] = {0};                                  \
        size_t length = mldsa##N##_prepare_domain_separation_prefix(prefix, NULL, 0, context->bytes, context->length,  \
                                                                    MLD_PREHASH_NONE);                                 \
        memcpy(coins, set->in[4].bytes, set->in[4].length);                                                            \
        return pqlab_check(length > 0 && !mldsa##N##_signature_internal(set->out[0].bytes, &set->out[0].length,        \
                                                                        message->bytes, message->length, prefix,       \
                                                                        length, coins, set->in[1].bytes, 0));          \
    }                                                                                                                  \
    static int verify##N(struct pqlab_set *set) {                                                                      \
        const struct pqlab_field *message = &set->in[1], *signature = &set->in[2], *context = &set->in[3];             \
        return pqlab_store_verdict(set, !mldsa##N##_verify(signature->bytes, signature->length, message->bytes,        \
                                                           message->length, context->bytes, context->length,           \
                                                           set->in[0].bytes));                                         \
    }                                                                                                                  \
    static const struct pqlab_operation operations##N[] = PQLAB_SIGNATURE(keygen##N, NULL, sign##N, verify##N);        \
    static const struct pqlab_scheme scheme##N = {.keys = {{"expanded", MLDSA##N##_SECRETKEYBYTES}},                   \
                                                  .public_key = MLDSA##N##_PUBLICKEYBYTES,                             \
                                                  .output = MLDSA##N##_BYTES,                                          \
                                                  .seed = MLDSA_SEEDBYTES,                                             \
                                                  .coins = MLDSA_RNDBYTES,                                             \
                                                  .has_context = 1,                                                    \
                                                  .keygen_from_seed = keygen_from_seed##N,                             \
                                                  .run_with_coins = sign_with_coins##N};

ML_DSA(44)
ML_DSA(65)
ML_DSA(87)

#define OFFER(N)                                                                                                       \
    {"signature ML-DSA-" #N " encodings=expanded coins=keygen,operation context=yes hedged=yes", operations##N,        \
     &scheme##N}

int main(int count, char **arguments) {
    static const struct pqlab_offer offers[] = {OFFER(44), OFFER(65), OFFER(87), {0}};
    return pqlab_main(count, arguments, offers, PQLAB_RUNTIME, "mldsa-native " VERSION, "getrandom");
}
