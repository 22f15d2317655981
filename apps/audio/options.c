/* Command line: a table of options, each with the function that takes its value. */
#include "apps/audio/options.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "apps/audio/metadata.h"
#include "apps/audio/recipe.h"
#include "base/args.h"
#include "base/error.h"
#include "base/say.h"
#include "base/text.h"
#include "codegen/fast_math.h"
#include "codegen/targets.h"
#include "sched/devices.h"
#include "sched/run/profile_all.h"
#include "sched/schedules.h"

/* ---- values ---- */

static wadi_status no_memory(wadi_error *err) {
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

/* A number between bounds for `option`. */
static wadi_status take_number(const char *option, const char *value, int64_t low, int64_t high,
                               const char *want, int *out, wadi_error *err) {
    int64_t n = 0;
    if (!wadi_args_number(value, low, high, &n)) return wadi_args_bad(option, value, want, err);
    *out = (int)n;
    return WADI_OK;
}

static wadi_status take_output(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    WADI_UNUSED(err);
    o->output = value;
    return WADI_OK;
}

static wadi_status take_prefix(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    WADI_UNUSED(err);
    o->prefix = value;
    return WADI_OK;
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
    return take_number("--threads", value, 1, 1024, "a number from 1 to 1024", &o->threads, err);
}

static wadi_status take_block(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    return take_number("--blocksize", value, 16, FLAC_MAX_BLOCK,
                       "a number of samples from 16 to 16384", &o->block, err);
}

static wadi_status take_memory(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    if (wadi_args_size(value, &o->memory)) return WADI_OK;
    return wadi_args_bad("--memory", value, "a number of bytes such as 256M", err);
}

static wadi_status take_convert(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    return take_number("--convert", value, 8, 32, "a number of bits from 8 to 32", &o->wish.convert,
                       err);
}

static wadi_status take_schedule(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    return wadi_schedule_take(value, &o->schedule, err);
}

static wadi_status take_stats(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    WADI_UNUSED(err);
    o->stats = value;
    return WADI_OK;
}

static wadi_status take_skip(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    if (flac_point_parse(value, false, &o->wish.range.skip)) return WADI_OK;
    return wadi_args_bad("--skip", value, "a number of samples or MINUTES:SECONDS", err);
}

static wadi_status take_until(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    if (flac_point_parse(value, true, &o->wish.range.until)) return WADI_OK;
    return wadi_args_bad("--until", value,
                         "a number of samples or MINUTES:SECONDS, with + from --skip on, with - "
                         "back from the end",
                         err);
}

static wadi_status take_seek(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    flac_seek_wish wish;
    o->no_seektable = strcmp(value, "-") == 0;
    if (o->no_seektable) return WADI_OK;
    if (!flac_seek_parse(value, &wish))
        return wadi_args_bad("--seekpoint", value,
                             "a sample, a number of points such as 100x, seconds between points "
                             "such as 10s, \"X\" or \"-\"",
                             err);
    return wadi_vec_push(&o->seek, wish) ? WADI_OK : no_memory(err);
}

/* Takes an option by which flac is told what to try; wadi-flac tries for each block what its level says. */
static wadi_status take_idle(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    WADI_UNUSED(value);
    WADI_UNUSED(err);
    o->idle = true;
    return WADI_OK;
}

static wadi_status take_cuesheet(void *options, const char *value, wadi_error *err) {
    WADI_UNUSED(options);
    WADI_UNUSED(value);
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "--cuesheet: wadi-flac does not read cue sheets; metaflac "
                     "--import-cuesheet-from adds one to what it writes");
}

static wadi_status take_padding(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    if (wadi_args_number(value, 0, FLAC_MAX_BLOCK_BYTES, &o->padding)) return WADI_OK;
    return wadi_args_bad("--padding", value, "a number of bytes below 16 MiB", err);
}

/* ---- metadata ---- */

