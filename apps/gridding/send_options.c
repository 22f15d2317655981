/* The table of options of wadi-vis-send. */
#include "apps/gridding/send_options.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/args.h"
#include "base/error.h"
#include "base/say.h"

const char send_usage[] =
    "wadi-vis-send [options] FILE...\n"
    "wadi-vis-send --new-key FILE\n"
    "\n"
    "Sends the visibilities of files to wadi-grid --listen, or to any program that listens for\n"
    "them: UVFITS, uvh5, Measurement Sets, text. Several files follow one another as one stream;\n"
    "their channels, polarisations and phase centres must be the same.\n"
    "\n"
    "      --to ADDRESS      of the receiver (tcp://127.0.0.1:5555)\n"
    "      --wait SECONDS    how long the receiver may take to be there (10)\n"
    "      --rate N          rows per second, as a telescope sends them (as fast as they are "
    "taken)\n"
    "      --skip N          leave out the first N rows: the receiver has saved them\n"
    "      --chunk N         rows in a message (the scheduler decides)\n"
    "      --conjugate       the files have the other sign of the phase than their format says\n"
    "      --field N         source or field of the files, as they count them\n"
    "      --setup N         frequency setup or spectral window\n"
    "      --column NAME     of a Measurement Set (DATA)\n"
    "      --key FILE        own CURVE keys, public and secret, a line each\n"
    "      --receiver FILE   the receiver's public key\n"
    "      --token FILE      what the receiver knows, on this machine; else WADI_TOKEN\n"
    "      --new-key FILE    makes a pair of keys: FILE to keep, FILE.pub to give away\n"
    "      --log json        warnings and errors as lines of JSON\n"
    "      --http HOST:PORT  shows the run as a page, see docs/RUNTIME.md\n"
    "      --http-token FILE takes the token of the page from this file\n"
    "  -q, --quiet           no progress, no summary\n"
    "      --version, --help\n"
    "\n"
    "Exit status: 0 all rows have been taken, 1 an error, 2 a wrong command line, 130 "
    "interrupted.\n";

#define OPTIONS ((send_options *)options)

#define TAKE_STRING(field)                                                               \
    static wadi_status take_##field(void *options, const char *value, wadi_error *err) { \
        WADI_UNUSED(err);                                                                \
        OPTIONS->field = value;                                                          \
        return WADI_OK;                                                                  \
    }
TAKE_STRING(to)
TAKE_STRING(key)
TAKE_STRING(receiver)
TAKE_STRING(token)
TAKE_STRING(new_key)
TAKE_STRING(column)

static wadi_status take_input(void *options, const char *value, wadi_error *err) {
    if (wadi_vec_push(&OPTIONS->inputs, value)) return WADI_OK;
    return wadi_fail(err, WADI_MEMORY, "out of memory");
}

static wadi_status take_rate(void *options, const char *value, wadi_error *err) {
    if (wadi_args_real(value, 1e-3, 1e9, &OPTIONS->rate)) return WADI_OK;
    return wadi_args_bad("--rate", value, "a number of rows per second", err);
}

static wadi_status take_skip(void *options, const char *value, wadi_error *err) {
    if (wadi_args_number(value, 0, INT64_MAX, &OPTIONS->skip)) return WADI_OK;
    return wadi_args_bad("--skip", value, "a number of rows", err);
}

static wadi_status take_wait(void *options, const char *value, wadi_error *err) {
    if (wadi_args_real(value, 0.001, 1e6, &OPTIONS->wait_s)) return WADI_OK;
    return wadi_args_bad("--wait", value, "a number of seconds", err);
}

static wadi_status take_chunk(void *options, const char *value, wadi_error *err) {
    if (wadi_args_number(value, 1, INT32_MAX, &OPTIONS->chunk)) return WADI_OK;
    return wadi_args_bad("--chunk", value, "a number of rows", err);
}

/* Kept plus one: zero is the only one there is. */
static wadi_status take_which(const char *option, const char *value, int *out, wadi_error *err) {
    int64_t n = 0;
    if (!wadi_args_number(value, 0, INT32_MAX - 1, &n))
        return wadi_args_bad(option, value, "a number from 0 on", err);
    *out = (int)n + 1;
    return WADI_OK;
}

static wadi_status take_field(void *options, const char *value, wadi_error *err) {
    return take_which("--field", value, &OPTIONS->field, err);
}

static wadi_status take_setup(void *options, const char *value, wadi_error *err) {
    return take_which("--setup", value, &OPTIONS->setup, err);
}

static const wadi_args_option table[] = {
    {"--to", NULL, take_to, 0},
    {"--wait", NULL, take_wait, 0},
    {"--rate", NULL, take_rate, 0},
    {"--skip", NULL, take_skip, 0},
    {"--chunk", NULL, take_chunk, 0},
    {"--conjugate", NULL, NULL, offsetof(send_options, conjugate)},
    {"--field", NULL, take_field, 0},
    {"--setup", NULL, take_setup, 0},
    {"--spw", NULL, take_setup, 0},
    {"--freqid", NULL, take_setup, 0},
    {"--column", NULL, take_column, 0},
    {"--key", NULL, take_key, 0},
    {"--receiver", NULL, take_receiver, 0},
    {"--token", NULL, take_token, 0},
    {"--new-key", NULL, take_new_key, 0},
    {"--log", NULL, wadi_say_take, 0},
    WADI_WATCH_OPTIONS(send_options, watch),
    {"--quiet", "-q", NULL, offsetof(send_options, quiet)},
    {"--help", "-h", NULL, offsetof(send_options, help)},
    {"--version", NULL, NULL, offsetof(send_options, version)},
};

static const wadi_args arguments = {table, sizeof table / sizeof table[0], take_input, NULL};

static wadi_status check(const send_options *o, wadi_error *err) {
    if (o->help || o->version) return WADI_OK;
    if (o->new_key != NULL && o->inputs.n > 0)
        return wadi_fail(err, WADI_INVALID, "--new-key makes keys and sends nothing");
    if (o->new_key == NULL && o->inputs.n == 0)
        return wadi_fail(err, WADI_INVALID, "no input; --help tells more");
    if ((o->key == NULL) != (o->receiver == NULL))
        return wadi_fail(err, WADI_INVALID, "--key and --receiver must be given together");
    return WADI_OK;
}

wadi_status send_options_parse(int argc, char *const *argv, send_options *out, wadi_error *err) {
    *out = (send_options){.to = "tcp://127.0.0.1:5555", .wait_s = 10};
    WADI_TRY(wadi_args_parse(&arguments, argc, argv, out, err));
    return check(out, err);
}

void send_options_fini(send_options *o) {
    wadi_vec_free(&o->inputs);
}
