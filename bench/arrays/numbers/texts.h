/* Programs of "Optimising Purely Functional GPU Programs" (McDonell et al., ICFP 2013) as text, for benchmarks of processors and of devices. */
#ifndef WADI_BENCH_ARRAYS_NUMBERS_TEXTS_H
#define WADI_BENCH_ARRAYS_NUMBERS_TEXTS_H

/* The distribution function of a normal number at D, by the polynomial of the paper's Figure 1: binds n and P, and more names that end with P. */
#define PAPER_NORMAL(P, D)                                          \
    "a" P " = abs " D "\n"                                          \
    "k" P " = fdiv 1.0f32 (add 1.0f32 (mul 0.2316419f32 a" P "))\n" \
    "p" P " = add -1.821255978f32 (mul k" P " 1.330274429f32)\n"    \
    "q" P " = add 1.781477937f32 (mul k" P " p" P ")\n"             \
    "r" P " = add -0.356563782f32 (mul k" P " q" P ")\n"            \
    "h" P " = mul k" P " (add 0.31938153f32 (mul k" P " r" P "))\n" \
    "e" P " = exp (mul -0.5f32 (mul " D " " D "))\n"                \
    "c" P " = mul (mul 0.39894228f32 e" P ") h" P "\n"              \
    "n" P " = if gt " D " 0.0f32 { sub 1.0f32 c" P " } else { c" P " }\n"

/* Black-Scholes: statements that end with the record of call and put, of a share's price, the strike and the time t. */
#define PAPER_PRICES                                                                           \
    "w = mul 0.3f32 (sqrt t)\n"                                                                \
    "d = fdiv (add (log (fdiv price strike)) (mul 0.065f32 t)) w\n"                            \
    "l = sub d w\n" PAPER_NORMAL("1", "d")                                                     \
        PAPER_NORMAL("2", "l") "later = mul strike (exp (mul -0.02f32 t))\n"                   \
                               "call: sub (mul price n1) (mul later n2), put: sub (mul later " \
                               "(sub 1.0f32 n2)) (mul price (sub 1.0f32 n1))\n"

#endif
