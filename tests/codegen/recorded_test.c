/* What the compiler decides for each program of tests/codegen/recorded, as text. Beside NAME.wadi is NAME.txt: how its values are
 * stored, what is fused, what is not and why, its plan, and the C text of every version, or digests of its kernels if they are
 * long. The test fails on every change of a pass, of the plan, of an offered schedule, of a loop or of the emitted text. It does
 * not tell whether the change is good.
 *
 * The same programs with checks off, with each pass left out and with routines missing have a line each in digests.tsv. So have
 * the programs of docs/examples, of tests/ir, and those collected from other tests and from the generator of random programs. */
#include "tests/codegen/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { MOST = 200, READABLE = 2000 };

#define HOW "by WADI_RECORD=1 ctest --preset dev -R codegen/recorded (CONTRIBUTING.md): "

/* One program: where it is, and what it is called. */
typedef struct source {
    char path[700], name[100];
} source;

static struct {
    source written[MOST], more[MOST];
    int nwritten, nmore;
} programs;

static void find_path(const char *below, char *out, size_t size) {
    const char *root = getenv("WADI_SOURCE");
    snprintf(out, size, "%s/%s", root ? root : ".", below);
}

static char *read_source(const source *s) {
    char *text = NULL;
    size_t n = 0;
    wadi_error err = {.status = WADI_OK};
    if (wadi_file_read(s->path, &text, &n, &err) != WADI_OK) fail_msg("%s", err.msg);
    char *dashes = strstr(text, "\n----"); /* tests/ir: what a pass makes of it stands below */
    if (dashes) dashes[1] = '\0';
    return text;
}

static void put_together(const recording *r, const char *name, size_t most, wadi_text *out) {
    wadi_text_addf(out, "# What the compiler makes of %s.wadi, " HOW "read, not written\n\n", name);
    for (size_t i = 0; i < r->part.n; i++) {
        const record_part *p = &r->part.at[i];
        if (strcmp(p->name, "decisions") != 0) wadi_text_addf(out, "\n== %s ==\n\n", p->name);
        record_shorten(p->text, most, out);
    }
    wadi_text_add(out, "\n== length and digest of the program behind each pass ==\n\n");
    wadi_text_add(out, wadi_text_str(&r->passes));
}

static void decisions_are_as_recorded(void **state) {
    const source *s = *state;
    const record_options options = {.disable = NULL};
    char *text = read_source(s), path[200];
    recording r;
    wadi_text brief, whole;
    wadi_text_init(&brief);
    wadi_text_init(&whole);
    record_program(text, s->name, &options, &r);
    put_together(&r, s->name, READABLE, &brief);
    put_together(&r, s->name, SIZE_MAX, &whole);
    snprintf(path, sizeof path, "tests/codegen/recorded/%s.txt", s->name);
    record_check(path, wadi_text_str(&brief), wadi_text_str(&whole));
    wadi_text_fini(&brief);
    wadi_text_fini(&whole);
    recording_free(&r);
    free(text);
}

static void take_program(record_set *set, const source *s) {
    char *text = read_source(s);
    recording r;
    record_program(text, s->name, &(record_options){.disable = NULL}, &r);
    record_set_take(set, s->name, "as it is", &r);
    free(text);
}

typedef struct varying {
    record_set *set;
    const source *s;
    const char *text;
    recording plain;
} varying;

static void take_variant(varying *v, const char *variant, const record_options *options) {
    recording r;
    record_program(v->text, v->s->name, options, &r);
    record_keep_others(&v->plain, &r);
    record_set_take(v->set, v->s->name, variant, &r);
}

/* Everything that may be told to the compiler, one after the other; of what comes of it what is another text then. */
static void take_variants(record_set *set, const source *s) {
    char *text = read_source(s);
    varying v = {.set = set, .s = s, .text = text};
    record_program(text, s->name, &(record_options){.disable = NULL}, &v.plain);
    take_variant(&v, "unchecked", &(record_options){.unchecked = true});
    take_variant(&v, "alone", &(record_options){.alone = true});
    take_variant(&v, "steady", &(record_options){.steady = true});
    for (int i = 0; wadi_pipeline_name(i); i++) {
        char variant[64];
        const char *pass = wadi_pipeline_name(i);
        if (!wadi_pipeline_is_optional(i)) continue;
        snprintf(variant, sizeof variant, "no %s", pass);
        take_variant(&v, variant, &(record_options){.disable = pass});
    }
    recording_free(&v.plain);
    free(text);
}

/* Programs one behind the other, each from a line that begins with "program" on. */
static void take_many(record_set *set, const char *path) {
    source s = {.name = ""};
    find_path(path, s.path, sizeof s.path);
    char *text = read_source(&s), *at = strstr(text, "\nprogram ");
    for (int number = 1; at; number++) {
        char *next = strstr(at + 1, "\nprogram "), name[128];
        if (next) *next = '\0';
        const size_t n = strcspn(at + 1, "\n");
        snprintf(name, sizeof name, "%d. %.*s", number, (int)n - 8, at + 9);
        recording r;
        record_program(at + 1, "one", &(record_options){.disable = NULL}, &r);
        record_set_take(set, name, "as it is", &r);
        if (next) *next = '\n';
        at = next;
    }
    free(text);
}

static void other_texts_have_their_digests(void **state) {
    (void)state;
    record_set set = {{0}};
    for (int i = 0; i < programs.nwritten; i++) take_variants(&set, &programs.written[i]);
    for (int i = 0; i < programs.nmore; i++) take_program(&set, &programs.more[i]);
    take_many(&set, "tests/codegen/recorded/gathered.programs");
    take_many(&set, "tests/codegen/recorded/random.programs");
    record_set_check(&set, "tests/codegen/recorded/digests.tsv",
                     HOW "program, how it is compiled, text, length, digest");
    record_set_free(&set);
}

/* ---- finding them ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(((const source *)a)->name, ((const source *)b)->name);
}

static void find(const char *folder, const char *ending, source *into, int *n) {
    char directory[400];
    find_path(folder, directory, sizeof directory);
    const int before = *n;
    DIR *d = opendir(directory);
    for (const struct dirent *e; d && (e = readdir(d)) != NULL && *n < MOST;) {
        const char *dot = strrchr(e->d_name, '.');
        source *s = &into[*n];
        if (!dot || strcmp(dot, ending) != 0 || strlen(e->d_name) >= sizeof s->name) continue;
        snprintf(s->path, sizeof s->path, "%s/%s", directory, e->d_name);
        snprintf(s->name, sizeof s->name, "%.*s", (int)(dot - e->d_name), e->d_name);
        (*n)++;
    }
    if (d) closedir(d);
    qsort(into + before, (size_t)(*n - before), sizeof *into, by_name);
}

int main(void) {
    static struct CMUnitTest tests[MOST + 1];
    size_t n = 0;
    find("tests/codegen/recorded", ".wadi", programs.written, &programs.nwritten);
    find("docs/examples", ".wadi", programs.more, &programs.nmore);
    find("tests/ir", ".ir", programs.more, &programs.nmore);
    if (programs.nwritten == 0) return 1;
    for (int i = 0; i < programs.nwritten; i++) {
        source *s = &programs.written[i];
        tests[n++] = (struct CMUnitTest){s->name, decisions_are_as_recorded, NULL, NULL, s};
    }
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(other_texts_have_their_digests);
    return _cmocka_run_group_tests("recorded", tests, n, NULL, NULL);
}
