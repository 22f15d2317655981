/* Runs that are saved in a folder and go on in another run: what comes out is what one run gives. What is saved of something else, damaged
 * or in use is refused. tests/conformance/saved_test.c checks what each kind of stage keeps, tests/hostile/killed_test.c kills. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/kept_folder.h"
#include "sched/state.h"
#include "wadi/wadi.h"

enum { ELEMENTS = 200, WIDE = 3 };

static char folder[64], kept[96], state_file[128], out_file[96];

static const char text[] = "program sums\n"
                           "input start : i64\n"
                           "stream_in s : seq(i64[3])\n"
                           "t = scan_seq s start (k, x) {\n"
                           "    n = unit { add (mul (the k) 3) (x ! 1) }\n"
                           "    yield n\n}\n"
                           "u = map_seq s (x) {\n    y = map x (v) { mul v v }\n    yield y\n}\n"
                           "last = fold_seq s start (k, x) {\n"
                           "    n = unit { sub (mul (the k) 5) (x ! 2) }\n    yield n\n}\n"
                           "stream_out \"sums\" t\nstream_out \"squares\" u\noutput last\n";

static int make_folder(void **unused) {
    (void)unused;
    (void)snprintf(folder, sizeof folder, "/tmp/wadi_state_XXXXXX");
    if (mkdtemp(folder) == NULL) return 1;
    (void)snprintf(kept, sizeof kept, "%s/kept", folder);
    (void)snprintf(state_file, sizeof state_file, "%s/state", kept);
    (void)snprintf(out_file, sizeof out_file, "%s/out.raw", folder);
    return 0;
}

static int remove_folder(void **unused) {
    char command[160];
    (void)unused;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *in_folder(const char *name) {
    static char path[2][128];
    static int next;
    next = !next;
    (void)snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

/* ---- one run ---- */

typedef struct run_case {
    const char *text;
    int64_t start, first; /* the input, and the first number of the data */
    int64_t elements;     /* of the data */
    int64_t drain_at;     /* drains when the sink gets this element; -1: never */
    bool lost;            /* the folder is removed before that */
    bool accept, no_state, to_memory, beside, hold, release;
    char separator; /* "squares" are lines, with this between their numbers; 0: they are raw */
} run_case;

typedef struct seen {
    int64_t sum[ELEMENTS],
        next; /* what the sink of "sums" got, and the element it must get next, or an earlier one */
    wadi_run *run;
    const run_case *c;
    wadi_status beside; /* what another run with the same folder gave */
    bool gap;
} seen;

typedef struct outcome {
    wadi_status status;
    wadi_error err;
    bool drained;
    int64_t last;
} outcome;

static outcome go(const run_case *c, seen *s);

static void remove_state(void) {
    char lock[128];
    (void)snprintf(lock, sizeof lock, "%s/lock", kept);
    (void)unlink(state_file);
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(rmdir(kept), 0);
}

static wadi_status take(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    seen *s = env;
    (void)parts;
    (void)err;
    s->gap = s->gap || index > s->next || index >= ELEMENTS;
    if (s->gap) return WADI_OK;
    s->sum[index] = *(const int64_t *)element[0].column[0];
    s->next = index + 1;
    if (index == s->c->drain_at && s->c->lost) remove_state();
    if (index == s->c->drain_at) wadi_run_drain(s->run);
    if (s->c->beside && index == 0) {
        run_case other = *s->c;
        seen dummy = {.next = 0};
        other.beside = false;
        s->beside = go(&other, &dummy).status;
    }
    return WADI_OK;
}

