/* The array language: three strata, three C types.
 *
 *   wadi_exp   a scalar expression; evaluates to one element (a scalar or a record of scalars)
 *   wadi_acc   an array computation; evaluates to an array of rank 0..8 or a tuple of arrays
 *   wadi_seq   a sequence computation; evaluates to a stream of (tuples of) arrays, in order
 *
 * Nothing runs while a program is built: each call adds a node to the calling thread's current program (see
 * wadi_program_create). Calls never fail: the first mistake is kept in the program with the file and line of the
 * call that made it, later calls pass it through, and wadi_compile returns it.
 *
 * Scalar functions are C functions that build expressions, so operators are usable as arguments:
 *     wadi_fold(wadi_add, wadi_f32(0), wadi_zip_with(wadi_mul, xs, ys))
 * A function that captures something takes an environment: wadi_map_env(f, &env, xs) calls f(&env, x).
 *
 * Integers wrap; shifts by the width or more give 0 (arithmetic right shift: the sign); conversion of a float to an
 * integer saturates, NaN gives 0; integer division by zero and an index out of range are faults: the run ends with
 * an error naming the operation, its source line and the element. Extents are i64; any integer type is accepted.
 */
#ifndef WADI_LANG_H
#define WADI_LANG_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"
#include "wadi/type.h"

WADI_BEGIN_DECLS

typedef struct wadi_program wadi_program;

/* A handle names a node and the program it is part of; all zero names nothing. It is copied as it is and never freed. Used in
 * another program, or after its own is gone, it is a mistake with file and line. */
typedef struct wadi_exp {
    uint32_t node, program;
} wadi_exp;
typedef struct wadi_acc {
    uint32_t node, program;
} wadi_acc;
typedef struct wadi_seq {
    uint32_t node, program;
} wadi_seq;

/** An index, or the shape of an array: `rank` integer expressions, outermost first. */
typedef struct wadi_ix {
    int rank;
    wadi_exp at[WADI_MAX_RANK];
    wadi_exp keep; /**< set by wadi_keep_if and wadi_ignore alone; zero: the index counts */
} wadi_ix;

typedef wadi_exp (*wadi_fn1)(wadi_exp);
typedef wadi_exp (*wadi_fn2)(wadi_exp, wadi_exp);
typedef wadi_exp (*wadi_fn3)(wadi_exp, wadi_exp, wadi_exp);
typedef wadi_exp (*wadi_fn4)(wadi_exp, wadi_exp, wadi_exp, wadi_exp);
typedef wadi_exp (*wadi_fn1_env)(void *, wadi_exp);
typedef wadi_exp (*wadi_fn2_env)(void *, wadi_exp, wadi_exp);
typedef wadi_exp (*wadi_fn3_env)(void *, wadi_exp, wadi_exp, wadi_exp);
typedef wadi_exp (*wadi_fn4_env)(void *, wadi_exp, wadi_exp, wadi_exp, wadi_exp);
typedef wadi_exp (*wadi_ix_fn)(wadi_ix); /* index to element */
typedef wadi_exp (*wadi_ix_fn_env)(void *, wadi_ix);
typedef wadi_exp (*wadi_imap_fn)(wadi_ix, wadi_exp);
typedef wadi_exp (*wadi_imap_fn_env)(void *, wadi_ix, wadi_exp);
typedef wadi_ix (*wadi_ix_ix_fn)(wadi_ix); /* index to index */
typedef wadi_ix (*wadi_ix_ix_fn_env)(void *, wadi_ix);
typedef wadi_acc (*wadi_acc_fn1)(wadi_acc);
typedef wadi_acc (*wadi_acc_fn2)(wadi_acc, wadi_acc);
typedef wadi_acc (*wadi_acc_fn1_env)(void *, wadi_acc);
typedef wadi_acc (*wadi_acc_fn2_env)(void *, wadi_acc, wadi_acc);
typedef wadi_acc (*wadi_produce_fn)(wadi_exp); /* stream index (i64) to array */
typedef wadi_acc (*wadi_produce_fn_env)(void *, wadi_exp);

