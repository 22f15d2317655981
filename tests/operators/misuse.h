/* Records what the language's builder functions say about a wrong call. */
#ifndef TESTS_OPERATORS_MISUSE_H
#define TESTS_OPERATORS_MISUSE_H

#include "base/text.h"
#include "tests/operators/support.h"

/* The call's text, the status of its program and its message; the place must be the call's. */
void tell_mistake(wadi_program *p, const char *call, int line, wadi_text *out);

#define NO_ACC ((wadi_acc){0, 0})
#define NO_EXP ((wadi_exp){0, 0})
#define NO_SEQ ((wadi_seq){0, 0})
#define ARRAYS(...) ((const wadi_acc[]){__VA_ARGS__})
#define SPECS(...) ((const wadi_spec[]){__VA_ARGS__})
#define NAMES(...) ((const char *const[]){__VA_ARGS__})
#define DIMS(...) ((const int[]){__VA_ARGS__})

/* A program of its own for each call. */
#define T(call)                                      \
    do {                                             \
        wadi_program *p_ = wadi_program_create("t"); \
        (void)(call);                                \
        tell_mistake(p_, #call, __LINE__, &t);       \
    } while (0)

/* Arrays, sequences and functions of all kinds. */
wadi_acc vec(void);  /* f32[?] */
wadi_acc ints(void); /* i64[?] */
wadi_acc bools(void);
wadi_acc mat(void);   /* f32[?, ?] */
wadi_acc unit0(void); /* i64 */
wadi_acc recs(void);  /* {a: f32, b: i64}[?] */
wadi_acc high(void);  /* f32 of rank 8 */
wadi_acc zs(void);    /* c64[?] */
wadi_acc pair(void);  /* a tuple of vec and ints */
wadi_exp rec_of(void);
wadi_seq seq_of(wadi_acc a);  /* one array again and again */
wadi_exp no_exp1(wadi_exp a); /* gives nothing */
wadi_exp i64_of1(wadi_exp a); /* gives 1, an i64, whatever it is given */
wadi_exp i64_of2(wadi_exp a, wadi_exp b);
wadi_exp same1(wadi_exp a);
wadi_exp first2(wadi_exp a, wadi_exp b);
wadi_exp true1(wadi_exp a);
wadi_acc same_acc(wadi_acc a);
wadi_acc vec_of(wadi_acc a); /* gives vec() */
wadi_acc true_of(wadi_acc a);
wadi_acc no_acc(wadi_acc a);
wadi_acc first_acc(wadi_acc a, wadi_acc b);
wadi_acc second_acc(wadi_acc a, wadi_acc b);
wadi_ix same_ix(wadi_ix i);
wadi_ix rank2_ix(wadi_ix i);
wadi_ix float_ix(wadi_ix i);
wadi_ix dropping_ix(wadi_ix i);
wadi_exp first_of_ix(wadi_ix i);

#endif
