/* The table of options of wadi-grid. */
#include "apps/gridding/options.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gridding/polarisation.h"
#include "base/args.h"
#include "base/destination.h"
#include "base/error.h"
#include "base/format.h"
#include "base/say.h"
#include "codegen/fast_math.h"
#include "codegen/targets.h"
#include "sched/devices.h"
#include "sched/run/profile_all.h"
#include "sched/schedules.h"

#define OPTIONS ((grid_options *)options)

enum { MOST_SETUPS = 4096 }; /* in one range */
enum { EVERY_S = 5 };        /* of --every */

/* ---- numbers ---- */

/* A positive angle with its unit, in radians. */
static bool angle(const char *text, double *out) {
    static const struct {
        const char *name;
        double degrees;
    } units[] = {{"rad", 57.29577951308232}, {"deg", 1},           {"amin", 1.0 / 60},
                 {"arcmin", 1.0 / 60},       {"asec", 1.0 / 3600}, {"arcsec", 1.0 / 3600},
                 {"mas", 1.0 / 3600e3},      {"uas", 1.0 / 3600e6}};
    char *end = NULL;
    const double value = wadi_format_read_f64(text, &end);
    if (end == text || !(value > 0 && value < 1e12)) return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].name) != 0) continue;
        *out = value * units[i].degrees * acos(-1) / 180;
        return true;
    }
    return false;
}

/* ---- takers ---- */

#define TAKE_STRING(field)                                                               \
    static wadi_status take_##field(void *options, const char *value, wadi_error *err) { \
        WADI_UNUSED(err);                                                                \
        OPTIONS->field = value;                                                          \
        return WADI_OK;                                                                  \
    }
TAKE_STRING(output)
TAKE_STRING(png)
TAKE_STRING(method)
TAKE_STRING(aterm)
TAKE_STRING(column)
TAKE_STRING(listen)
TAKE_STRING(state)
TAKE_STRING(key)
TAKE_STRING(senders)
TAKE_STRING(token)

