/* What a certificate is of. */
#include "sched/run/certify_of.h"

#include <string.h>

#include "base/error.h"

/* ---- describing ---- */

static void put_arithmetic(const wadi_run *x, wadi_text *out) {
    const wadi_run_options *o = &x->options;
    wadi_text_addf(out, "arithmetic %s\n", wadi_loader_is_fast(&x->loader) ? "fast" : "exact");
    if (o->on_fault == WADI_ON_FAULT_SKIP) wadi_text_add(out, "on-fault skip\n");
    if (o->on_fault == WADI_ON_FAULT_REPLACE)
        wadi_text_addf(out, "on-fault replace %a\n", o->replacement);
}

static void put_inputs(const wadi_run *x, int version, wadi_text *out) {
    for (int i = 0; i < x->plan->ninputs; i++) {
        const wadi_plan_input *in = &x->plan->inputs[i];
        const wadi_array a = x->given != NULL ? x->given[i] : wadi_slots_array(&x->slots, in->slot);
        uint8_t digest[WADI_TALLY_DIGEST];
        wadi_tally_array(&a, version == 1, digest);
        wadi_certificate_fact(out, "input", in->name, digest);
    }
}

/* That of the program as it was written: what the passes of a version of wadi make of it has the same bits. Certificates of wadi before it had that digest,
 * and plans that no program was compiled to, have the digest behind the passes. */
static const uint8_t *program_of(const wadi_run *x, const wadi_certificate *like) {
    static const uint8_t unknown[sizeof x->plan->written];
    char digits[2 * WADI_TALLY_DIGEST + 1];
    int at = 0;
    const char *told =
        like != NULL ? wadi_certificate_find(like, "program", x->plan->name, &at) : NULL;
    wadi_hex(x->plan->program, WADI_TALLY_DIGEST, digits);
    const bool behind = (told != NULL && strcmp(told, digits) == 0) ||
                        memcmp(x->plan->written, unknown, sizeof unknown) == 0;
    return behind ? x->plan->program : x->plan->written;
}

wadi_status wadi_certify_describe(const wadi_run *x, const wadi_certificate *like, wadi_text *out,
                                  wadi_error *err) {
    wadi_certificate_fact(out, "program", x->plan->name, program_of(x, like));
    put_arithmetic(x, out);
    put_inputs(x, like != NULL ? like->version : WADI_CERTIFICATE_VERSION, out);
    return out->failed ? wadi_fail(err, WADI_MEMORY, "certificate: out of memory") : WADI_OK;
}

/* ---- comparing ---- */

/* The kinds of these lines, in their order, and what it means if one differs. */
static const struct {
    const char *word, *differs;
} kinds[] = {{"program", "another program, or of one in a file of another name"},
             {"arithmetic", "a run with other arithmetic (fast math, or not)"},
             {"on-fault", "a run that did something else about elements that fail"},
             {"input", "other inputs"}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void lines_of(const wadi_certificate *c, wadi_text *out) {
    for (int k = 0; k < KINDS; k++) {
        int at = 0;
        for (const char *words; (words = wadi_certificate_find(c, kinds[k].word, "", &at)) != NULL;)
            wadi_text_addf(out, "%s %s\n", kinds[k].word, words);
    }
}

/* What it means that the line is not there, or another one. */
static const char *meaning_of(const char *line) {
    for (int k = 0; k < KINDS; k++)
        if (strncmp(line, kinds[k].word, strlen(kinds[k].word)) == 0) return kinds[k].differs;
    return "something else";
}

wadi_status wadi_certify_compare(const char *lines, const wadi_certificate *like, wadi_error *err) {
    wadi_text told = {0};
    wadi_status status = WADI_OK;
    lines_of(like, &told);
    const char *a = lines, *b = wadi_text_str(&told), *line_a = a, *line_b = b;
    for (; *a == *b && *a != '\0'; a++, b++) {
        if (*a != '\n') continue;
        line_a = a + 1;
        line_b = b + 1;
    }
    if (told.failed)
        status = wadi_fail(err, WADI_MEMORY, "certificate: out of memory");
    else if (*a != *b)
        status = wadi_fail(err, WADI_INVALID, "verify: %s is of %s", like->path,
                           meaning_of(*line_a != '\0' ? line_a : line_b));
    wadi_text_fini(&told);
    return status;
}
