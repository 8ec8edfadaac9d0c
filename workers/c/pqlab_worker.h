/* Implements the protocol in docs/workers.md for workers in C. Include this file, fill a table of offers, and call
 * pqlab_main or pqlab_serve. pqlab_schemes.h has the checks that KEMs and signature schemes share.
 *
 * An operation consists of two or three functions. `ready` is not timed: it checks the inputs of one set and their
 * lengths, parses keys, and allocates the outputs with pqlab_out. `run` is timed, and only performs the operation.
 * `finish`, which may be absent, is not timed: it encodes the objects that `run` stored. All return 0, or one of the
 * codes below after setting `why`. Needs C99 and POSIX, and uses one thread. */
#ifndef PQLAB_WORKER_H
#define PQLAB_WORKER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Runtime for `pqlab_serve`: the compiler. GCC's version lacks the compiler's name. */
#ifdef __clang__
#define PQLAB_RUNTIME "C, compiled by " __VERSION__
#else
#define PQLAB_RUNTIME "C, compiled by GCC " __VERSION__
#endif

enum { PQLAB_OK = 0, PQLAB_UNSUPPORTED = 1, PQLAB_ERROR = 2 };
enum { PQLAB_INPUTS = 5, PQLAB_OUTPUTS = 2, PQLAB_SETS = 4096, PQLAB_FIELDS = 1 << 16 };
#define PQLAB_BYTES (16u << 20)

struct pqlab_field {
    uint8_t *bytes;
    size_t length;
};

/* One set of inputs, with its outputs. Absent inputs have no bytes and the length 0. The state belongs to the
 * operation, and is freed with the case, by `drop` if set, else by free. If `ready` sets `run_in_call`, a `call` uses
 * this function and not `run`: for seeds and coins, which visits do not have. */
struct pqlab_set {
    const void *context; /* the context of the offer */
    struct pqlab_field in[PQLAB_INPUTS], out[PQLAB_OUTPUTS];
    size_t ins, outs;
    void *state;
    void (*drop)(void *state);
    int (*run_in_call)(struct pqlab_set *set);
    const char *why;
};

struct pqlab_operation {
    const char *name;
    size_t least, most; /* minimum and maximum number of inputs in a `call`; cases use the minimum */
    int (*ready)(struct pqlab_set *set);
    int (*run)(struct pqlab_set *set);
    int (*finish)(struct pqlab_set *set);
};

struct pqlab_offer {
    const char *text;                         /* the offer in the answer to `list` */
    const struct pqlab_operation *operations; /* ends with an entry without a name */
    const void *context;                      /* passed to the operations */
};

static inline int pqlab_refuse(struct pqlab_set *set, int code, const char *why) {
    set->why = why;
    return code;
}

/* Adds an output and returns its buffer. `run` may reduce the length of the output. */
static inline uint8_t *pqlab_out(struct pqlab_set *set, size_t length) {
    struct pqlab_field *out = &set->out[set->outs++];
    out->length = length;
    out->bytes = calloc(1, length + 1);
    if (!out->bytes) abort();
    return out->bytes;
}

static inline int pqlab_is(const struct pqlab_field *field, const char *text) {
    return field->length == strlen(text) && !memcmp(field->bytes, text, field->length);
}

static struct pqlab_dropped {
    void (*drop)(void *);
    void *object;
} *pqlab_replaced;
static size_t pqlab_replaced_count, pqlab_replaced_room;

/* Drops an object after the visit. An operation calls this for a key that it replaces, so that dropping the key is not
 * timed. */
static inline void pqlab_drop_later(void (*drop)(void *), void *object) {
    if (!object) return;
    if (pqlab_replaced_count == pqlab_replaced_room) {
        pqlab_replaced_room = pqlab_replaced_room ? 2 * pqlab_replaced_room : 4096;
        pqlab_replaced = realloc(pqlab_replaced, pqlab_replaced_room * sizeof *pqlab_replaced);
        if (!pqlab_replaced) abort();
    }
    pqlab_replaced[pqlab_replaced_count++] = (struct pqlab_dropped){drop, object};
}

/* ---- Internal from here on, except pqlab_main and pqlab_serve. */

struct pqlab_case {
    uint64_t handle, first, n;
    const struct pqlab_operation *operation;
    size_t count;
    struct pqlab_set *sets;
    struct pqlab_case *next;
};

static struct pqlab_case *pqlab_cases;
static uint8_t *pqlab_answer;
static size_t pqlab_length, pqlab_room;
static int pqlab_output = 1;

static void pqlab_die(const char *why) {
    fprintf(stderr, "pqlab worker in C: %s\n", why);
    exit(1);
}

