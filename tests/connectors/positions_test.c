/* Sources that begin elsewhere give the same elements from there on; sinks say what they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/file.h"
#include "sched/builder.h"
#include "sched/stream.h"
#include "wadi/image.h"
#include "wadi/matrix.h"

enum { N = 11 };

static char path[] = "/tmp/wadi-positions-XXXXXX";
static char text[] = "/tmp/wadi-positions-XXXXXX";
static int32_t values[N][2];
static wadi_buffers *buffers;

/* ---- sources ---- */

/* Element i of matrix, array and file begins with the number i. */
static const int64_t offsets[N + 1] = {0, 1, 3, 4, 7, 8, 9, 11, 12, 13, 16, 17};
static int32_t columns[17];
static double cells[17];
static const wadi_csr matrix = {.rows = N,
                                .columns = 99,
                                .type = WADI_F64,
                                .index_type = WADI_I32,
                                .offsets = (int64_t *)(uintptr_t)offsets,
                                .index = columns,
                                .values = cells};

static wadi_source *open_memory(void) {
    wadi_source *source = NULL;
    const wadi_array a = {
        .rank = 2, .fields = 1, .shape = {N, 2}, .type = {WADI_I32}, .column = {values}};
    assert_int_equal(wadi_source_memory(&a, &source, NULL), WADI_OK);
    return source;
}

static wadi_source *open_raw(void) {
    wadi_source *source = NULL;
    const int64_t two = 2;
    const wadi_part part = wadi_part_fixed(WADI_I32, 1, &two);
    assert_int_equal(wadi_source_raw(path, &part, &source, NULL), WADI_OK);
    return source;
}

static wadi_source *open_lines(void) {
    wadi_source *source = NULL;
    const wadi_part part = wadi_part_irregular(WADI_I64, 1);
    assert_int_equal(wadi_source_lines(text, 1, &part, NULL, &source, NULL), WADI_OK);
    return source;
}

static wadi_source *open_matrix(void) {
    wadi_source *source = NULL;
    assert_int_equal(wadi_source_matrix(&matrix, &source, NULL), WADI_OK);
    return source;
}

/* Reads at most k elements and writes their numbers; returns how many there were. */
static int64_t read_some(wadi_source *s, int64_t k, int64_t *out) {
    wadi_builder b;
    wadi_chunk *c = NULL;
    wadi_error err = {.status = WADI_OK};
    assert_int_equal(wadi_builder_init(&b, buffers, s->parts, s->part, INT64_MAX, NULL), WADI_OK);
    if (s->ops->next(s, k, &b, &err) != WADI_OK) fail_msg("%s", err.msg);
    const int64_t n = b.count;
    assert_in_range(n, 0, k);
    assert_int_equal(wadi_chunk_create(buffers, s->parts, &c, NULL), WADI_OK);
    c->count = n;
    wadi_builder_finish(&b, c, 0, n);
    for (int64_t i = 0; i < n; i++) out[i] = *(int32_t *)wadi_chunk_array(c, 0, i).column[0];
    wadi_chunk_release(c);
    wadi_builder_fini(&b);
    return n;
}

/* All there is from here, in pieces of k, is `from` and what follows. */
static void goes_on_from(wadi_source *s, int64_t from, int64_t k) {
    int64_t got[N], n;
    while ((n = read_some(s, k, got)) > 0)
        for (int64_t i = 0; i < n; i++) assert_int_equal(got[i], from++);
    assert_int_equal(from, N);
}