static void bind(wadi_run *run, const run_case *c, seen *s, wadi_source **source,
                 wadi_sink **sink) {
    static int64_t data[ELEMENTS * WIDE], start;
    const wadi_array rows = {.rank = 2,
                             .fields = 1,
                             .shape = {c->elements, WIDE},
                             .type = {WADI_I64},
                             .column = {data}},
                     one = {.fields = 1, .type = {WADI_I64}, .column = {&start}};
    for (int64_t i = 0; i < ELEMENTS * WIDE; i++) data[i] = c->first + i * i % 1000;
    start = c->start;
    assert_int_equal(wadi_run_input(run, "start", &one, NULL), WADI_OK);
    assert_int_equal(wadi_source_memory(&rows, source, NULL), WADI_OK);
    assert_int_equal(wadi_run_source(run, "s", *source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_callback(take, s, &sink[0], NULL), WADI_OK);
    if (c->to_memory)
        assert_int_equal(wadi_sink_memory(&sink[1], NULL), WADI_OK);
    else if (c->separator != 0)
        assert_int_equal(wadi_sink_lines(out_file, &(wadi_lines_options){.separator = c->separator},
                                         &sink[1], NULL),
                         WADI_OK);
    else
        assert_int_equal(wadi_sink_raw(out_file, &sink[1], NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(run, "sums", sink[0], NULL), WADI_OK);
    assert_int_equal(wadi_run_sink(run, "squares", sink[1], NULL), WADI_OK);
}

static outcome go(const run_case *c, seen *s) {
    const wadi_run_options options = {.threads = 1,
                                      .chunk = 7,
                                      .state = c->no_state ? NULL : kept,
                                      .save_every_s = c->drain_at >= 0 && !c->lost ? 1e-9 : 0,
                                      .accept_change = c->accept,
                                      .hold_state = c->hold};
    outcome o = {.status = WADI_OK};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink[2] = {NULL, NULL};
    wadi_array last;
    wadi_run_stats stats;
    assert_int_equal(wadi_compile_text(c->text, "state_test", NULL, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &options, &run, NULL), WADI_OK);
    bind(run, c, s, &source, sink);
    s->run = run;
    s->c = c;
    o.status = wadi_run_go(run, &o.err);
    wadi_run_stats_get(run, &stats);
    o.drained = stats.drained;
    if (o.status == WADI_OK) {
        assert_int_equal(wadi_run_result(run, "last", &last, NULL), WADI_OK);
        o.last = *(const int64_t *)last.column[0];
    }
    if (c->release) wadi_run_release_state(run);
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink[0]);
    wadi_sink_destroy(sink[1]);
    wadi_exe_destroy(exe);
    return o;
}

static run_case usual(int64_t drain_at) {
    return (run_case){
        .text = text, .start = 11, .first = 5, .elements = ELEMENTS, .drain_at = drain_at};
}

/* ---- going on ---- */

static void a_run_goes_on_after_it_was_drained(void **unused) {
    static const int64_t steps[] = {9, 150};
    static seen whole, parts;
    run_case c = usual(-1);
    char *want = NULL, *got = NULL;
    size_t want_n = 0, got_n = 0;
    (void)unused;
    c.no_state = true;
    const outcome once = go(&c, &whole);
    assert_int_equal(once.status, WADI_OK);
    assert_int_equal(wadi_file_read(out_file, &want, &want_n, NULL), WADI_OK);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        outcome o = {.status = WADI_CANCELLED};
        int runs = 0;
        (void)unlink(out_file);
        parts = (seen){.next = 0};
        for (; o.status == WADI_CANCELLED && runs < ELEMENTS; runs++) {
            c = usual(parts.next + steps[k]);
            o = go(&c, &parts);
            assert_true(o.status == WADI_OK || o.drained);
            assert_true((access(out_file, F_OK) == 0) == (o.status == WADI_OK));
        }
        assert_int_equal(o.status, WADI_OK);
        assert_true(runs > 1);
        assert_false(parts.gap);
        assert_int_equal(o.last, once.last);
        assert_memory_equal(parts.sum, whole.sum, sizeof whole.sum);
        assert_int_equal(wadi_file_read(out_file, &got, &got_n, NULL), WADI_OK);
        assert_int_equal(got_n, want_n);
        assert_memory_equal(got, want, want_n);
        free(got);
        assert_int_not_equal(access(kept, F_OK), 0); /* nothing is left of it */
    }
    free(want);
}

/* Nobody can go on with the output then. */
static void a_run_whose_first_saving_fails_leaves_no_output(void **unused) {
    static seen s;
    char part[128];
    run_case c = usual(20);
    (void)unused;
    s = (seen){.next = 0};
    c.lost = true;
    const outcome o = go(&c, &s);
    assert_int_equal(o.status, WADI_IO);
    assert_false(o.drained);
    assert_non_null(strstr(o.err.msg, "/state"));
    (void)snprintf(part, sizeof part, "%s.wadi-kept", out_file);
    assert_int_not_equal(access(part, F_OK), 0);
    assert_int_not_equal(access(kept, F_OK), 0);
}

