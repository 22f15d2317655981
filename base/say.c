/* One line, one write: lines of several threads and processes do not mix. */
#include "base/say.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/args.h"
#include "base/format.h"
#include "base/log.h"
#include "base/task.h"
#include "base/text.h"

static const char *program = "wadi";
static atomic_bool as_json;

void wadi_say_as(const char *name) {
    program = name;
}

const char *wadi_say_name(void) {
    return program;
}

wadi_status wadi_say_take(void *options, const char *value, wadi_error *err) {
    (void)options;
    const bool json = strcmp(value, "json") == 0;
    if (!json && strcmp(value, "text") != 0)
        return wadi_args_bad("--log", value, "text or json", err);
    atomic_store(&as_json, json);
    return WADI_OK;
}

bool wadi_say_json(void) {
    return atomic_load(&as_json);
}

/* "2026-01-31T23:59:59.123Z" (RFC 3339) */
static void add_time(wadi_text *out) {
    char seconds[32];
    struct timespec now = {0};
    struct tm parts;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    if (gmtime_r(&now.tv_sec, &parts) == NULL ||
        strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts) == 0)
        seconds[0] = '\0';
    wadi_text_addf(out, "\"%s.%03ldZ\"", seconds, now.tv_nsec / 1000000);
}

static void add_member(wadi_text *out, const char *name, const char *value) {
    wadi_text_addf(out, ", \"%s\": ", name);
    if (value != NULL && value[0] != '\0')
        wadi_text_add_json(out, value);
    else
        wadi_text_add(out, "null");
}

static void add_object(wadi_text *out, wadi_say_level level, const char *words) {
    static const char *const levels[] = {
        [WADI_SAY_INFO] = "info", [WADI_SAY_WARNING] = "warning", [WADI_SAY_ERROR] = "error"};
    const wadi_log_place about = wadi_log_about_now();
    const wadi_task *task = wadi_task_now();
    const char *run = about.run != NULL ? about.run : wadi_waits_name(task->waits),
               *stage = about.stage != NULL ? about.stage
                        : task->waits       ? task->name
                                            : NULL;
    wadi_log_failure failure;
    if (run == NULL && wadi_log_find_failure(words, &failure)) {
        run = failure.run;
        stage = failure.stage;
    }
    wadi_text_add(out, "{\"time\": ");
    add_time(out);
    add_member(out, "level", levels[level]);
    add_member(out, "program", program);
    add_member(out, "run", run);
    add_member(out, "stage", stage);
    add_member(out, "message", words);
    wadi_text_add(out, "}\n");
}

static void add_words(wadi_text *out, const char *kind, const char *words) {
    wadi_text_addf(out, "%s: %s", program, kind);
    wadi_text_add_shown(out, words, strlen(words));
    wadi_text_add(out, "\n");
}

void wadi_say_shown(FILE *to, const char *words) {
    wadi_text shown = {0};
    wadi_text_add_shown(&shown, words, strlen(words));
    fputs(shown.failed ? words : wadi_text_str(&shown), to);
    wadi_text_fini(&shown);
}

void wadi_say(wadi_say_level level, const char *format, ...) {
    char words[1024];
    wadi_text line = {0};
    va_list args;
    va_start(args, format);
    (void)wadi_format_list(words, sizeof words, format, args);
    va_end(args);
    if (wadi_say_json())
        add_object(&line, level, words);
    else
        add_words(&line, level == WADI_SAY_WARNING ? "warning: " : "", words);
    if (line.failed) /* without memory, still the words */
        fprintf(stderr, "%s: %s\n", program, words);
    else
        fputs(wadi_text_str(&line), stderr);
    wadi_text_fini(&line);
}
