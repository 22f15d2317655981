/* Values in the memory of others give what the interpreter gives, in every schedule: where fields change places, and where a branch, a loop or a
 * routine's region hands on what is replaced. Which values these are, tests/codegen/place_test.c checks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "tests/conformance/texts.h"
#include "wadi/lang_foreign.h"
#include "wadi/run.h"

#define BEGIN "program place\ninput r259 : f64[n]\ninput r17 : f64[m]\ninput z : i64[9]\n"
#define MADE(name, from) #name " = scanl1 " #from " (x, y) { add (mul x 0.5) y }\n"

static void fields_change_places(void **state) {
    texts_check(
        state,
        BEGIN MADE(a, r259) "r = zip_with a r259 (x, y) { p: x, q: y }\n"
                            "s = scanl1 r (p, q, x, y) { p: add q x, q: max p y }\n"
                            "t = map s (p, q) { p: q, q: neg p }\nu = compute t\n"
                            "v = zip_with u r259 (p, q, c) { p: add q c, q: p }\noutput v\n",
        false);
    texts_check(state,
                "program states\nstream_in v : seq(i64[?])\n"
                "f = use : i64[4] [3, 1, 4, 1]\ng = map f (x) { p: x, q: mul x 7 }\n"
                "h = fold_seq v g (k, a) {\n"
                "    j = map k (p, q) { p: add q 1, q: sub p 2 }\n    yield j\n}\noutput h\n",
                false);
    texts_check(state,
                BEGIN "c = map r259 (a) { complex a (mul a 2.0) }\nd = compute c\n"
                      "e = map d (w) { complex (imag w) (real w) }\nf = compute e\n"
                      "g = map f (w) { complex (imag w) (add (real w) 1.0) }\noutput g\n",
                false);
}

static wadi_status decline(void *env, int nin, const wadi_foreign_array *in,
                           const wadi_foreign_array *out, wadi_error *err) {
    (void)env, (void)nin, (void)in, (void)out;
    return wadi_fail(err, WADI_UNSUPPORTED, "not today");
}

#define ROUTINE(from, region)                                            \
    "program declines\ninput x : i64[n]\nm = unit { extent x 0 }\n" from \
    "y = foreign \"in_place_declines\" dims=1 arrays=1 " region "} : i64[n]\n"

/* What output "o" is for x = 1, 2, 3, if routines are called; x stays as it is. */
static void gives(const char *text, wadi_schedule_option schedule, const int64_t want[3]) {
    const wadi_run_options options = {.schedule = schedule};
    int64_t x[] = {1, 2, 3};
    const wadi_array in = {.rank = 1, .fields = 1, .shape = {3}, .type = {WADI_I64}, .column = {x}};
    wadi_array out;
    wadi_exe *exe = NULL;
    wadi_run *run = NULL;
    wadi_error err = {0};
    if (wadi_compile_text(text, "declines", NULL, &exe, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(wadi_run_create(exe, &options, &run, NULL), WADI_OK);
    assert_int_equal(wadi_run_input(run, "x", &in, NULL), WADI_OK);
    assert_int_equal(wadi_run_go(run, NULL), WADI_OK);
    assert_int_equal(wadi_run_result(run, "o", &out, NULL), WADI_OK);
    assert_memory_equal(out.column[0], want, 3 * sizeof *want);
    assert_true(x[0] == 1 && x[1] == 2 && x[2] == 3);
    wadi_run_destroy(run);
    wadi_exe_destroy(exe);
}

static void regions_of_routines_hand_on(void **state) {
    (void)state;
    assert_int_equal(wadi_foreign_add("in_place_declines", decline, NULL, NULL), WADI_OK);
    gives(ROUTINE("",
                  "x m (a) {\n    b = scanl1 a (s, e) { add s e }\n    yield b\n") "o = map y (v) "
                                                                                   "{ mul v 2 "
                                                                                   "}\noutput o\n",
          WADI_SCHEDULE_AUTO, (const int64_t[]){2, 6, 12});
    gives(ROUTINE("", "x m (a) { yield a ") "o = map y (v) { mul v 2 }\noutput o\n",
          WADI_SCHEDULE_AUTO, (const int64_t[]){2, 4, 6});
    gives(ROUTINE("k = scanl1 x (s, e) { add s e }\n",
                  "k m (a) { yield a ") "w = scanl1 k (s, e) { add s e }\no = zip_with y w (p, "
                                        "q) { sub p q }\noutput o\n",
          WADI_SCHEDULE_AUTO, (const int64_t[]){0, -1, -4});
    wadi_foreign_remove("in_place_declines");
}

/* c is a, or what the loop began with. */
#define HANDED(how)                                                            \
    "program handed\ninput x : i64[n]\na = scanl1 x (s, e) { sub s e }\n"      \
    "p = unit { lt (extent x 0) 9 }\n" how "d = scanl1 a (s, e) { max s e }\n" \
    "o = zip_with c d (u, v) { sub u (mul v 3) }\noutput o\n"

static void branches_and_loops_hand_on(void **state) {
    static const char branch[] = HANDED("c = acond p { yield a } else { yield x }\n"),
                      loop[] = HANDED("c = awhile a (w) {\n    q = unit { gt (w ! 0) 9 }\n"
                                      "    yield q\n} do (w) {\n    y = take dim=0 w 1\n"
                                      "    yield y\n}\n");
    static const wadi_schedule_option schedules[] = {WADI_SCHEDULE_FORCE_INSIDE,
                                                     WADI_SCHEDULE_FORCE_FLAT};
    (void)state;
    for (int i = 0; i < 2; i++) {
        gives(branch, schedules[i], (const int64_t[]){-2, -4, -7});
        gives(loop, schedules[i], (const int64_t[]){-2, -4, -7});
    }
}

/* A loop over rows leaves a long one to another form of itself (codegen/emit/c/outline.c), which begins its round again: what was stored in place by
 * then must not be stored twice. */
#define TWO_STATES(how)                                                                      \
    "program states\ninput r259 : f64[n]\ns = produce 9 (i) {\n"                             \
    "    m = unit { mul (the i) 5 }\n    x = generate m (k) { r259 ! (mul k 3) }\n    "      \
    "yield x\n}\n"                                                                           \
    "zero = generate 4 (i) { 0.0 }\n" how                                                    \
    " s zero zero (z, y, x) {\n    w = map z (p) { add p 1.0 }\n"                            \
    "    t = fold 0.0 x (p, q) { add p q }\n    v = map y (p) { add (mul p 0.5) (the t) }\n" \
    "    yield w, v\n}\n"

static void long_rows_begin_again(void **state) {
    texts_check(state, TWO_STATES("a, b = fold_seq") "output a\noutput b\n", false);
    texts_check(state, TWO_STATES("r = scan_seq") "stream_out \"r\" r\n", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_change_places),
        cmocka_unit_test(branches_and_loops_hand_on),
        cmocka_unit_test(regions_of_routines_hand_on),
        cmocka_unit_test(long_rows_begin_again),
    };
    return cmocka_run_group_tests(tests, texts_open, texts_close);
}