/* ---- what is refused ---- */

static void drain_once(void) {
    static seen s;
    const run_case c = usual(20);
    s = (seen){.next = 0};
    assert_int_equal(go(&c, &s).status, WADI_CANCELLED);
    assert_int_equal(access(state_file, F_OK), 0);
}

static void refused(const run_case *c, wadi_status status, const char *words) {
    static seen s;
    s = (seen){.next = ELEMENTS};
    const outcome o = go(c, &s);
    assert_int_equal(o.status, status);
    if (strstr(o.err.msg, words) == NULL) fail_msg("%s", o.err.msg);
    assert_int_equal(s.next, ELEMENTS); /* nothing was delivered */
    assert_int_equal(access(state_file, F_OK), 0);
}

static void another_run_is_refused(void **unused) {
    static seen s;
    char other[sizeof text];
    run_case c = usual(-1);
    (void)unused;
    drain_once();
    memcpy(other, text, sizeof text);
    *strchr(strstr(other, ") 3)"), '3') = '4';
    c.text = other;
    refused(&c, WADI_INVALID, "another program");
    c = usual(-1);
    c.start = 12;
    refused(&c, WADI_INVALID, "another input \"start\"");
    c = usual(-1);
    c.first = 6;
    refused(&c, WADI_INVALID, "other data of the source \"s\"");
    c = usual(-1);
    c.elements = ELEMENTS - 1;
    refused(&c, WADI_INVALID, "other data of the source \"s\"");
    c.accept = true;
    s = (seen){.next = ELEMENTS};
    assert_int_equal(go(&c, &s).status, WADI_OK);
    assert_int_equal(s.next, ELEMENTS - 1);
    assert_int_not_equal(access(kept, F_OK), 0);
}

/* Half of the output would be of one form, half of the other. */
static void another_form_of_an_output_is_refused(void **unused) {
    static seen s;
    run_case c = usual(-1);
    (void)unused;
    drain_once();
    c.separator = ',';
    refused(&c, WADI_INVALID, "another kind, place or form of the output \"squares\"");
    c.accept = true;
    s = (seen){.next = ELEMENTS};
    assert_int_equal(go(&c, &s).status, WADI_OK);
    c = usual(20);
    c.separator = ',';
    s = (seen){.next = 0};
    assert_int_equal(go(&c, &s).status, WADI_CANCELLED);
    c = usual(-1);
    c.separator = ' ';
    refused(&c, WADI_INVALID, "another kind, place or form of the output \"squares\"");
    c.separator = ',';
    assert_int_equal(go(&c, &s).status, WADI_OK);
    assert_false(s.gap);
}

/* Takes what is said of outputs out of the state. */
static void make_older(void) {
    wadi_kept_folder *f = NULL;
    char *bytes = NULL;
    wadi_state_reader from = {0};
    wadi_text t = {0}, word = {0};
    int outputs = 0;
    assert_int_equal(wadi_kept_folder_open(kept, "wadi state 5", &f, NULL), WADI_OK);
    assert_int_equal(wadi_kept_folder_read(f, &bytes, &from.left, NULL), WADI_OK);
    from.at = bytes;
    for (bool more = true; more;) {
        bool output = false;
        for (int i = 0; i < 3 && more; i++) {
            wadi_text_clear(&word);
            assert_int_equal(wadi_state_take_text(&from, &word, NULL), WADI_OK);
            more = i > 0 || word.n > 0;
            if (i == 0) output = strstr(wadi_text_str(&word), "of the output") != NULL;
            if (!output) wadi_state_put_text(&t, wadi_text_str(&word));
        }
        outputs += output;
    }
    assert_int_equal(outputs, 2);
    wadi_text_add_n(&t, from.at, from.left);
    assert_int_equal(wadi_kept_folder_write(f, &t, NULL), WADI_OK);
    wadi_kept_folder_close(f, false);
    wadi_text_fini(&word);
    wadi_text_fini(&t);
    free(bytes);
}

