/* See the header. */
#include "base/args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

bool wadi_args_number(const char *text, int64_t low, int64_t high, int64_t *out) {
    char *end = NULL;
    errno = 0;
    const long long v = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || v < low || v > high) return false;
    *out = v;
    return true;
}

bool wadi_args_real(const char *text, double low, double high, double *out) {
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= low && value <= high)) return false;
    *out = value;
    return true;
}

bool wadi_args_size(const char *text, int64_t *out) {
    static const char units[] = "KMGT";
    char *end = NULL;
    errno = 0;
    const long long v = strtoll(text, &end, 10);
    if (end == text || errno != 0 || v < 1) return false;
    int shift = 0;
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (unit != NULL) {
        shift = 10 * (int)(unit - units + 1);
        end++;
    }
    if (*end != '\0' || v > INT64_MAX >> shift) return false;
    *out = v << shift;
    return true;
}

wadi_status wadi_args_bad(const char *option, const char *value, const char *want,
                          wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "%s: \"%s\" is not %s", option, value, want);
}

/* The option an argument names; *out_value is what follows "--name=", or NULL. */
static const wadi_args_option *find(const wadi_args *a, const char *arg, const char **out_value) {
    *out_value = NULL;
    for (size_t i = 0; i < a->n; i++) {
        const wadi_args_option *o = &a->table[i];
        const size_t n = strlen(o->name);
        if (strcmp(arg, o->name) == 0) return o;
        if (o->letter != NULL && strcmp(arg, o->letter) == 0) return o;
        if (o->take != NULL && strncmp(arg, o->name, n) == 0 && arg[n] == '=') {
            *out_value = arg + n + 1;
            return o;
        }
    }
    return NULL;
}

wadi_status wadi_args_parse(const wadi_args *a, int argc, char *const *argv, void *options,
                            wadi_error *err) {
    bool only_others = false;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i], *value = NULL;
        if (only_others || arg[0] != '-' || arg[1] == '\0') {
            WADI_TRY(a->other(options, arg, err));
            continue;
        }
        if (strcmp(arg, "--") == 0) {
            only_others = true;
            continue;
        }
        if (a->unusual != NULL && a->unusual(options, arg)) continue;
        const wadi_args_option *found = find(a, arg, &value);
        if (found == NULL) return wadi_fail(err, WADI_INVALID, "unknown option \"%s\"", arg);
        if (found->take == NULL) {
            *(bool *)((char *)options + found->flag) = true;
            continue;
        }
        if (value == NULL && i + 1 == argc)
            return wadi_fail(err, WADI_INVALID, "%s wants a value", arg);
        WADI_TRY(found->take(options, value != NULL ? value : argv[++i], err));
    }
    return WADI_OK;
}
