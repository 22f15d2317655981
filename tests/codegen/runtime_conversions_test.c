/* Conversions and complex numbers, as kernels and as the interpreter compute them, and the functions by which kernels report to the
 * runtime. */
#include "tests/codegen/runtime_text.h"

static wide clamped(wadi_type to, double x) {
    const wide most = wadi_type_is_signed(to) ? ((wide)1 << (width_of(to) - 1)) - 1
                                              : ((wide)1 << width_of(to)) - 1;
    const wide least = wadi_type_is_signed(to) ? -most - 1 : 0;
    if (isnan(x)) return 0;
    if (x >= 1e30) return most;
    if (x <= -1e30) return least;
    const wide whole = (wide)x;
    return whole > most ? most : whole < least ? least : whole;
}

#define TO_INT(N, T)                                                    \
    static uint64_t to_##N(wadi_type from, double x) {                  \
        return from == WADI_F32 ? (uint64_t)wadi_##N##_of_f32((float)x) \
                                : (uint64_t)wadi_##N##_of_f64(x);       \
    }
TO_INT(i8, int8_t)
TO_INT(i16, int16_t)
TO_INT(i32, int32_t)
TO_INT(i64, int64_t)
TO_INT(u8, uint8_t)
TO_INT(u16, uint16_t)
TO_INT(u32, uint32_t)
TO_INT(u64, uint64_t)

static void floats_become_integers(void **state) {
    (void)state;
    static uint64_t (*const to[])(wadi_type, double) = {
        [WADI_I8] = to_i8, [WADI_I16] = to_i16, [WADI_I32] = to_i32, [WADI_I64] = to_i64,
        [WADI_U8] = to_u8, [WADI_U16] = to_u16, [WADI_U32] = to_u32, [WADI_U64] = to_u64};
    for (wadi_type from = WADI_F32; from <= WADI_F64; from++)
        for (wadi_type t = WADI_I8; t <= WADI_U64; t++)
            for (int k = -66; k < 4 * 66 + REALS; k++) {
                /* around each power of two */
                const double power = ldexp(k < 0 ? -1 : 1, abs(k) / 4), off = ((k & 3) - 1) * 0.75;
                double x = k < 4 * 66 ? power + off : reals[k - 4 * 66];
                x = float_of(from, bits_of(from, x));
                const wadi_scalar arg = {from, bits_of(from, x)};
                wadi_scalar got;
                assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, t, &arg, &got));
                const uint64_t want = cut(t, clamped(t, x));
                if (got.bits != want || to[t](from, x) != want)
                    fail_msg("%s of %s %a: %llx and %llx, expected %llx", wadi_type_name(t),
                             wadi_type_name(from), x, (unsigned long long)got.bits,
                             (unsigned long long)to[t](from, x), (unsigned long long)want);
            }
}

static void integers_become_each_other_and_floats(void **state) {
    (void)state;
    for (wadi_type from = WADI_BOOL; from <= WADI_U64; from++)
        for (int i = 0; i < ENDS; i++) {
            const wadi_scalar arg = {from, wadi_scalar_wrap(from, ends[i])};
            const wide v = from == WADI_BOOL ? (wide)(ends[i] & 1) : value_of(from, arg.bits);
            wadi_scalar got;
            for (wadi_type t = WADI_I8; t <= WADI_U64; t++) {
                assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, t, &arg, &got));
                assert_int_equal(got.bits, cut(t, v));
            }
            assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_BOOL, &arg, &got));
            assert_int_equal(got.bits, v != 0);
            /* once rounded: a wide integer has more digits than either */
            assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_F32, &arg, &got));
            assert_true(float_of(WADI_F32, got.bits) == (double)(float)v);
            assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_F64, &arg, &got));
            assert_true(float_of(WADI_F64, got.bits) == (double)v);
            assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_C64, &arg, &got));
            assert_true(got.bits == bits_of(WADI_F32, (double)(float)v) && got.im == 0);
        }
    const wadi_scalar odd = {WADI_I64, (UINT64_C(1) << 54) + (UINT64_C(1) << 30) + 1};
    wadi_scalar got;
    assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_F32, &odd, &got));
    assert_true(float_of(WADI_F32, got.bits) == 0x1p54 + 0x1p31);
}