static void pqlab_put(const void *bytes, size_t length) {
    if (pqlab_length + length + 4 > pqlab_room) {
        pqlab_room = 2 * (pqlab_length + length + 4);
        pqlab_answer = realloc(pqlab_answer, pqlab_room);
        if (!pqlab_answer) abort();
    }
    for (int shift = 24; shift >= 0; shift -= 8) pqlab_answer[pqlab_length++] = (uint8_t)(length >> shift);
    if (length) memcpy(pqlab_answer + pqlab_length, bytes, length);
    pqlab_length += length;
}

static void pqlab_put_text(const char *text) { pqlab_put(text, strlen(text)); }

static void pqlab_put_number(uint64_t number) {
    char text[24];
    pqlab_put(text, (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)number));
}

static void pqlab_begin(const char *verb) {
    pqlab_length = 0;
    pqlab_put("", 0); /* reserves space for the length */
    pqlab_put_text(verb);
}

static void pqlab_send(void) {
    size_t end = pqlab_length;
    pqlab_length = 0;
    pqlab_put("", 0);
    for (int byte = 0; byte < 4; byte++) pqlab_answer[byte] = (uint8_t)((end - 4) >> (24 - 8 * byte));
    for (size_t done = 0; done < end;) {
        ssize_t part = write(pqlab_output, pqlab_answer + done, end - done);
        if (part <= 0) pqlab_die("cannot write the answer");
        done += (size_t)part;
    }
}

/* Reads `length` bytes. Returns 0 if the input ends before the first byte, else 1. Exits if the input ends later. */
static int pqlab_read(void *into, size_t length) {
    size_t done = 0;
    while (done < length) {
        ssize_t part = read(0, (uint8_t *)into + done, length - done);
        if (part <= 0 && done == 0) return 0;
        if (part <= 0) pqlab_die("the input ends inside a message");
        done += (size_t)part;
    }
    return 1;
}

static size_t pqlab_u32(const uint8_t *bytes) {
    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
}

/* Reads a message and returns its number of fields, or 0 at the end of the input. The caller frees the body. */
static size_t pqlab_receive(struct pqlab_field *fields, uint8_t **body) {
    uint8_t head[4];
    size_t count = 0, at = 0;
    if (!pqlab_read(head, 4)) return 0;
    size_t size = pqlab_u32(head);
    if (size == 0 || size > PQLAB_BYTES) pqlab_die("invalid message length");
    *body = malloc(size);
    if (!*body) abort();
    if (!pqlab_read(*body, size)) pqlab_die("the input ends inside a message");
    while (at < size) {
        if (count == PQLAB_FIELDS || size - at < 4 || pqlab_u32(*body + at) > size - at - 4)
            pqlab_die("the fields do not match the message length");
        fields[count].length = pqlab_u32(*body + at);
        fields[count++].bytes = *body + at + 4;
        at += 4 + fields[count - 1].length;
    }
    for (size_t i = 0; i < fields[0].length; i++)
        if ((fields[0].bytes[i] < 'a' || fields[0].bytes[i] > 'z') && fields[0].bytes[i] != '-') size = 0;
    if (size == 0 || fields[0].length == 0) pqlab_die("the message contains no valid verb");
    return count;
}

static int pqlab_number(const struct pqlab_field *field, uint64_t *number) {
    *number = 0;
    if (field->length == 0 || field->length > 19 || (field->length > 1 && field->bytes[0] == '0')) return 0;
    for (size_t i = 0; i < field->length; i++) {
        if (field->bytes[i] < '0' || field->bytes[i] > '9') return 0;
        *number = *number * 10 + (field->bytes[i] - '0');
    }
    return *number <= INT64_MAX;
}

static int pqlab_null_ready(struct pqlab_set *set) { return (void)set, PQLAB_OK; }
static int pqlab_null_run(struct pqlab_set *set) { return (void)set, PQLAB_OK; }

static const struct pqlab_operation *pqlab_find(const struct pqlab_offer *offers, const struct pqlab_field *name,
                                                const struct pqlab_field *algorithm, const void **context) {
    static const struct pqlab_operation null = {"null", 0, 0, pqlab_null_ready, pqlab_null_run};
    if (pqlab_is(name, "null") && pqlab_is(algorithm, "null")) return &null;
    for (; offers->text; offers++) {
        const char *word = strchr(offers->text, ' ') + 1;
        if (algorithm->length != strcspn(word, " ") || memcmp(word, algorithm->bytes, algorithm->length)) continue;
        *context = offers->context;
        for (const struct pqlab_operation *found = offers->operations; found->name; found++)
            if (pqlab_is(name, found->name)) return found;
    }
    return NULL;
}

