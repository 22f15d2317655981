/* Facts as texts: three for each, then an empty one. */
#include "sched/traits.h"

#include <string.h>

#include "base/error.h"

typedef struct fact {
    wadi_text differs, name, value; /* no `differs`: the end */
} fact;

void wadi_traits_put(wadi_text *out, const char *differs, const char *name, const char *value) {
    wadi_state_put_text(out, differs);
    wadi_state_put_text(out, name);
    wadi_state_put_text(out, value);
}

void wadi_traits_end(wadi_text *out) {
    wadi_state_put_text(out, "");
}

static bool is_end(const fact *f) {
    return f->differs.n == 0;
}

static void forget(fact *f) {
    wadi_text_fini(&f->differs);
    wadi_text_fini(&f->name);
    wadi_text_fini(&f->value);
    *f = (fact){0};
}

static wadi_status take(wadi_state_reader *from, fact *out, wadi_error *err) {
    forget(out);
    WADI_TRY(wadi_state_take_text(from, &out->differs, err));
    if (is_end(out)) return WADI_OK;
    WADI_TRY(wadi_state_take_text(from, &out->name, err));
    return wadi_state_take_text(from, &out->value, err);
}

static bool are_same(const wadi_text *a, const wadi_text *b) {
    return strcmp(wadi_text_str(a), wadi_text_str(b)) == 0;
}

static wadi_status compare(const char *dir, const fact *own, const fact *saved, wadi_error *err) {
    const fact *told = is_end(own) ? saved : own;
    const char *name = wadi_text_str(&told->name), *quote = name[0] != '\0' ? "\"" : "";
    if (are_same(&own->differs, &saved->differs) && are_same(&own->name, &saved->name) &&
        are_same(&own->value, &saved->value))
        return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "%s: what is saved there is of %s%s%s%s%s", dir,
                     wadi_text_str(&told->differs), name[0] != '\0' ? " " : "", quote, name, quote);
}

/* left: of `own`, behind the facts that the other always has. */
static wadi_status compare_all(const char *dir, bool any, wadi_state_reader *own, size_t left,
                               wadi_state_reader *from, fact *is, fact *was, wadi_error *err) {
    do {
        const bool enough = any || own->left == left;
        if (!any) WADI_TRY(take(own, is, err));
        WADI_TRY(take(from, was, err));
        if (!any && !(enough && is_end(was))) WADI_TRY(compare(dir, is, was, err));
    } while (!is_end(was));
    return WADI_OK;
}

wadi_status wadi_traits_compare(const char *dir, bool any, wadi_state_reader own,
                                wadi_state_reader *from, wadi_error *err) {
    return wadi_traits_compare_older(dir, any, own, own.left, from, err);
}

wadi_status wadi_traits_compare_older(const char *dir, bool any, wadi_state_reader own,
                                      size_t older, wadi_state_reader *from, wadi_error *err) {
    fact is = {0}, was = {0};
    const wadi_status status = compare_all(dir, any, &own, own.left - older, from, &is, &was, err);
    forget(&is);
    forget(&was);
    return status;
}
