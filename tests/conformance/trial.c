/* Random cases. */
#include "tests/conformance/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool trial_init(trial *t, uint64_t seed, int size, int64_t skip, int64_t count, wadi_text *why) {
    gen_stream stream;
    memset(t, 0, sizeof *t);
    t->program = gen_program(seed, size, &stream);
    if (!t->program || !gen_input_make(seed, &stream, &t->input)) {
        wadi_text_add(why, "out of memory");
        return false;
    }
    t->table = (wadi_interp_input){GEN_INPUT, t->input.table};
    t->source = (wadi_interp_source){.name = GEN_SOURCE,
                                     .n = count < 0 ? t->input.count : count,
                                     .elements = t->input.array + skip * stream.parts};
    const wadi_interp_io io = {&t->table, 1, &t->source, 1};
    return conf_case_init(&t->c, t->program, &io, why);
}

void trial_fini(trial *t) {
    conf_case_fini(&t->c);
    gen_input_free(&t->input);
    wadi_program_destroy(t->program);
}

int trial_size(uint64_t seed) {
    return 1 + (int)(seed % 10);
}

void trial_seeds(int most, uint64_t *from, uint64_t *to) {
    const char *text = getenv("WADI_CONFORMANCE_SEEDS");
    unsigned long long a = 0, b = 0;
    const unsigned long long all = (unsigned long long)most;
    const int n = text ? sscanf(text, "%llu-%llu", &a, &b) : 0;
    *from = n == 2 ? a : 0;
    *to = n == 2 ? b + 1 : n == 1 ? a : all;
}