static void pqlab_forget(struct pqlab_set *set, int inputs_too) {
    for (size_t i = 0; i < set->outs; i++) free(set->out[i].bytes);
    for (size_t i = 0; inputs_too && i < set->ins; i++) free(set->in[i].bytes);
    if (set->drop) set->drop(set->state);
    else free(set->state);
}

static void pqlab_drop_replaced(void) {
    while (pqlab_replaced_count > 0) {
        pqlab_replaced_count--;
        pqlab_replaced[pqlab_replaced_count].drop(pqlab_replaced[pqlab_replaced_count].object);
    }
}

static void pqlab_free(struct pqlab_case *gone) {
    for (size_t i = 0; i < gone->count; i++) pqlab_forget(&gone->sets[i], 1);
    free(gone->sets);
    free(gone);
}

static int pqlab_call(const struct pqlab_offer *offers, struct pqlab_field *in, size_t count, const char **why) {
    struct pqlab_set set = {0};
    *why = "wrong number of fields";
    if (count < 2) return PQLAB_ERROR;
    const struct pqlab_operation *operation = pqlab_find(offers, &in[0], &in[1], &set.context);
    *why = "not offered";
    if (!operation || pqlab_is(&in[0], "null")) return PQLAB_UNSUPPORTED;
    *why = "wrong number of fields";
    set.ins = count - 2;
    if (set.ins < operation->least || set.ins > operation->most) return PQLAB_ERROR;
    memcpy(set.in, in + 2, set.ins * sizeof *in);
    int code = operation->ready(&set);
    if (code == PQLAB_OK) code = set.run_in_call ? set.run_in_call(&set) : operation->run(&set);
    if (code == PQLAB_OK && operation->finish) code = operation->finish(&set);
    if (code == PQLAB_OK)
        for (size_t i = 0; i < set.outs; i++) pqlab_put(set.out[i].bytes, set.out[i].length);
    *why = set.why;
    pqlab_forget(&set, 0);
    pqlab_drop_replaced();
    return code;
}

static int pqlab_prepare(const struct pqlab_offer *offers, struct pqlab_field *in, size_t count, const char **why) {
    uint64_t handle, sets;
    const void *context = NULL;
    *why = "wrong number of fields, or invalid number";
    if (count < 4 || !pqlab_number(&in[0], &handle) || !pqlab_number(&in[3], &sets) || sets < 1 || sets > PQLAB_SETS)
        return PQLAB_ERROR;
    for (struct pqlab_case *known = pqlab_cases; known; known = known->next)
        if (known->handle == handle) return *why = "the handle is already in use", PQLAB_ERROR;
    const struct pqlab_operation *operation = pqlab_find(offers, &in[1], &in[2], &context);
    if (!operation) return *why = "not offered", PQLAB_UNSUPPORTED;
    if (count - 4 != sets * operation->least) return PQLAB_ERROR;
    struct pqlab_case *made = calloc(1, sizeof *made);
    if (!made || !(made->sets = calloc(sets, sizeof *made->sets))) abort();
    made->handle = handle;
    made->operation = operation;
    int code = PQLAB_OK;
    while (made->count < sets && code == PQLAB_OK) {
        struct pqlab_set *set = &made->sets[made->count];
        set->context = context;
        for (; set->ins < operation->least; set->ins++) {
            const struct pqlab_field *from = &in[4 + made->count * operation->least + set->ins];
            set->in[set->ins] = *from;
            if (!(set->in[set->ins].bytes = malloc(from->length + 1))) abort();
            memcpy(set->in[set->ins].bytes, from->bytes, from->length);
        }
        made->count++;
        code = operation->ready(set);
        *why = set->why;
    }
    if (code != PQLAB_OK) return pqlab_free(made), code;
    made->next = pqlab_cases;
    pqlab_cases = made;
    return PQLAB_OK;
}

static uint64_t pqlab_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int pqlab_visit(struct pqlab_case *of, uint64_t first, uint64_t n, const char **why) {
    int (*run)(struct pqlab_set *) = of->operation->run;
    struct pqlab_set *sets = of->sets, *end = sets + of->count, *at = sets + first % of->count;
    of->n = 0; /* After a failed visit, there are no answers. */
    uint64_t begun = pqlab_now();
    for (uint64_t i = 0; i < n; i++) {
        if (run(at)) return *why = at->why, PQLAB_ERROR;
        if (++at == end) at = sets;
    }
    uint64_t elapsed = pqlab_now() - begun;
    of->first = first % of->count;
    of->n = n < of->count ? n : of->count;
    pqlab_put_number(elapsed);
    return PQLAB_OK;
}