static wadi_status add_tag(flac_options *o, const char *option, const char *value, bool from_file,
                           wadi_error *err) {
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value) {
        return wadi_args_bad(option, value, from_file ? "NAME=FILE" : "NAME=VALUE", err);
    }
    return wadi_vec_push(&o->tags, (flac_tag_option){value, from_file}) ? WADI_OK : no_memory(err);
}

static wadi_status take_tag(void *options, const char *value, wadi_error *err) {
    return add_tag(options, "--tag", value, false, err);
}

static wadi_status take_file_tag(void *options, const char *value, wadi_error *err) {
    return add_tag(options, "--tag-from-file", value, true, err);
}

static wadi_status take_picture(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    return wadi_vec_push(&o->pictures, value) ? WADI_OK : no_memory(err);
}

/* ---- strange inputs ---- */

static wadi_status take_channel_map(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    if (strcmp(value, "none") != 0) return wadi_args_bad("--channel-map", value, "\"none\"", err);
    o->wish.iff.ignore_mask = true;
    return WADI_OK;
}

static wadi_status take_endian(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    o->wish.layout.big_endian = strcmp(value, "big") == 0;
    o->raw_is_described[0] = true;
    if (o->wish.layout.big_endian || strcmp(value, "little") == 0) return WADI_OK;
    return wadi_args_bad("--endian", value, "\"big\" or \"little\"", err);
}

static wadi_status take_sign(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    o->wish.layout.is_unsigned = strcmp(value, "unsigned") == 0;
    o->raw_is_described[1] = true;
    if (o->wish.layout.is_unsigned || strcmp(value, "signed") == 0) return WADI_OK;
    return wadi_args_bad("--sign", value, "\"signed\" or \"unsigned\"", err);
}

static wadi_status take_channels(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    return take_number("--channels", value, 1, 8, "a number from 1 to 8", &o->wish.channels, err);
}

static wadi_status take_bps(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    return take_number("--bps", value, 4, 32, "a number of bits from 4 to 32", &o->wish.layout.bits,
                       err);
}

static wadi_status take_rate(void *options, const char *value, wadi_error *err) {
    flac_options *o = options;
    return take_number("--sample-rate", value, 1, 1048575, "a number from 1 to 1048575",
                       &o->wish.rate, err);
}

/* ---- arguments ---- */

#define FLAG(name, letter, field) \
    { name, letter, NULL, offsetof(flac_options, field) }

static const wadi_args_option table[] = {
    {"--output", "-o", take_output, 0},
    {"--output-name", NULL, take_output, 0},
    {"--output-prefix", NULL, take_prefix, 0},
    {"--chunk", NULL, take_chunk, 0},
    {"--threads", "-j", take_threads, 0},
    {"--blocksize", "-b", take_block, 0},
    {"--memory", NULL, take_memory, 0},
    {"--convert", NULL, take_convert, 0},
    {"--schedule", NULL, take_schedule, 0},
    {"--stats", NULL, take_stats, 0},
    {"--padding", "-P", take_padding, 0},
    {"--seekpoint", "-S", take_seek, 0},
    {"--tag", "-T", take_tag, 0},
    {"--tag-from-file", NULL, take_file_tag, 0},
    {"--picture", NULL, take_picture, 0},
    {"--channel-map", NULL, take_channel_map, 0},
    {"--endian", NULL, take_endian, 0},
    {"--sign", NULL, take_sign, 0},
    {"--channels", NULL, take_channels, 0},
    {"--bps", NULL, take_bps, 0},
    {"--sample-rate", NULL, take_rate, 0},
    {"--skip", NULL, take_skip, 0},
    {"--until", NULL, take_until, 0},
    {"--cuesheet", NULL, take_cuesheet, 0},
    {"--max-lpc-order", "-l", take_idle, 0},
    {"--rice-partition-order", "-r", take_idle, 0},
    {"--apodization", "-A", take_idle, 0},
    FLAG("--mid-side", "-m", idle),
    FLAG("--adaptive-mid-side", "-M", idle),
    FLAG("--exhaustive-model-search", "-e", search),
    FLAG("--qlp-coeff-precision-search", "-p", search),
    FLAG("--lax", NULL, lax),
    FLAG("--no-seektable", NULL, no_seektable),
    FLAG("--warnings-as-errors", "-w", strict),
    FLAG("--decode", "-d", decode),
    FLAG("--test", "-t", test),
    FLAG("--verify", "-V", verify),
    FLAG("--stdout", "-c", to_stdout),
    FLAG("--delete-input-file", NULL, delete_input),
    FLAG("--no-padding", NULL, no_padding),
    FLAG("--keep-foreign-metadata", NULL, keep_foreign),
    FLAG("--ignore-chunk-sizes", NULL, ignore_sizes),
    FLAG("--force-raw-format", NULL, force_raw),
    FLAG("--replay-gain", NULL, replay_gain),
    {"--target", NULL, wadi_target_take, 0},
    {"--device", NULL, wadi_device_take, 0},
    {"--fast-math", NULL, wadi_fast_math_take, .flag = true},
    {"--profile", NULL, wadi_profile_take, .flag = true},
    {"--log", NULL, wadi_say_take},
    WADI_WATCH_OPTIONS(flac_options, watch),
    WADI_VIA_OPTIONS(flac_options, via),
    {"--state", NULL, NULL, offsetof(flac_options, state), true},
    FLAG("--accept-change", NULL, accept_change),
    FLAG("--sync", NULL, sync),
    FLAG("--explain", NULL, explain),
    FLAG("--force", "-f", force),
    FLAG("--quiet", "-q", quiet),
    FLAG("--silent", "-s", quiet),
    FLAG("--totally-silent", NULL, quiet),
    FLAG("--help", "-h", help),
    FLAG("--version", "-v", version),
};

