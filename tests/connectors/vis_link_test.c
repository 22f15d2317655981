/* Visibilities over two processes: one sends rows with a header in front, the other listens. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

#include "sched/stream.h"
#include "tests/connectors/vis_rows.h"
#include "tests/open_files.h"

enum { ROWS = 250, CHANNELS = 3, POLS = 2 };

static const double frequencies[CHANNELS] = {1.4e9, 1.41e9, 1.42e9};
static const int codes[POLS] = {WADI_STOKES_RR, WADI_STOKES_LL};
static const wadi_vis_info about = {.rows = ROWS,
                                    .channels = CHANNELS,
                                    .pols = POLS,
                                    .frequency = frequencies,
                                    .stokes = codes,
                                    .channel_width = 1e7,
                                    .ra = 3.25,
                                    .dec = -0.5,
                                    .equinox = 2000,
                                    .object = "M 87",
                                    .telescope = "EVLA",
                                    .format = "made up"};

/* ---- the sending process ---- */

/* Row r of what is sent: every value tells where it stands. */
static void make_row(int64_t r, const wadi_array part[WADI_VIS_PARTS]) {
    double *uvw = part[WADI_VIS_UVW].column[0];
    int32_t *pair = part[WADI_VIS_PAIR].column[0];
    const int64_t cells = part[WADI_VIS_DATA].shape[0] * part[WADI_VIS_DATA].shape[1];
    for (int i = 0; i < 3; i++) uvw[i] = (double)(10 * r + i);
    for (int i = 0; i < 2; i++) pair[i] = (int32_t)(r + i);
    *(double *)part[WADI_VIS_TIME].column[0] = 5e4 + (double)r;
    for (int64_t c = 0; c < cells; c++) {
        ((double *)part[WADI_VIS_DATA].column[0])[2 * c] = (double)(100 * r + c);
        ((double *)part[WADI_VIS_DATA].column[0])[2 * c + 1] = -(double)c;
        ((float *)part[WADI_VIS_WEIGHT].column[0])[c] = (float)(r + c);
    }
}

/* What a sender does: once it has read a byte from `begin_fd`, `chunk` rows at a time; after `pause_at` rows it reads a byte from
 * `wait_fd`, after `die_at` rows it dies. */
typedef struct plot {
    const wadi_vis_info *info; /* NULL: `about` */
    const char *note;          /* instead of a header */
    int64_t rows, chunk, pols;
    int64_t pause_at, die_at; /* -1: never */
    int begin_fd;             /* 0: it begins at once */
    int wait_fd;
} plot;

static const plot plain = {.rows = ROWS, .chunk = 13, .pols = POLS, .pause_at = -1, .die_at = -1};

static wadi_status send_chunk(wadi_sink *sink, wadi_buffers *buffers, const plot *p, int64_t first,
                              int64_t n, wadi_error *err) {
    const int64_t cell[2] = {CHANNELS, p->pols}, three = 3, two = 2;
    const wadi_part parts[WADI_VIS_PARTS] = {
        wadi_part_fixed(WADI_F64, 1, &three), wadi_part_fixed(WADI_I32, 1, &two),
        wadi_part_fixed(WADI_F64, 0, NULL), wadi_part_irregular(WADI_C128, 2),
        wadi_part_fixed(WADI_F32, 2, cell)};
    wadi_builder b;
    wadi_chunk *c = NULL;
    wadi_array a[WADI_VIS_PARTS];
    wadi_status s = wadi_builder_init(&b, buffers, WADI_VIS_PARTS, parts, INT64_MAX, err);
    for (int64_t r = first; r < first + n && s == WADI_OK; r++) {
        for (int i = 0; i < WADI_VIS_PARTS && s == WADI_OK; i++)
            s = wadi_builder_array(&b, i, i == WADI_VIS_DATA ? cell : NULL, &a[i], err);
        if (s == WADI_OK) make_row(r, a);
        if (s == WADI_OK) s = wadi_builder_next(&b, err);
    }
    if (s == WADI_OK) s = wadi_chunk_create(buffers, WADI_VIS_PARTS, &c, err);
    if (s == WADI_OK) {
        c->first = first;
        c->count = n;
        wadi_builder_finish(&b, c, 0, n);
        s = sink->ops->put(sink, c, err);
    }
    wadi_chunk_release(c);
    wadi_builder_fini(&b);
    return s;
}