/* ---- programs ---- */

/** A new, empty program; it becomes the calling thread's current one. NULL when out of memory. Owned by the caller. */
wadi_program *wadi_program_create(const char *name);
/** Frees the program; NULL is fine. If it was the thread's current program, none is current afterwards. */
void wadi_program_destroy(wadi_program *p);
/** Makes `p` the calling thread's current program (a program is built by one thread at a time); NULL: none. */
void wadi_program_use(wadi_program *p);
/** The calling thread's current program, or NULL: what a function that builds a program of its own gives back at its end. */
wadi_program *wadi_program_current(void);
/** WADI_OK, or the first mistake made while building: in this program, with its handles elsewhere, or by this thread while no
 *  program was current. */
WADI_NODISCARD wadi_status wadi_program_check(const wadi_program *p, wadi_error *err);
/** Makes array `a` a result of the program under `name`; a tuple gives name.0, name.1, ... */
void wadi_output(const char *name, wadi_acc a);

/* ---- scalars ---- */

wadi_exp wadi_bool(bool v);
wadi_exp wadi_i8(int8_t v);
wadi_exp wadi_i16(int16_t v);
wadi_exp wadi_i32(int32_t v);
wadi_exp wadi_i64(int64_t v);
wadi_exp wadi_u8(uint8_t v);
wadi_exp wadi_u16(uint16_t v);
wadi_exp wadi_u32(uint32_t v);
wadi_exp wadi_u64(uint64_t v);
wadi_exp wadi_f32(float v);
wadi_exp wadi_f64(double v);
wadi_exp wadi_c64(float re, float im);
wadi_exp wadi_c128(double re, double im);
/** A constant of type `t`: `v` converted. */
wadi_exp wadi_literal(wadi_type t, double v);

/* arithmetic: both arguments of one numeric type; add, sub, mul, neg, abs, div of complex numbers too */
wadi_exp wadi_add(wadi_exp a, wadi_exp b);
wadi_exp wadi_sub(wadi_exp a, wadi_exp b);
wadi_exp wadi_mul(wadi_exp a, wadi_exp b);
wadi_exp wadi_neg(wadi_exp a);
wadi_exp wadi_abs(wadi_exp a);             /**< of a complex number: its modulus, real */
wadi_exp wadi_signum(wadi_exp a);          /**< -1, 0 or 1 */
wadi_exp wadi_min(wadi_exp a, wadi_exp b); /**< a number wins over NaN */
wadi_exp wadi_max(wadi_exp a, wadi_exp b);
/* integers; a zero divisor is a fault */
wadi_exp wadi_quot(wadi_exp a, wadi_exp b); /**< truncates */
wadi_exp wadi_rem(wadi_exp a, wadi_exp b);
wadi_exp wadi_div(wadi_exp a,
                  wadi_exp b); /**< integers: floors (fault on zero); floats: IEEE; complex */
wadi_exp wadi_mod(wadi_exp a, wadi_exp b);
/* bits (also of bool) */
wadi_exp wadi_and(wadi_exp a, wadi_exp b);
wadi_exp wadi_or(wadi_exp a, wadi_exp b);
wadi_exp wadi_xor(wadi_exp a, wadi_exp b);
wadi_exp wadi_not(wadi_exp a);
wadi_exp wadi_shl(wadi_exp a,
                  wadi_exp distance); /**< any integer distance; negative or >= width gives 0 */