static void floats_become_bools_and_each_other(void **state) {
    (void)state;
    for (int i = 0; i < REALS; i++) {
        const double x = reals[i];
        const wadi_scalar wide_one = {WADI_F64, bits_of(WADI_F64, x)};
        const wadi_scalar narrow = {WADI_F32, bits_of(WADI_F32, x)};
        wadi_scalar got;
        assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_BOOL, &wide_one, &got));
        assert_int_equal(got.bits, isnan(x) || x > 0 || x < 0);
        assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_F32, &wide_one, &got));
        assert_true(same_float(WADI_F32, got.bits, narrow.bits));
        assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_F64, &narrow, &got));
        assert_true(same_float(WADI_F64, got.bits, bits_of(WADI_F64, (double)(float)x)));
        assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_C128, &narrow, &got));
        assert_true(same_float(WADI_F64, got.bits, bits_of(WADI_F64, (double)(float)x)) &&
                    got.im == 0);
    }
}

static void bits_pass_between_types(void **state) {
    (void)state;
    for (int i = 0; i < ENDS; i++) {
        const uint32_t low = (uint32_t)ends[i];
        float f;
        double d;
        memcpy(&f, &low, sizeof f);
        memcpy(&d, &ends[i], sizeof d);
        const float from_u = wadi_f32_bits_u32(low), from_i = wadi_f32_bits_i32((int32_t)low);
        const double wide_u = wadi_f64_bits_u64(ends[i]),
                     wide_i = wadi_f64_bits_i64((int64_t)ends[i]);
        assert_memory_equal(&from_u, &f, sizeof f);
        assert_memory_equal(&from_i, &f, sizeof f);
        assert_memory_equal(&wide_u, &d, sizeof d);
        assert_memory_equal(&wide_i, &d, sizeof d);
        assert_int_equal(wadi_u32_bits_f32(f), low);
        assert_int_equal(wadi_i32_bits_f32(f), (int32_t)low);
        assert_int_equal(wadi_u64_bits_f64(d), ends[i]);
        assert_int_equal(wadi_i64_bits_f64(d), (int64_t)ends[i]);
    }
}

/* ---- complex numbers ---- */

static wadi_scalar complex_of(wadi_type t, double re, double im) {
    const wadi_type part = wadi_type_part(t);
    return (wadi_scalar){t, bits_of(part, re), bits_of(part, im)};
}

