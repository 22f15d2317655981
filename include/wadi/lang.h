/* The array language: three strata, three C types.
 *
 *   wadi_exp   a scalar expression; evaluates to one element (a scalar or a record of scalars)
 *   wadi_acc   an array computation; evaluates to an array of rank 0..8 or a tuple of arrays
 *   wadi_seq   a sequence computation; evaluates to a stream of (tuples of) arrays, in order
 *
 * Nothing is computed while a program is built. Each call adds a node to the calling thread's current program (see
 * wadi_program_create). Calls never fail. The program keeps the first mistake with the file and line of the call; later
 * calls pass it through, and wadi_compile returns it.
 *
 * A scalar function is a C function that builds an expression. The operators are such functions, so they may be arguments:
 *     wadi_fold(wadi_add, wadi_f32(0), wadi_zip_with(wadi_mul, xs, ys))
 * A function that needs more than its parameters takes an environment: wadi_map_env(f, &env, xs) calls f(&env, x).
 *
 * Integers wrap. A shift by the width or more gives 0 (arithmetic right shift: the sign). Conversion of a float to an
 * integer saturates, and NaN gives 0. An integer division by zero and an index out of range are faults: the run ends with
 * an error that names the operation, its source line and the element. Extents are i64; where an extent or index is expected,
 * any integer type is accepted. docs/LANGUAGE.md describes the whole language.
 */
#ifndef WADI_LANG_H
#define WADI_LANG_H

#include <stdbool.h>
#include <stdint.h>

#include "wadi/status.h"
#include "wadi/type.h"

WADI_BEGIN_DECLS

typedef struct wadi_program wadi_program;

/* A handle names a node and its program; all zero names nothing. Copy handles freely; they are never freed. Using one
 * in another program, or after its own was destroyed, is a mistake with file and line. */
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
    wadi_exp keep; /**< set only by wadi_keep_if and wadi_ignore; zero: the index counts */
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

/** Makes a new, empty program, which becomes the calling thread's current one. NULL when out of memory. Owned by the caller. */
wadi_program *wadi_program_create(const char *name);
/** Frees the program; NULL is fine. If it was the thread's current program, no program is current afterwards. */
void wadi_program_destroy(wadi_program *p);
/** Makes `p` the calling thread's current program; NULL: none. A program is built by one thread at a time. */
void wadi_program_use(wadi_program *p);
/** The calling thread's current program, or NULL. A function that builds a program of its own saves it and restores it at its end. */
wadi_program *wadi_program_current(void);
/** Returns WADI_OK or the first mistake: in building this program, in using its handles elsewhere, or of this thread while no
 *  program was current. */
WADI_NODISCARD wadi_status wadi_program_check(const wadi_program *p, wadi_error *err);
/** Makes `a` a result of the program, called `name`. The parts of a tuple are called name.0, name.1, ... */
void wadi_output(const char *name, wadi_acc a);

/* ---- scalars ---- */

/* constants */
wadi_exp wadi_bool(bool v);               /**< the constant `v` of type bool */
wadi_exp wadi_i8(int8_t v);               /**< the constant `v` of type i8 */
wadi_exp wadi_i16(int16_t v);             /**< the constant `v` of type i16 */
wadi_exp wadi_i32(int32_t v);             /**< the constant `v` of type i32 */
wadi_exp wadi_i64(int64_t v);             /**< the constant `v` of type i64 */
wadi_exp wadi_u8(uint8_t v);              /**< the constant `v` of type u8 */
wadi_exp wadi_u16(uint16_t v);            /**< the constant `v` of type u16 */
wadi_exp wadi_u32(uint32_t v);            /**< the constant `v` of type u32 */
wadi_exp wadi_u64(uint64_t v);            /**< the constant `v` of type u64 */
wadi_exp wadi_f32(float v);               /**< the constant `v` of type f32 */
wadi_exp wadi_f64(double v);              /**< the constant `v` of type f64 */
wadi_exp wadi_c64(float re, float im);    /**< the constant `re + im i` of type c64 */
wadi_exp wadi_c128(double re, double im); /**< the constant `re + im i` of type c128 */
/** The constant `v`, converted to type `t`. */
wadi_exp wadi_literal(wadi_type t, double v);