static void a_source_goes_on_from_every_position(void **state) {
    (void)state;
    wadi_source *(*const opens[])(void) = {open_memory, open_raw, open_matrix, open_lines};
    for (size_t o = 0; o < sizeof opens / sizeof opens[0]; o++) {
        wadi_position at[N + 1];
        int64_t got[N];
        wadi_source *s = opens[o]();
        for (int64_t i = 0; i <= N; i++) {
            assert_int_equal(wadi_source_tell(s, &at[i], NULL), WADI_OK);
            assert_int_equal(at[i].element, i);
            assert_int_equal(read_some(s, 1, got), i < N ? 1 : 0);
        }
        for (int64_t i = N; i >= 0; i--) { /* the same handle */
            assert_int_equal(wadi_source_seek(s, at[i], NULL), WADI_OK);
            goes_on_from(s, i, 3);
        }
        wadi_source_destroy(s);
        for (int64_t i = 0; i <= N; i++) { /* a fresh one */
            s = opens[o]();
            const int64_t at_hand = s->at_hand;
            wadi_position now;
            assert_int_equal(wadi_source_seek(s, at[i], NULL), WADI_OK);
            assert_int_equal(wadi_source_tell(s, &now, NULL), WADI_OK);
            assert_int_equal(now.element, at[i].element);
            assert_int_equal(now.mark, at[i].mark);
            assert_int_equal(s->at_hand, at_hand == 0 ? 0 : N - i);
            goes_on_from(s, i, 4);
            wadi_source_destroy(s);
        }
    }
}

static void what_is_no_position_is_refused_and_changes_nothing(void **state) {
    (void)state;
    wadi_source *(*const opens[])(void) = {open_memory, open_raw, open_matrix, open_lines};
    static const wadi_position no[] = {
        {-1, -8},       {-1, 0}, {N + 1, 0}, {N + 1, 8 * (N + 1)},  {1, 9}, {2, 8},
        {INT64_MAX, 0}, {0, -8}, {0, 8},     {INT64_MIN, INT64_MIN}};
    for (size_t o = 0; o < sizeof opens / sizeof opens[0]; o++) {
        int64_t got[N];
        wadi_source *s = opens[o]();
        assert_int_equal(read_some(s, 4, got), 4);
        for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
            wadi_error err = {0};
            assert_int_equal(wadi_source_seek(s, no[i], &err), WADI_INVALID);
            assert_non_null(strstr(err.msg, "no position ("));
        }
        goes_on_from(s, 4, 2);
        wadi_source_destroy(s);
    }
}

static void a_pipe_and_a_shorter_file_have_no_such_position(void **state) {
    (void)state;
    wadi_error err = {0};
    wadi_source *s = open_raw();
    wadi_position end;
    goes_on_from(s, 0, N);
    assert_int_equal(wadi_source_tell(s, &end, NULL), WADI_OK);
    wadi_source_destroy(s);
    assert_int_equal(truncate(path, 8 * (N - 1)), 0);
    s = open_raw();
    assert_int_equal(wadi_source_seek(s, end, &err), WADI_INVALID);
    wadi_source_destroy(s);
    assert_int_equal(wadi_file_write(path, values, sizeof values, 0600, NULL), WADI_OK);
    const wadi_part part = wadi_part_fixed(WADI_U8, 0, NULL);
    assert_int_equal(wadi_source_raw("/dev/zero", &part, &s, NULL), WADI_OK);
    assert_int_equal(wadi_source_seek(s, (wadi_position){0}, &err), WADI_UNSUPPORTED);
    assert_string_equal(err.msg, "/dev/zero: is no file that can be read from the middle");
    wadi_source_destroy(s);
}

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    (void)env, (void)index, (void)yield, (void)err;
    return WADI_OK;
}

static wadi_status push(void *env, int64_t index, int parts, const wadi_array *element,
                        wadi_error *err) {
    (void)env, (void)index, (void)parts, (void)element, (void)err;
    return WADI_OK;
}

static void those_that_cannot_say_so(void **state) {
    (void)state;
    wadi_source *source = NULL;
    wadi_sink *sink = NULL;
    wadi_position at;
    wadi_error err = {0};
    const wadi_part part = wadi_part_fixed(WADI_U8, 0, NULL);
    assert_int_equal(wadi_source_callback(1, &part, pull, NULL, &source, NULL), WADI_OK);
    assert_int_equal(wadi_sink_callback(push, NULL, &sink, NULL), WADI_OK);
    assert_int_equal(wadi_source_tell(source, &at, &err), WADI_UNSUPPORTED);
    assert_string_equal(err.msg, "a callback source cannot say where it stands");
    assert_int_equal(wadi_source_seek(source, (wadi_position){0}, &err), WADI_UNSUPPORTED);
    assert_string_equal(err.msg, "a callback source cannot begin elsewhere");
    assert_int_equal(wadi_sink_have(sink, &at, &err), WADI_UNSUPPORTED);
    assert_string_equal(err.msg, "a callback sink cannot say what it has");
    wadi_source_destroy(source);
    wadi_sink_destroy(sink);
}

