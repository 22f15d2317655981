/* What kernels take from the C compiler and tcc does not have. */
#define _Pragma(text)

void *memcpy(void *, const void *, unsigned long);
double sqrt(double);
float sqrtf(float);
double fabs(double);
float fabsf(float);
double floor(double);
float floorf(float);
double ceil(double);
float ceilf(float);
double trunc(double);
float truncf(float);
double rint(double);
float rintf(float);
double round(double);
float roundf(float);
double copysign(double, double);
float copysignf(float, float);
double fma(double, double, double);
float fmaf(float, float, float);

#define __builtin_memcpy memcpy
#define __builtin_sqrt sqrt
#define __builtin_sqrtf sqrtf
#define __builtin_fabs fabs
#define __builtin_fabsf fabsf
#define __builtin_floor floor
#define __builtin_floorf floorf
#define __builtin_ceil ceil
#define __builtin_ceilf ceilf
#define __builtin_trunc trunc
#define __builtin_truncf truncf
#define __builtin_rint rint
#define __builtin_rintf rintf
#define __builtin_round round
#define __builtin_roundf roundf
#define __builtin_copysign copysign
#define __builtin_copysignf copysignf
#define __builtin_fma fma
#define __builtin_fmaf fmaf
#define __builtin_inf() quick_of_bits(0x7ff0000000000000ULL)
#define __builtin_inff() (float)__builtin_inf()
#define __builtin_nan(text) quick_of_bits(0x7ff8000000000000ULL)
#define __builtin_nanf(text) (float)__builtin_nan(text)
#define __builtin_mul_overflow quick_mul_overflow
#define __builtin_popcountll quick_popcount
#define __builtin_clzll quick_leading
#define __builtin_ctzll quick_trailing

static double quick_of_bits(unsigned long long bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static int quick_popcount(unsigned long long x) {
    x -= x >> 1 & 0x5555555555555555ULL;
    x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL);
    return (x + (x >> 4) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL >> 56;
}

/* Of the numbers but 0. */
static int quick_leading(unsigned long long x) {
    int n = 0;
    for (int step = 32; step; step /= 2)
        if (!(x >> (64 - step))) {
            x <<= step;
            n += step;
        }
    return n;
}

static int quick_trailing(unsigned long long x) {
    return 63 - quick_leading(x & -x);
}

/* *out gets the product's lower bits. */
static int quick_mul_overflow(long long a, long long b, long long *out) {
    const unsigned long long product = (unsigned long long)a * (unsigned long long)b;
    *out = (long long)product;
    if (a == 0 || b == 0) return 0;
    if (a == -1) return b == *out && b == -b;
    if (b == -1) return a == *out && a == -a;
    return *out / b != a;
}