wadi_exp wadi_shr(wadi_exp a, wadi_exp distance);  /**< arithmetic for signed types */
wadi_exp wadi_rotl(wadi_exp a, wadi_exp distance); /**< modulo the width */
wadi_exp wadi_rotr(wadi_exp a, wadi_exp distance);
wadi_exp wadi_popcount(wadi_exp a); /**< i32 */
wadi_exp wadi_clz(wadi_exp a);      /**< i32; of 0: the width */
wadi_exp wadi_ctz(wadi_exp a);      /**< i32; of 0: the width */
/* comparisons and logic; `land`, `lor` evaluate both sides; complex numbers are equal or not, but have no order */
wadi_exp wadi_eq(wadi_exp a, wadi_exp b);
wadi_exp wadi_ne(wadi_exp a, wadi_exp b);
wadi_exp wadi_lt(wadi_exp a, wadi_exp b);
wadi_exp wadi_le(wadi_exp a, wadi_exp b);
wadi_exp wadi_gt(wadi_exp a, wadi_exp b);
wadi_exp wadi_ge(wadi_exp a, wadi_exp b);
wadi_exp wadi_land(wadi_exp a, wadi_exp b);
wadi_exp wadi_lor(wadi_exp a, wadi_exp b);
wadi_exp wadi_lnot(wadi_exp a);
/* floats; sqrt, exp, log, pow, the circular and hyperbolic functions but atan2, isnan, isinf of complex numbers too */
wadi_exp wadi_sqrt(wadi_exp a);
wadi_exp wadi_cbrt(wadi_exp a);
wadi_exp wadi_exp_(wadi_exp a); /**< e^a; the name wadi_exp is the type */
wadi_exp wadi_exp2(wadi_exp a);
wadi_exp wadi_expm1(wadi_exp a);
wadi_exp wadi_log(wadi_exp a);
wadi_exp wadi_log2(wadi_exp a);
wadi_exp wadi_log10(wadi_exp a);
wadi_exp wadi_log1p(wadi_exp a);
wadi_exp wadi_sin(wadi_exp a);
wadi_exp wadi_cos(wadi_exp a);
wadi_exp wadi_tan(wadi_exp a);
wadi_exp wadi_asin(wadi_exp a);
wadi_exp wadi_acos(wadi_exp a);
wadi_exp wadi_atan(wadi_exp a);
wadi_exp wadi_atan2(wadi_exp y, wadi_exp x);
wadi_exp wadi_sinh(wadi_exp a);
wadi_exp wadi_cosh(wadi_exp a);
wadi_exp wadi_tanh(wadi_exp a);
wadi_exp wadi_asinh(wadi_exp a);
wadi_exp wadi_acosh(wadi_exp a);
wadi_exp wadi_atanh(wadi_exp a);
wadi_exp wadi_pow(wadi_exp a, wadi_exp b);
wadi_exp wadi_hypot(wadi_exp a, wadi_exp b);
wadi_exp wadi_erf(wadi_exp a);
wadi_exp wadi_erfc(wadi_exp a);
wadi_exp wadi_floor(wadi_exp a);
wadi_exp wadi_ceil(wadi_exp a);
wadi_exp wadi_round(wadi_exp a); /**< half away from zero */
wadi_exp wadi_trunc(wadi_exp a);
wadi_exp wadi_fma(wadi_exp a, wadi_exp b, wadi_exp c);
wadi_exp wadi_copysign(wadi_exp a, wadi_exp b);
wadi_exp wadi_isnan(wadi_exp a);
wadi_exp wadi_isinf(wadi_exp a);
/* complex numbers: c64 of f32, c128 of f64 */
wadi_exp wadi_complex(wadi_exp re, wadi_exp im);
wadi_exp wadi_real(wadi_exp z);
wadi_exp wadi_imag(wadi_exp z);
wadi_exp wadi_arg(wadi_exp z); /**< the angle, -pi to pi */
wadi_exp wadi_conj(wadi_exp z);
/* types */
wadi_exp wadi_convert(wadi_type t, wadi_exp a); /**< by value; complex to real: the real part */
wadi_exp wadi_bitcast(wadi_type t, wadi_exp a); /**< same size */