/* ---- sinks ---- */

static void put(wadi_sink *sink, int64_t first, int64_t count) {
    wadi_source *s = open_memory();
    wadi_builder b;
    wadi_chunk *c = NULL;
    assert_int_equal(wadi_source_seek(s, (wadi_position){.element = first}, NULL), WADI_OK);
    assert_int_equal(wadi_builder_init(&b, buffers, 1, s->part, INT64_MAX, NULL), WADI_OK);
    assert_int_equal(s->ops->next(s, count, &b, NULL), WADI_OK);
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
    c->first = first;
    c->count = count;
    wadi_builder_finish(&b, c, 0, count);
    wadi_builder_fini(&b);
    assert_int_equal(sink->ops->put(sink, c, NULL), WADI_OK);
    wadi_chunk_release(c);
    wadi_source_destroy(s);
}

static void has(wadi_sink *sink, int64_t want) {
    wadi_position at = {.element = -1};
    assert_int_equal(wadi_sink_have(sink, &at, NULL), WADI_OK);
    assert_int_equal(at.element, want);
}

static void a_memory_sink_has_what_it_got(void **state) {
    (void)state;
    wadi_sink *sink = NULL;
    assert_int_equal(wadi_sink_memory(&sink, NULL), WADI_OK);
    has(sink, 0);
    put(sink, 0, 4);
    has(sink, 4);
    put(sink, 4, 7);
    has(sink, 11);
    wadi_sink_destroy(sink);
}

/* Until it has its name the file would be lost with the process. */
static void a_file_is_there_when_it_is_finished(void **state) {
    (void)state;
    wadi_sink *sink = NULL;
    char out[64];
    (void)snprintf(out, sizeof out, "%s.out", path);
    assert_int_equal(wadi_sink_raw(out, &sink, NULL), WADI_OK);
    put(sink, 0, 4);
    has(sink, 0);
    put(sink, 4, 3);
    has(sink, 0);
    assert_int_equal(sink->ops->finish(sink, NULL), WADI_OK);
    has(sink, 7);
    wadi_sink_destroy(sink);
    assert_int_equal(wadi_sink_raw(out, &sink, NULL), WADI_OK);
    put(sink, 0, 4);
    sink->ops->abort(sink, &(wadi_error){.status = WADI_CANCELLED});
    has(sink, 0);
    wadi_sink_destroy(sink);
    (void)unlink(out);
}

/* Another sink, as that of another process would, goes on with what lasts. */
static void a_file_that_lasts_is_there_at_once(void **state) {
    (void)state;
    wadi_sink *sink = NULL;
    wadi_position at;
    char out[64], whole[64];
    (void)snprintf(out, sizeof out, "%s.out", path);
    (void)snprintf(whole, sizeof whole, "%s.whole", path);
    assert_int_equal(wadi_sink_raw(out, &sink, NULL), WADI_OK);
    assert_int_equal(sink->ops->last(sink, NULL), WADI_OK);
    put(sink, 0, 4);
    has(sink, 4);
    assert_int_equal(wadi_sink_have(sink, &at, NULL), WADI_OK);
    put(sink, 4, 3);
    sink->saved = true;
    sink->ops->abort(sink, &(wadi_error){.status = WADI_CANCELLED});
    wadi_sink_destroy(sink);
    assert_int_equal(wadi_sink_raw(out, &sink, NULL), WADI_OK);
    assert_int_equal(sink->ops->last(sink, NULL), WADI_OK);
    assert_int_equal(sink->ops->go_on(sink, at, false, NULL), WADI_OK);
    has(sink, 4);
    put(sink, 4, 7);
    assert_int_equal(sink->ops->finish(sink, NULL), WADI_OK);
    has(sink, 11);
    wadi_sink_destroy(sink);
    assert_int_equal(wadi_sink_raw(whole, &sink, NULL), WADI_OK);
    put(sink, 0, 11);
    assert_int_equal(sink->ops->finish(sink, NULL), WADI_OK);
    wadi_sink_destroy(sink);
    char *one = NULL, *other = NULL;
    size_t n = 0, m = 0;
    assert_int_equal(wadi_file_read(out, &one, &n, NULL), WADI_OK);
    assert_int_equal(wadi_file_read(whole, &other, &m, NULL), WADI_OK);
    assert_int_equal(n, m);
    assert_memory_equal(one, other, n);
    free(one);
    free(other);
    (void)unlink(out);
    (void)unlink(whole);
}

