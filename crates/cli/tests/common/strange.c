/* An incorrect implementation of ML-KEM-768 with the interface of the NIST competition. All outputs have the right
 * lengths, but wrong contents. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Appends the process id to the file that PQLAB_TEST_WITNESS names. Returns the number of processes that did
 * this before. */
static int witnessed(void) {
    const char *path = getenv("PQLAB_TEST_WITNESS");
    FILE *file = path ? fopen(path, "a+") : NULL;
    int letter, before = 0;
    if (!file) return 0;
    while ((letter = fgetc(file)) != EOF) before += letter == '\n';
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
    return before;
}

__attribute__((constructor)) static void loaded(void) {
    int before = witnessed();
#ifdef ABORTS
    fprintf(stderr, "this library always aborts\n");
    abort();
#endif
#ifdef ABORTS_LATER
    if (before > 0) {
        fprintf(stderr, "this library can be loaded only once\n");
        abort();
    }
#endif
#ifdef HANGS
    for (;;) pause();
#endif
    (void)before;
}

#ifndef EMPTY
static void fill(unsigned char *out, unsigned long length) {
    static unsigned char next;
    while (length--) *out++ = (unsigned char)(next++ * 31 + 7);
}

int crypto_kem_keypair(unsigned char *public_key, unsigned char *private_key) {
    fill(public_key, 1184);
    fill(private_key, 2400);
    return 0;
}

int crypto_kem_enc(unsigned char *ciphertext, unsigned char *secret, const unsigned char *public_key) {
    (void)public_key;
    fill(ciphertext, 1088);
    fill(secret, 32);
    return 0;
}

int crypto_kem_dec(unsigned char *secret, const unsigned char *ciphertext, const unsigned char *private_key) {
    (void)ciphertext;
    (void)private_key;
    fill(secret, 32);
    return 0;
}
#endif
