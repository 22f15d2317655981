/* Runs the interpreter on what the command line binds. It is some thousand times slower than kernels, so it runs only if all
 * inputs were typed on the command line and are small. */
#include "cli/meaning.h"

#include <string.h>

#include "operators/rules.h"

enum { MOST_BOUND = 64, MOST_VALUES = 1 << 15 };

typedef struct bound {
    wadi_interp_input input[MOST_BOUND];
    wadi_interp_source source[MOST_BOUND];
    int ninputs, nsources;
    int64_t values;
} bound;

static bool add_input(bound *o, const wadi_bind *b, const wadi_cli_bindings *all) {
    if (o->ninputs == MOST_BOUND || (size_t)o->ninputs == all->inputs.n) return false;
    const wadi_array *a = &all->inputs.at[o->ninputs];
    o->values += wadi_array_size(a);
    o->input[o->ninputs++] = (wadi_interp_input){b->name, *a};
    return true;
}

static bool add_source(bound *o, const wadi_bind *b, const wadi_cli_bindings *all) {
    if (o->nsources == MOST_BOUND || (size_t)o->nsources == all->sources.n) return false;
    wadi_interp_source s = {.name = b->name};
    if (!wadi_cli_literals(&all->sources.at[o->nsources], &s.elements, &s.n)) return false;
    for (int64_t i = 0; i < s.n; i++) o->values += wadi_array_size(&s.elements[i]);
    o->source[o->nsources++] = s;
    return true;
}

/* Collects what is bound, in the order of the program. False: something was not typed, or there is too much. */
static bool collect(bound *o, const wadi_module *m, const wadi_cli_bindings *all) {
    for (int i = 0; i < m->main->nbinds; i++) {
        const wadi_bind *b = m->main->binds[i];
        if (strcmp(b->op->name, "input") == 0 && !add_input(o, b, all)) return false;
        if (strcmp(b->op->name, "stream_in") == 0 && !add_source(o, b, all)) return false;
    }
    return o->values <= MOST_VALUES;
}

wadi_status wadi_cli_meaning(const wadi_module *m, const wadi_cli_bindings *b,
                             wadi_interp_results **out, wadi_error *err) {
    bound o = {.ninputs = 0};
    *out = NULL;
    if (!collect(&o, m, b)) return WADI_OK;
    const wadi_interp_io io = {o.input, o.ninputs, o.source, o.nsources};
    return wadi_interp_run(m, &io, out, err);
}
