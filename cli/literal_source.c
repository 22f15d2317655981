/* A stream typed on the command line: "1,2;3;;4,5" is four elements, the third empty. One array per element. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "cli/streams.h"
#include "operators/rules.h"

typedef struct typed {
    WADI_VEC(wadi_array) element;
} typed;

static void release(void *held) {
    typed *s = held;
    for (size_t i = 0; i < s->element.n; i++) wadi_cli_array_free(&s->element.at[i]);
    wadi_vec_free(&s->element);
    free(s);
}

bool wadi_cli_literals(const wadi_opened *opened, const wadi_array **out, int64_t *out_n) {
    if (opened->release != release) return false;
    const typed *s = opened->held;
    *out = s->element.at;
    *out_n = (int64_t)s->element.n;
    return true;
}

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    const typed *s = env;
    if ((size_t)index >= s->element.n) return WADI_OK;
    const wadi_array *a = &s->element.at[index];
    wadi_array room;
    WADI_TRY(wadi_yield_array(yield, 0, a->shape, &room, err));
    for (int f = 0; f < a->fields; f++) {
        const size_t bytes = (size_t)wadi_array_size(a) * (size_t)wadi_type_size(a->type[f]);
        if (bytes > 0) memcpy(room.column[f], a->column[f], bytes);
    }
    return WADI_OK;
}

static wadi_status read_element(typed *s, const char *text, size_t n, const wadi_array_type *t,
                                wadi_error *err) {
    char *copy = malloc(n + 1);
    if (!copy) return wadi_fail(err, WADI_MEMORY, "out of memory");
    memcpy(copy, text, n);
    copy[n] = '\0';
    wadi_cli_value v;
    wadi_array a = {0};
    wadi_status st = wadi_cli_value_split(copy, &v, err);
    if (st == WADI_OK) st = wadi_cli_array_read(&v, t, &a, err);
    if (st == WADI_OK && !wadi_vec_push(&s->element, a)) {
        wadi_cli_array_free(&a);
        st = wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    free(copy);
    return st;
}

static wadi_status read_all(typed *s, const char *text, const wadi_array_type *t, wadi_error *err) {
    while (*text) {
        const size_t n = strcspn(text, ";");
        WADI_TRY(read_element(s, text, n, t, err));
        text += n + (text[n] == ';');
    }
    return WADI_OK;
}

static wadi_part part_of(const wadi_array_type *t) {
    wadi_part part = wadi_part_irregular(t->elem.type[0], t->rank);
    part.fields = t->elem.fields;
    for (int f = 0; f < part.fields; f++) part.type[f] = t->elem.type[f];
    part.fixed = true;
    for (int d = 0; d < t->rank; d++) {
        part.fixed = part.fixed && t->extent && t->extent[d].kind == WADI_EXTENT_CONST;
        if (part.fixed) part.shape[d] = t->extent[d].value;
    }
    return part;
}

wadi_status wadi_cli_source_literal(const char *text, const wadi_val_type *t, wadi_opened *out,
                                    wadi_error *err) {
    if (t->arrays != 1)
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "a stream of tuples cannot be typed, only read from @PLACE");
    typed *s = calloc(1, sizeof *s);
    if (!s) return wadi_fail(err, WADI_MEMORY, "out of memory");
    const wadi_part part = part_of(&t->array[0]);
    wadi_status st = read_all(s, text, &t->array[0], err);
    if (st == WADI_OK) st = wadi_source_callback(1, &part, pull, s, &out->source, err);
    if (st != WADI_OK) {
        release(s);
        return st;
    }
    out->held = s;
    out->release = release;
    return WADI_OK;
}
