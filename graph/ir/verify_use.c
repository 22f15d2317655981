/* Checks of the uses of values, and the verifier's messages. */
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/format.h"
#include "graph/ir/verify.h"
#include "graph/op.h"

wadi_status wadi_verify_fail(wadi_verifier *v, const char *format, ...) {
    char what[400];
    va_list args;
    va_start(args, format);
    (void)wadi_format_list(what, sizeof what, format, args);
    va_end(args);
    const wadi_bind *b = v->bind;
    if (!b) return wadi_fail(v->err, WADI_INTERNAL, "program '%s': %s", v->m->name, what);
    const bool named = b->nresults > 0 && b->results[0] < v->m->nvalues;
    const char *name = named ? v->m->values[b->results[0]].name : NULL;
    return wadi_fail_at(v->err, b->loc, WADI_INTERNAL, "%s%s%s (%%%u): %s",
                        b->op ? b->op->name : "?", name ? " " : "", name ? name : "",
                        named ? b->results[0] : 0, what);
}

wadi_status wadi_verify_use(wadi_verifier *v, wadi_val value) {
    if (value >= v->m->nvalues) return wadi_verify_fail(v, "value %%%u is not in the table", value);
    if (v->m->values[value].def == WADI_DEF_CONST || v->state[value] == WADI_IN_SCOPE)
        return WADI_OK;
    return wadi_verify_fail(v, "value %%%u is used %s", value,
                            v->state[value] == WADI_UNBOUND ? "before it is bound"
                                                            : "outside of its block");
}

wadi_status wadi_verify_array(wadi_verifier *v, wadi_val value) {
    WADI_TRY(wadi_verify_use(v, value));
    if (!v->m->values[value].type.is_seq) return WADI_OK;
    return wadi_verify_fail(v, "value %%%u is a sequence, expected an array", value);
}