/* arithmetic: both arguments have one numeric type */
wadi_exp wadi_add(wadi_exp a, wadi_exp b); /**< a + b, also of complex numbers */
wadi_exp wadi_sub(wadi_exp a, wadi_exp b); /**< a - b, also of complex numbers */
wadi_exp wadi_mul(wadi_exp a, wadi_exp b); /**< a * b, also of complex numbers */
wadi_exp wadi_neg(wadi_exp a);             /**< -a, also of complex numbers */
/** Absolute value; of a complex number its modulus, which is real. */
wadi_exp wadi_abs(wadi_exp a);
wadi_exp wadi_signum(wadi_exp a); /**< -1, 0 or 1, of the type of `a` */
/** The lesser; a number is preferred to NaN, and -0 is less than +0. */
wadi_exp wadi_min(wadi_exp a, wadi_exp b);
wadi_exp wadi_max(wadi_exp a, wadi_exp b); /**< the greater; a number is preferred to NaN */
/* division; an integer division by zero is a fault */
wadi_exp wadi_quot(wadi_exp a, wadi_exp b); /**< integer quotient, truncated towards zero */
/** Integer remainder of wadi_quot; has the sign of `a`. */
wadi_exp wadi_rem(wadi_exp a, wadi_exp b);
/** Integers: quotient rounded down; floats: IEEE; also of complex numbers. */
wadi_exp wadi_div(wadi_exp a, wadi_exp b);
/** Integer remainder of wadi_div; has the sign of `b`. */
wadi_exp wadi_mod(wadi_exp a, wadi_exp b);
/* bits, of integers */
wadi_exp wadi_and(wadi_exp a, wadi_exp b); /**< bitwise and; also of bools */
wadi_exp wadi_or(wadi_exp a, wadi_exp b);  /**< bitwise or; also of bools */
wadi_exp wadi_xor(wadi_exp a, wadi_exp b); /**< bitwise exclusive or; also of bools */
wadi_exp wadi_not(wadi_exp a);             /**< bitwise complement; also of bools */
/** Shift left; a distance (any integer type) below 0 or of the width and more gives 0. */
wadi_exp wadi_shl(wadi_exp a, wadi_exp distance);
/** Shift right, arithmetic for signed types; distances as for wadi_shl. */
wadi_exp wadi_shr(wadi_exp a, wadi_exp distance);
/** Rotate left; the distance counts modulo the width. */
wadi_exp wadi_rotl(wadi_exp a, wadi_exp distance);
/** Rotate right; the distance counts modulo the width. */
wadi_exp wadi_rotr(wadi_exp a, wadi_exp distance);
wadi_exp wadi_popcount(wadi_exp a); /**< number of one bits, i32 */
wadi_exp wadi_clz(wadi_exp a);      /**< number of leading zero bits, i32; of 0 the width */
wadi_exp wadi_ctz(wadi_exp a);      /**< number of trailing zero bits, i32; of 0 the width */
/* comparisons and logic; the result is a bool. Complex numbers may be equal, but have no order */
wadi_exp wadi_eq(wadi_exp a, wadi_exp b);   /**< a == b */
wadi_exp wadi_ne(wadi_exp a, wadi_exp b);   /**< a != b */
wadi_exp wadi_lt(wadi_exp a, wadi_exp b);   /**< a < b */
wadi_exp wadi_le(wadi_exp a, wadi_exp b);   /**< a <= b */
wadi_exp wadi_gt(wadi_exp a, wadi_exp b);   /**< a > b */
wadi_exp wadi_ge(wadi_exp a, wadi_exp b);   /**< a >= b */
wadi_exp wadi_land(wadi_exp a, wadi_exp b); /**< logical and; both sides are evaluated */
wadi_exp wadi_lor(wadi_exp a, wadi_exp b);  /**< logical or; both sides are evaluated */
wadi_exp wadi_lnot(wadi_exp a);             /**< logical not */
/* floats, as in C; those marked (c) also take complex numbers */
wadi_exp wadi_sqrt(wadi_exp a);  /**< square root (c) */
wadi_exp wadi_cbrt(wadi_exp a);  /**< cube root */
wadi_exp wadi_exp_(wadi_exp a);  /**< e to the power a (c); the name wadi_exp is the type */
wadi_exp wadi_exp2(wadi_exp a);  /**< 2 to the power a */
wadi_exp wadi_expm1(wadi_exp a); /**< e to the power a, minus 1 */
wadi_exp wadi_log(wadi_exp a);   /**< natural logarithm (c) */
wadi_exp wadi_log2(wadi_exp a);  /**< logarithm to base 2 */
wadi_exp wadi_log10(wadi_exp a); /**< logarithm to base 10 */
wadi_exp wadi_log1p(wadi_exp a); /**< natural logarithm of 1 + a */
wadi_exp wadi_sin(wadi_exp a);   /**< sine (c) */
wadi_exp wadi_cos(wadi_exp a);   /**< cosine (c) */
/** A record of sine and cosine, {sin, cos}, which share their work (c). */
wadi_exp wadi_sincos(wadi_exp a);
wadi_exp wadi_tan(wadi_exp a);               /**< tangent (c) */
wadi_exp wadi_asin(wadi_exp a);              /**< arc sine (c) */
wadi_exp wadi_acos(wadi_exp a);              /**< arc cosine (c) */
wadi_exp wadi_atan(wadi_exp a);              /**< arc tangent (c) */
wadi_exp wadi_atan2(wadi_exp y, wadi_exp x); /**< angle of the point (x, y), -pi to pi */
wadi_exp wadi_sinh(wadi_exp a);              /**< hyperbolic sine (c) */
wadi_exp wadi_cosh(wadi_exp a);              /**< hyperbolic cosine (c) */
wadi_exp wadi_tanh(wadi_exp a);              /**< hyperbolic tangent (c) */
wadi_exp wadi_asinh(wadi_exp a);             /**< inverse hyperbolic sine (c) */
wadi_exp wadi_acosh(wadi_exp a);             /**< inverse hyperbolic cosine (c) */
wadi_exp wadi_atanh(wadi_exp a);             /**< inverse hyperbolic tangent (c) */
wadi_exp wadi_pow(wadi_exp a, wadi_exp b);   /**< a to the power b (c) */
wadi_exp wadi_hypot(wadi_exp a, wadi_exp b); /**< square root of a^2 + b^2 */
wadi_exp wadi_erf(wadi_exp a);               /**< error function */
wadi_exp wadi_erfc(wadi_exp a);              /**< 1 - error function */
wadi_exp wadi_lgamma(wadi_exp a); /**< logarithm of the magnitude of the gamma function */
wadi_exp wadi_tgamma(wadi_exp a); /**< gamma function */
wadi_exp wadi_floor(wadi_exp a);  /**< rounds down */
wadi_exp wadi_ceil(wadi_exp a);   /**< rounds up */
wadi_exp wadi_round(wadi_exp a);  /**< rounds to the nearest integer, halves away from zero */
wadi_exp wadi_trunc(wadi_exp a);  /**< rounds towards zero */
wadi_exp wadi_fma(wadi_exp a, wadi_exp b, wadi_exp c); /**< a * b + c, rounded once */
wadi_exp wadi_copysign(wadi_exp a, wadi_exp b); /**< the modulus of `a` with the sign of `b` */
wadi_exp wadi_isnan(wadi_exp a);                /**< a bool (c: is either part NaN?) */
wadi_exp wadi_isinf(wadi_exp a);                /**< a bool (c: is either part infinite?) */
/* complex numbers: c64 has parts of f32, c128 of f64 */
wadi_exp wadi_complex(wadi_exp re, wadi_exp im); /**< re + im i */
wadi_exp wadi_real(wadi_exp z);                  /**< real part */
wadi_exp wadi_imag(wadi_exp z);                  /**< imaginary part */
wadi_exp wadi_arg(wadi_exp z);                   /**< angle, -pi to pi */
wadi_exp wadi_conj(wadi_exp z);                  /**< conjugate */
/* types */
/** The value of `a` as type `t`; complex to real: the real part. */
wadi_exp wadi_convert(wadi_type t, wadi_exp a);
/** The bits of `a` as type `t` of the same size; not of complex numbers. */
wadi_exp wadi_bitcast(wadi_type t, wadi_exp a);

