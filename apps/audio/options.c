/* Command line: a table of options, each with the function that takes its value. */
#include "apps/audio/options.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "apps/audio/recipe.h"
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

static wadi_status bad_value(const char *option, const char *value, const char *want,
                             wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "%s: \"%s\" is not %s", option, value, want);
}

static bool read_number(const char *text, int64_t low, int64_t high, int64_t *out) {
    char *end = NULL;
    errno = 0;
    const long long v = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || v < low || v > high) return false;
    *out = v;
    return true;
}

static bool read_size(const char *text, int64_t *out) {
    static const char units[] = "KMG";
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

static wadi_status take_output(flac_options *o, const char *value, wadi_error *err) {
    wadi_text copy = {0};
    wadi_text_add(&copy, value);
    free(o->out);
    o->out = wadi_text_take(&copy);
    return o->out != NULL ? WADI_OK : wadi_fail(err, WADI_MEMORY, "out of memory");
}

static wadi_status take_chunk(flac_options *o, const char *value, wadi_error *err) {
    o->chunk = 0;
    if (strcmp(value, "auto") == 0 || read_number(value, 1, INT_MAX, &o->chunk)) return WADI_OK;
    return bad_value("--chunk", value, "a number of blocks or \"auto\"", err);
}

static wadi_status take_threads(flac_options *o, const char *value, wadi_error *err) {
    int64_t n = 0;
    if (!read_number(value, 1, 1024, &n)) {
        return bad_value("--threads", value, "a number from 1 to 1024", err);
    }
    o->threads = (int)n;
    return WADI_OK;
}

static wadi_status take_memory(flac_options *o, const char *value, wadi_error *err) {
    if (read_size(value, &o->memory)) return WADI_OK;
    return bad_value("--memory", value, "a number of bytes such as 256M", err);
}

static wadi_status take_convert(flac_options *o, const char *value, wadi_error *err) {
    int64_t n = 0;
    if (!read_number(value, 8, 32, &n)) {
        return bad_value("--convert", value, "a number of bits from 8 to 32", err);
    }
    o->convert = (int)n;
    return WADI_OK;
}

static wadi_status take_schedule(flac_options *o, const char *value, wadi_error *err) {
    if (strcmp(value, "inside") == 0) {
        o->schedule = WADI_SCHEDULE_FORCE_INSIDE;
    } else if (strcmp(value, "flat") == 0) {
        o->schedule = WADI_SCHEDULE_FORCE_FLAT;
    } else {
        return bad_value("--schedule", value, "\"inside\" or \"flat\"", err);
    }
    return WADI_OK;
}

static wadi_status take_stats(flac_options *o, const char *value, wadi_error *err) {
    WADI_UNUSED(err);
    o->stats = value;
    return WADI_OK;
}

/* ---- arguments ---- */

typedef struct option {
    const char *name;
    const char *letter;                                                       /* or NULL */
    wadi_status (*take)(flac_options *o, const char *value, wadi_error *err); /* or NULL: a flag */
    size_t flag; /* offset of the flag */
} option;

static const option options[] = {
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

/* The option an argument names; *out_value is what follows "--name=", or NULL. */
static const option *find_option(const char *arg, const char **out_value) {
    *out_value = NULL;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const option *o = &options[i];
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

static bool is_level(const char *arg) {
    return arg[0] == '-' && arg[1] >= '0' && arg[1] <= '0' + FLAC_MAX_LEVEL && arg[2] == '\0';
}

static wadi_status take_input(flac_options *o, const char *arg, wadi_error *err) {
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

static wadi_status parse_arguments(int argc, char **argv, flac_options *o, wadi_error *err) {
    bool only_files = false;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        const char *value = NULL;
        if (only_files || arg[0] != '-' || arg[1] == '\0') {
            WADI_TRY(take_input(o, arg, err));
            continue;
        }
        if (strcmp(arg, "--") == 0) {
            only_files = true;
            continue;
        }
        if (is_level(arg)) {
            o->level = arg[1] - '0';
            continue;
        }
        const option *found = find_option(arg, &value);
        if (found == NULL) return wadi_fail(err, WADI_INVALID, "unknown option \"%s\"", arg);
        if (found->take == NULL) {
            *(bool *)((char *)o + found->flag) = true;
            continue;
        }
        if (value == NULL && i + 1 == argc) {
            return wadi_fail(err, WADI_INVALID, "%s wants a value", arg);
        }
        WADI_TRY(found->take(o, value != NULL ? value : argv[++i], err));
    }
    return WADI_OK;
}

wadi_status flac_options_parse(int argc, char **argv, flac_options *out, wadi_error *err) {
    *out = (flac_options){.level = FLAC_DEFAULT_LEVEL};
    WADI_TRY(parse_arguments(argc, argv, out, err));
    if (out->help || out->version) return WADI_OK;
    if (out->in == NULL) return wadi_fail(err, WADI_INVALID, "no input; --help tells more");
    return out->out == NULL ? default_output(out, err) : WADI_OK;
}

void flac_options_fini(flac_options *o) {
    free(o->out);
    o->out = NULL;
}