/** `c` ? `a` : `b`; what only one side needs is computed only there. Records are fine. */
wadi_exp wadi_cond(wadi_exp c, wadi_exp a, wadi_exp b);
/** While `pred(state)`: state = body(state); gives the last state. */
wadi_exp wadi_while(wadi_fn1 pred, wadi_fn1 body, wadi_exp init);
wadi_exp wadi_while_env(wadi_fn1_env pred, wadi_fn1_env body, void *env, wadi_exp init);
/** `n` times state = f(i, state), i = 0, 1, ... (i64). */
wadi_exp wadi_iterate(wadi_exp n, wadi_fn2 f, wadi_exp init);
wadi_exp wadi_iterate_env(wadi_exp n, wadi_fn2_env f, void *env, wadi_exp init);

/** A record with named fields, each a plain scalar. 1..WADI_MAX_FIELDS fields. */
wadi_exp wadi_rec(int fields, const char *const *names, const wadi_exp *values);
wadi_exp wadi_rec2(const char *n0, wadi_exp v0, const char *n1, wadi_exp v1);
wadi_exp wadi_rec3(const char *n0, wadi_exp v0, const char *n1, wadi_exp v1, const char *n2,
                   wadi_exp v2);
wadi_exp wadi_get(wadi_exp record, const char *field);

/** Element of an array that does not depend on the surrounding function's parameters. Bounds are checked. */
wadi_exp wadi_index(wadi_acc a, wadi_ix ix);
wadi_exp wadi_index1(wadi_acc a, wadi_exp i);
wadi_exp wadi_index2(wadi_acc a, wadi_exp i, wadi_exp j);
wadi_exp wadi_index3(wadi_acc a, wadi_exp i, wadi_exp j, wadi_exp k);
wadi_exp wadi_linear(wadi_acc a, wadi_exp i); /**< row-major */
wadi_exp wadi_the(wadi_acc a);                /**< of a rank-0 array */
wadi_exp wadi_extent(wadi_acc a, int dim);    /**< i64 */
wadi_exp wadi_size(wadi_acc a);               /**< product of the extents, i64 */

wadi_ix wadi_ix0(void);
wadi_ix wadi_ix1(wadi_exp i);
wadi_ix wadi_ix2(wadi_exp i, wadi_exp j);
wadi_ix wadi_ix3(wadi_exp i, wadi_exp j, wadi_exp k);
wadi_ix wadi_ix4(wadi_exp i, wadi_exp j, wadi_exp k, wadi_exp l);
wadi_ix wadi_shape_of(wadi_acc a);
wadi_exp wadi_to_index(wadi_ix shape, wadi_ix ix); /**< row-major linear index */
wadi_ix wadi_from_index(wadi_ix shape, wadi_exp linear);
wadi_ix wadi_ignore(int rank); /**< what a permute's index function returns to drop an element */
/** `keep` ? `ix` : ignored */
wadi_ix wadi_keep_if(wadi_exp keep, wadi_ix ix);

/* ---- arrays ---- */

/** Element types for declarations. */
typedef struct wadi_elem_type {
    int fields;
    wadi_type type[WADI_MAX_FIELDS];
    const char *name[WADI_MAX_FIELDS]; /**< NULL for a plain scalar */
} wadi_elem_type;
wadi_elem_type wadi_scalar_elem(wadi_type t);

/** An array bound by name when the program runs. `extents`: per dimension NULL or "?" (anything), a name ("n"; equal
 *  names mean equal extents, checked when bound) or a number ("1024"). */
wadi_acc wadi_input(const char *name, wadi_type type, int rank, const char *const *extents);
wadi_acc wadi_input_rec(const char *name, wadi_elem_type elem, int rank,
                        const char *const *extents);
