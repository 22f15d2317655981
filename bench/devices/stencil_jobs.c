/* The stencils of bench/arrays as jobs, of f32 with clamped edges: Jacobi and heat in loops of ten turns, a Gaussian filter whole and in two directions,
 * Sobel. No peer has them. */
#include <stddef.h>

#include "bench/devices/jobs.h"

#define GRID                                               \
    "s = map x (a) { mul a (convert f32 (the factor)) }\n" \
    "h = unit { quot (the n) @ }\n"                        \
    "grid = reshape s h @\n"
/* An element of g, another one in each round. */
#define PICK                                                                                      \
    "v = unit { convert f64 (g ! (rem (mul (add (the i) 7) 7919) (the h), rem (mul (add (the i) " \
    "1) "                                                                                         \
    "7919) @)) }\n"
/* A is what `first` becomes in ten turns; STEP makes b of a. */
#define TEN_TURNS(A, STEP)                                  \
    A ", steps = awhile first 0 (a, k) {\n"                 \
      "c = unit { lt (the k) 10 }\n"                        \
      "yield c\n"                                           \
      "} do (a, k) {\n" STEP "l = unit { add (the k) 1 }\n" \
      "yield b, l\n"                                        \
      "}\n"

static const char jacobi[] = GRID "first = compute grid\n" TEN_TURNS(
    "g", "b = stencil dims=2 edge=1 near=4,-1,0,0,-1,0,1,1,0 a (n, w, e, s) { mul (add (add n "
         "w) (add e s)) 0.25f32 }\n") PICK;

static const char heat[] =
    "s = map x (a) { mul a (convert f32 (the factor)) }\n"
    "h = unit { quot (the n) 10000 }\n"
    "cube = reshape s h 100 100\n"
    "first = compute cube\n" TEN_TURNS(
        "g",
        "b = stencil dims=3 edge=1 near=7,-1,0,0,0,-1,0,0,0,-1,0,0,0,0,0,1,0,1,0,1,0,0 a (t, "
        "n, w, o, e, s, u) {\n"
        "p = add (add (add t u) (add n s)) (add w e)\n"
        "add o (mul (sub p (mul o 6.0f32)) 0.1f32)\n"
        "}\n") "v = unit { convert f64 (g ! (rem (mul (add (the i) 7) 7919) (the h), rem (mul (add "
               "(the i) 1) 79) 100, 50)) }\n";

static const char whole[] =
    GRID "f = stencil dims=2 edge=1 "
         "near=25,-2,-2,-2,-1,-2,0,-2,1,-2,2,-1,-2,-1,-1,-1,0,-1,1,-1,2,0,-2,0,-1,0,0,0,1,0,2,1,-2,"
         "1,-1,1,0,1,1,1,2,2,-2,2,-1,2,0,2,1,2,2 grid "
         "(aa, ab, ac, ad, ae, ba, bb, bc, bd, be, ca, cb, cc, cd, ce, da, db, dc, dd, de, ea, eb, "
         "ec, ed, ee) {\n"
         "p = add (add aa ae) (add ea ee)\n"
         "q = add (add (add ab ad) (add ba be)) (add (add da de) (add eb ed))\n"
         "r = add (add ac ca) (add ce ec)\n"
         "t = add (add bb bd) (add db dd)\n"
         "u = add (add bc cb) (add cd dc)\n"
         "outer = add (mul p 0.00390625f32) (add (mul q 0.015625f32) (mul r 0.0234375f32))\n"
         "inner = add (mul t 0.0625f32) (add (mul u 0.09375f32) (mul cc 0.140625f32))\n"
         "add outer inner\n"
         "}\n"
         "g = compute f\n" PICK;

#define ALONG(TO, FROM, PLACES)                                                                   \
    TO " = stencil dims=2 edge=1 near=5," PLACES " " FROM " (p, q, r, t, u) { add (mul 0.375f32 " \
       "r) (add (mul 0.25f32 (add q t)) (mul 0.0625f32 (add p u))) }\n"

static const char separable[] = GRID ALONG("across", "grid", "0,-2,0,-1,0,0,0,1,0,2")
    ALONG("f", "across", "-2,0,-1,0,0,0,1,0,2,0") "g = compute f\n" PICK;

static const char sobel[] =
    GRID "f = stencil dims=2 edge=1 near=8,-1,-1,-1,0,-1,1,0,-1,0,1,1,-1,1,0,1,1 grid "
         "(a, b, c, d, e, p, q, r) {\n"
         "across = sub (add (add c (mul e 2.0f32)) r) (add (add a (mul d 2.0f32)) p)\n"
         "down = sub (add (add p (mul q 2.0f32)) r) (add (add a (mul b 2.0f32)) c)\n"
         "sqrt (add (mul across across) (mul down down))\n"
         "}\n"
         "g = compute f\n" PICK;

/* A turn, or a filter, reads each number once and writes it, at least. */
#define STENCIL(NAME, BODY, TIMES, FULL)                                                 \
    {                                                                                    \
        .name = NAME, .vectors = "X", .body = BODY, .extra = 1000, .bytes = 8 * (TIMES), \
        .full = FULL                                                                     \
    }

const bench_job bench_stencil_jobs[] = {
    STENCIL("Jacobi, 10 turns", jacobi, 10, false),
    STENCIL("heat, 10 turns", heat, 10, true),
    STENCIL("Gaussian 5 x 5", whole, 1, true),
    STENCIL("Gaussian separable", separable, 1, true),
    STENCIL("Sobel", sobel, 1, true),
    {.name = NULL},
};
