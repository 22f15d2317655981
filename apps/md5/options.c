/* The table of options of wadi-md5. */
#include "apps/md5/options.h"

#include <stddef.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/say.h"
#include "codegen/fast_math.h"
#include "codegen/targets.h"
#include "sched/devices.h"
#include "sched/run/profile_all.h"

const char md5_usage[] =
    "wadi-md5 --hashes FILE|DIGEST [--hashes ...] [options] DICTIONARY...\n"
    "\n"
    "Finds the words of dictionaries whose MD5 digests are wanted, and prints digest:word as it "
    "finds\n"
    "them. A dictionary is a file of lines, plain or packed by gzip, xz, zstd or bzip2; \"-\" is "
    "standard\n"
    "input. A word is any bytes of any length; $HEX[6162] spells one out, and so is one printed "
    "that "
    "holds\n"
    "control characters or ':'. Words are tried as they are: there are no rules, masks or salts.\n"
    "\n"
    "  -m, --hashes X       a digest of 32 hexadecimal digits, or a list with one per line: a "
    "file, "
    "or \"-\"\n"
    "                       for standard input. Lines may be as hashcat (USER:DIGEST, "
    "DIGEST:WORD), md5sum\n"
    "                       and LDAP ({MD5}) write them; others are counted and reported\n"
    "  -o, --output FILE    add found words to FILE; what it holds already counts as found\n"
    "      --sync           each found word is on the disk as soon as it is told; without, at the "
    "end\n"
    "      --state DIR      save the place in this folder now and then. However the program ends, "
    "the "
    "same\n"
    "                       command goes on there: with -o each word is there once; on standard "
    "output none\n"
    "                       is missing, and those since the last saving may come twice. The first "
    "SIGTERM\n"
    "                       saves the place and ends the program with status 0, a second one at "
    "once\n"
    "      --every SECONDS  with --state: the least time between two savings (5)\n"
    "      --accept-change  with --state: go on though dictionaries have changed\n"
    "      --keep-cr        a carriage return before the newline belongs to the word. A byte order "
    "mark\n"
    "                       of UTF-8 before the first word never does, as with hashcat: "
    "$HEX[efbbbf..]"
    "\n"
    "      --no-unpack      the bytes of packed dictionaries are taken as they are\n"
    "      --threads N      workers (default: one per processor)\n"
    "      --device NAME    what computes: see wadi devices (default: cpu)\n"
    "      --fast-math      faster, less exact real numbers: see docs/DEVICES.md\n"
    "      --profile        print where the time of runs went: see docs/RUNTIME.md\n"
    "      --log json       warnings and errors as lines of JSON\n"
    "      --http HOST:PORT shows the runs as a page, see docs/RUNTIME.md\n"
    "      --http-token FILE  takes the token of the page from this file\n"
    "      --via ADDRESS    workers elsewhere (wadi work ADDRESS) try the words of up to 15 "
    "bytes:\n"
    "                       docs/RUNTIME.md;\n"
    "                       --workers, --key, --worker-keys and --token as for wadi run\n"
    "      --target NAME    what kernels are compiled for: native, x86-64-v2, ..\n"
    "      --chunk N        words per chunk (default: the scheduler decides)\n"
    "      --memory SIZE    bytes for the chunks in flight (64M); K, M and G are understood\n"
    "  -q, --quiet          no progress, no summary\n"
    "      --version, --help\n"
    "\n"
    "Exit status: 0 all digests found, 1 some not found, 2 an error; a signal's when one ended "
    "it.\n";

#define PUSH(list, value)                                    \
    (wadi_vec_push(&((md5_options *)options)->list, (value)) \
         ? WADI_OK                                           \
         : wadi_fail(err, WADI_MEMORY, "out of memory"))

static wadi_status take_hashes(void *options, const char *value, wadi_error *err) {
    return PUSH(hashes, value);
}

static wadi_status take_dictionary(void *options, const char *value, wadi_error *err) {
    return PUSH(dictionaries, value);
}

