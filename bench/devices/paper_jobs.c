/* The rows of Table 2 of "Optimising Purely Functional GPU Programs" (McDonell et al., ICFP 2013) as jobs, at the paper's sizes and in f32, as
 * there. paper_s is what Accelerate takes on the paper's GPU, a Tesla T10.
 *
 * Rows that are not the whole of the paper's: of Canny the phases that are parallel, without the last, which connects edges on the host; of
 * fluid flow the 160 relaxations of a step, without its advection. */
#include <string.h>

#include "base/error.h"
#include "bench/arrays/numbers/texts.h"
#include "bench/devices/jobs.h"

#define F32_SCALED "s = map x (a) { mul a (convert f32 (the factor)) }\n"
#define PICKED "rem (mul (add (the i) 1) 7919999)"

/* ---- Black-Scholes: call and put ---- */

static const char black_scholes[] = "g = zip_with x y z (u, strike, t) {\n"
                                    "price = mul u (convert f32 (the factor))\n" PAPER_PRICES "}\n"
                                    "m = compute g\n"
                                    "v = unit {\n"
                                    "call, put = m ! (" PICKED " (extent m 0))\n"
                                    "convert f64 (add call put)\n"
                                    "}\n";

/* ---- Canny: five weights along each axis, gradient, its greatest places, strong edges ---- */

#define BLUR(FROM, TO, A, B, C, D, E)                                                  \
    TO " = generate h @ (i, j) {\n"                                                    \
       "a = add (" FROM " " A ") (" FROM " " E ")\n"                                   \
       "b = add (" FROM " " B ") (" FROM " " D ")\n"                                   \
       "add (mul 0.0625f32 a) (add (mul 0.25f32 b) (mul 0.375f32 (" FROM " " C ")))\n" \
       "}\n"

static const char canny[] = F32_SCALED
    "h = unit { quot (the n) @ }\n"
    "picture = reshape s h @\n" BLUR("picture !", "across", "(i, max 0 (sub j 2))",
                                     "(i, max 0 (sub j 1))", "(i, j)",
                                     "(i, min (sub @ 1) (add j 1))", "(i, min (sub @ 1) (add j 2))")
        BLUR("across !", "blurred", "(max 0 (sub i 2), j)", "(max 0 (sub i 1), j)", "(i, j)",
             "(min (sub (the h) 1) (add i 1), j)",
             "(min (sub (the h) 1) (add i 2), j)") "gradient = generate h @ (i, j) {\n"
                                                   "a = sub (blurred ! (i, min (sub @ 1) (add j "
                                                   "1))) (blurred ! (i, max 0 (sub j 1)))\n"
                                                   "b = sub (blurred ! (min (sub (the h) 1) (add i "
                                                   "1), j)) (blurred ! (max 0 (sub i 1), j))\n"
                                                   "steep = gt (abs b) (abs a)\n"
                                                   "size: sqrt (add (mul a a) (mul b b)), down: if "
                                                   "steep { 1 } else { 0 }\n"
                                                   "}\n"
                                                   "edges = generate h @ (i, j) {\n"
                                                   "m, down = gradient ! (i, j)\n"
                                                   "right = sub 1 down\n"
                                                   "before, d = gradient ! (max 0 (sub i down), "
                                                   "max 0 (sub j right))\n"
                                                   "behind, e = gradient ! (min (sub (the h) 1) "
                                                   "(add i down), min (sub @ 1) (add j right))\n"
                                                   "if land (ge m before) (land (gt m behind) (gt "
                                                   "m 0.05f32)) { if gt m 0.1f32 { 1.0 } else { "
                                                   "0.5 } } else { 0.0 }\n"
                                                   "}\n"
                                                   "kept = compute edges\n"
                                                   "strong = map kept (e) { if gt e 0.9 { 1.0 } "
                                                   "else { 0.0 } }\n"
                                                   "counts = fold 0.0 strong (a, b) { add a b }\n"
                                                   "v = fold 0.0 counts (a, b) { add a b }\n";

static const char dot[] = "s = zip_with x y (a, b) { mul (mul a b) (convert f32 (the factor)) }\n"
                          "t = fold 0.0f32 s (a, b) { add a b }\n"
                          "v = unit { convert f64 (the t) }\n";

static const char fluid[] =
    F32_SCALED "h = unit { quot (the n) @ }\n"
               "first = reshape s h @\n"
               "g, steps = awhile first 0 (a, k) {\n"
               "c = unit { lt (the k) 160 }\n"
               "yield c\n"
               "} do (a, k) {\n"
               "b = generate h @ (i, j) {\n"
               "up = a ! (max 0 (sub i 1), j)\n"
               "down = a ! (min (sub (the h) 1) (add i 1), j)\n"
               "left = a ! (i, max 0 (sub j 1))\n"
               "right = a ! (i, min (sub @ 1) (add j 1))\n"
               "mul 0.2f32 (add (a ! (i, j)) (add (add up down) (add left right)))\n"
               "}\n"
               "l = unit { add (the k) 1 }\n"
               "yield b, l\n"
               "}\n"
               "v = unit { convert f64 (g ! (rem (add (the i) 7) (the h), rem (mul (add (the i) 1) "
               "7919) @)) }\n";