/** `c` ? `a` : `b`, also of records. What only one side needs is computed only if that side is chosen. */
wadi_exp wadi_cond(wadi_exp c, wadi_exp a, wadi_exp b);
/** The last state of: while pred(state), state = body(state). The first state is `init`. */
wadi_exp wadi_while(wadi_fn1 pred, wadi_fn1 body, wadi_exp init);
/** wadi_while with an environment, which both functions get. */
wadi_exp wadi_while_env(wadi_fn1_env pred, wadi_fn1_env body, void *env, wadi_exp init);
/** The last state after `n` times state = f(i, state), i = 0, 1, ... (i64). */
wadi_exp wadi_iterate(wadi_exp n, wadi_fn2 f, wadi_exp init);
/** wadi_iterate with an environment. */
wadi_exp wadi_iterate_env(wadi_exp n, wadi_fn2_env f, void *env, wadi_exp init);

/** A record of 1 to WADI_MAX_FIELDS named fields, each a plain scalar. Copies the names. */
wadi_exp wadi_rec(int fields, const char *const *names, const wadi_exp *values);
/** A record of two fields. */
wadi_exp wadi_rec2(const char *n0, wadi_exp v0, const char *n1, wadi_exp v1);
/** A record of three fields. */
wadi_exp wadi_rec3(const char *n0, wadi_exp v0, const char *n1, wadi_exp v1, const char *n2,
                   wadi_exp v2);
