/* Operations on integers and bools as kernels and the interpreter compute them, against meanings in 128 bits: every operation on every
 * type over numbers at the ends. */
#include "tests/codegen/runtime_text.h"

static wide floor_div(wide a, wide b) {
    const wide q = a / b;
    return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static int bit(uint64_t bits, int k) {
    return (int)(bits >> k & 1);
}

static uint64_t rotated(wadi_type t, uint64_t bits, int64_t left) {
    const int width = width_of(t);
    uint64_t out = 0;
    for (int k = 0; k < width; k++) {
        const int64_t from = ((k - left) % width + width) % width;
        out |= (uint64_t)bit(bits, (int)from) << k;
    }
    return cut(t, (wide)out);
}

static int counted(wadi_sop op, wadi_type t, uint64_t bits) {
    int n = 0, leading = 0, trailing = 0;
    const int width = width_of(t);
    for (int k = 0; k < width; k++) n += bit(bits, k);
    while (leading < width && !bit(bits, width - 1 - leading)) leading++;
    while (trailing < width && !bit(bits, trailing)) trailing++;
    return op == WADI_SOP_POPCOUNT ? n : op == WADI_SOP_CLZ ? leading : trailing;
}

static uint64_t shifted(wadi_sop op, wadi_type t, wide a, int64_t d) {
    const bool inside = d >= 0 && d < width_of(t);
    if (op == WADI_SOP_SHL) return inside ? cut(t, (wide)((uwide)a << d)) : 0;
    if (!inside) return cut(t, a < 0 ? -1 : 0);
    return cut(t, floor_div(a, (wide)1 << d));
}

/* What the operation gives; b is not 0 where it divides. */
static uint64_t meaning(wadi_sop op, wadi_type t, uint64_t x, uint64_t y) {
    const wide a = value_of(t, x), b = value_of(t, y);
    const int64_t d = (int64_t)y;
    switch (op) {
    case WADI_SOP_ADD:
        return cut(t, a + b);
    case WADI_SOP_SUB:
        return cut(t, a - b);
    case WADI_SOP_MUL:
        return cut(t, (wide)((uwide)a * (uwide)b));
    case WADI_SOP_NEG:
        return cut(t, -a);
    case WADI_SOP_ABS:
        return cut(t, a < 0 ? -a : a);
    case WADI_SOP_SIGNUM:
        return cut(t, (a > 0) - (a < 0));
    case WADI_SOP_MIN:
        return cut(t, a < b ? a : b);
    case WADI_SOP_MAX:
        return cut(t, a > b ? a : b);
    case WADI_SOP_QUOT:
        return cut(t, a / b);
    case WADI_SOP_REM:
        return cut(t, a % b);
    case WADI_SOP_DIV:
        return cut(t, floor_div(a, b));
    case WADI_SOP_MOD:
        return cut(t, a - floor_div(a, b) * b);
    case WADI_SOP_AND:
        return cut(t, a & b);
    case WADI_SOP_OR:
        return cut(t, a | b);
    case WADI_SOP_XOR:
        return cut(t, a ^ b);
    case WADI_SOP_NOT:
        return cut(t, -a - 1);
    case WADI_SOP_SHL:
    case WADI_SOP_SHR:
        return shifted(op, t, a, d);
    case WADI_SOP_ROTL:
        return rotated(t, x, d);
    case WADI_SOP_ROTR:
        return rotated(t, x, -d);
    case WADI_SOP_POPCOUNT:
    case WADI_SOP_CLZ:
    case WADI_SOP_CTZ:
        return (uint64_t)counted(op, t, x);
    case WADI_SOP_EQ:
        return a == b;
    case WADI_SOP_NE:
        return a != b;
    case WADI_SOP_LT:
        return a < b;
    case WADI_SOP_LE:
        return a <= b;
    case WADI_SOP_GT:
        return a > b;
    case WADI_SOP_GE:
        return a >= b;
    default:
        fail_msg("there is no meaning of %s here", wadi_sop_get(op)->name);
        return 0;
    }
}

/* The kernel's function; false where C's own operator serves. */
#define INT_FUNCTIONS(N, T)                                                   \
    static bool run_##N(wadi_sop op, uint64_t x, uint64_t y, uint64_t *out) { \
        const T a = (T)x, b = (T)y;                                           \
        const int32_t d = (int32_t)y;                                         \
        switch (op) {                                                         \
        case WADI_SOP_MIN:                                                    \
            return *out = (uint64_t)wadi_min_##N(a, b), true;                 \
        case WADI_SOP_MAX:                                                    \
            return *out = (uint64_t)wadi_max_##N(a, b), true;                 \
        case WADI_SOP_SIGNUM:                                                 \
            return *out = (uint64_t)wadi_signum_##N(a), true;                 \
        case WADI_SOP_ABS:                                                    \
            return *out = (uint64_t)wadi_abs_##N(a), true;                    \
        case WADI_SOP_QUOT:                                                   \
            return *out = (uint64_t)wadi_quot_##N(a, b), true;                \
        case WADI_SOP_REM:                                                    \
            return *out = (uint64_t)wadi_rem_##N(a, b), true;                 \
        case WADI_SOP_DIV:                                                    \
            return *out = (uint64_t)wadi_div_##N(a, b), true;                 \
        case WADI_SOP_MOD:                                                    \
            return *out = (uint64_t)wadi_mod_##N(a, b), true;                 \
        case WADI_SOP_SHL:                                                    \
            return *out = (uint64_t)wadi_shl_##N(a, d), true;                 \
        case WADI_SOP_SHR:                                                    \
            return *out = (uint64_t)wadi_shr_##N(a, d), true;                 \
        case WADI_SOP_ROTL:                                                   \
            return *out = (uint64_t)wadi_rotl_##N(a, d), true;                \
        case WADI_SOP_ROTR:                                                   \
            return *out = (uint64_t)wadi_rotr_##N(a, d), true;                \
        case WADI_SOP_POPCOUNT:                                               \
            return *out = (uint64_t)wadi_popcount_##N(a), true;               \
        case WADI_SOP_CLZ:                                                    \
            return *out = (uint64_t)wadi_clz_##N(a), true;                    \
        case WADI_SOP_CTZ:                                                    \
            return *out = (uint64_t)wadi_ctz_##N(a), true;                    \
        default:                                                              \
            return false;                                                     \
        }                                                                     \
    }
