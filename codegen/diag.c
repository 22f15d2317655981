/* Storing the decisions that passes report. */
#include "codegen/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"

wadi_diag *wadi_diag_create(bool keep_texts) {
    wadi_diag *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->arena = wadi_arena_create();
    d->keep_texts = keep_texts;
    if (d->arena) return d;
    free(d);
    return NULL;
}

void wadi_diag_destroy(wadi_diag *d) {
    if (!d) return;
    wadi_vec_free(&d->notes);
    wadi_vec_free(&d->dumps);
    wadi_arena_destroy(d->arena);
    free(d);
}

static void push(wadi_diag *d, wadi_note note, const char *format, va_list args) {
    char reason[512];
    wadi_format_list(reason, sizeof reason, format, args);
    note.reason = wadi_arena_strdup(d->arena, reason);
    if (!note.reason || !wadi_vec_push(&d->notes, note)) d->failed = true;
}

void wadi_diag_note(wadi_diag *d, wadi_note_kind kind, wadi_val value, wadi_val reader,
                    const char *format, ...) {
    if (!d) return;
    va_list args;
    va_start(args, format);
    push(d, (wadi_note){kind, value, reader, WADI_REP_NONE, NULL}, format, args);
    va_end(args);
}

void wadi_diag_rep(wadi_diag *d, wadi_val value, wadi_rep rep, const char *format, ...) {
    if (!d) return;
    va_list args;
    va_start(args, format);
    push(d, (wadi_note){WADI_NOTE_REP, value, WADI_NONE, rep, NULL}, format, args);
    va_end(args);
}

void wadi_diag_dump(wadi_diag *d, const char *pass, const wadi_module *m) {
    if (!d || !d->keep_texts) return;
    wadi_text text;
    wadi_text_init(&text);
    wadi_ir_print(m, &text);
    wadi_dump dump = {wadi_arena_strdup(d->arena, pass),
                      wadi_arena_strdup(d->arena, wadi_text_str(&text)), true};
    if (text.failed || !dump.pass || !dump.text)
        d->failed = true;
    else {
        if (d->dumps.n > 0) dump.changed = strcmp(wadi_vec_last(&d->dumps).text, dump.text) != 0;
        if (!wadi_vec_push(&d->dumps, dump)) d->failed = true;
    }
    wadi_text_fini(&text);
}

const wadi_note *wadi_diag_find(const wadi_diag *d, wadi_note_kind kind, wadi_val value) {
    for (size_t i = d->notes.n; i-- > 0;)
        if (d->notes.at[i].kind == kind && d->notes.at[i].value == value) return &d->notes.at[i];
    return NULL;
}