/* The kernel's function: a complex number, or a real one or a truth with 0 as its other part. */
#define COMPLEX_FUNCTIONS(N, T, P, F)                                    \
    static bool run_##N(wadi_sop op, T a, T b, double *re, double *im) { \
        T z = {0, 0};                                                    \
        switch (op) {                                                    \
        case WADI_SOP_ADD:                                               \
            z = wadi_add_##N(a, b);                                      \
            break;                                                       \
        case WADI_SOP_SUB:                                               \
            z = wadi_sub_##N(a, b);                                      \
            break;                                                       \
        case WADI_SOP_MUL:                                               \
            z = wadi_mul_##N(a, b);                                      \
            break;                                                       \
        case WADI_SOP_FDIV:                                              \
            z = wadi_fdiv_##N(a, b);                                     \
            break;                                                       \
        case WADI_SOP_NEG:                                               \
            z = wadi_neg_##N(a);                                         \
            break;                                                       \
        case WADI_SOP_CONJ:                                              \
            z = wadi_conj_##N(a);                                        \
            break;                                                       \
        case WADI_SOP_REAL:                                              \
            z.re = wadi_real_##N(a);                                     \
            break;                                                       \
        case WADI_SOP_IMAG:                                              \
            z.re = wadi_imag_##N(a);                                     \
            break;                                                       \
        case WADI_SOP_ABS:                                               \
            z.re = wadi_abs_##N(a);                                      \
            break;                                                       \
        case WADI_SOP_ARG:                                               \
            z.re = wadi_arg_##N(a);                                      \
            break;                                                       \
        case WADI_SOP_EQ:                                                \
            z.re = wadi_eq_##N(a, b);                                    \
            break;                                                       \
        case WADI_SOP_NE:                                                \
            z.re = wadi_ne_##N(a, b);                                    \
            break;                                                       \
        case WADI_SOP_ISNAN:                                             \
            z.re = wadi_isnan_##N(a);                                    \
            break;                                                       \
        case WADI_SOP_ISINF:                                             \
            z.re = wadi_isinf_##N(a);                                    \
            break;                                                       \
        case WADI_SOP_SQRT:                                              \
            z = wadi_sqrt_##N(a);                                        \
            break;                                                       \
        case WADI_SOP_EXP:                                               \
            z = wadi_exp_##N(a);                                         \
            break;                                                       \
        case WADI_SOP_LOG:                                               \
            z = wadi_log_##N(a);                                         \
            break;                                                       \
        case WADI_SOP_SIN:                                               \
            z = wadi_sin_##N(a);                                         \
            break;                                                       \
        case WADI_SOP_COS:                                               \
            z = wadi_cos_##N(a);                                         \
            break;                                                       \
        case WADI_SOP_TANH:                                              \
            z = wadi_tanh_##N(a);                                        \
            break;                                                       \
        case WADI_SOP_POW:                                               \
            z = wadi_pow_##N(a, b);                                      \
            break;                                                       \
        default:                                                         \
            return false;                                                \
        }                                                                \
        *re = (double)z.re;                                              \
        *im = (double)z.im;                                              \
        return true;                                                     \
    }
COMPLEX_FUNCTIONS(c64, wadi_cfloat, f32, float)
COMPLEX_FUNCTIONS(c128, wadi_cdouble, f64, double)

static bool run_complex(wadi_type t, wadi_sop op, const double *a, const double *b, double *re,
                        double *im) {
    if (t == WADI_C128)
        return run_c128(op, wadi_complex_f64(a[0], a[1]), wadi_complex_f64(b[0], b[1]), re, im);
    return run_c64(op, wadi_complex_f32((float)a[0], (float)a[1]),
                   wadi_complex_f32((float)b[0], (float)b[1]), re, im);
}

static bool is_near(double got, double want, double within) {
    return isnan(want) ? isnan(got) : got == want || fabs(got - want) <= within * (1 + fabs(want));
}