static wadi_status take_threads(void *options, const char *value, wadi_error *err) {
    int64_t n = 0;
    if (!wadi_args_number(value, 1, 1024, &n))
        return wadi_args_bad("--threads", value, "a number from 1 to 1024", err);
    ((md5_options *)options)->threads = (int)n;
    return WADI_OK;
}

static wadi_status take_chunk(void *options, const char *value, wadi_error *err) {
    if (wadi_args_number(value, 1, INT32_MAX, &((md5_options *)options)->chunk)) return WADI_OK;
    return wadi_args_bad("--chunk", value, "a number of words", err);
}

static wadi_status take_memory(void *options, const char *value, wadi_error *err) {
    if (wadi_args_size(value, &((md5_options *)options)->memory)) return WADI_OK;
    return wadi_args_bad("--memory", value, "a number of bytes such as 256M", err);
}

static wadi_status take_every(void *options, const char *value, wadi_error *err) {
    if (wadi_args_seconds(value, &((md5_options *)options)->every_s)) return WADI_OK;
    return wadi_args_bad("--every", value, "seconds, as in 5s", err);
}

static const wadi_args_option table[] = {
    {"--hashes", "-m", take_hashes, 0},
    {"--output", "-o", NULL, offsetof(md5_options, output), true},
    {"--state", NULL, NULL, offsetof(md5_options, state), true},
    {"--every", NULL, take_every, 0},
    {"--accept-change", NULL, NULL, offsetof(md5_options, accept_change)},
    {"--threads", NULL, take_threads, 0},
    {"--target", NULL, wadi_target_take, 0},
    {"--device", NULL, wadi_device_take, 0},
    {"--fast-math", NULL, wadi_fast_math_take, .flag = true},
    {"--profile", NULL, wadi_profile_take, .flag = true},
    {"--log", NULL, wadi_say_take},
    WADI_WATCH_OPTIONS(md5_options, watch),
    WADI_VIA_OPTIONS(md5_options, via),
    {"--chunk", NULL, take_chunk, 0},
    {"--memory", NULL, take_memory, 0},
    {"--keep-cr", NULL, NULL, offsetof(md5_options, keep_cr)},
    {"--no-unpack", NULL, NULL, offsetof(md5_options, no_unpack)},
    {"--sync", NULL, NULL, offsetof(md5_options, sync)},
    {"--quiet", "-q", NULL, offsetof(md5_options, quiet)},
    {"--help", "-h", NULL, offsetof(md5_options, help)},
    {"--version", NULL, NULL, offsetof(md5_options, version)},
};

static const wadi_args arguments = {table, sizeof table / sizeof table[0], take_dictionary, NULL};

/* How many lists and dictionaries are standard input. */
static int standard_inputs(const md5_options *o) {
    int n = 0;
    for (size_t i = 0; i < o->hashes.n; i++) n += strcmp(o->hashes.at[i], "-") == 0;
    for (size_t i = 0; i < o->dictionaries.n; i++) n += strcmp(o->dictionaries.at[i], "-") == 0;
    return n;
}

wadi_status md5_options_parse(int argc, char *const *argv, md5_options *out, wadi_error *err) {
    *out = (md5_options){.every_s = -1};
    WADI_TRY(wadi_args_parse(&arguments, argc, argv, out, err));
    if (out->help || out->version) return WADI_OK;
    if (!out->state && (out->every_s >= 0 || out->accept_change))
        return wadi_fail(err, WADI_INVALID,
                         "--every, --accept-change: without --state, nothing is saved");
    if (out->every_s < 0) out->every_s = 5;
    if (out->hashes.n == 0)
        return wadi_fail(err, WADI_INVALID, "no digests: --hashes names a file or a digest");
    if (out->dictionaries.n == 0) return wadi_fail(err, WADI_INVALID, "no dictionary; see --help");
    WADI_TRY(wadi_via_check(&out->via, err));
    if (standard_inputs(out) > 1)
        return wadi_fail(err, WADI_INVALID, "standard input (\"-\") is given more than once");
    return WADI_OK;
}

void md5_options_fini(md5_options *o) {
    wadi_vec_free(&o->hashes);
    wadi_vec_free(&o->dictionaries);
}