static const char mandelbrot[] =
    "h = unit { quot (the n) @ }\n"
    "g = generate h @ (i, j) {\n"
    "a = sub (fdiv (mul 3.0f32 (convert f32 j)) (convert f32 @)) (mul 2.0f32 (convert f32 (the "
    "factor)))\n"
    "b = sub (fdiv (mul 2.0f32 (convert f32 i)) (convert f32 (the h))) 1.0f32\n"
    "p, q, k = while (p, q, k) {\n"
    "land (lt k 255) (le (add (mul p p) (mul q q)) 4.0f32)\n"
    "} do {\n"
    "add (sub (mul p p) (mul q q)) a, add (mul 2.0f32 (mul p q)) b, add k 1\n"
    "} from 0.0f32, 0.0f32, 0\n"
    "convert f64 k\n"
    "}\n"
    "m = compute g\n"
    "v = unit { m ! (quot (the h) 2, rem (mul (add (the i) 1) 7919) @) }\n";

#define PULL(AXIS)                                                                                 \
    "f" AXIS " = generate n n (i, j) {\n"                                                          \
    "a = sub (x ! j) (x ! i)\nb = sub (y ! j) (y ! i)\nc = sub (z ! j) (z ! i)\n"                  \
    "d = add (add (mul a a) (mul b b)) (add (mul c c) (mul 0.01f32 (convert f32 (the factor))))\n" \
    "mul (x ! j) (fdiv " AXIS " (mul d (sqrt d)))\n"                                               \
    "}\n"                                                                                          \
    "s" AXIS " = fold 0.0f32 f" AXIS " (p, q) { add p q }\n"

static const char bodies[] =
    PULL("a") PULL("b") PULL("c") "g = zip_with sa sb sc (p, q, r) { add p (add q r) }\n"
                                  "m = compute g\n"
                                  "v = unit { convert f64 (m ! (" PICKED " (extent m 0))) }\n";

/* ---- sorting ---- */

typedef struct keys {
    wadi_acc of;
} keys;

static wadi_exp changed(void *env, wadi_exp x) {
    return wadi_xor(x, *(const wadi_exp *)env);
}

static wadi_acc sort_round(void *env, wadi_exp i) {
    const keys *k = env;
    wadi_exp round = wadi_convert(WADI_I32, i);
    const wadi_acc sorted = wadi_sort(wadi_map_env(changed, &round, k->of));
    const wadi_exp place =
        wadi_rem(wadi_mul(wadi_add(i, wadi_i64(1)), wadi_i64(7919999)), wadi_extent(sorted, 0));
    return wadi_unit(wadi_convert(WADI_F64, wadi_index1(sorted, place)));
}

static wadi_acc total(wadi_acc sum, wadi_acc x) {
    return wadi_unit(wadi_add(wadi_the(sum), wadi_the(x)));
}

static wadi_program *sorting(const bench_job *j) {
    wadi_program *p = wadi_program_create("sorting");
    WADI_UNUSED(j);
    if (p == NULL) return NULL;
    const wadi_acc rounds = wadi_input("rounds", WADI_I64, 0, NULL);
    keys k = {wadi_input("x", WADI_I32, 1, NULL)};
    const wadi_seq all = wadi_produce_env(wadi_the(rounds), sort_round, &k);
    wadi_output("sum", wadi_consume(wadi_fold_seq(total, wadi_unit(wadi_f64(0)), all)));
    return p;
}

/* ---- the table ---- */

const bench_job bench_paper_jobs[] = {
    {.name = "Black-Scholes, f32",
     .vectors = "XYZ",
     .body = black_scholes,
     .array = "m",
     .n = 20000000,
     .paper_s = 6.19e-3},
    {.name = "Canny",
     .vectors = "X",
     .body = canny,
     .extra = 4096,
     .rows = true,
     .n = 16777216,
     .paper_s = 78.4e-3},
    {.name = "dot product, f32", .vectors = "XY", .body = dot, .n = 20000000, .paper_s = 2.35e-3},
    {.name = "fluid flow",
     .vectors = "X",
     .body = fluid,
     .extra = 2048,
     .rows = true,
     .n = 2097152,
     .paper_s = 107e-3},
    {.name = "Mandelbrot",
     .vectors = "X",
     .body = mandelbrot,
     .extra = 2048,
     .rows = true,
     .n = 2097152,
     .paper_s = 24.0e-3},
    {.name = "n-body, f32",
     .vectors = "XYZ",
     .body = bodies,
     .array = "m",
     .n = 32768,
     .paper_s = 607e-3},
    {.name = "radix sort", .vectors = "I", .build = sorting, .n = 4194304, .paper_s = 442e-3},
    {.name = "SMVM of 4.3 M entries",
     .vectors = "woke",
     .body = BENCH_SMVM,
     .n = 4300000,
     .paper_s = 0.637e-3},
    {.name = NULL},
};

const bench_job *bench_job_find(const char *name) {
    const bench_job *const tables[] = {bench_jobs, bench_stencil_jobs, bench_paper_jobs};
    for (int i = 0; i < 3; i++)
        for (const bench_job *j = tables[i]; j->name != NULL; j++)
            if (strcmp(j->name, name) == 0) return j;
    return NULL;
}