/* From the parts, in doubles; false: not of this list. */
static bool complex_meaning(wadi_sop op, const double *a, const double *b, double *re, double *im) {
    const double norm = b[0] * b[0] + b[1] * b[1];
    *im = 0;
    switch (op) {
    case WADI_SOP_ADD:
        return *re = a[0] + b[0], *im = a[1] + b[1], true;
    case WADI_SOP_SUB:
        return *re = a[0] - b[0], *im = a[1] - b[1], true;
    case WADI_SOP_MUL:
        return *re = a[0] * b[0] - a[1] * b[1], *im = a[0] * b[1] + a[1] * b[0], true;
    case WADI_SOP_FDIV:
        *re = (a[0] * b[0] + a[1] * b[1]) / norm;
        return *im = (a[1] * b[0] - a[0] * b[1]) / norm, true;
    case WADI_SOP_NEG:
        return *re = -a[0], *im = -a[1], true;
    case WADI_SOP_CONJ:
        return *re = a[0], *im = -a[1], true;
    case WADI_SOP_REAL:
        return *re = a[0], true;
    case WADI_SOP_IMAG:
        return *re = a[1], true;
    case WADI_SOP_ABS:
        return *re = sqrt(a[0] * a[0] + a[1] * a[1]), true;
    case WADI_SOP_ARG:
        return *re = atan2(a[1], a[0]), true;
    case WADI_SOP_EQ:
        return *re = a[0] == b[0] && a[1] == b[1], true;
    case WADI_SOP_NE:
        return *re = !(a[0] == b[0] && a[1] == b[1]), true;
    case WADI_SOP_ISNAN:
        return *re = isnan(a[0]) || isnan(a[1]), true;
    case WADI_SOP_ISINF:
        return *re = isinf(a[0]) || isinf(a[1]), true;
    case WADI_SOP_EXP:
        return *re = exp(a[0]) * cos(a[1]), *im = exp(a[0]) * sin(a[1]), true;
    case WADI_SOP_LOG:
        return *re = log(hypot(a[0], a[1])), *im = atan2(a[1], a[0]), true;
    case WADI_SOP_SIN:
        return *re = sin(a[0]) * cosh(a[1]), *im = cos(a[0]) * sinh(a[1]), true;
    case WADI_SOP_COS:
        return *re = cos(a[0]) * cosh(a[1]), *im = -sin(a[0]) * sinh(a[1]), true;
    case WADI_SOP_SINH:
        return *re = sinh(a[0]) * cos(a[1]), *im = cosh(a[0]) * sin(a[1]), true;
    case WADI_SOP_COSH:
        return *re = cosh(a[0]) * cos(a[1]), *im = sinh(a[0]) * sin(a[1]), true;
    default:
        return false;
    }
}

static double part_of(wadi_scalar v, bool im) {
    const wadi_type part = wadi_type_part(v.type);
    return v.type == WADI_BOOL ? (double)v.bits : float_of(part, im ? v.im : v.bits);
}

static void complex_numbers(void **state) {
    (void)state;
    static const double at[][2] = {{1, 2}, {-0.5, 3}, {4, -0.25}, {-1, -1}, {0.125, 2}, {2, 0.5}};
    enum { N = sizeof at / sizeof *at };
    for (wadi_type t = WADI_C64; t <= WADI_C128; t++)
        for (int k = 0; k < WADI_SOP_PRIM_COUNT * N * N; k++) {
            const wadi_sop op = (wadi_sop)(k / (N * N));
            const double *a = at[k / N % N], *b = at[k % N], within = t == WADI_C64 ? 1e-5 : 1e-13;
            const wadi_scalar args[2] = {complex_of(t, a[0], a[1]), complex_of(t, b[0], b[1])};
            double re, im, ran_re = 0, ran_im = 0;
            wadi_type result;
            wadi_scalar got = {WADI_I8, 9};
            if (!takes(op, t) || !complex_meaning(op, a, b, &re, &im)) continue;
            const wadi_type types[2] = {t, t};
            assert_true(wadi_sop_type(op, types, &result));
            assert_true(wadi_scalar_eval(op, result, args, &got));
            const double got_im = wadi_type_is_complex(result) ? part_of(got, true) : 0;
            if (!is_near(part_of(got, false), re, within) || !is_near(got_im, im, within))
                fail_msg("%s %s of (%g, %g) and (%g, %g)", wadi_sop_get(op)->name,
                         wadi_type_name(t), a[0], a[1], b[0], b[1]);
            if (!run_complex(t, op, a, b, &ran_re, &ran_im)) continue;
            if (ran_re != part_of(got, false) || ran_im != got_im)
                fail_msg("in kernels %s %s of (%g, %g) and (%g, %g): %a %a", wadi_sop_get(op)->name,
                         wadi_type_name(t), a[0], a[1], b[0], b[1], ran_re, ran_im);
        }
}