static wadi_status send_rows(wadi_sink *sink, const plot *p, wadi_error *err) {
    wadi_buffers *buffers = NULL;
    char byte = 0;
    wadi_status s = wadi_buffers_create(NULL, 1 << 20, &buffers, err);
    for (int64_t r = 0; r < p->rows && s == WADI_OK; r += p->chunk) {
        if (r == p->pause_at && read(p->wait_fd, &byte, 1) != 1) _exit(99);
        if (r == p->die_at) (void)raise(SIGKILL);
        s = send_chunk(sink, buffers, p, r, p->rows - r < p->chunk ? p->rows - r : p->chunk, err);
    }
    if (s == WADI_OK) s = sink->ops->finish(sink, err);
    wadi_buffers_release(buffers);
    return s;
}

static wadi_status open_sink(const char *address, const wadi_link_options *options, const plot *p,
                             wadi_sink **out, wadi_error *err) {
    if (p->note == NULL)
        return wadi_vis_sink(address, options, p->info != NULL ? p->info : &about, out, err);
    wadi_link_options o = *options;
    if (p->note[0] != 0) {
        o.note = p->note;
        o.note_bytes = (int64_t)strlen(p->note);
    }
    return wadi_sink_link(address, &o, out, err);
}

/* Its exit status is that of the sending. Not while threads of this process are busy: a sanitizer's allocator may then stay locked
 * in the new one. */
static pid_t start_sender(const char *address, const wadi_link_options *options, plot p) {
    (void)fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0) return pid;
    wadi_sink *sink = NULL;
    wadi_error err = {0};
    char byte = 0;
    if (p.begin_fd > 0 && read(p.begin_fd, &byte, 1) != 1) _exit(99);
    wadi_status status = open_sink(address, options, &p, &sink, &err);
    if (status == WADI_OK) status = send_rows(sink, &p, &err);
    wadi_sink_destroy(sink);
    _exit((int)status);
}