/** The field called `field`. */
wadi_exp wadi_get(wadi_exp record, const char *field);

/* reading arrays: `a` must not depend on the parameters of the surrounding function. Indices are checked when the program runs. */
wadi_exp wadi_index(wadi_acc a, wadi_ix ix);              /**< the element at `ix` */
wadi_exp wadi_index1(wadi_acc a, wadi_exp i);             /**< the element of a vector */
wadi_exp wadi_index2(wadi_acc a, wadi_exp i, wadi_exp j); /**< the element of a matrix */
/** The element of an array of rank 3. */
wadi_exp wadi_index3(wadi_acc a, wadi_exp i, wadi_exp j, wadi_exp k);
wadi_exp wadi_linear(wadi_acc a, wadi_exp i); /**< element number `i` in row-major order */
wadi_exp wadi_the(wadi_acc a);                /**< the element of an array of rank 0 */
wadi_exp wadi_extent(wadi_acc a, int dim);    /**< the extent of dimension `dim`, i64 */
wadi_exp wadi_size(wadi_acc a);               /**< the product of the extents, i64 */

/* indices and shapes */
wadi_ix wadi_ix0(void);                               /**< the shape or index of rank 0 */
wadi_ix wadi_ix1(wadi_exp i);                         /**< rank 1 */
wadi_ix wadi_ix2(wadi_exp i, wadi_exp j);             /**< rank 2, outermost first */
wadi_ix wadi_ix3(wadi_exp i, wadi_exp j, wadi_exp k); /**< rank 3 */
wadi_ix wadi_ix4(wadi_exp i, wadi_exp j, wadi_exp k, wadi_exp l); /**< rank 4 */
wadi_ix wadi_shape_of(wadi_acc a);                                /**< the extents of `a` */
wadi_exp wadi_to_index(wadi_ix shape, wadi_ix ix); /**< the number of `ix` in row-major order */
wadi_ix wadi_from_index(wadi_ix shape, wadi_exp linear); /**< the inverse of wadi_to_index */
/** The index that a permute's function returns to drop an element. */
wadi_ix wadi_ignore(int rank);
wadi_ix wadi_keep_if(wadi_exp keep, wadi_ix ix); /**< `keep` ? `ix` : wadi_ignore */