#if defined WADI_HAVE_CFITSIO || defined WADI_HAVE_PNG
static void put_planes(wadi_sink *sink, int64_t first, int64_t count) {
    static float pixels[N][2][3];
    wadi_chunk *c = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_chunk_create(buffers, 1, &c, NULL), WADI_OK);
    c->first = first;
    c->count = count;
    c->component[0] = (wadi_chunk_component){.layout = WADI_LAYOUT_REGULAR,
                                             .rank = 2,
                                             .fields = 1,
                                             .type = {WADI_F32},
                                             .shape = {2, 3},
                                             .values = 6 * count,
                                             .column = {pixels}};
    if (sink->ops->put(sink, c, &err) != WADI_OK) fail_msg("%s", err.msg);
    wadi_chunk_release(c);
}

static void assert_file_of_planes(wadi_sink *sink, const char *out) {
    put_planes(sink, 0, 4);
    has(sink, 0);
    put_planes(sink, 4, 3);
    has(sink, 0);
    assert_int_equal(sink->ops->finish(sink, NULL), WADI_OK);
    has(sink, 7);
    wadi_sink_destroy(sink);
    (void)unlink(out);
}
#endif

static void an_image_is_there_when_it_is_finished(void **state) {
    (void)state;
    wadi_sink *sink = NULL;
    char out[64];
    (void)snprintf(out, sizeof out, "%s.image", path);
#ifdef WADI_HAVE_CFITSIO
    assert_int_equal(wadi_sink_fits(out, NULL, &sink, NULL), WADI_OK);
    assert_file_of_planes(sink, out);
#endif
#ifdef WADI_HAVE_PNG
    assert_int_equal(wadi_sink_png(out, NULL, &sink, NULL), WADI_OK);
    assert_file_of_planes(sink,
                          out); /* the first one is the picture; the others need not be put again */
#endif
    WADI_UNUSED(sink);
    WADI_UNUSED(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_goes_on_from_every_position),
        cmocka_unit_test(what_is_no_position_is_refused_and_changes_nothing),
        cmocka_unit_test(a_pipe_and_a_shorter_file_have_no_such_position),
        cmocka_unit_test(those_that_cannot_say_so),
        cmocka_unit_test(a_memory_sink_has_what_it_got),
        cmocka_unit_test(a_file_is_there_when_it_is_finished),
        cmocka_unit_test(a_file_that_lasts_is_there_at_once),
        cmocka_unit_test(an_image_is_there_when_it_is_finished),
    };
    const int fd = mkstemp(path), other = mkstemp(text);
    if (fd < 0 || other < 0) return 1;
    (void)close(fd);
    for (int i = 0; i < N; i++) {
        values[i][0] = columns[offsets[i]] = i;
        values[i][1] = -i;
        (void)dprintf(other, "%d 777777777777\n", i);
    }
    (void)close(other);
    if (wadi_file_write(path, values, sizeof values, 0600, NULL) != WADI_OK) return 1;
    if (wadi_buffers_create(NULL, 0, &buffers, NULL) != WADI_OK) return 1;
    const int rc = cmocka_run_group_tests(tests, NULL, NULL);
    wadi_buffers_release(buffers);
    (void)unlink(path);
    (void)unlink(text);
    return rc;
}