/* -0 to -8 */
static bool take_level(void *options, const char *arg) {
    flac_options *o = options;
    if (strcmp(arg, "--best") == 0) arg = "-8";
    if (strcmp(arg, "--fast") == 0) arg = "-0";
    if (arg[1] < '0' || arg[1] > '0' + FLAC_MAX_LEVEL || arg[2] != '\0') return false;
    o->level = arg[1] - '0';
    return true;
}

static wadi_status take_input(void *options, const char *arg, wadi_error *err) {
    flac_options *o = options;
    return wadi_vec_push(&o->inputs, arg) ? WADI_OK : no_memory(err);
}

/* ---- options that exclude or need one another ---- */

static wadi_status check_raw(flac_options *o, wadi_error *err) {
    const bool *given = o->raw_is_described;
    const flac_wish *w = &o->wish;
    if (!o->force_raw) return WADI_OK;
    if (!given[0] || !given[1]) {
        return wadi_fail(err, WADI_INVALID, "--force-raw-format wants --endian and --sign");
    }
    if (o->action != FLAC_ENCODE) return WADI_OK;
    if (w->channels == 0 || w->layout.bits == 0 || w->rate == 0) {
        return wadi_fail(err, WADI_INVALID,
                         "--force-raw-format wants --channels, --bps and --sample-rate");
    }
    o->wish.raw = true;
    o->wish.layout.width = (w->layout.bits + 7) / 8;
    if (w->layout.bits % 8 == 0) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED, "--bps: raw samples are 8, 16, 24 or 32 bits");
}

/* What is done must stay done: it lies in files, which are on the disk. */
static wadi_status check_state(flac_options *o, wadi_error *err) {
    if (o->state == NULL) return WADI_OK;
    bool streams = o->output != NULL && strcmp(o->output, "-") == 0;
    for (size_t i = 0; i < o->inputs.n; i++) streams = streams || strcmp(o->inputs.at[i], "-") == 0;
    o->sync = true;
    if (!streams) return WADI_OK;
    return wadi_fail(err, WADI_UNSUPPORTED,
                     "--state: standard input and output cannot go back to where they were");
}

