/* Routines that a program names: loading libraries of them, and telling which are not known. */
#include "cli/routines.h"

#include <string.h>

#include "base/dl.h"
#include "base/error.h"
#include "base/say.h"
#include "base/sketch.h"
#include "base/text.h"
#include "base/vec.h"
#include "graph/op.h"
#include "sched/foreign.h"
#include "sched/foreign_own.h"
#include "wadi/routines.h"

/* ---- libraries ---- */

static const char registers[] = "wadi_routines_1";

static wadi_status call(wadi_dl_fn registering, const char *library, wadi_error *err) {
    wadi_error why = {.status = WADI_OK};
    wadi_routines_fn routines = (wadi_routines_fn)registering;
    const wadi_status st = routines(wadi_foreign_add, &why);
    if (st == WADI_OK) return WADI_OK;
    const bool known = st > WADI_OK && st <= WADI_INTERNAL;
    return wadi_fail(err, known ? st : WADI_FAULT, "--routines: %s of %s failed: %.300s", registers,
                     library, why.msg[0] != '\0' ? why.msg : wadi_status_name(st));
}

/* A name without a slash is a file, too: the loader would look for it elsewhere. */
static wadi_status open(const char *file, wadi_dl *out, wadi_error *err) {
    wadi_text path;
    wadi_error why = {.status = WADI_OK};
    wadi_text_init(&path);
    wadi_text_addf(&path, "%s%s", strchr(file, '/') == NULL ? "./" : "", file);
    const wadi_status st = wadi_dl_open(out, wadi_text_str(&path), &why);
    wadi_text_fini(&path);
    return st == WADI_OK ? st : wadi_fail(err, st, "--routines: %s", why.msg);
}

/* Runs that are saved go on only with the same routines. */
static wadi_status note_library(const char *library, wadi_error *err) {
    wadi_text sketch = {0};
    wadi_status st = wadi_sketch_file(library, &sketch, err);
    if (st == WADI_OK) st = wadi_foreign_own_note(wadi_text_str(&sketch), err);
    wadi_text_fini(&sketch);
    return st;
}

/* The library stays open, because its routines are called until the end. */
wadi_status wadi_cli_take_routines(void *options, const char *value, wadi_error *err) {
    wadi_dl library;
    wadi_dl_fn registering = NULL;
    WADI_UNUSED(options);
    WADI_TRY(open(value, &library, err));
    if (wadi_dl_function(&library, registers, &registering, NULL) == WADI_OK) {
        WADI_TRY(note_library(value, err));
        return call(registering, value, err);
    }
    wadi_dl_close(&library);
    return wadi_fail(err, WADI_IO,
                     "--routines: %s has no function %s; wadi/routines.h says what it does", value,
                     registers);
}

/* ---- what a program names ---- */

typedef struct names {
    WADI_VEC(const char *) name; /* each once */
    bool any, rounding;
} names;

static bool is_rounded(const wadi_module *m, const wadi_bind *b) {
    for (int i = 0; i < b->nresults; i++) {
        const wadi_type t = m->values[b->results[i]].type.array[0].elem.type[0];
        if (wadi_type_is_float(t) || wadi_type_is_complex(t)) return true;
    }
    return false;
}

static void note(names *n, const wadi_module *m, const wadi_bind *b) {
    size_t i = 0;
    n->any = true;
    n->rounding = n->rounding || is_rounded(m, b);
    while (i < n->name.n && strcmp(n->name.at[i], b->name) != 0) i++;
    if (i == n->name.n) (void)wadi_vec_push(&n->name, b->name); /* else it is not told */
}

static void collect(names *n, const wadi_module *m, const wadi_block *b) {
    for (int i = 0; i < b->nbinds; i++) {
        const wadi_bind *bind = b->binds[i];
        if (strcmp(bind->op->name, "foreign") == 0 && bind->name) note(n, m, bind);
        for (int k = 0; k < bind->nblocks; k++) collect(n, m, bind->blocks[k]);
    }
}

bool wadi_cli_names_routines(const wadi_module *m) {
    names n = {.any = false};
    collect(&n, m, m->main);
    wadi_vec_free(&n.name);
    return n.any;
}

bool wadi_cli_names_rounding(const wadi_module *m) {
    names n = {.any = false};
    collect(&n, m, m->main);
    wadi_vec_free(&n.name);
    return n.rounding;
}

/* A line about a routine, whose name may have any characters. */
static void tell(FILE *to, const char *name, const char *what, const char *after) {
    wadi_text line = {0};
    wadi_text_addf(&line, "routine \"%s\" %s: its text was run in its place%s", name, what, after);
    if (to == NULL) {
        wadi_say(WADI_SAY_INFO, "%s", wadi_text_str(&line));
    } else {
        wadi_say_shown(to, wadi_text_str(&line));
        fputc('\n', to);
    }
    wadi_text_fini(&line);
}

void wadi_cli_tell_unknown(const wadi_module *m, bool ours, const char *after, FILE *to) {
    names n = {.any = false};
    collect(&n, m, m->main);
    for (size_t i = 0; i < n.name.n; i++) {
        const char *name = n.name.at[i];
        const bool listed = wadi_foreign_lists(name);
        if (wadi_foreign_has(name) || (!ours && listed)) continue;
        tell(to, name, listed ? "is not installed here" : "is not known here", after);
    }
    wadi_vec_free(&n.name);
}

void wadi_cli_tell_declined(const wadi_module *m, FILE *to) {
    names n = {.any = false};
    collect(&n, m, m->main);
    for (size_t i = 0; i < n.name.n; i++)
        if (wadi_foreign_declines(n.name.at[i]))
            tell(to, n.name.at[i], "has declined each call", ", and nothing was compared");
    wadi_vec_free(&n.name);
}
