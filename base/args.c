/* Reading command lines by a table of options. */
#include "base/args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/format.h"

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
    const double value = wadi_format_read_f64(text, &end);
    if (end == text || *end != '\0' || !(value >= low && value <= high)) return false;
    *out = value;
    return true;
}

bool wadi_args_seconds(const char *text, double *out) {
    char *end = NULL;
    const double value = wadi_format_read_f64(text, &end);
    if (end == text || !(value >= 0 && value <= 1e9)) return false;
    if (*end == 's') end++;
    if (*end != '\0') return false;
    *out = value;
    return true;
}

bool wadi_args_size(const char *text, int64_t *out) {
    static const char units[] = "kmgt";
    char *end = NULL;
    errno = 0;
    const long long v = strtoll(text, &end, 10);
    if (end == text || errno != 0 || v < 1) return false;
    int shift = 0;
    const char *unit = *end != '\0' ? strchr(units, wadi_ascii_lower(*end)) : NULL;
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

static bool has_value(const wadi_args_option *o) {
    return (o->take != NULL && !o->flag) || o->text;
}

/* The option that an argument names, or NULL. *out_value is what follows "--name=", or NULL. */
static const wadi_args_option *find(const wadi_args *a, const char *arg, const char **out_value) {
    *out_value = NULL;
    for (size_t i = 0; i < a->n; i++) {
        const wadi_args_option *o = &a->table[i];
        const size_t n = strlen(o->name);
        if (strcmp(arg, o->name) == 0) return o;
        if (o->letter != NULL && strcmp(arg, o->letter) == 0) return o;
        if (has_value(o) && strncmp(arg, o->name, n) == 0 && arg[n] == '=') {
            *out_value = arg + n + 1;
            return o;
        }
    }
    return NULL;
}

typedef struct cursor {
    const wadi_args *a;
    int argc, at;
    char *const *argv;
    void *options;
} cursor;

static wadi_status set_flag(const cursor *c, const wadi_args_option *o, wadi_error *err) {
    if (o->take != NULL) return o->take(c->options, NULL, err);
    *(bool *)((char *)c->options + o->field) = true;
    return WADI_OK;
}

/* The value stands in the same argument or is the next one. */
static wadi_status take_value(cursor *c, const wadi_args_option *o, const char *name,
                              const char *value, wadi_error *err) {
    if (value == NULL && c->at + 1 == c->argc)
        return wadi_fail(err, WADI_INVALID, "%s: expected a value after it, found none", name);
    if (value == NULL) value = c->argv[++c->at];
    if (o->take != NULL) return o->take(c->options, value, err);
    *(const char **)(void *)((char *)c->options + o->field) = value;
    return WADI_OK;
}

static const wadi_args_option *find_letter(const wadi_args *a, const char letter[3]) {
    for (size_t i = 0; i < a->n; i++) {
        if (a->table[i].letter != NULL && strcmp(a->table[i].letter, letter) == 0)
            return &a->table[i];
    }
    return NULL;
}

/* "-abc": the flags -a, -b and -c. The last may be an option with a value. */
static wadi_status take_joined(cursor *c, const char *arg, wadi_error *err) {
    for (const char *p = arg + 1; *p != '\0'; p++) {
        const char letter[3] = {'-', *p, '\0'};
        if (c->a->unusual != NULL && c->a->unusual(c->options, letter)) continue;
        const wadi_args_option *o = find_letter(c->a, letter);
        if (o == NULL) return wadi_fail(err, WADI_INVALID, "unknown option \"%s\"", arg);
        if (has_value(o)) return take_value(c, o, letter, p[1] != '\0' ? p + 1 : NULL, err);
        WADI_TRY(set_flag(c, o, err));
    }
    return WADI_OK;
}

static wadi_status take_option(cursor *c, const char *arg, wadi_error *err) {
    const char *value = NULL;
    if (c->a->unusual != NULL && c->a->unusual(c->options, arg)) return WADI_OK;
    const wadi_args_option *found = find(c->a, arg, &value);
    if (found == NULL && arg[1] != '-' && arg[2] != '\0') return take_joined(c, arg, err);
    if (found == NULL) return wadi_fail(err, WADI_INVALID, "unknown option \"%s\"", arg);
    if (has_value(found)) return take_value(c, found, arg, value, err);
    return set_flag(c, found, err);
}

wadi_status wadi_args_parse(const wadi_args *a, int argc, char *const *argv, void *options,
                            wadi_error *err) {
    cursor c = {.a = a, .argc = argc, .argv = argv, .options = options};
    bool only_others = false;
    for (c.at = 1; c.at < argc; c.at++) {
        const char *arg = argv[c.at];
        if (only_others || arg[0] != '-' || arg[1] == '\0') {
            WADI_TRY(a->other(options, arg, err));
        } else if (strcmp(arg, "--") == 0) {
            only_others = true;
        } else {
            WADI_TRY(take_option(&c, arg, err));
        }
    }
    return WADI_OK;
}
