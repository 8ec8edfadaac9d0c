/* Example of a pqlab worker in C. Shows how to use pqlab_schemes.h, with liboqs if available.
 *
 *     cc -O2 -DWITH_LIBOQS worker.c -loqs -lcrypto -o worker      offers ML-KEM and ML-DSA
 *     cc -O2 worker.c -o worker                                   offers only `null`
 */
#include "pqlab_schemes.h"

#ifdef WITH_LIBOQS
#include <oqs/oqs.h>

/* An algorithm, with its liboqs object. liboqs takes keys as bytes, so parsing is part of each operation. */
struct algorithm {
    struct pqlab_scheme scheme;
    const OQS_KEM *kem;
    const OQS_SIG *sig;
};

static const OQS_KEM *get_kem(const struct pqlab_set *set) { return ((const struct algorithm *)set->context)->kem; }
static const OQS_SIG *get_sig(const struct pqlab_set *set) { return ((const struct algorithm *)set->context)->sig; }

static int kem_keygen(struct pqlab_set *set) {
    return pqlab_check(OQS_KEM_keypair(get_kem(set), set->out[0].bytes, set->out[1].bytes) == OQS_SUCCESS);
}

static int encapsulate(struct pqlab_set *set) {
    const struct pqlab_field *key = &set->in[0];
    return pqlab_check(OQS_KEM_encaps(get_kem(set), set->out[0].bytes, set->out[1].bytes, key->bytes) == OQS_SUCCESS);
}

static int decapsulate(struct pqlab_set *set) {
    const struct pqlab_field *key = &set->in[1], *ciphertext = &set->in[2];
    return pqlab_check(OQS_KEM_decaps(get_kem(set), set->out[0].bytes, ciphertext->bytes, key->bytes) == OQS_SUCCESS);
}

static int sig_keygen(struct pqlab_set *set) {
    return pqlab_check(OQS_SIG_keypair(get_sig(set), set->out[0].bytes, set->out[1].bytes) == OQS_SUCCESS);
}

static int sign(struct pqlab_set *set) {
    const struct pqlab_field *key = &set->in[1], *message = &set->in[2];
    struct pqlab_field *out = &set->out[0];
    return pqlab_check(OQS_SIG_sign(get_sig(set), out->bytes, &out->length, message->bytes, message->length,
                                    key->bytes) == OQS_SUCCESS);
}

static int verify(struct pqlab_set *set) {
    const struct pqlab_field *key = &set->in[0], *message = &set->in[1], *signature = &set->in[2];
    return pqlab_store_verdict(set, OQS_SIG_verify(get_sig(set), message->bytes, message->length, signature->bytes,
                                                   signature->length, key->bytes) == OQS_SUCCESS);
}

int main(int count, char **arguments) {
    static const struct pqlab_operation kem[] = PQLAB_KEM(kem_keygen, NULL, encapsulate, decapsulate);
    static const struct pqlab_operation sig[] = PQLAB_SIGNATURE(sig_keygen, NULL, sign, verify);
    static const char *names[] = {"ML-KEM-512", "ML-KEM-768", "ML-KEM-1024", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87"};
    static struct algorithm algorithms[6];
    static char texts[6][64], libraries[64];
    struct pqlab_offer offers[7] = {{0}};
    size_t offered = 0;
    OQS_init();
    for (size_t i = 0; i < 6; i++) {
        struct algorithm *algorithm = &algorithms[i];
        struct pqlab_scheme *scheme = &algorithm->scheme;
        scheme->keys[0].encoding = "expanded";
        if ((algorithm->kem = OQS_KEM_new(names[i]))) {
            scheme->public_key = algorithm->kem->length_public_key;
            scheme->keys[0].length = algorithm->kem->length_secret_key;
            scheme->output = algorithm->kem->length_ciphertext;
            scheme->secret = algorithm->kem->length_shared_secret;
            snprintf(texts[i], sizeof texts[i], "kem %s encodings=expanded", names[i]);
            offers[offered++] = (struct pqlab_offer){texts[i], kem, algorithm};
        } else if ((algorithm->sig = OQS_SIG_new(names[i]))) {
            scheme->public_key = algorithm->sig->length_public_key;
            scheme->keys[0].length = algorithm->sig->length_secret_key;
            scheme->output = algorithm->sig->length_signature;
            snprintf(texts[i], sizeof texts[i], "signature %s encodings=expanded hedged=yes", names[i]);
            offers[offered++] = (struct pqlab_offer){texts[i], sig, algorithm};
        } /* else this build of liboqs lacks the algorithm */
    }
    snprintf(libraries, sizeof libraries, "liboqs %s", OQS_version());
    return pqlab_main(count, arguments, offers, PQLAB_RUNTIME, libraries, "liboqs' default generator");
}

#else

int main(int count, char **arguments) {
    static const struct pqlab_offer nothing[] = {{0}};
    return pqlab_main(count, arguments, nothing, PQLAB_RUNTIME, "none", "none");
}

#endif