static void a_state_that_says_nothing_of_outputs_is_gone_on_with(void **unused) {
    static seen s;
    run_case c = usual(-1);
    (void)unused;
    drain_once();
    make_older();
    c.start = 12;
    refused(&c, WADI_INVALID, "another input \"start\"");
    c = usual(-1);
    c.elements = ELEMENTS - 1;
    refused(&c, WADI_INVALID, "other data of the source \"s\"");
    c = usual(-1);
    s = (seen){.next = ELEMENTS};
    assert_int_equal(go(&c, &s).status, WADI_OK);
    assert_int_equal(s.next, ELEMENTS);
    assert_int_not_equal(access(kept, F_OK), 0);
}

#define BY_KEY(key)                                                            \
    "program sums\ninput start : i64\nstream_in s : seq(i64[3])\n"             \
    "m = map_seq s (x) {\n    k = unit { " key " }\n    yield k, x\n}\n"       \
    "t = scan_by_key m start (n, k, x) {\n"                                    \
    "    q = unit { add (mul (the n) 3) (x ! 1) }\n    yield q\n}\n"           \
    "u = map_seq s (x) {\n    y = map x (v) { mul v v }\n    yield y\n}\n"     \
    "last = fold_seq s start (n, x) {\n    q = unit { add (the n) (x ! 2) }\n" \
    "    yield q\n}\nstream_out \"sums\" t\nstream_out \"squares\" u\noutput last\n"

/* Also where another program may go on: a key that is 300 is none of u8. */
static void keys_of_another_type_are_refused(void **unused) {
    static const char *const others[] = {
        BY_KEY("convert u8 (x ! 1)"), BY_KEY("convert u64 (x ! 1)"), BY_KEY("a: x ! 1, b: x ! 2")};
    static seen s;
    run_case c = usual(20);
    (void)unused;
    c.text = BY_KEY("x ! 1");
    s = (seen){.next = 0};
    assert_int_equal(go(&c, &s).status, WADI_CANCELLED);
    c = usual(-1);
    c.accept = true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        c.text = others[i];
        refused(&c, WADI_INVALID, "not that of scan_by_key");
    }
    c.text = BY_KEY("add (x ! 1) 1");
    assert_int_equal(go(&c, &s).status, WADI_OK);
    assert_false(s.gap);
}

static void damage_is_refused(void **unused) {
    const run_case c = usual(-1);
    char *bytes = NULL;
    size_t n = 0;
    (void)unused;
    drain_once();
    assert_int_equal(wadi_file_read(state_file, &bytes, &n, NULL), WADI_OK);
    for (size_t at = 0; at < n; at += at < 8 || at + 4 > n ? 1 : 61) {
        bytes[at] = (char)(bytes[at] ^ 0x10);
        assert_int_equal(wadi_file_write(state_file, bytes, n, 0600, NULL), WADI_OK);
        refused(&c, WADI_IO, "remove it to begin anew");
        bytes[at] = (char)(bytes[at] ^ 0x10);
        assert_int_equal(wadi_file_write(state_file, bytes, at, 0600, NULL), WADI_OK);
        refused(&c, WADI_IO, "remove it to begin anew");
    }
    free(bytes);
    assert_int_equal(unlink(state_file), 0);
}

static void a_lost_output_is_refused(void **unused) {
    const run_case c = usual(-1);
    char part[128];
    (void)unused;
    drain_once();
    (void)snprintf(part, sizeof part, "%s.wadi-kept", out_file);
    assert_int_equal(truncate(part, 8), 0);
    refused(&c, WADI_IO, "has 8 bytes");
    assert_int_equal(unlink(part), 0);
    refused(&c, WADI_IO, "there is no");
    assert_int_equal(unlink(state_file), 0);
}

static void two_runs_do_not_share_a_folder(void **unused) {
    static seen s;
    run_case c = usual(-1);
    (void)unused;
    c.beside = true;
    s = (seen){.next = 0};
    assert_int_equal(go(&c, &s).status, WADI_OK);
    assert_int_equal(s.beside, WADI_IO);
}

static void a_sink_that_cannot_go_on_is_refused(void **unused) {
    static seen s;
    run_case c = usual(-1);
    (void)unused;
    c.to_memory = true;
    s = (seen){.next = 0};
    const outcome o = go(&c, &s);
    assert_int_equal(o.status, WADI_UNSUPPORTED);
    assert_string_equal(o.err.msg,
                        "\"squares\": a memory sink cannot go on after its process was ended");
}