/* Answers the verbs that refer to a case: visit, answers, release. */
static int pqlab_of_case(const char *verb, struct pqlab_field *in, size_t count, const char **why) {
    uint64_t handle, first, n;
    struct pqlab_case **at = &pqlab_cases;
    *why = "wrong number of fields, or invalid number";
    if (count != (*verb == 'v' ? 3u : 1u) || !pqlab_number(&in[0], &handle)) return PQLAB_ERROR;
    while (*at && (*at)->handle != handle) at = &(*at)->next;
    struct pqlab_case *found = *at;
    if (!found) return *why = "unknown handle", PQLAB_ERROR;
    if (*verb == 'r') {
        *at = found->next;
        pqlab_free(found);
    } else if (*verb == 'a') {
        for (uint64_t i = 0; i < found->n; i++) {
            struct pqlab_set *set = &found->sets[(found->first + i) % found->count];
            if (found->operation->finish && found->operation->finish(set)) return *why = set->why, PQLAB_ERROR;
            pqlab_put_number((found->first + i) % found->count);
            for (size_t out = 0; out < set->outs; out++) pqlab_put(set->out[out].bytes, set->out[out].length);
        }
    } else {
        if (!pqlab_number(&in[1], &first) || !pqlab_number(&in[2], &n) || n < 1 || n > (uint64_t)1 << 32)
            return PQLAB_ERROR;
        return pqlab_visit(found, first, n, why);
    }
    return PQLAB_OK;
}

/* Answers requests until `goodbye` or the end of the input. Returns the exit code for main. */
static int pqlab_serve(const struct pqlab_offer *offers, const char *runtime, const char *libraries,
                       const char *generator) {
    static struct pqlab_field fields[PQLAB_FIELDS];
    uint8_t *body = NULL;
    /* Redirect standard output, so that text printed by a library does not mix with answers. */
    if ((pqlab_output = dup(1)) < 0 || dup2(2, 1) < 0) pqlab_die("cannot duplicate standard output");
    for (size_t count; (count = pqlab_receive(fields, &body)); free(body)) {
        const char *why = "wrong number of fields";
        struct pqlab_field *verb = &fields[0], *in = &fields[1];
        int code = PQLAB_ERROR, last = 0;
        uint64_t version;
        count--;
        pqlab_begin("ok");
        if (pqlab_is(verb, "hello")) {
            if (count == 1 && pqlab_number(in, &version) && version >= 1) {
                const char *greeting[] = {"1", "c", runtime, libraries, generator};
                for (size_t i = 0; i < 5; i++) pqlab_put_text(greeting[i]);
                code = PQLAB_OK;
            }
        } else if (pqlab_is(verb, "list")) {
            for (size_t i = 0; count == 0 && offers[i].text; i++) pqlab_put_text(offers[i].text);
            if (count == 0) code = PQLAB_OK;
        } else if (pqlab_is(verb, "goodbye")) {
            last = count == 0;
            if (last) code = PQLAB_OK;
        } else if (pqlab_is(verb, "call")) {
            code = pqlab_call(offers, in, count, &why);
        } else if (pqlab_is(verb, "prepare")) {
            code = pqlab_prepare(offers, in, count, &why);
        } else if (pqlab_is(verb, "visit")) {
            code = pqlab_of_case("visit", in, count, &why);
        } else if (pqlab_is(verb, "answers")) {
            code = pqlab_of_case("answers", in, count, &why);
        } else if (pqlab_is(verb, "release")) {
            code = pqlab_of_case("release", in, count, &why);
        } else {
            code = PQLAB_UNSUPPORTED;
            why = "unknown request";
        }
        if (code != PQLAB_OK) {
            pqlab_begin(code == PQLAB_UNSUPPORTED ? "unsupported" : "error");
            pqlab_put_text(why ? why : "the library reported a failure");
        }
        pqlab_send();
        /* After the answer, because pqlab compares the reported time with the time until the answer. */
        pqlab_drop_replaced();
        if (last) return 0;
    }
    return 0;
}

/* Serves, or prints the libraries if the only argument is --version. */
static inline int pqlab_main(int count, char **arguments, const struct pqlab_offer *offers, const char *runtime,
                             const char *libraries, const char *generator) {
    if (count == 2 && !strcmp(arguments[1], "--version")) return puts(libraries) < 0;
    return pqlab_serve(offers, runtime, libraries, generator);
}

#endif