/* ---- arrays ---- */

/** The type of an array's elements, for declarations: a scalar (one field) or a record. */
typedef struct wadi_elem_type {
    int fields;
    wadi_type type[WADI_MAX_FIELDS];
    const char *name[WADI_MAX_FIELDS]; /**< NULL for a plain scalar */
} wadi_elem_type;
/** The element type of plain scalars of type `t`. */
wadi_elem_type wadi_scalar_elem(wadi_type t);

/** An array that is bound by name when the program runs. `extents` has one entry per dimension: NULL or "?" (any extent), a
 *  name ("n"; equal names mean equal extents, which is checked when arrays are bound), or a number ("1024"). */
wadi_acc wadi_input(const char *name, wadi_type type, int rank, const char *const *extents);
/** wadi_input of records, or of any other element type. */
wadi_acc wadi_input_rec(const char *name, wadi_elem_type elem, int rank,
                        const char *const *extents);
/** An array of the host program, copied into the program. */
wadi_acc wadi_use(const wadi_array *a);
wadi_acc wadi_unit(wadi_exp e); /**< `e` as an array of rank 0 */
/** The array of shape `shape` whose element at ix is f(ix). */
wadi_acc wadi_generate(wadi_ix shape, wadi_ix_fn f);
/** wadi_generate with an environment. */
wadi_acc wadi_generate_env(wadi_ix shape, wadi_ix_fn_env f, void *env);
/** The array of shape `shape` whose elements are all `v`. */
wadi_acc wadi_fill(wadi_ix shape, wadi_exp v);
wadi_acc wadi_iota(wadi_type t, wadi_exp n); /**< the vector 0, 1, ..., n - 1 of type `t` */
/** The vector of `n` elements first, first + step, first + 2 step, ... */
wadi_acc wadi_enum_from_step(wadi_exp n, wadi_exp first, wadi_exp step);
/** The array of f(x) for each element x of `a`. */
wadi_acc wadi_map(wadi_fn1 f, wadi_acc a);
/** wadi_map with an environment. */
wadi_acc wadi_map_env(wadi_fn1_env f, void *env, wadi_acc a);
/** The array of f(ix, x) for each element x of `a` and its index. */
wadi_acc wadi_imap(wadi_imap_fn f, wadi_acc a);
/** wadi_imap with an environment. */
wadi_acc wadi_imap_env(wadi_imap_fn_env f, void *env, wadi_acc a);
/** The array of f(x, y) for the elements x of `a` and y of `b` at each index. The extents must agree: this is proved, or checked when the
 *  program runs. */
wadi_acc wadi_zip_with(wadi_fn2 f, wadi_acc a, wadi_acc b);
/** wadi_zip_with with an environment. */
wadi_acc wadi_zip_with_env(wadi_fn2_env f, void *env, wadi_acc a, wadi_acc b);
/** wadi_zip_with of three arrays. */
wadi_acc wadi_zip_with3(wadi_fn3 f, wadi_acc a, wadi_acc b, wadi_acc c);
/** wadi_zip_with3 with an environment. */
wadi_acc wadi_zip_with3_env(wadi_fn3_env f, void *env, wadi_acc a, wadi_acc b, wadi_acc c);
/** wadi_zip_with of four arrays; for more see wadi_zip_with_n. */
wadi_acc wadi_zip_with4(wadi_fn4 f, wadi_acc a, wadi_acc b, wadi_acc c, wadi_acc d);
/** wadi_zip_with4 with an environment. */
wadi_acc wadi_zip_with4_env(wadi_fn4_env f, void *env, wadi_acc a, wadi_acc b, wadi_acc c,
                            wadi_acc d);