static wadi_status take_input(void *options, const char *value, wadi_error *err) {
    if (wadi_vec_push(&OPTIONS->inputs, value)) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

static wadi_status take_epsilon(void *options, const char *value, wadi_error *err) {
    if (wadi_args_real(value, 1e-13, 0.1, &OPTIONS->epsilon)) return WADI_OK;
    return wadi_args_bad("--epsilon", value, "a number from 1e-13 to 0.1", err);
}

static wadi_status take_size(void *options, const char *value, wadi_error *err) {
    if (wadi_args_number(value, 2, 1 << 20, &OPTIONS->size) && OPTIONS->size % 2 == 0)
        return WADI_OK;
    return wadi_args_bad("--size", value, "an even number of pixels", err);
}

static wadi_status take_scale(void *options, const char *value, wadi_error *err) {
    if (angle(value, &OPTIONS->scale)) return WADI_OK;
    return wadi_args_bad("--scale", value, "an angle with its unit, such as 0.5asec", err);
}

static wadi_status take_fov(void *options, const char *value, wadi_error *err) {
    if (angle(value, &OPTIONS->fov)) return WADI_OK;
    return wadi_args_bad("--fov", value, "an angle with its unit, such as 1.5deg", err);
}

static wadi_status take_weight(void *options, const char *value, wadi_error *err) {
    grid_weights *w = &OPTIONS->weights;
    if (strcmp(value, "natural") == 0) {
        *w = (grid_weights){GRID_NATURAL, 0};
    } else if (strcmp(value, "uniform") == 0) {
        *w = (grid_weights){GRID_UNIFORM, 0};
    } else if (strncmp(value, "briggs:", 7) == 0 && wadi_args_real(value + 7, -5, 5, &w->robust)) {
        w->kind = GRID_BRIGGS;
    } else {
        return wadi_args_bad("--weight", value, "natural, uniform or briggs:R, R from -5 to 5",
                             err);
    }
    return WADI_OK;
}

static wadi_status take_pol(void *options, const char *value, wadi_error *err) {
    OPTIONS->stokes = grid_stokes_code(value);
    if (OPTIONS->stokes != 0) return WADI_OK;
    return wadi_args_bad("--pol", value, "a polarisation: I, Q, U, V, XX, .., RR, ..", err);
}

/* "A:B", "A:", ":B", "A" */
static wadi_status take_channels(void *options, const char *value, wadi_error *err) {
    char first[24] = "0";
    const char *colon = strchr(value, ':'), *last = colon != NULL ? colon + 1 : value;
    const size_t n = colon != NULL ? (size_t)(colon - value) : strlen(value);
    bool good = n < sizeof first && value[0] != '\0';
    if (good && n > 0) {
        memcpy(first, value, n);
        first[n] = '\0';
    }
    good = good && wadi_args_number(first, 0, INT32_MAX, &OPTIONS->first_channel);
    OPTIONS->last_channel = -1;
    if (good && *last != '\0')
        good = wadi_args_number(last, OPTIONS->first_channel, INT32_MAX, &OPTIONS->last_channel);
    return good ? WADI_OK : wadi_args_bad("--channels", value, "two numbers A:B, A <= B", err);
}

static wadi_status take_number(const char *name, const char *value, int64_t low, int64_t high,
                               int *out, wadi_error *err) {
    int64_t n = 0;
    if (!wadi_args_number(value, low, high, &n))
        return wadi_fail(err, WADI_INVALID, "%s: \"%s\" is not a number from %lld to %lld", name,
                         value, (long long)low, (long long)high);
    *out = (int)n;
    return WADI_OK;
}

static wadi_status take_field(void *options, const char *value, wadi_error *err) {
    WADI_TRY(take_number("--field", value, 0, INT32_MAX - 1, &OPTIONS->field, err));
    OPTIONS->field++;
    return WADI_OK;
}

/* Each once, however often it is named. */
static wadi_status add_setup(grid_options *o, int64_t number, wadi_error *err) {
    const int plus_one = (int)number + 1;
    for (size_t i = 0; i < o->setups.n; i++)
        if (o->setups.at[i] == plus_one) return WADI_OK;
    return wadi_vec_push(&o->setups, plus_one) ? WADI_OK
                                               : wadi_fail(err, WADI_MEMORY, "out of memory");
}

/* "A" or "A:B", of which `text` has n characters. */
static bool setup_range(const char *text, size_t n, int64_t *first, int64_t *last) {
    char range[48];
    if (n == 0 || n >= sizeof range) return false;
    memcpy(range, text, n);
    range[n] = '\0';
    char *colon = strchr(range, ':');
    if (colon != NULL) *colon = '\0';
    if (!wadi_args_number(range, 0, INT32_MAX - 1, first)) return false;
    *last = *first;
    return colon == NULL || (wadi_args_number(colon + 1, *first, INT32_MAX - 1, last) &&
                             *last - *first < MOST_SETUPS);
}

/* "0,2:4": numbers and ranges. */
static wadi_status take_setup(void *options, const char *value, wadi_error *err) {
    for (const char *at = value;; at++) {
        const size_t n = strcspn(at, ",");
        int64_t first = 0, last = 0;
        if (!setup_range(at, n, &first, &last))
            return wadi_args_bad("--setup", value, "numbers such as 0,2:4", err);
        for (; first <= last; first++) WADI_TRY(add_setup(OPTIONS, first, err));
        at += n;
        if (*at == '\0') return WADI_OK;
    }
}

static wadi_status take_support(void *options, const char *value, wadi_error *err) {
    WADI_TRY(take_number("--support", value, 1, 4095, &OPTIONS->support, err));
    if (OPTIONS->support % 2 == 1) return WADI_OK;
    return wadi_args_bad("--support", value, "an odd number", err);
}

static wadi_status take_oversample(void *options, const char *value, wadi_error *err) {
    return take_number("--oversample", value, 1, 65536, &OPTIONS->oversample, err);
}

static wadi_status take_w_step(void *options, const char *value, wadi_error *err) {
    if (wadi_args_real(value, 1e-9, 1e12, &OPTIONS->w_step)) return WADI_OK;
    return wadi_args_bad("--w-step", value, "a positive number of wavelengths", err);
}

static wadi_status take_every(void *options, const char *value, wadi_error *err) {
    if (wadi_args_seconds(value, &OPTIONS->every_s)) return WADI_OK;
    return wadi_args_bad("--every", value, "seconds, as in 5s", err);
}

static wadi_status take_live(void *options, const char *value, wadi_error *err) {
    if (wadi_args_real(value, 0.01, 1e6, &OPTIONS->live_s)) return WADI_OK;
    return wadi_args_bad("--live", value, "a number of seconds", err);
}

static wadi_status take_memory(void *options, const char *value, wadi_error *err) {
    if (wadi_args_size(value, &OPTIONS->memory)) return WADI_OK;
    return wadi_args_bad("--memory", value, "a number of bytes such as 256M", err);
}

static wadi_status take_part(void *options, const char *value, wadi_error *err) {
    if (wadi_args_number(value, 1, INT32_MAX, &OPTIONS->part)) return WADI_OK;
    return wadi_args_bad("--part", value, "a number of visibilities", err);
}

static wadi_status take_threads(void *options, const char *value, wadi_error *err) {
    return take_number("--threads", value, 1, 1024, &OPTIONS->threads, err);
}

static wadi_status take_chunk(void *options, const char *value, wadi_error *err) {
    if (wadi_args_number(value, 1, INT32_MAX, &OPTIONS->chunk)) return WADI_OK;
    return wadi_args_bad("--chunk", value, "a number of rows", err);
}

static wadi_status take_schedule(void *options, const char *value, wadi_error *err) {
    return wadi_schedule_take(value, &OPTIONS->schedule, err);
}

static const wadi_args_option table[] = {
    {"--output", "-o", take_output, 0},
    {"--png", NULL, take_png, 0},
    {"--method", "-m", take_method, 0},
    {"--epsilon", "-e", take_epsilon, 0},
    {"--size", "-s", take_size, 0},
    {"--scale", NULL, take_scale, 0},
    {"--fov", NULL, take_fov, 0},
    {"--weight", "-w", take_weight, 0},
    {"--pol", "-p", take_pol, 0},
    {"--channels", "-c", take_channels, 0},
    {"--psf", NULL, NULL, offsetof(grid_options, psf)},
    {"--autocorrelations", NULL, NULL, offsetof(grid_options, autocorrelations)},
    {"--force-flagged", NULL, NULL, offsetof(grid_options, force_flagged)},
    {"--conjugate", NULL, NULL, offsetof(grid_options, conjugate)},
    {"--field", NULL, take_field, 0},
    {"--setup", NULL, take_setup, 0},
    {"--spw", NULL, take_setup, 0},
    {"--freqid", NULL, take_setup, 0},
    {"--column", NULL, take_column, 0},
    {"--support", NULL, take_support, 0},
    {"--oversample", NULL, take_oversample, 0},
    {"--w-step", NULL, take_w_step, 0},
    {"--aterm", NULL, take_aterm, 0},
    {"--own-fft", NULL, NULL, offsetof(grid_options, own_fft)},
    {"--six-ffts", NULL, NULL, offsetof(grid_options, six_ffts)},
    {"--listen", NULL, take_listen, 0},
    {"--key", NULL, take_key, 0},
    {"--senders", NULL, take_senders, 0},
    {"--token", NULL, take_token, 0},
    {"--live", NULL, take_live, 0},
    {"--state", NULL, take_state, 0},
    {"--every", NULL, take_every, 0},
    {"--memory", NULL, take_memory, 0},
    {"--part", NULL, take_part, 0},
    WADI_VIA_TEXT("--via", grid_options, via.address),
    WADI_VIA_TEXT("--workers", grid_options, via.workers),
    WADI_VIA_TEXT("--worker-keys", grid_options, via.worker_keys),
    {"--threads", NULL, take_threads, 0},
    {"--target", NULL, wadi_target_take, 0},
    {"--device", NULL, wadi_device_take, 0},
    {"--fast-math", NULL, wadi_fast_math_take, .flag = true},
    {"--profile", NULL, wadi_profile_take, .flag = true},
    {"--log", NULL, wadi_say_take},
    WADI_WATCH_OPTIONS(grid_options, watch),
    {"--chunk", NULL, take_chunk, 0},
    {"--schedule", NULL, take_schedule, 0},
    {"--sync", NULL, NULL, offsetof(grid_options, sync)},
    {"--quiet", "-q", NULL, offsetof(grid_options, quiet)},
    {"--help", "-h", NULL, offsetof(grid_options, help)},
    {"--version", NULL, NULL, offsetof(grid_options, version)},
};

static const wadi_args arguments = {table, sizeof table / sizeof table[0], take_input, NULL};

/* ---- options that exclude or need one another ---- */

static wadi_status check_via(const grid_options *o, wadi_error *err) {
    const bool via = o->via.address != NULL;
    if (o->listen != NULL && via)
        return wadi_fail(err, WADI_INVALID,
                         "--via wants files: what --listen brings is gridded here, as it comes");
    if (o->part > 0 && o->listen != NULL)
        return wadi_fail(err, WADI_INVALID,
                         "--part is of files: what --listen brings is gridded "
                         "in what --memory has room for");
    if (via && wadi_fast_math_is_asked())
        return wadi_fail(err, WADI_INVALID,
                         "--fast-math: workers elsewhere compute exactly, and the image would "
                         "depend on who computes");
    if (via && o->senders != NULL)
        return wadi_fail(err, WADI_INVALID,
                         "--senders are those of --listen; with --via, --worker-keys names who may "
                         "work");
    return wadi_via_check(&o->via, err);
}

static wadi_status check(const grid_options *o, wadi_error *err) {
    if (o->output == NULL)
        return wadi_fail(err, WADI_INVALID, "no output: -o names the image; --help tells more");
    if (o->inputs.n == 0 && o->listen == NULL)
        return wadi_fail(err, WADI_INVALID, "no input; --help tells more");
    if (o->inputs.n > 0 && o->listen != NULL)
        return wadi_fail(err, WADI_INVALID, "--listen takes the place of input files");
    if (o->size > 0 && o->scale > 0 && o->fov > 0)
        return wadi_fail(err, WADI_INVALID,
                         "--size, --scale and --fov are all given, expected at most two");
    if (o->png != NULL &&
        (strcmp(o->png, o->output) == 0 || wadi_destination_is_same(o->png, o->output)))
        return wadi_fail(err, WADI_INVALID, "%s: image and picture are one file", o->png);
    if (o->via.address == NULL && (o->key == NULL) != (o->senders == NULL))
        return wadi_fail(err, WADI_INVALID, "--key and --senders must be given together");
    if (o->aterm != NULL && (o->method == NULL || strcmp(o->method, "aw") != 0))
        return wadi_fail(err, WADI_INVALID,
                         "--aterm wants --method aw: the others have no A-terms");
    if (o->listen != NULL && (o->field > 0 || o->setups.n > 0 || o->column != NULL || o->conjugate))
        return wadi_fail(err, WADI_INVALID,
                         "--field, --setup, --column and --conjugate are the sender's: a stream "
                         "is read as it comes");
    if (o->every_s >= 0 && o->state == NULL)
        return wadi_fail(err, WADI_INVALID, "--every: without --state, nothing is saved");
    if (o->live_s > 0 && o->listen == NULL)
        return wadi_fail(err, WADI_INVALID,
                         "--live shows what --listen brings: files need no watching");
    return check_via(o, err);
}

wadi_status grid_options_parse(int argc, char *const *argv, grid_options *out, wadi_error *err) {
    *out = (grid_options){.epsilon = 1e-4, .last_channel = -1, .every_s = -1};
    WADI_TRY(wadi_args_parse(&arguments, argc, argv, out, err));
    if (out->help || out->version) return WADI_OK;
    if (out->via.address != NULL) out->via.key = out->key, out->via.token = out->token;
    WADI_TRY(check(out, err));
    if (out->every_s < 0) out->every_s = EVERY_S;
    return WADI_OK;
}

void grid_options_fini(grid_options *o) {
    wadi_vec_free(&o->inputs);
    wadi_vec_free(&o->setups);
}
