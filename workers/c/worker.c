/* Example of a pqlab worker in C. Shows how to use pqlab_worker.h, with liboqs if available.
 *
 *     cc -O2 -DWITH_LIBOQS worker.c -loqs -lcrypto -o worker      offers ML-KEM and ML-DSA
 *     cc -O2 worker.c -o worker                                   offers only `null`
 */
#include "pqlab_worker.h"

#ifdef WITH_LIBOQS
#include <oqs/oqs.h>

/* ML-KEM. The context of an offer is the liboqs object for the algorithm. A private key is the
 * decapsulation key dk of FIPS 203. */

static int kem_keygen_ready(struct pqlab_set *set) {
    const OQS_KEM *kem = set->context;
    if (set->ins > 0 && set->in[0].length > 0) return pqlab_refuse(set, PQLAB_UNSUPPORTED, "seeds are not supported");
    pqlab_out(set, kem->length_public_key);
    pqlab_out(set, kem->length_secret_key);
    return PQLAB_OK;
}

static int kem_keygen(struct pqlab_set *set) {
    return OQS_KEM_keypair(set->context, set->out[0].bytes, set->out[1].bytes) == OQS_SUCCESS ? PQLAB_OK : PQLAB_ERROR;
}

static int encapsulate_ready(struct pqlab_set *set) {
    const OQS_KEM *kem = set->context;
    if (set->in[0].length != kem->length_public_key) return pqlab_refuse(set, PQLAB_ERROR, "wrong key length");
    if (set->ins > 1 && set->in[1].length > 0) return pqlab_refuse(set, PQLAB_UNSUPPORTED, "coins are not supported");
    pqlab_out(set, kem->length_ciphertext);
    pqlab_out(set, kem->length_shared_secret);
    return PQLAB_OK;
}

static int encapsulate(struct pqlab_set *set) {
    const OQS_KEM *kem = set->context;
    OQS_STATUS status = OQS_KEM_encaps(kem, set->out[0].bytes, set->out[1].bytes, set->in[0].bytes);
    return status == OQS_SUCCESS ? PQLAB_OK : PQLAB_ERROR;
}

static int decapsulate_ready(struct pqlab_set *set) {
    const OQS_KEM *kem = set->context;
    if (!pqlab_is(&set->in[0], "expanded"))
        return pqlab_refuse(set, PQLAB_UNSUPPORTED, "only expanded keys are supported");
    if (set->in[1].length != kem->length_secret_key) return pqlab_refuse(set, PQLAB_ERROR, "wrong key length");
    if (set->in[2].length != kem->length_ciphertext) return pqlab_refuse(set, PQLAB_ERROR, "wrong ciphertext length");
    pqlab_out(set, kem->length_shared_secret);
    return PQLAB_OK;
}

static int decapsulate(struct pqlab_set *set) {
    OQS_STATUS status = OQS_KEM_decaps(set->context, set->out[0].bytes, set->in[2].bytes, set->in[1].bytes);
    return status == OQS_SUCCESS ? PQLAB_OK : PQLAB_ERROR;
}

/* ML-DSA. */

static int sig_keygen_ready(struct pqlab_set *set) {
    const OQS_SIG *sig = set->context;
    if (set->ins > 0 && set->in[0].length > 0) return pqlab_refuse(set, PQLAB_UNSUPPORTED, "seeds are not supported");
    pqlab_out(set, sig->length_public_key);
    pqlab_out(set, sig->length_secret_key);
    return PQLAB_OK;
}

static int sig_keygen(struct pqlab_set *set) {
    return OQS_SIG_keypair(set->context, set->out[0].bytes, set->out[1].bytes) == OQS_SUCCESS ? PQLAB_OK : PQLAB_ERROR;
}

static int sign_ready(struct pqlab_set *set) {
    const OQS_SIG *sig = set->context;
    if (!pqlab_is(&set->in[0], "expanded"))
        return pqlab_refuse(set, PQLAB_UNSUPPORTED, "only expanded keys are supported");
    if (set->in[1].length != sig->length_secret_key) return pqlab_refuse(set, PQLAB_ERROR, "wrong key length");
    pqlab_out(set, sig->length_signature);
    return PQLAB_OK;
}

static int sign(struct pqlab_set *set) {
    struct pqlab_field *out = &set->out[0], *message = &set->in[2];
    OQS_STATUS status = OQS_SIG_sign(set->context, out->bytes, &out->length, message->bytes, message->length, set->in[1].bytes);
    return status == OQS_SUCCESS ? PQLAB_OK : PQLAB_ERROR;
}

static int verify_ready(struct pqlab_set *set) {
    const OQS_SIG *sig = set->context;
    if (set->in[0].length != sig->length_public_key) return pqlab_refuse(set, PQLAB_ERROR, "wrong key length");
    pqlab_out(set, 1);
    return PQLAB_OK;
}

static int verify(struct pqlab_set *set) {
    struct pqlab_field *message = &set->in[1], *signature = &set->in[2];
    OQS_STATUS status =
        OQS_SIG_verify(set->context, message->bytes, message->length, signature->bytes, signature->length, set->in[0].bytes);
    set->out[0].bytes[0] = status == OQS_SUCCESS ? '1' : '0';
    return PQLAB_OK;
}

int main(void) {
    static const struct pqlab_operation kem[] = {{"keygen", 0, 1, kem_keygen_ready, kem_keygen},
                                                 {"encapsulate", 1, 2, encapsulate_ready, encapsulate},
                                                 {"decapsulate", 3, 3, decapsulate_ready, decapsulate},
                                                 {0}};
    static const struct pqlab_operation sig[] = {{"keygen", 0, 1, sig_keygen_ready, sig_keygen},
                                                 {"sign", 3, 3, sign_ready, sign},
                                                 {"verify", 3, 3, verify_ready, verify},
                                                 {0}};
    static const char *names[] = {"ML-KEM-512", "ML-KEM-768", "ML-KEM-1024", "ML-DSA-44", "ML-DSA-65", "ML-DSA-87"};
    static char texts[6][64], libraries[64];
    struct pqlab_offer offers[7] = {{0}};
    size_t count = 0;
    OQS_init();
    for (size_t i = 0; i < 6; i++) {
        const void *of = i < 3 ? (const void *)OQS_KEM_new(names[i]) : (const void *)OQS_SIG_new(names[i]);
        const char *text = i < 3 ? "kem %s encodings=expanded" : "signature %s encodings=expanded hedged=yes";
        if (!of) continue; /* this build of liboqs lacks the algorithm */
        snprintf(texts[i], sizeof texts[i], text, names[i]);
        offers[count++] = (struct pqlab_offer){texts[i], i < 3 ? kem : sig, of};
    }
    snprintf(libraries, sizeof libraries, "liboqs %s", OQS_version());
    return pqlab_serve(offers, "C, compiled by " __VERSION__, libraries, "liboqs' default generator");
}

#else

int main(void) {
    static const struct pqlab_offer nothing[] = {{0}};
    return pqlab_serve(nothing, "C, compiled by " __VERSION__, "none", "none");
}

#endif