/** The array of shape `shape` whose element at ix is that of `a` at f(ix). An index out of range is a fault. */
wadi_acc wadi_backpermute(wadi_ix shape, wadi_ix_ix_fn f, wadi_acc a);
/** wadi_backpermute with an environment. */
wadi_acc wadi_backpermute_env(wadi_ix shape, wadi_ix_ix_fn_env f, void *env, wadi_acc a);

/** One entry of a replicate or slice: a whole dimension of the array, or one extent or index. */
typedef struct wadi_spec {
    int kind; /**< 0 all, 1 fixed, 2 any (every remaining dimension) */
    wadi_exp value;
} wadi_spec;
wadi_spec wadi_all(void); /**< one whole dimension of the array */
wadi_spec wadi_any(void); /**< every remaining dimension */
/** Replicate: a new dimension; slice: one index of a dimension. */
wadi_spec wadi_fix(wadi_exp extent_or_index);
/** Repeats `a` along new dimensions. Each fixed entry makes a new dimension of that extent; the `all` entries are the dimensions of `a`, in
 *  order. */
wadi_acc wadi_replicate(int n, const wadi_spec *spec, wadi_acc a);
/** A part of `a`: each fixed entry selects one index (checked) and drops its dimension. One entry per dimension of `a`. */
wadi_acc wadi_slice(int n, const wadi_spec *spec, wadi_acc a);
/** The elements of `a`, in row-major order, in another shape. A size that differs is a fault. */
wadi_acc wadi_reshape(wadi_ix shape, wadi_acc a);
/** `a` itself, with the promise that it has this shape; a broken promise is a fault. The compiler relies on it: for example,
 *  zips need no check, and results of streams stay regular. */
wadi_acc wadi_assert_shape(wadi_ix shape, wadi_acc a);
wadi_acc wadi_flatten(wadi_acc a);   /**< all elements as a vector, in row-major order */
wadi_acc wadi_transpose(wadi_acc a); /**< reverses the order of the dimensions */
/** Dimension d of the result is dimension perm[d] of `a`. */
wadi_acc wadi_transpose_on(const int *perm, wadi_acc a);
wadi_acc wadi_reverse(wadi_acc a);             /**< reverses the innermost dimension */
wadi_acc wadi_reverse_on(int dim, wadi_acc a); /**< reverses dimension `dim` */
/** The first n along the innermost dimension; n is clamped to 0..extent. */
wadi_acc wadi_take(wadi_exp n, wadi_acc a);
wadi_acc wadi_take_on(int dim, wadi_exp n, wadi_acc a); /**< wadi_take along dimension `dim` */
/** All but the first n along the innermost dimension; n is clamped. */
wadi_acc wadi_drop(wadi_exp n, wadi_acc a);
wadi_acc wadi_drop_on(int dim, wadi_exp n, wadi_acc a); /**< wadi_drop along dimension `dim` */
/** For each index in `indices` (any rank), the element of the vector `a`. An index out of range is a fault. */
wadi_acc wadi_gather(wadi_acc indices, wadi_acc a);

