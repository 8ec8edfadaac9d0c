/* Worker for mlkem-native. Link it with mlkem-native, built for all three parameter sets with the prefix `mlkem`, and
 * define VERSION as its version. mlkem-native takes keys as bytes, so parsing is part of each operation. */
#include "pqlab_schemes.h"

#include <sys/random.h>

#define MLK_CONFIG_PARAMETER_SET 512
#include <mlkem_native.h>
#undef MLK_CONFIG_PARAMETER_SET
#undef MLK_H
#define MLK_CONFIG_PARAMETER_SET 768
#include <mlkem_native.h>
#undef MLK_CONFIG_PARAMETER_SET
#undef MLK_H
#define MLK_CONFIG_PARAMETER_SET 1024
#include <mlkem_native.h>

/* mlkem-native calls this function for random bytes. */
int randombytes(uint8_t *bytes, size_t length) { return getrandom(bytes, length, 0) == (ssize_t)length ? 0 : -1; }

#define ML_KEM(N)                                                                                                      \
    static int keygen##N(struct pqlab_set *set) {                                                                      \
        return pqlab_check(!mlkem##N##_keypair(set->out[0].bytes, set->out[1].bytes));                                 \
    }                                                                                                                  \
    static int keygen_from_seed##N(struct pqlab_set *set) {                                                            \
        return pqlab_check(!mlkem##N##_keypair_derand(set->out[0].bytes, set->out[1].bytes, set->in[0].bytes));        \
    }                                                                                                                  \
    static int encapsulate##N(struct pqlab_set *set) {                                                                 \
        return pqlab_check(!mlkem##N##_enc(set->out[0].bytes, set->out[1].bytes, set->in[0].bytes));                   \
    }                                                                                                                  \
    static int encapsulate_with_coins##N(struct pqlab_set *set) {                                                      \
        return pqlab_check(                                                                                            \
            !mlkem##N##_enc_derand(set->out[0].bytes, set->out[1].bytes, set->in[0].bytes, set->in[1].bytes));         \
    }                                                                                                                  \
    static int decapsulate##N(struct pqlab_set *set) {                                                                 \
        return pqlab_check(!mlkem##N##_dec(set->out[0].bytes, set->in[2].bytes, set->in[1].bytes));                    \
    }                                                                                                                  \
    static const struct pqlab_operation operations##N[] = PQLAB_KEM(keygen##N, NULL, encapsulate##N, decapsulate##N);  \
    static const struct pqlab_scheme scheme##N = {.keys = {{"expanded", MLKEM##N##_SECRETKEYBYTES}},                   \
                                                  .public_key = MLKEM##N##_PUBLICKEYBYTES,                             \
                                                  .output = MLKEM##N##_CIPHERTEXTBYTES,                                \
                                                  .secret = MLKEM_BYTES,                                               \
                                                  .seed = 2 * MLKEM_SYMBYTES,                                          \
                                                  .coins = MLKEM_SYMBYTES,                                             \
                                                  .keygen_from_seed = keygen_from_seed##N,                             \
                                                  .run_with_coins = encapsulate_with_coins##N};

ML_KEM(512)
ML_KEM(768)
ML_KEM(1024)

#define OFFER(N) {"kem ML-KEM-" #N " encodings=expanded coins=keygen,operation", operations##N, &scheme##N}

int main(int count, char **arguments) {
    static const struct pqlab_offer offers[] = {OFFER(512), OFFER(768), OFFER(1024), {0}};
    return pqlab_main(count, arguments, offers, PQLAB_RUNTIME, "mlkem-native " VERSION, "getrandom");
}