/* What the run says of itself before it begins. */
static void promises(const run_case *c, wadi_guarantee want, const char *words) {
    static seen s;
    const wadi_run_options options = {.state = c->no_state ? NULL : kept,
                                      .guarantee = WADI_GUARANTEE_EXACTLY_ONCE};
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_source *source = NULL;
    wadi_sink *sink[2] = {NULL, NULL};
    wadi_guarantee has = WADI_GUARANTEE_EXACTLY_ONCE;
    wadi_error err = {.status = WADI_OK};
    char *why = NULL;
    assert_int_equal(wadi_compile_text(c->text, "state_test", NULL, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &options, &run, NULL), WADI_OK);
    assert_int_equal(wadi_run_guarantee(run, &has, &why, NULL),
                     WADI_INVALID); /* nothing is bound */
    bind(run, c, &s, &source, sink);
    assert_int_equal(wadi_run_guarantee(run, &has, &why, NULL), WADI_OK);
    assert_int_equal(has, want);
    assert_string_equal(why, words);
    assert_int_equal(wadi_run_go(run, &err), WADI_UNSUPPORTED);
    assert_non_null(strstr(err.msg, words));
    free(why);
    wadi_run_destroy(run);
    wadi_source_destroy(source);
    wadi_sink_destroy(sink[0]);
    wadi_sink_destroy(sink[1]);
    wadi_exe_destroy(exe);
}

static void the_guarantee_is_that_of_the_weakest(void **unused) {
    run_case c = usual(-1);
    (void)unused;
    promises(
        &c, WADI_GUARANTEE_AT_LEAST_ONCE,
        "at least once: \"sums\", a callback sink, may get elements since the last saving again");
    c.to_memory = true;
    promises(&c, WADI_GUARANTEE_NONE,
             "none: \"squares\", a memory sink, cannot go on after its process was ended");
    c.no_state = true;
    promises(&c, WADI_GUARANTEE_NONE,
             "none: nothing of the run is saved: if it is killed, it begins anew, and what it had "
             "passed on "
             "comes again");
}

/* Results can be had again until their owner has stored them. */
static void what_is_saved_stays_until_results_are_stored(void **unused) {
    static seen s;
    run_case c = usual(-1);
    (void)unused;
    c.hold = true;
    s = (seen){.next = 0};
    const outcome first = go(&c, &s);
    assert_int_equal(first.status, WADI_OK);
    assert_int_equal(access(state_file, F_OK), 0);
    c.release = true;
    const outcome second = go(&c, &s);
    assert_int_equal(second.status, WADI_OK);
    assert_int_equal(second.last, first.last);
    assert_int_equal(s.next, ELEMENTS); /* no element came again */
    assert_int_not_equal(access(kept, F_OK), 0);
}

/* ---- two streams of elements, two sinks for each ---- */

typedef struct pair_run {
    const char *text, *dir; /* the folder; NULL: kept */
    int64_t drain_at[2];    /* as above, of the sinks "one" and "two"; -1: never */
    const char *go_to;      /* with the first element the process goes there; NULL: nowhere */
    bool block;             /* with the first element a folder gets the name of the second file */
    bool at_once;           /* it drains before it begins */
    bool no_state;
    /* what came of it */
    wadi_run *run;
    wadi_status status;
    bool drained;
    int64_t first[2]; /* element that the sinks got; -1: none */
} pair_run;

static wadi_status note(pair_run *p, int sink, int64_t index) {
    if (p->first[sink] < 0) p->first[sink] = index;
    if (index == 0 && p->go_to != NULL) assert_int_equal(chdir(p->go_to), 0);
    if (index == 0 && sink == 0 && p->block)
        assert_int_equal(mkdir(in_folder("file two"), 0700), 0);
    if (index == p->drain_at[sink]) wadi_run_drain(p->run);
    return WADI_OK;
}

static wadi_status note_one(void *env, int64_t index, int parts, const wadi_array *element,
                            wadi_error *err) {
    (void)parts, (void)element, (void)err;
    return note(env, 0, index);
}