INT_FUNCTIONS(i8, int8_t)
INT_FUNCTIONS(i16, int16_t)
INT_FUNCTIONS(i32, int32_t)
INT_FUNCTIONS(i64, int64_t)
INT_FUNCTIONS(u8, uint8_t)
INT_FUNCTIONS(u16, uint16_t)
INT_FUNCTIONS(u32, uint32_t)
INT_FUNCTIONS(u64, uint64_t)

static bool run_int(wadi_type t, wadi_sop op, uint64_t x, uint64_t y, uint64_t *out) {
    static bool (*const by_type[])(wadi_sop, uint64_t, uint64_t, uint64_t *) = {
        [WADI_I8] = run_i8, [WADI_I16] = run_i16, [WADI_I32] = run_i32, [WADI_I64] = run_i64,
        [WADI_U8] = run_u8, [WADI_U16] = run_u16, [WADI_U32] = run_u32, [WADI_U64] = run_u64};
    return by_type[t](op, x, y, out);
}

static void check_int(wadi_sop op, wadi_type t, uint64_t x, uint64_t y) {
    const bool distance = wadi_sop_get(op)->cls == WADI_CLASS_SHIFT;
    const bool divides =
        op == WADI_SOP_QUOT || op == WADI_SOP_REM || op == WADI_SOP_DIV || op == WADI_SOP_MOD;
    const wadi_scalar args[2] = {{t, x}, {distance ? WADI_I32 : t, y}};
    const wadi_type types[2] = {t, args[1].type};
    wadi_scalar got = {WADI_BOOL, 9};
    wadi_type result;
    uint64_t ran = 0;
    assert_true(wadi_sop_type(op, types, &result));
    const bool fine = wadi_scalar_eval(op, result, args, &got);
    if (divides && y == 0) {
        assert_false(fine);
        assert_true(run_int(t, op, x, y, &ran));
        if (op == WADI_SOP_QUOT || op == WADI_SOP_DIV) assert_int_equal(ran, 0);
        return;
    }
    const uint64_t want = meaning(op, t, x, y);
    assert_true(fine);
    if (got.bits != want || got.type != result || got.im != 0)
        fail_msg("%s %s %llx %llx: %llx, expected %llx", wadi_sop_get(op)->name, wadi_type_name(t),
                 (unsigned long long)x, (unsigned long long)y, (unsigned long long)got.bits,
                 (unsigned long long)want);
    if (run_int(t, op, x, y, &ran) && ran != want)
        fail_msg("in kernels %s %s %llx %llx: %llx, expected %llx", wadi_sop_get(op)->name,
                 wadi_type_name(t), (unsigned long long)x, (unsigned long long)y,
                 (unsigned long long)ran, (unsigned long long)want);
}

