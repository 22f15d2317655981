/* The options that `wadi run` and `wadi check` share: the program, its bindings, and how it runs. */
#include "cli/options.h"

#include <string.h>

#include "base/error.h"

wadi_status wadi_cli_take_threads(void *options, const char *value, wadi_error *err) {
    wadi_cli_options *o = options;
    int64_t n = 0;
    if (!wadi_args_number(value, 0, 4096, &n))
        return wadi_args_bad("--threads", value, "a number from 0 to 4096", err);
    o->run.threads = (int)n;
    return WADI_OK;
}

wadi_status wadi_cli_take_memory(void *options, const char *value, wadi_error *err) {
    wadi_cli_options *o = options;
    if (wadi_args_size(value, &o->run.memory)) return WADI_OK;
    return wadi_args_bad("--memory", value, "a number of bytes such as 256M", err);
}

wadi_status wadi_cli_take_wait(void *options, const char *value, wadi_error *err) {
    wadi_cli_options *o = options;
    if (wadi_args_real(value, 0.001, 1e6, &o->links.wait_s)) return WADI_OK;
    return wadi_args_bad("--wait", value, "a number of seconds from 0.001 to 1000000", err);
}

wadi_status wadi_cli_take_watchdog(void *options, const char *value, wadi_error *err) {
    wadi_cli_options *o = options;
    double s = 0;
    if (!wadi_args_seconds(value, &s) || s == 0)
        return wadi_args_bad("--watchdog", value, "seconds above 0, as in 10s", err);
    o->run.watchdog_s = s;
    return WADI_OK;
}

/* The first argument that is not an option is the program. The others are NAME=VALUE. */
static wadi_status take_other(void *options, const char *value, wadi_error *err) {
    wadi_cli_options *o = options;
    if (o->file == NULL)
        o->file = value;
    else if (strchr(value, '=') != NULL)
        o->bindings[o->nbindings++] = (char *)(uintptr_t)value;
    else
        return wadi_fail(err, WADI_INVALID, "unexpected \"%s\": expected NAME=VALUE or an option",
                         value);
    return WADI_OK;
}

wadi_status wadi_cli_options_read(const wadi_args_option *table, size_t n, int argc, char **argv,
                                  wadi_cli_options *o, wadi_error *err) {
    const wadi_args args = {table, n, take_other, NULL};
    o->bindings = argv;
    WADI_TRY(wadi_args_parse(&args, argc, argv, o, err));
    return o->file != NULL ? WADI_OK : wadi_fail(err, WADI_INVALID, "no program");
}