static wadi_status note_two(void *env, int64_t index, int parts, const wadi_array *element,
                            wadi_error *err) {
    (void)parts, (void)element, (void)err;
    return note(env, 1, index);
}

static void go_pair(pair_run *p) {
    static const char *const sources[] = {"s", "t"}, *const sinks[] = {"one", "two", "file one",
                                                                       "file two"};
    static int64_t data[ELEMENTS * WIDE];
    const wadi_array rows = {
        .rank = 2, .fields = 1, .shape = {ELEMENTS, WIDE}, .type = {WADI_I64}, .column = {data}};
    const wadi_run_options options = {.threads = 1,
                                      .chunk = 7,
                                      .state = p->no_state ? NULL
                                               : p->dir    ? p->dir
                                                           : kept,
                                      .save_every_s = 1e-9};
    wadi_exe *exe = NULL;
    wadi_source *source[2] = {NULL, NULL};
    wadi_sink *sink[4] = {NULL, NULL, NULL, NULL};
    wadi_run_stats stats;
    for (int64_t i = 0; i < ELEMENTS * WIDE; i++) data[i] = i / WIDE;
    p->first[0] = p->first[1] = -1;
    assert_int_equal(wadi_compile_text(p->text, "state_test", NULL, &exe, NULL), WADI_OK);
    assert_int_equal(wadi_run_create(exe, &options, &p->run, NULL), WADI_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wadi_source_memory(&rows, &source[i], NULL), WADI_OK);
        assert_int_equal(wadi_run_source(p->run, sources[i], source[i], NULL), WADI_OK);
        assert_int_equal(wadi_sink_callback(i == 0 ? note_one : note_two, p, &sink[i], NULL),
                         WADI_OK);
        assert_int_equal(wadi_sink_raw(in_folder(sinks[2 + i]), &sink[2 + i], NULL), WADI_OK);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(wadi_run_sink(p->run, sinks[i], sink[i], NULL), WADI_OK);
    if (p->at_once) wadi_run_drain(p->run);
    p->status = wadi_run_go(p->run, NULL);
    wadi_run_stats_get(p->run, &stats);
    p->drained = stats.drained;
    wadi_run_destroy(p->run);
    for (int i = 0; i < 2; i++) wadi_source_destroy(source[i]);
    for (int i = 0; i < 4; i++) wadi_sink_destroy(sink[i]);
    wadi_exe_destroy(exe);
}

/* The second stream needs a result of the first. */
static const char phases[] = "program phases\n"
                             "stream_in s : seq(i64[3])\nstream_in t : seq(i64[3])\n"
                             "f = fold_seq s 0 (k, x) {\n"
                             "    n = unit { add (the k) (x ! 1) }\n    yield n\n}\n"
                             "u = map_seq s (x) {\n    y = map x (v) { mul v 3 }\n    yield y\n}\n"
                             "w = map_seq t (x) {\n"
                             "    y = map x (v) { add v (the f) }\n    yield y\n}\n"
                             "stream_out \"one\" u\nstream_out \"file one\" u\n"
                             "stream_out \"two\" w\nstream_out \"file two\" w\n";

/* Element 40 of g fails, and nobody asks for it, because h has 8. */
static const char early[] =
    "program early\n"
    "stream_in s : seq(i64[3])\nstream_in t : seq(i64[3])\n"
    "g = filter_seq s (x) {\n"
    "    p = unit { lt (quot 1000 (sub (x ! 0) 40)) 5000 }\n    yield p\n}\n"
    "h = filter_seq t (x) {\n    p = unit { lt (x ! 0) 8 }\n    yield p\n}\n"
    "a = map_seq g h (x, z) {\n"
    "    y = zip_with x z (v, w) { add v w }\n    yield y\n}\n"
    "stream_out \"one\" a\nstream_out \"file one\" a\n"
    "stream_out \"two\" h\nstream_out \"file two\" a\n";

static void assert_files_hold(char *const *want, const size_t *want_n) {
    static const char *const names[] = {"file one", "file two"};
    for (int i = 0; i < 2; i++) {
        char *got = NULL;
        size_t n = 0;
        assert_int_equal(wadi_file_read(in_folder(names[i]), &got, &n, NULL), WADI_OK);
        assert_int_equal(n, want_n[i]);
        assert_memory_equal(got, want[i], n);
        free(got);
        assert_int_equal(unlink(in_folder(names[i])), 0);
    }
    assert_int_not_equal(access(kept, F_OK), 0);
}