/** Reduces the innermost dimension by f, which must be associative. z is used once per row and need not be an identity. */
wadi_acc wadi_fold(wadi_fn2 f, wadi_exp z, wadi_acc a);
/** wadi_fold with an environment. */
wadi_acc wadi_fold_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
/** wadi_fold without an initial value; an empty row is a fault. */
wadi_acc wadi_fold1(wadi_fn2 f, wadi_acc a);
/** wadi_fold1 with an environment. */
wadi_acc wadi_fold1_env(wadi_fn2_env f, void *env, wadi_acc a);
/** wadi_fold of all elements, to rank 0. */
wadi_acc wadi_fold_all(wadi_fn2 f, wadi_exp z, wadi_acc a);
wadi_acc wadi_sum(wadi_acc a);     /**< sum of each row; of an empty row 0 */
wadi_acc wadi_product(wadi_acc a); /**< product of each row; of an empty row 1 */
wadi_acc wadi_minimum(wadi_acc a); /**< least element of each row; an empty row is a fault */
wadi_acc wadi_maximum(wadi_acc a); /**< greatest element of each row; an empty row is a fault */
/** I64 index of the first least element of each row; an empty row is a fault. */
wadi_acc wadi_argmin(wadi_acc a);
/** I64 index of the first greatest element of each row; an empty row is a fault. */
wadi_acc wadi_argmax(wadi_acc a);
/** Prefix results along the innermost dimension, beginning with z: extent n + 1, result[0] = z, result[i] = z f a[0] f ...
 *  f a[i-1]. f must be associative. */
wadi_acc wadi_scanl(wadi_fn2 f, wadi_exp z, wadi_acc a);
/** wadi_scanl with an environment. */
wadi_acc wadi_scanl_env(wadi_fn2_env f, void *env, wadi_exp z, wadi_acc a);
/** Prefix results without z: extent n, result[i] = a[0] f ... f a[i]. An empty row gives an empty row. */
wadi_acc wadi_scanl1(wadi_fn2 f, wadi_acc a);
/** wadi_scanl1 with an environment. */
wadi_acc wadi_scanl1_env(wadi_fn2_env f, void *env, wadi_acc a);
/** A copy of `defaults` into which each element of `a` goes, at index f(index of the element), as comb(element, old value). Elements with
 *  one target are combined in the order of the source. wadi_ignore drops an element; a target out of range is a fault. */
wadi_acc wadi_permute(wadi_fn2 comb, wadi_acc defaults, wadi_ix_ix_fn f, wadi_acc a);
/** wadi_permute with an environment, which both functions get. */
wadi_acc wadi_permute_env(wadi_fn2_env comb, wadi_acc defaults, wadi_ix_ix_fn_env f, void *env,
                          wadi_acc a);

/** `p` ? `a` : `b` of arrays or tuples. Only the chosen side is computed. */
wadi_acc wadi_acond(wadi_exp p, wadi_acc a, wadi_acc b);
/** The last state of: while pred(state), which is a bool of rank 0, state = body(state). The state is an array or a tuple. Its
 *  extents may change, its ranks and types may not. */
wadi_acc wadi_awhile(wadi_acc_fn1 pred, wadi_acc_fn1 body, wadi_acc init);
/** wadi_awhile with an environment, which both functions get. */
wadi_acc wadi_awhile_env(wadi_acc_fn1_env pred, wadi_acc_fn1_env body, void *env, wadi_acc init);
/** Stores `a` in memory: fusion stops here. */
wadi_acc wadi_compute(wadi_acc a);
/** `a` itself, called `name` (letters, digits, _) in explanations and kernels. */
wadi_acc wadi_named(const char *name, wadi_acc a);

/** A tuple of `n` arrays; nested tuples become one tuple. */
wadi_acc wadi_tuple(int n, const wadi_acc *parts);
wadi_acc wadi_tuple2(wadi_acc a, wadi_acc b);   /**< a pair */
wadi_acc wadi_tuple_get(wadi_acc tuple, int i); /**< part `i` of a tuple, from 0 */
int wadi_rank(wadi_acc a);                      /**< number of dimensions; -1 after a mistake */
int wadi_parts(wadi_acc a);                     /**< number of arrays in a tuple; 1 for an array */

#include "wadi/lang_arrays.h"
#include "wadi/lang_fft.h"
#include "wadi/lang_foreign.h"
#include "wadi/lang_order.h"
#include "wadi/lang_random.h"
#include "wadi/lang_seq.h"
#include "wadi/lang_stencil.h"

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
