/* The table of waits against a plain list: what is printed after waits have begun and ended in any order. The test sets the
 * clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/wait.h"

enum { ROOM = 32 }; /* waits that are told of at a time */

static _Atomic int64_t now_ns; /* the watchdog of the table reads it, too */

static int64_t now(void) {
    return now_ns;
}

/* Far too patient to say anything. */
static wadi_waits *table(void) {
    wadi_waits *w = NULL;
    assert_int_equal(wadi_waits_create(INT64_C(1) << 60, &w, NULL), WADI_OK);
    return w;
}

static void assert_prints(wadi_waits *w, const char *want) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_waits_print(w, &t);
    assert_string_equal(wadi_text_str(&t), want);
    wadi_text_fini(&t);
}

typedef struct row {
    bool taken;
    int64_t since;
    wadi_wait wait;
} row;

static void print(const row *rows, char *out, size_t room) {
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < ROOM; i++) {
        const row *r = &rows[i];
        if (!r->taken) continue;
        n += (size_t)snprintf(out + n, room - n, "%s%s %s %.1f s %s %s", n > 0 ? "; " : "",
                              r->wait.owner, r->wait.works ? "works" : "waits",
                              (double)(now_ns - r->since) / 1e9, r->wait.works ? "on" : "for",
                              r->wait.what);
        if (r->wait.number >= 0)
            n += (size_t)snprintf(out + n, room - n, " %lld", (long long)r->wait.number);
        if (r->wait.name != NULL) n += (size_t)snprintf(out + n, room - n, " (%s)", r->wait.name);
    }
}

/* The ticket of a wait is a seat that nobody has; whoever finds none is not told of, and may end as well. */
static void what_has_begun_and_not_ended_is_printed(void **state) {
    (void)state;
    static row rows[ROOM];
    static char want[ROOM * 100];
    static const char *const owners[] = {"source", "compute", "sink"};
    static const char *const names[] = {NULL, "flat", "disk"};
    uint64_t seed = 3;
    now_ns = 0;
    wadi_clock_set(now);
    wadi_waits *w = table();
    int taken = 0;
    for (int i = 0; i < 4000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t x = seed >> 33;
        now_ns += (int64_t)(x % 7) * 100000000;
        /* at times many begin, at times many end */
        if (x / 7 % 100 < (i / 500 % 2 == 0 ? 70u : 30u)) {
            const wadi_wait wait = {owners[x % 3], "chunk", (int64_t)(x / 11 % 5) - 1,
                                    names[x / 13 % 3], x / 17 % 2 == 0};
            const int ticket =
                x % 5 == 0 ? wadi_wait_begin_idle(w, wait) : wadi_wait_begin(w, wait);
            if (taken == ROOM) {
                assert_int_equal(ticket, -1);
                wadi_wait_end(w, ticket);
                continue;
            }
            assert_in_range(ticket, 0, ROOM - 1);
            assert_false(rows[ticket].taken);
            rows[ticket] = (row){true, now_ns, wait};
            taken++;
        } else if (taken > 0) {
            int at = (int)(x / 19 % ROOM);
            while (!rows[at].taken) at = (at + 1) % ROOM;
            wadi_wait_end(w, at);
            rows[at].taken = false;
            taken--;
        }
        print(rows, want, sizeof want);
        assert_prints(w, want);
    }
    for (int i = 0; i < ROOM; i++)
        if (rows[i].taken) wadi_wait_end(w, i);
    assert_prints(w, "");
    wadi_waits_destroy(w);
    wadi_clock_set(NULL);
}

static void without_a_table_nothing_is_registered(void **state) {
    (void)state;
    const wadi_wait wait = {"sink", "chunk", 1, NULL, false};
    assert_int_equal(wadi_wait_begin(NULL, wait), -1);
    assert_int_equal(wadi_wait_begin_idle(NULL, wait), -1);
    wadi_wait_end(NULL, 0);
    wadi_wait_end(NULL, -1);
    wadi_waits_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_begun_and_not_ended_is_printed),
        cmocka_unit_test(without_a_table_nothing_is_registered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