/* What a run without a folder gives. */
static void go_whole(const char *program, char **out, size_t *out_n) {
    pair_run p = {.text = program, .drain_at = {-1, -1}, .no_state = true};
    go_pair(&p);
    assert_int_equal(p.status, WADI_OK);
    assert_int_equal(wadi_file_read(in_folder("file one"), &out[0], &out_n[0], NULL), WADI_OK);
    assert_int_equal(wadi_file_read(in_folder("file two"), &out[1], &out_n[1], NULL), WADI_OK);
    assert_files_hold(out, out_n);
}

static void a_later_stream_stays_saved_while_those_before_run_again(void **unused) {
    char *want[2];
    size_t n[2];
    (void)unused;
    go_whole(phases, want, n);
    pair_run p = {.text = phases, .drain_at = {-1, 100}};
    go_pair(&p);
    assert_true(p.drained);
    p.at_once = true;
    go_pair(&p);
    assert_true(p.drained);
    assert_int_equal(p.first[1], -1);
    p.at_once = false;
    p.drain_at[1] = -1;
    go_pair(&p);
    assert_int_equal(p.status, WADI_OK);
    assert_int_equal(p.first[0], 0);
    assert_in_range(p.first[1], 100, ELEMENTS - 1);
    assert_files_hold(want, n);
    free(want[0]);
    free(want[1]);
}

/* The second output cannot take its name, which the first has already. */
static void a_stream_that_ends_before_a_failure_is_saved_at_its_end(void **unused) {
    char *want[2];
    size_t n[2];
    (void)unused;
    go_whole(early, want, n);
    pair_run p = {.text = early, .drain_at = {-1, -1}, .block = true};
    go_pair(&p);
    assert_int_equal(p.status, WADI_IO);
    assert_int_equal(access(in_folder("file one"), F_OK), 0);
    assert_int_equal(rmdir(in_folder("file two")), 0);
    p.block = false;
    go_pair(&p);
    assert_int_equal(p.status, WADI_OK);
    assert_files_hold(want, n);
    free(want[0]);
    free(want[1]);
}

static void the_folder_stays_where_the_run_began(void **unused) {
    char here[256], *want[2];
    size_t n[2];
    (void)unused;
    assert_non_null(getcwd(here, sizeof here));
    go_whole(phases, want, n);
    assert_int_equal(chdir(folder), 0);
    pair_run p = {.text = phases, .dir = "kept", .go_to = "/", .drain_at = {20, -1}};
    go_pair(&p);
    assert_true(p.drained);
    assert_int_equal(access(state_file, F_OK), 0);
    assert_int_equal(chdir(folder), 0);
    p.drain_at[0] = -1;
    go_pair(&p);
    assert_int_equal(p.status, WADI_OK);
    assert_in_range(p.first[0], 20, ELEMENTS - 1);
    assert_int_equal(chdir(here), 0);
    assert_files_hold(want, n);
    free(want[0]);
    free(want[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_stream_stays_saved_while_those_before_run_again),
        cmocka_unit_test(a_stream_that_ends_before_a_failure_is_saved_at_its_end),
        cmocka_unit_test(the_folder_stays_where_the_run_began),
        cmocka_unit_test(a_run_goes_on_after_it_was_drained),
        cmocka_unit_test(a_run_whose_first_saving_fails_leaves_no_output),
        cmocka_unit_test(the_guarantee_is_that_of_the_weakest),
        cmocka_unit_test(what_is_saved_stays_until_results_are_stored),
        cmocka_unit_test(another_run_is_refused),
        cmocka_unit_test(another_form_of_an_output_is_refused),
        cmocka_unit_test(a_state_that_says_nothing_of_outputs_is_gone_on_with),
        cmocka_unit_test(keys_of_another_type_are_refused),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(a_lost_output_is_refused),
        cmocka_unit_test(two_runs_do_not_share_a_folder),
        cmocka_unit_test(a_sink_that_cannot_go_on_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
