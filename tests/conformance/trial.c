/* Makes random cases. */
#include "tests/conformance/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `count` elements from number `skip` on, as far as there are any. */
static wadi_interp_source some_of(const trial *t, int k, int64_t skip, int64_t count) {
    const gen_input *in = &t->input;
    const int64_t from = skip < in->count[k] ? skip : in->count[k], left = in->count[k] - from;
    return (wadi_interp_source){.name = gen_source_name(k),
                                .n = count >= 0 && count < left ? count : left,
                                .elements = in->array[k] + from * in->parts[k]};
}

bool trial_init(trial *t, uint64_t seed, int size, int64_t skip, int64_t count, wadi_text *why) {
    gen_outside o;
    memset(t, 0, sizeof *t);
    t->program = gen_program(seed, size, &o);
    if (!t->program || !gen_input_make(seed, &o, &t->input)) {
        wadi_text_add(why, "out of memory");
        return false;
    }
    t->inputs[0] = (wadi_interp_input){GEN_INPUT, t->input.table};
    for (int k = 0; k < o.inputs; k++)
        t->inputs[1 + k] = (wadi_interp_input){gen_input_name(k), t->input.more[k]};
    for (int k = 0; k < o.streams; k++) t->sources[k] = some_of(t, k, skip, count);
    const wadi_interp_io io = {t->inputs, 1 + o.inputs, t->sources, o.streams};
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