/** A host array, copied into the program. */
wadi_acc wadi_use(const wadi_array *a);
wadi_acc wadi_unit(wadi_exp e); /**< rank 0 */
wadi_acc wadi_generate(wadi_ix shape, wadi_ix_fn f);
wadi_acc wadi_generate_env(wadi_ix shape, wadi_ix_fn_env f, void *env);
wadi_acc wadi_fill(wadi_ix shape, wadi_exp v);
wadi_acc wadi_iota(wadi_type t, wadi_exp n); /**< 0, 1, ... */
wadi_acc wadi_enum_from_step(wadi_exp n, wadi_exp first, wadi_exp step);
wadi_acc wadi_map(wadi_fn1 f, wadi_acc a);
wadi_acc wadi_map_env(wadi_fn1_env f, void *env, wadi_acc a);
wadi_acc wadi_imap(wadi_imap_fn f, wadi_acc a);
wadi_acc wadi_imap_env(wadi_imap_fn_env f, void *env, wadi_acc a);
/** Extents must agree: proved, or checked when the program runs. */
wadi_acc wadi_zip_with(wadi_fn2 f, wadi_acc a, wadi_acc b);
wadi_acc wadi_zip_with_env(wadi_fn2_env f, void *env, wadi_acc a, wadi_acc b);
wadi_acc wadi_zip_with3(wadi_fn3 f, wadi_acc a, wadi_acc b, wadi_acc c);
wadi_acc wadi_zip_with3_env(wadi_fn3_env f, void *env, wadi_acc a, wadi_acc b, wadi_acc c);
wadi_acc wadi_zip_with4(wadi_fn4 f, wadi_acc a, wadi_acc b, wadi_acc c, wadi_acc d);
wadi_acc wadi_zip_with4_env(wadi_fn4_env f, void *env, wadi_acc a, wadi_acc b, wadi_acc c,
                            wadi_acc d);
/** result ! ix = a ! f(ix); out of range is a fault. */
wadi_acc wadi_backpermute(wadi_ix shape, wadi_ix_ix_fn f, wadi_acc a);
wadi_acc wadi_backpermute_env(wadi_ix shape, wadi_ix_ix_fn_env f, void *env, wadi_acc a);

/** One entry of a replicate or slice: a whole dimension of the array, or one extent / index. */
typedef struct wadi_spec {
    int kind; /**< 0 all, 1 fixed, 2 any (every remaining dimension) */
    wadi_exp value;
} wadi_spec;
wadi_spec wadi_all(void);
wadi_spec wadi_any(void);
wadi_spec wadi_fix(wadi_exp extent_or_index);
/** New dimensions where entries are fixed (with that extent); `all` entries take the array's dimensions in order. */
wadi_acc wadi_replicate(int n, const wadi_spec *spec, wadi_acc a);
/** Drops the dimensions whose entries are fixed (at that index, checked). One entry per dimension of `a`. */
wadi_acc wadi_slice(int n, const wadi_spec *spec, wadi_acc a);
wadi_acc wadi_reshape(wadi_ix shape, wadi_acc a); /**< sizes must match, else a fault */
/** The same array, promised to have this shape: a fault where it has not. What follows may rely on it, so that for instance
 *  zips need no check and results of streams stay regular. */
wadi_acc wadi_assert_shape(wadi_ix shape, wadi_acc a);
wadi_acc wadi_flatten(wadi_acc a);
wadi_acc wadi_transpose(wadi_acc a); /**< reverses the order of the dimensions */
wadi_acc wadi_transpose_on(const int *perm,
                           wadi_acc a); /**< result dimension d is dimension perm[d] of `a` */
wadi_acc wadi_reverse(wadi_acc a);      /**< innermost dimension */
wadi_acc wadi_reverse_on(int dim, wadi_acc a);
wadi_acc wadi_take(wadi_exp n, wadi_acc a); /**< innermost dimension; n clamps to 0..extent */
wadi_acc wadi_take_on(int dim, wadi_exp n, wadi_acc a);
wadi_acc wadi_drop(wadi_exp n, wadi_acc a);
wadi_acc wadi_drop_on(int dim, wadi_exp n, wadi_acc a);
/** result ! ix = a ! (indices ! ix); `a` has rank 1, `indices` any rank; out of range is a fault. */
wadi_acc wadi_gather(wadi_acc indices, wadi_acc a);

