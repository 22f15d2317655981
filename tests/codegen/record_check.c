/* Compares texts with recorded ones; see recorder.h. */
#include "tests/codegen/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { TOLD = 12, LINES = 60 };

static const char *folder(const char *variable) {
    const char *f = getenv(variable);
    return f && *f ? f : ".";
}

static bool recording_anew(void) {
    const char *r = getenv("WADI_RECORD");
    return r && strcmp(r, "1") == 0;
}

static void write_text(const char *path, const char *text) {
    wadi_error err = {.status = WADI_OK};
    if (wadi_file_write(path, text, strlen(text), 0644, &err) != WADI_OK) fail_msg("%s", err.msg);
}

/* Where the new text `name` goes: a file of that name, with what no file is called by replaced. */
static void new_path(const char *directory, const char *name, char *out, size_t size) {
    wadi_error err = {.status = WADI_OK};
    if (wadi_dir_make(directory, 0755, &err) != WADI_OK) fail_msg("%s", err.msg);
    const size_t n = (size_t)snprintf(out, size, "%s/", directory);
    snprintf(out + n, size - n, "%s", name);
    for (char *c = out + n; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-", *c)) *c = '-';
}

/* Every text, where somebody has asked for them to compare two versions of the compiler. */
static void write_asked(const char *name, const char *text) {
    char path[1200];
    const char *directory = getenv("WADI_RECORD_TEXTS");
    if (!directory || !*directory) return;
    new_path(directory, name, path, sizeof path);
    write_text(path, text);
}

static void write_new(const char *name, const char *text, char *path, size_t size) {
    char directory[1024];
    snprintf(directory, sizeof directory, "%s/recorded", folder("WADI_BUILD"));
    new_path(directory, name, path, size);
    write_text(path, text);
}

static const char *last_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void source_path(const char *path, char *out, size_t size) {
    snprintf(out, size, "%s/%s", folder("WADI_SOURCE"), path);
}

/* The file, or "" where there is none yet; to be freed. */
static char *recorded(const char *path) {
    char *text = NULL;
    size_t n = 0;
    if (wadi_file_read(path, &text, &n, NULL) == WADI_OK) return text;
    text = calloc(1, 1);
    assert_non_null(text);
    return text;
}

static const char compare[] =
    "scripts/recorded COMMIT shows the texts of COMMIT against those of now, whole.\n";
static const char meant[] =
    "Is the change meant, record it anew by\n"
    "    WADI_RECORD=1 ctest --preset dev -R codegen/recorded && git diff tests\n"
    "and read the difference before it is committed.\n";

/* ---- whole texts ---- */

static void tell_difference(const char *old, const char *new) {
    char command[2600], line[1000];
    snprintf(command, sizeof command, "diff -u '%s' '%s' | head -n %d", old, new, LINES);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f)) print_error("%s", line);
    if (f) pclose(f);
}

void record_check(const char *path, const char *text, const char *whole) {
    char old_path[1200], path_of_new[1200], path_of_whole[1200], name[300];
    source_path(path, old_path, sizeof old_path);
    write_asked(last_of(path), whole);
    if (recording_anew()) {
        write_text(old_path, text);
        return;
    }
    char *old = recorded(old_path);
    const bool same = strcmp(old, text) == 0;
    free(old);
    if (same) return;
    write_new(last_of(path), text, path_of_new, sizeof path_of_new);
    snprintf(name, sizeof name, "%s.whole", last_of(path));
    write_new(name, whole, path_of_whole, sizeof path_of_whole);
    tell_difference(old_path, path_of_new);
    fail_msg("%s is another text now: the compiler decides otherwise. All kernels: %s\n%s%s", path,
             path_of_whole, compare, meant);
}

/* ---- digests ---- */

static void take_text(record_set *s, const char *program, const char *variant, const char *part,
                      const char *text) {
    wadi_text name;
    wadi_text_init(&name);
    wadi_text_addf(&name, "%s\t%s\t%s", program, variant, part);
    const record_part p = {wadi_text_take(&name), strdup(text)};
    assert_non_null(p.name);
    assert_non_null(p.text);
    assert_true(wadi_vec_push(&s->part, p));
}

void record_set_take(record_set *s, const char *program, const char *variant, recording *r) {
    if (r->passes.n > 0) take_text(s, program, variant, "passes", wadi_text_str(&r->passes));
    for (size_t i = 0; i < r->part.n; i++)
        take_text(s, program, variant, r->part.at[i].name, r->part.at[i].text);
    recording_free(r);
}

void record_set_free(record_set *s) {
    for (size_t i = 0; i < s->part.n; i++) {
        free(s->part.at[i].name);
        free(s->part.at[i].text);
    }
    wadi_vec_free(&s->part);
}

static void add_line(const record_part *p, wadi_text *out) {
    wadi_text_addf(out, "%s\t", p->name);
    record_digest(p->text, out);
}

/* Whether the line stands in the file. */
static bool has_line(const char *file, const char *line) {
    const size_t n = strlen(line);
    for (const char *at = file; (at = strstr(at, line)) != NULL; at += n)
        if (at == file || at[-1] == '\n') return true;
    return false;
}

static int tell_changed(const record_set *s, const char *old) {
    int changed = 0;
    char path[1200];
    for (size_t i = 0; i < s->part.n; i++) {
        wadi_text line;
        wadi_text_init(&line);
        add_line(&s->part.at[i], &line);
        if (!has_line(old, wadi_text_str(&line))) {
            write_new(s->part.at[i].name, s->part.at[i].text, path, sizeof path);
            if (changed++ < TOLD) print_error("differs: %s    (%s)\n", s->part.at[i].name, path);
        }
        wadi_text_fini(&line);
    }
    if (changed > TOLD) print_error("and %d more\n", changed - TOLD);
    return changed;
}

void record_set_check(const record_set *s, const char *path, const char *first_line) {
    char old_path[1200];
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_addf(&t, "# %s\n", first_line);
    for (size_t i = 0; i < s->part.n; i++) {
        add_line(&s->part.at[i], &t);
        write_asked(s->part.at[i].name, s->part.at[i].text);
    }
    source_path(path, old_path, sizeof old_path);
    if (recording_anew()) {
        write_text(old_path, wadi_text_str(&t));
        wadi_text_fini(&t);
        return;
    }
    char *old = recorded(old_path);
    const bool same = strcmp(old, wadi_text_str(&t)) == 0;
    const int changed = same ? 0 : tell_changed(s, old);
    free(old);
    wadi_text_fini(&t);
    if (same) return;
    fail_msg("%s: %d texts are others now (what is recorded and no longer there is not counted).\n"
             "%s%s",
             path, changed, compare, meant);
}