/* Where a meaning in parts says nothing of zeros, infinities and NaN, kernels and the interpreter still agree. */
static void complex_numbers_at_their_ends(void **state) {
    (void)state;
    static const double part[] = {
        0.0, -0.0, 1, -2.5, 1e30, (double)INFINITY, -(double)INFINITY, (double)NAN};
    enum { N = sizeof part / sizeof *part };
    for (wadi_type t = WADI_C64; t <= WADI_C128; t++)
        for (int k = 0; k < WADI_SOP_PRIM_COUNT * N * N * N; k++) {
            const wadi_sop op = (wadi_sop)(k / (N * N * N));
            const double a[2] = {part[k / (N * N) % N], part[k / N % N]},
                         b[2] = {part[k % N], part[(k + k / N) % N]};
            const wadi_scalar args[2] = {complex_of(t, a[0], a[1]), complex_of(t, b[0], b[1])};
            const wadi_type types[2] = {t, t}, half = wadi_type_part(t);
            double re, im;
            wadi_type result;
            wadi_scalar got;
            if (!takes(op, t) || !run_complex(t, op, a, b, &re, &im)) continue;
            assert_true(wadi_sop_type(op, types, &result));
            assert_true(wadi_scalar_eval(op, result, args, &got));
            const bool same =
                result == WADI_BOOL
                    ? (double)got.bits == re
                    : same_float(half, got.bits, bits_of(half, re)) &&
                          (result == half || same_float(half, got.im, bits_of(half, im)));
            if (!same)
                fail_msg("%s %s of (%g, %g) and (%g, %g): %g %g in kernels", wadi_sop_get(op)->name,
                         wadi_type_name(t), a[0], a[1], b[0], b[1], re, im);
        }
}

static void complex_numbers_are_converted_by_parts(void **state) {
    (void)state;
    const wadi_scalar z = complex_of(WADI_C128, 0, 0.1), w = complex_of(WADI_C64, 300.7, -2);
    wadi_scalar got;
    assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_C64, &z, &got));
    assert_true(part_of(got, true) == (double)0.1f && part_of(got, false) == 0);
    assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_C128, &w, &got));
    assert_true(part_of(got, true) == -2 && part_of(got, false) == (double)300.7f);
    assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_BOOL, &z, &got));
    assert_true(got.bits == 1 && got.im == 0);
    assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_U8, &w, &got));
    assert_true(got.bits == 255 && got.im == 0);
    assert_true(wadi_scalar_eval(WADI_SOP_CONVERT, WADI_I8, &z, &got));
    assert_true(got.bits == 0);
    const wadi_cfloat narrow = wadi_c64_of_c128(wadi_complex_f64(0.1, 0.2));
    const wadi_cdouble wide_one = wadi_c128_of_c64(wadi_complex_f32(0.1f, 0.2f));
    assert_true(narrow.re == 0.1f && narrow.im == 0.2f);
    assert_true(wide_one.re == (double)0.1f && wide_one.im == (double)0.2f);
    assert_true(wadi_nonzero_c64(wadi_complex_f32(0, 1)) &&
                wadi_nonzero_c128(wadi_complex_f64(1, 0)));
    assert_false(wadi_nonzero_c64(wadi_complex_f32(0, -0.0f)));
    const wadi_cdouble chosen =
                           wadi_select_c128(true, wadi_complex_f64(1, 2), wadi_complex_f64(3, 4)),
                       other =
                           wadi_select_c128(false, wadi_complex_f64(1, 2), wadi_complex_f64(3, 4));
    assert_true(chosen.re == 1 && chosen.im == 2 && other.re == 3 && other.im == 4);
}

/* ---- what kernels say to the runtime ---- */