static wadi_status check(flac_options *o, wadi_error *err) {
    if (o->inputs.n == 0) return wadi_fail(err, WADI_INVALID, "no input; --help tells more");
    WADI_TRY(wadi_via_check(&o->via, err));
    if (o->replay_gain) {
        return wadi_fail(err, WADI_UNSUPPORTED,
                         "--replay-gain: wadi-flac does not measure loudness; "
                         "metaflac --add-replay-gain adds it to what it writes");
    }
    if (o->search) o->level = FLAC_MAX_LEVEL;
    o->action = o->test ? FLAC_TEST : o->decode ? FLAC_DECODE : FLAC_ENCODE;
    if (o->via.address != NULL && o->action != FLAC_ENCODE)
        return wadi_fail(err, WADI_INVALID, "--via: only compressing is done by workers elsewhere");
    o->wish.keep_all = o->keep_foreign;
    o->wish.iff.ignore_sizes = o->ignore_sizes;
    if (o->keep_foreign && o->ignore_sizes) {
        return wadi_fail(err, WADI_INVALID,
                         "--keep-foreign-metadata believes the sizes that --ignore-chunk-sizes "
                         "does not");
    }
    if (o->keep_foreign && flac_range_given(&o->wish.range)) {
        return wadi_fail(err, WADI_INVALID,
                         "--keep-foreign-metadata describes all of the sound, --skip and --until "
                         "want a part");
    }
    if (o->delete_input && flac_range_given(&o->wish.range)) {
        return wadi_fail(err, WADI_INVALID,
                         "--delete-input-file: with --skip or --until the output is only a part of "
                         "it");
    }
    if (o->to_stdout) o->output = "-";
    if (o->output != NULL && o->inputs.n > 1 && o->action != FLAC_TEST) {
        return wadi_fail(err, WADI_INVALID, "several inputs and one output: \"%s\" and \"%s\"",
                         o->inputs.at[0], o->inputs.at[1]);
    }
    WADI_TRY(check_state(o, err));
    return check_raw(o, err);
}

static const wadi_args arguments = {table, sizeof table / sizeof table[0], take_input, take_level};

wadi_status flac_options_parse(int argc, char **argv, flac_options *out, wadi_error *err) {
    *out = (flac_options){.level = FLAC_DEFAULT_LEVEL, .padding = -1};
    WADI_TRY(wadi_args_parse(&arguments, argc, argv, out, err));
    if (out->help || out->version) return WADI_OK;
    WADI_TRY(check(out, err));
    return flac_options_pick(out, 0, err);
}

void flac_options_fini(flac_options *o) {
    free(o->out);
    o->out = NULL;
    wadi_vec_free(&o->inputs);
    wadi_vec_free(&o->tags);
    wadi_vec_free(&o->pictures);
    wadi_vec_free(&o->seek);
}

/* ---- names ---- */

/* in.wav becomes in.flac; standard input goes to standard output. */
static void default_output(const flac_options *o, wadi_text *name) {
    if (strcmp(o->in, "-") == 0) {
        wadi_text_add(name, "-");
        return;
    }
    const char *slash = strrchr(o->in, '/');
    const char *file = slash != NULL ? slash + 1 : o->in;
    const char *dot = strrchr(file, '.');
    const char *end = dot != NULL && dot != file ? dot : o->in + strlen(o->in);
    const char *from = o->prefix != NULL ? file : o->in;
    if (o->prefix != NULL) wadi_text_add(name, o->prefix);
    wadi_text_add_n(name, from, (size_t)(end - from));
    wadi_text_add(name, o->action == FLAC_ENCODE ? ".flac" : o->force_raw ? ".raw" : ".wav");
}

wadi_status flac_options_pick(flac_options *o, size_t i, wadi_error *err) {
    wadi_text name = {0};
    free(o->out);
    o->out = NULL;
    o->in = o->inputs.at[i];
    if (o->action == FLAC_TEST) return WADI_OK;
    if (o->output != NULL) {
        wadi_text_add(&name, o->output);
    } else {
        default_output(o, &name);
    }
    o->out = wadi_text_take(&name);
    return o->out != NULL ? WADI_OK : no_memory(err);
}