static int exit_status(pid_t pid) {
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- the listening process ---- */

static const wadi_link_options binds = {.bind = true, .first_after_ms = -1};
static const wadi_link_options connects = {0};

/* An address of its own for every use. */
static const char *ipc_address(void) {
    static char address[128];
    static int used;
    (void)snprintf(address, sizeof address, "ipc:///tmp/wadi-vis-%ld-%d", (long)getpid(), used++);
    return address;
}

static void remove_address(const char *address) {
    (void)unlink(address + strlen("ipc://"));
}

static void check_rows(const vis_rows *r) {
    double uvw[3], time, data[2 * CHANNELS * POLS];
    int32_t pair[2];
    float weight[CHANNELS * POLS];
    wadi_array a[WADI_VIS_PARTS] = {{.column = {uvw}},
                                    {.column = {pair}},
                                    {.column = {&time}},
                                    {.shape = {CHANNELS, POLS}, .column = {data}},
                                    {.column = {weight}}};
    for (int64_t i = 0; i < r->n; i++) {
        make_row(i, a);
        assert_memory_equal(r->row.uvw + 3 * i, uvw, sizeof uvw);
        assert_memory_equal(r->row.pair + 2 * i, pair, sizeof pair);
        assert_memory_equal(r->row.time + i, &time, sizeof time);
        assert_memory_equal(r->row.data + 2 * r->cells * i, data, sizeof data);
        assert_memory_equal(r->row.weight + r->cells * i, weight, sizeof weight);
    }
}

static wadi_vis *must_listen(const char *address, const wadi_link_options *options) {
    wadi_vis *v = NULL;
    wadi_error err = {0};
    if (wadi_vis_listen(address, options, &v, &err) != WADI_OK) fail_msg("%s", err.msg);
    return v;
}

/* Listens and reads everything, k rows at a time; what came is right in any case. */
static wadi_status receive(const char *address, int64_t k, int64_t *out_rows, wadi_error *err) {
    wadi_vis *v = NULL;
    vis_rows r = {0};
    *out_rows = 0;
    wadi_status status = wadi_vis_listen(address, &binds, &v, err);
    if (status == WADI_OK) {
        status = vis_rows_read(v, k, &r, err);
        check_rows(&r);
        *out_rows = r.n;
    }
    vis_rows_fini(&r);
    wadi_vis_close(v);
    return status;
}

/* rows -1: however many. */
static void fails_with(const plot *p, wadi_status status, int64_t rows, const char *words) {
    const char *address = ipc_address();
    const pid_t pid = start_sender(address, &connects, *p);
    wadi_error err = {0};
    int64_t got = 0;
    assert_int_equal(receive(address, 40, &got, &err), status);
    if (strstr(err.msg, words) == NULL) fail_msg("no \"%s\" in: %s", words, err.msg);
    if (rows >= 0) assert_int_equal(got, rows);
    assert_int_not_equal(exit_status(pid), WADI_OK);
    remove_address(address);
}

/* ---- tests ---- */

static void rows_arrive_as_they_were_sent(void **state) {
    (void)state;
    static const int64_t takes[] = {1, 7, 13, 1000};
    for (int i = 0; i < 4; i++) {
        const char *address = ipc_address();
        const pid_t pid = start_sender(address, &connects, plain);
        wadi_error err = {0};
        int64_t rows = 0;
        if (receive(address, takes[i], &rows, &err) != WADI_OK) fail_msg("%s", err.msg);
        assert_int_equal(rows, ROWS);
        assert_int_equal(exit_status(pid), WADI_OK);
        remove_address(address);
    }
}

static void the_header_arrives_before_the_first_row(void **state) {
    (void)state;
    const char *address = ipc_address();
    plot p = plain;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    p.pause_at = 0;
    p.wait_fd = ends[0];
    wadi_vis_info reaching = about;
    reaching.longest = 3.5e4;
    reaching.shortest = 0.125;
    p.info = &reaching;
    const pid_t pid = start_sender(address, &connects, p);
    wadi_vis *v = must_listen(address, &binds);
    const wadi_vis_info *i = wadi_vis_about(v);
    assert_true(i->longest == 3.5e4 && i->shortest == 0.125);
    assert_int_equal(i->rows, ROWS);
    assert_int_equal(i->channels, CHANNELS);
    assert_int_equal(i->pols, POLS);
    assert_memory_equal(i->frequency, frequencies, sizeof frequencies);
    assert_memory_equal(i->stokes, codes, sizeof codes);
    assert_true(i->ra == about.ra && i->dec == about.dec && i->equinox == about.equinox);
    assert_true(i->channel_width == about.channel_width);
    assert_string_equal(i->object, "M 87");
    assert_string_equal(i->telescope, "EVLA");
    assert_string_equal(i->format, "link");
    assert_int_equal(write(ends[1], "x", 1), 1);
    vis_rows r = {0};
    assert_int_equal(vis_rows_read(v, 40, &r, NULL), WADI_OK);
    assert_int_equal(r.n, ROWS);
    check_rows(&r);
    vis_rows_fini(&r);
    wadi_vis_close(v);
    assert_int_equal(exit_status(pid), WADI_OK);
    (void)close(ends[0]);
    (void)close(ends[1]);
    remove_address(address);
}

static void rows_that_are_there_need_not_wait_for_more(void **state) {
    (void)state;
    const char *address = ipc_address();
    plot p = plain;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    p.pause_at = 26;
    p.wait_fd = ends[0];
    const pid_t pid = start_sender(address, &connects, p);
    wadi_vis *v = must_listen(address, &binds);
    double uvw[3 * ROWS], time[ROWS], data[2 * ROWS * CHANNELS * POLS];
    int32_t pair[2 * ROWS];
    float weight[ROWS * CHANNELS * POLS];
    const wadi_vis_rows to = {uvw, pair, time, data, weight};
    int64_t at = 0;
    while (at < 26) {
        int64_t n = 0;
        assert_int_equal(v->ops->read(v, at, ROWS, &to, &n, NULL), WADI_OK);
        assert_true(n > 0);
        at += n;
    }
    assert_int_equal(at, 26);
    wadi_vis_close(v);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_not_equal(exit_status(pid), WADI_OK); /* it was not heard to the end */
    (void)close(ends[0]);
    (void)close(ends[1]);
    remove_address(address);
}

static void a_killed_sender_is_an_error_after_its_rows(void **state) {
    (void)state;
    plot p = plain;
    p.die_at = 130;
    fails_with(
        &p, WADI_IO, -1,
        "the connection to the sender was lost"); /* what it had not got out is lost with it */
}

static void other_rows_than_the_header_says_are_an_error(void **state) {
    (void)state;
    plot p = plain;
    p.pols = 3;
    fails_with(&p, WADI_IO, 0, "not what the sender's header says");
    p = plain;
    p.rows = ROWS + 40;
    fails_with(&p, WADI_IO, 247, "its header says 250");
}

static void missing_rows_are_an_error(void **state) {
    (void)state;
    const char *address = ipc_address();
    plot p = plain;
    p.rows = ROWS - 1;
    const pid_t pid = start_sender(address, &connects, p);
    wadi_error err = {0};
    int64_t rows = 0;
    assert_int_equal(receive(address, 40, &rows, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "has ended after 249 rows"));
    assert_int_equal(rows, ROWS - 1);
    (void)exit_status(pid);
    remove_address(address);
}

static void what_is_no_visibilities_is_refused(void **state) {
    (void)state;
    plot p = plain;
    p.note = "";
    fails_with(&p, WADI_IO, 0, "it does not send visibilities");
    p.note = "a title";
    fails_with(&p, WADI_IO, 0, "WVIS");
    p.note = "WVIS\2";
    fails_with(&p, WADI_IO, 0, "WVIS");
    p.note = "WVIS\2\1\1\1";
    fails_with(&p, WADI_UNSUPPORTED, 0, "version 258");
}

static void a_second_sender_is_turned_away(void **state) {
    (void)state;
    const char *address = ipc_address();
    plot p = plain, late = plain, none;
    int pause[2], begin[2], over[2];
    assert_int_equal(pipe(pause), 0);
    assert_int_equal(pipe(over), 0);
    assert_int_equal(pipe(begin), 0);
    p.pause_at = 130;
    p.wait_fd = pause[0];
    late.begin_fd = begin[0];
    none = late;
    none.rows = 0;
    none.note = "";
    const pid_t second = start_sender(address, &connects, late);
    (void)close(over[1]); /* the second alone has it open */
    const pid_t first = start_sender(address, &connects, p);
    const pid_t third = start_sender(address, &connects, none);
    const pid_t helper = fork(); /* lets the first go on when the second has gone */
    assert_true(helper >= 0);
    if (helper == 0) {
        char byte = 0;
        if (read(over[0], &byte, 1) != 0) _exit(1);
        _exit(write(pause[1], "x", 1) == 1 ? 0 : 1);
    }
    wadi_vis *v = must_listen(address, &binds);
    assert_int_equal(write(begin[1], "xx", 2), 2);
    vis_rows r = {0};
    wadi_error err = {0};
    /* who sends nothing is told nothing; the second one is, while the rows of the first are read */
    if (vis_rows_read(v, 40, &r, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(r.n, ROWS);
    check_rows(&r);
    assert_int_equal(exit_status(helper), 0);
    assert_int_equal(exit_status(first), WADI_OK);
    assert_int_not_equal(exit_status(second), WADI_OK);
    vis_rows_fini(&r);
    wadi_vis_close(v);
    (void)exit_status(third);
    (void)close(over[0]);
    for (int i = 0; i < 2; i++) {
        (void)close(pause[i]);
        (void)close(begin[i]);
    }
    remove_address(address);
}

static void the_rows_of_a_link_pass_once(void **state) {
    (void)state;
    const char *address = ipc_address();
    const pid_t pid = start_sender(address, &connects, plain);
    wadi_vis *v = must_listen(address, &binds);
    vis_rows r = {0}, again = {0};
    wadi_error err = {0};
    assert_int_equal(vis_rows_read(v, 40, &r, NULL), WADI_OK);
    assert_int_equal(vis_rows_read(v, 40, &again, &err), WADI_INVALID);
    assert_non_null(strstr(err.msg, "only once"));
    wadi_source *source = NULL;
    assert_int_equal(wadi_vis_source(v, &source, NULL), WADI_OK);
    assert_int_equal(wadi_source_seek(source, (wadi_position){0}, &err), WADI_UNSUPPORTED);
    assert_string_equal(err.msg, "visibilities: rows that pass only once");
    wadi_source_destroy(source);
    vis_rows_fini(&r);
    vis_rows_fini(&again);
    wadi_vis_close(v);
    assert_int_equal(exit_status(pid), WADI_OK);
    remove_address(address);
}

static void a_header_that_says_nonsense_is_not_sent(void **state) {
    (void)state;
    const double bad_frequency[CHANNELS] = {1e9, -1, (double)NAN};
    const int bad_code[POLS] = {-1, 9};
    char long_name[2000];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    wadi_vis_info bad[10];
    for (int i = 0; i < 10; i++) bad[i] = about;
    bad[0].rows = -2;
    bad[1].channels = 0;
    bad[2].pols = 13;
    bad[3].frequency = bad_frequency;
    bad[4].stokes = bad_code;
    bad[5].dec = 2;
    bad[6].object = long_name;
    bad[7].telescope = "a\nb";
    bad[8].longest = 3; /* without the shortest */
    bad[9].shortest = -1;
    for (int i = 0; i < 10; i++) {
        wadi_sink *sink = NULL;
        assert_int_equal(wadi_vis_sink(ipc_address(), &binds, &bad[i], &sink, NULL), WADI_INVALID);
    }
}

static void nobody_comes_is_an_error(void **state) {
    (void)state;
    const wadi_link_options impatient = {
        .bind = true, .first_after_ms = 50, .lost_after_ms = 60000};
    const char *address = ipc_address();
    wadi_vis *v = NULL;
    wadi_error err = {0};
    assert_int_equal(wadi_vis_listen(address, &impatient, &v, &err), WADI_IO);
    assert_non_null(strstr(err.msg, "no sender for"));
    remove_address(address);
}

static const char *tcp_address(void) {
    static char address[64];
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_PAIR);
    size_t n = sizeof address;
    assert_int_equal(zmq_bind(socket, "tcp://127.0.0.1:*"), 0); /* a port that is free now */
    assert_int_equal(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, address, &n), 0);
    (void)zmq_close(socket);
    (void)zmq_ctx_term(context);
    return address;
}

static void keys_admit_a_telescope(void **state) {
    (void)state;
    if (!zmq_has("curve")) skip();
    char server[2][41], client[2][41];
    assert_int_equal(zmq_curve_keypair(server[0], server[1]), 0);
    assert_int_equal(zmq_curve_keypair(client[0], client[1]), 0);
    const char *const clients[] = {client[0], NULL};
    const wadi_link_options listens = {.bind = true,
                                       .curve_public = server[0],
                                       .curve_secret = server[1],
                                       .curve_clients = clients};
    const wadi_link_options sends = {
        .curve_public = client[0], .curve_secret = client[1], .curve_server = server[0]};
    const char *address = tcp_address();
    const pid_t pid = start_sender(address, &sends, plain);
    wadi_vis *v = must_listen(address, &listens);
    vis_rows r = {0};
    assert_int_equal(vis_rows_read(v, 40, &r, NULL), WADI_OK);
    assert_int_equal(r.n, ROWS);
    check_rows(&r);
    vis_rows_fini(&r);
    wadi_vis_close(v);
    assert_int_equal(exit_status(pid), WADI_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_files_are_counted),
        cmocka_unit_test(rows_arrive_as_they_were_sent),
        cmocka_unit_test(the_header_arrives_before_the_first_row),
        cmocka_unit_test(rows_that_are_there_need_not_wait_for_more),
        cmocka_unit_test(a_killed_sender_is_an_error_after_its_rows),
        cmocka_unit_test(other_rows_than_the_header_says_are_an_error),
        cmocka_unit_test(missing_rows_are_an_error),
        cmocka_unit_test(what_is_no_visibilities_is_refused),
        cmocka_unit_test(a_second_sender_is_turned_away),
        cmocka_unit_test(the_rows_of_a_link_pass_once),
        cmocka_unit_test(a_header_that_says_nonsense_is_not_sent),
        cmocka_unit_test(nobody_comes_is_an_error),
        cmocka_unit_test(keys_admit_a_telescope),
        cmocka_unit_test(no_file_is_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