static const int32_t distances[] = {0,  1,  3,  7,  8,   9,  15, 16, 17,  31,        32,
                                    33, 63, 64, 65, 200, -1, -7, -8, -64, INT32_MAX, INT32_MIN};
enum { DISTANCES = sizeof distances / sizeof *distances };

static void integers_of_every_width(void **state) {
    (void)state;
    for (wadi_type t = WADI_I8; t <= WADI_U64; t++)
        for (int k = 0; k < WADI_SOP_PRIM_COUNT; k++) {
            const wadi_sop op = (wadi_sop)k;
            const bool distance = wadi_sop_get(op)->cls == WADI_CLASS_SHIFT;
            if (!takes(op, t)) continue;
            for (int i = 0; i < ENDS; i++)
                for (int j = 0; j < (distance ? DISTANCES : ENDS); j++)
                    check_int(op, t, wadi_scalar_wrap(t, ends[i]),
                              distance ? (uint64_t)(int64_t)distances[j]
                                       : wadi_scalar_wrap(t, ends[j]));
        }
}

/* All numbers of a byte with all others. */
static void bytes_through_and_through(void **state) {
    (void)state;
    static const wadi_sop ops[] = {WADI_SOP_QUOT, WADI_SOP_REM, WADI_SOP_DIV,
                                   WADI_SOP_MOD,  WADI_SOP_MIN, WADI_SOP_MUL};
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        for (int a = 0; a < 256; a++)
            for (int b = 0; b < 256; b++) {
                check_int(ops[k], WADI_I8, cut(WADI_I8, a), cut(WADI_I8, b));
                check_int(ops[k], WADI_U8, (uint64_t)a, (uint64_t)b);
            }
}

static void bools(void **state) {
    (void)state;
    for (uint64_t a = 0; a < 2; a++)
        for (uint64_t b = 0; b < 2; b++) {
            const wadi_scalar args[2] = {{WADI_BOOL, a}, {WADI_BOOL, b}};
            const struct {
                wadi_sop op;
                bool want;
            } rows[] = {{WADI_SOP_AND, a && b}, {WADI_SOP_OR, a || b},   {WADI_SOP_XOR, a != b},
                        {WADI_SOP_NOT, !a},     {WADI_SOP_LAND, a && b}, {WADI_SOP_LOR, a || b},
                        {WADI_SOP_LNOT, !a},    {WADI_SOP_EQ, a == b},   {WADI_SOP_NE, a != b},
                        {WADI_SOP_LT, !a && b}, {WADI_SOP_LE, !a || b},  {WADI_SOP_GT, a && !b},
                        {WADI_SOP_GE, a || !b}};
            for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
                wadi_scalar got = {WADI_I8, 9};
                assert_true(wadi_scalar_eval(rows[k].op, WADI_BOOL, args, &got));
                if (got.bits != rows[k].want)
                    fail_msg("%s %d %d", wadi_sop_get(rows[k].op)->name, (int)a, (int)b);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_of_every_width),
        cmocka_unit_test(bytes_through_and_through),
        cmocka_unit_test(bools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