/** Reduces the innermost dimension; f associative; z is combined once per result and need not be an identity. */
wadi_acc wadi_fold(wadi_fn2 f, wadi_exp z, wadi_acc a);
wadi_acc wadi_fold_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
/** Without an initial value; an empty dimension is a fault. */
wadi_acc wadi_fold1(wadi_fn2 f, wadi_acc a);
wadi_acc wadi_fold1_env(wadi_fn2_env f, void *env, wadi_acc a);
wadi_acc wadi_fold_all(wadi_fn2 f, wadi_exp z, wadi_acc a);
wadi_acc wadi_sum(wadi_acc a); /**< innermost dimension; empty: 0 */
wadi_acc wadi_product(wadi_acc a);
wadi_acc wadi_minimum(wadi_acc a); /**< empty: fault */
wadi_acc wadi_maximum(wadi_acc a);
wadi_acc wadi_argmin(wadi_acc a); /**< i64 index of the first least element; empty: fault */
wadi_acc wadi_argmax(wadi_acc a);
/** Inclusive of z: extent n + 1, result[0] = z, result[i] = z f a[0] f ... f a[i-1]. */
wadi_acc wadi_scanl(wadi_fn2 f, wadi_exp z, wadi_acc a);
wadi_acc wadi_scanl_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
wadi_acc wadi_scanl1(wadi_fn2 f, wadi_acc a); /**< extent n; empty is fine */
wadi_acc wadi_scanl1_env(wadi_fn2_env f, void *env, wadi_acc a);
/** Starts from `defaults`; each element of `a` goes to index f(ix of the element), combined as
 *  comb(element, old) in the order of the source. An index out of range is a fault; wadi_ignore drops. */
wadi_acc wadi_permute(wadi_fn2 comb, wadi_acc defaults, wadi_ix_ix_fn f, wadi_acc a);
wadi_acc wadi_permute_env(wadi_fn2_env comb, wadi_acc defaults, wadi_ix_ix_fn_env f, void *env,
                          wadi_acc a);

/** `p` ? `a` : `b` at array level; tuples are fine. Only the chosen side is computed. */
wadi_acc wadi_acond(wadi_exp p, wadi_acc a, wadi_acc b);
/** While the (rank-0, bool) pred(state): state = body(state). Ranks and types of the state stay, extents may change. */
wadi_acc wadi_awhile(wadi_acc_fn1 pred, wadi_acc_fn1 body, wadi_acc init);
wadi_acc wadi_awhile_env(wadi_acc_fn1_env pred, wadi_acc_fn1_env body, void *env, wadi_acc init);
/** Forces `a` into memory: fusion stops here. */
wadi_acc wadi_compute(wadi_acc a);
/** `a` itself, called `name` (letters, digits, _) in explanations and kernels. */
wadi_acc wadi_named(const char *name, wadi_acc a);

wadi_acc wadi_tuple(int n, const wadi_acc *parts);
wadi_acc wadi_tuple2(wadi_acc a, wadi_acc b);
wadi_acc wadi_tuple_get(wadi_acc tuple, int i);
int wadi_rank(wadi_acc a);  /**< -1 after a mistake */
int wadi_parts(wadi_acc a); /**< 1 for an array */

#include "wadi/lang_arrays.h"
#include "wadi/lang_fft.h"
#include "wadi/lang_seq.h"

/* ---- places ----
 * The macros note the file and line of each call in the nodes it made. A function's name without parentheses is
 * still the function, so it can be passed as an argument. */
wadi_exp wadi_exp_here(wadi_exp e, const char *file, int line);
wadi_acc wadi_acc_here(wadi_acc a, const char *file, int line);
wadi_seq wadi_seq_here(wadi_seq s, const char *file, int line);
wadi_eat wadi_eat_here(wadi_eat c, const char *file, int line);
wadi_ix wadi_ix_here(wadi_ix ix, const char *file, int line);
void wadi_here(const char *file, int line);

#ifndef WADI_NO_PLACES
#include "wadi/lang_places.h"
#endif

WADI_END_DECLS
#endif
