/* The table of targets, and whether this processor can run each. */
#include "codegen/targets.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "codegen/build/processor.h"

/* The levels of x86-64 are those of its psABI. Each level asks only for some features; processors with these have the others. */
const wadi_target wadi_targets[] = {
    {"native", &wadi_language_c, "-march=native", NULL, "all that this processor has", .own = true},
#if defined(__x86_64__)
    {"x86-64", &wadi_language_c, "-march=x86-64", NULL, "any processor of 64 bits"},
    {"x86-64-v2", &wadi_language_c, "-march=x86-64-v2", "sse4_2 popcnt ssse3",
     "SSE 4.2; what valgrind knows"},
    {"x86-64-v3", &wadi_language_c, "-march=x86-64-v3", "avx2 bmi2 fma f16c movbe", "AVX2"},
    {"x86-64-v4", &wadi_language_c, "-march=x86-64-v4",
     "avx512f avx512bw avx512cd avx512dq avx512vl", "AVX-512"},
    {"armv8-a", &wadi_language_c, "-march=armv8-a", NULL, "ARM of 64 bits, for other machines",
     .cross = "aarch64-linux-gnu-gcc"},
#elif defined(__aarch64__)
    {"armv8-a", &wadi_language_c, "-march=armv8-a", NULL, "any processor of 64 bits"},
#endif
    {"opencl", &wadi_language_opencl, NULL, NULL, "OpenCL C 1.2"},
    {"cuda", &wadi_language_cuda, NULL, NULL, "NVIDIA's devices, each by its architecture",
     .of_machine = true},
    {0},
};

/* The processor's flags, with a blank before and after; NULL if the system does not say. */
static char *flags_of_processor(void) {
    wadi_text flags = {0};
    const char *line = strstr(wadi_processor_about(), "\nflags");
    if (line == NULL) return NULL;
    wadi_text_add(&flags, " ");
    wadi_text_add_n(&flags, line + 1, strcspn(line + 1, "\n"));
    wadi_text_add(&flags, " ");
    char *out = wadi_text_take(&flags);
    wadi_text_fini(&flags);
    return out;
}

/* The first word of t->needs that `flags` lacks, into `word`. */
static bool lacks(const wadi_target *t, const char *flags, char word[32]) {
    for (const char *at = t->needs; *at != '\0';) {
        const size_t n = strcspn(at, " ");
        word[0] = ' ';
        memcpy(word + 1, at, n);
        strcpy(word + 1 + n, " ");
        if (strstr(flags, word) == NULL) {
            word[1 + n] = '\0';
            return true;
        }
        at += n + strspn(at + n, " ");
    }
    return false;
}

wadi_status wadi_target_fits(const wadi_target *t, wadi_error *err) {
    char word[32];
    if (t->cross != NULL)
        return wadi_fail(err, WADI_UNSUPPORTED, "this processor is no %s", t->name);
    char *flags = t->needs != NULL ? flags_of_processor() : NULL;
    const bool fails = flags != NULL && lacks(t, flags, word);
    free(flags);
    return fails ? wadi_fail(err, WADI_UNSUPPORTED, "this processor is no %s: it lacks%s", t->name,
                             word)
                 : WADI_OK;
}

static wadi_status unknown(const char *name, wadi_error *err) {
    wadi_text names = {0};
    for (const wadi_target *t = wadi_targets; t->name != NULL; t++)
        wadi_text_addf(&names, "%s%s", t == wadi_targets ? "" : ", ", t->name);
    const wadi_status st = wadi_fail(err, WADI_INVALID, "no target \"%.60s\"; there are: %s", name,
                                     wadi_text_str(&names));
    wadi_text_fini(&names);
    return st;
}

/* NULL: no name is given, and none stands in the environment. */
static const char *asked(const char *name) {
    if (name == NULL) name = getenv("WADI_TARGET");
    return name == NULL || *name == '\0' ? NULL : name;
}

bool wadi_target_is_asked(const char *name) {
    return asked(name) != NULL;
}

wadi_status wadi_target_named(const char *name, const wadi_target **out, wadi_error *err) {
    const wadi_target *t = wadi_targets;
    while (t->name != NULL && strcmp(t->name, name) != 0) t++;
    if (t->name == NULL) return unknown(name, err);
    *out = t;
    return WADI_OK;
}

wadi_status wadi_target_find(const char *name, const wadi_target **out, wadi_error *err) {
    name = asked(name);
    if (name == NULL) name = wadi_targets[0].name;
    WADI_TRY(wadi_target_named(name, out, err));
    return wadi_target_fits(*out, err);
}

wadi_status wadi_target_take(void *options, const char *value, wadi_error *err) {
    const wadi_target *t = NULL;
    WADI_UNUSED(options);
    WADI_TRY(wadi_target_find(value, &t, err));
    if (setenv("WADI_TARGET", t->name, 1) == 0) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "--target: out of memory");
}