static void faults_carry_everything(void **state) {
    (void)state;
    const int64_t index[3] = {7, 8, 9};
    wadi_work w = {.count = 0};
    assert_int_equal(wadi_fault_at(&w, WADI_FAULT_INDEX, 11, 12, 13, 14, 15, 16, 17, 3, index), 1);
    assert_int_equal(w.fault.kind, WADI_FAULT_INDEX);
    assert_int_equal(w.fault.place, 11);
    assert_int_equal(w.fault.element, 12);
    assert_int_equal(w.fault.linear, 13);
    for (int k = 0; k < 4; k++) assert_int_equal(w.fault.value[k], 14 + k);
    assert_int_equal(w.fault.rank, 3);
    assert_memory_equal(w.fault.index, index, sizeof index);
    assert_int_equal(wadi_no_room(&w, 5), 1);
    assert_int_equal(w.fault.place, 5);
    assert_int_equal(wadi_stopped(&w), 1);
    assert_int_equal(w.fault.kind, WADI_FAULT_CANCELLED);
    assert_int_equal(w.fault.place, -1);
    assert_int_equal(w.fault.linear, -1);
}

static int64_t asked;

static void *note_scratch(wadi_work *w, int64_t bytes) {
    asked = bytes;
    return w->self;
}

static void scratch_is_as_large_as_its_array(void **state) {
    (void)state;
    char memory;
    wadi_work w = {.scratch = note_scratch, .self = &memory};
    const struct {
        int64_t size;
        int rank;
        int64_t extent[3], bytes;
    } rows[] = {{8, 1, {10}, 80 + 64},
                {4, 2, {3, 5}, 60 + 64},
                {1, 3, {2, 3, 4}, 24 + 64},
                {16, 0, {0}, 16 + 64},
                {8, 2, {0, 5}, 64},
                {8, 2, {INT64_MAX, 0}, 64},
                {8, 2, {INT64_MAX, 2}, INT64_MAX / 4},
                {1, 1, {INT64_MAX / 4}, INT64_MAX / 4 + 64},
                {1, 1, {INT64_MAX / 4 + 1}, INT64_MAX / 4}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        w.fault.place = 77;
        assert_ptr_equal(wadi_scratch_of(&w, 3, rows[k].size, rows[k].rank, rows[k].extent),
                         &memory);
        assert_int_equal(asked, rows[k].bytes);
        assert_int_equal(w.fault.place, 77);
    }
    w.self = NULL;
    assert_null(wadi_scratch_of(&w, 3, 8, 1, rows[0].extent));
    assert_int_equal(w.fault.place, 3);
}

static void units_belong_to_the_element_that_has_them(void **state) {
    (void)state;
    int64_t unit[] = {0, 3, 3, 3, 4, 9, 9};
    for (int64_t count = 1; count <= 6; count++) {
        const wadi_work w = {.unit = unit, .count = count};
        for (int64_t u = 0; u < unit[count]; u++) {
            int64_t want = 0;
            while (unit[want + 1] <= u) want++;
            assert_int_equal(wadi_segment(&w, u), want);
        }
    }
}

static void strips_end_at_the_loops_end(void **state) {
    (void)state;
    assert_int_equal(WADI_STRIP(0, 16, 100), 16);
    assert_int_equal(WADI_STRIP(96, 16, 100), 100);
    assert_int_equal(WADI_STRIP(84, 16, 100), 100);
    assert_int_equal(WADI_STRIP(83, 16, 100), 99);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_become_integers),
        cmocka_unit_test(integers_become_each_other_and_floats),
        cmocka_unit_test(floats_become_bools_and_each_other),
        cmocka_unit_test(bits_pass_between_types),
        cmocka_unit_test(complex_numbers),
        cmocka_unit_test(complex_numbers_at_their_ends),
        cmocka_unit_test(complex_numbers_are_converted_by_parts),
        cmocka_unit_test(faults_carry_everything),
        cmocka_unit_test(scratch_is_as_large_as_its_array),
        cmocka_unit_test(units_belong_to_the_element_that_has_them),
        cmocka_unit_test(strips_end_at_the_loops_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
