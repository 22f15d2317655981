/* Command line: a table of options, each with the function that takes its value. */
#include "apps/audio/options.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "apps/audio/recipe.h"
#include "base/args.h"
#include "base/error.h"
#include "base/text.h"

const char flac_usage[] =
    "wadi-flac [options] in.(wav|aiff|flac|ogg|...)\n"
    "\n"
    "Compresses sound to FLAC, without loss. \"-\" is standard input or output.\n"
    "\n"
    "  -0 ... -8            fast to small (default -5)\n"
    "  -o, --output FILE    default: the input's name with .flac\n"
    "  -f, --force          overwrite the output\n"
    "      --convert BITS   round floating point and lossy input to 8..32 bits\n"
    "      --threads N      workers (default: one per processor)\n"
    "      --chunk N|auto   blocks per chunk (default: auto)\n"
    "      --memory SIZE    bytes for the chunks in flight (32M); K, M and G are understood\n"
    "      --schedule S     inside or flat: how a block's analysis runs (default: by cost)\n"
    "      --stats FILE     write how the run went, as key=value lines\n"
    "      --explain        print the compiled analysis instead of compressing\n"
    "  -q, --quiet          no progress, no warnings\n"
    "      --version, --help\n";

/* ---- values ---- */

static wadi_status take_output(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    wadi_text copy = {0};
    wadi_text_add(&copy, value);
    free(o->out);
    o->out = wadi_text_take(&copy);
    return o->out != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "out of memory");
}

static wadi_status take_chunk(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    o->chunk = 0;
    if (strcmp(value, "auto") == 0 || wadi_args_number(value, 1, INT_MAX, &o->chunk))
        return WADI_OK;
    return wadi_args_bad("--chunk", value, "a number of blocks or \"auto\"", err);
}

static wadi_status take_threads(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    int64_t n = 0;
    if (!wadi_args_number(value, 1, 1024, &n)) {
        return wadi_args_bad("--threads", value, "a number from 1 to 1024", err);
    }
    o->threads = (int)n;
    return WADI_OK;
}

static wadi_status take_memory(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    if (wadi_args_size(value, &o->memory)) return WADI_OK;
    return wadi_args_bad("--memory", value, "a number of bytes such as 256M", err);
}

static wadi_status take_convert(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    int64_t n = 0;
    if (!wadi_args_number(value, 8, 32, &n)) {
        return wadi_args_bad("--convert", value, "a number of bits from 8 to 32", err);
    }
    o->convert = (int)n;
    return WADI_OK;
}

static wadi_status take_schedule(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    if (strcmp(value, "inside") == 0) {
        o->schedule = WADI_SCHEDULE_FORCE_INSIDE;
    } else if (strcmp(value, "flat") == 0) {
        o->schedule = WADI_SCHEDULE_FORCE_FLAT;
    } else {
        return wadi_args_bad("--schedule", value, "\"inside\" or \"flat\"", err);
    }
    return WADI_OK;
}

static wadi_status take_stats(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    WADI_UNUSED(err);
    o->stats = value;
    return WADI_OK;
}

/* ---- arguments ---- */

static const wadi_args_option table[] = {
    {"--output", "-o", take_output, 0},
    {"--chunk", NULL, take_chunk, 0},
    {"--threads", NULL, take_threads, 0},
    {"--memory", NULL, take_memory, 0},
    {"--convert", NULL, take_convert, 0},
    {"--schedule", NULL, take_schedule, 0},
    {"--stats", NULL, take_stats, 0},
    {"--explain", NULL, NULL, offsetof(flac_options, explain)},
    {"--force", "-f", NULL, offsetof(flac_options, force)},
    {"--quiet", "-q", NULL, offsetof(flac_options, quiet)},
    {"--help", "-h", NULL, offsetof(flac_options, help)},
    {"--version", NULL, NULL, offsetof(flac_options, version)},
};

/* -0 to -8 */
static bool take_level(void *options, const char *arg) {
    flac_options *o = options;
    if (arg[1] < '0' || arg[1] > '0' + FLAC_MAX_LEVEL || arg[2] != '\0') return false;
    o->level = arg[1] - '0';
    return true;
}

static wadi_status take_input(void *options, const char *arg, wadi_error *err) {
    flac_options *o = options;
    if (o->in != NULL) {
        return wadi_fail(err, WADI_INVALID, "one input at a time: \"%s\" and \"%s\"", o->in, arg);
    }
    o->in = arg;
    return WADI_OK;
}

/* in.wav becomes in.flac; standard input goes to standard output. */
static wadi_status default_output(flac_options *o, wadi_error *err) {
    if (strcmp(o->in, "-") == 0) return take_output(o, "-", err);
    const char *slash = strrchr(o->in, '/');
    const char *file = slash != NULL ? slash + 1 : o->in;
    const char *dot = strrchr(file, '.');
    const size_t stem = dot != NULL && dot != file ? (size_t)(dot - o->in) : strlen(o->in);
    wadi_text name = {0};
    wadi_text_add_n(&name, o->in, stem);
    wadi_text_add(&name, ".flac");
    o->out = wadi_text_take(&name);
    return o->out != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "out of memory");
}

static const wadi_args arguments = {table, sizeof table / sizeof table[0], take_input, take_level};

wadi_status flac_options_parse(int argc, char **argv, flac_options *out, wadi_error *err) {
    *out = (flac_options){.level = FLAC_DEFAULT_LEVEL};
    WADI_TRY(wadi_args_parse(&arguments, argc, argv, out, err));
    if (out->help || out->version) return WADI_OK;
    if (out->in == NULL) return wadi_fail(err, WADI_INVALID, "no input; --help tells more");
    return out->out == NULL ? default_output(out, err) : WADI_OK;
}

void flac_options_fini(flac_options *o) {
    free(o->out);
    o->out = NULL;
}
