/* What subcommands share: reporting errors, and reading program texts. */
#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/format.h"
#include "base/io.h"
#include "base/process.h"
#include "base/say.h"

int wadi_cli_fail(const wadi_error *err) {
    if (wadi_process_output_gone()) return WADI_CLI_FAILED;
    if (wadi_process_signal() == 0) fflush(stdout);
    char place[300] = "";
    int line = 0, column = 0, after = 0;
    if (err->at.file) snprintf(place, sizeof place, "%s:%d", err->at.file, err->at.line);
    (void)sscanf(err->msg, "line %d, column %d: %n", &line, &column, &after);
    if (err->at.file && after > 0 && line == err->at.line)
        wadi_say(WADI_SAY_ERROR, "%s:%d: %s", place, column, err->msg + after);
    else if (err->at.file && !strstr(err->msg, place))
        wadi_say(WADI_SAY_ERROR, "%s: %s", place, err->msg);
    else
        wadi_say(WADI_SAY_ERROR, "%s", err->msg);
    return WADI_CLI_FAILED;
}

void wadi_cli_usage(const wadi_cli_command *command, FILE *to) {
    const char *space = command->arguments[0] != '\0' ? " " : "";
    fprintf(to, "usage: wadi %s%s%s\n", command->name, space, command->arguments);
}

int wadi_cli_misuse(const wadi_cli_command *command, const char *format, ...) {
    fflush(stdout);
    char words[1024];
    va_list args;
    va_start(args, format);
    (void)wadi_format_list(words, sizeof words, format, args);
    va_end(args);
    if (wadi_say_json()) {
        wadi_say(WADI_SAY_ERROR, "%s: %s", command->name, words);
        return WADI_CLI_USAGE;
    }
    fprintf(stderr, "wadi %s: ", command->name);
    wadi_say_shown(stderr, words);
    fputc('\n', stderr);
    wadi_cli_usage(command, stderr);
    return WADI_CLI_USAGE;
}

wadi_status wadi_cli_read(const char *path, char **out_text, const char **out_name,
                          wadi_error *err) {
    const bool is_stdin = strcmp(path, "-") == 0;
    char *text = NULL;
    size_t n = 0;
    *out_name = is_stdin ? "standard input" : path;
    if (is_stdin) WADI_TRY(wadi_io_check_stdin(err));
    WADI_TRY(is_stdin ? wadi_file_read_fd(STDIN_FILENO, *out_name, WADI_FILE_TEXT, &text, &n, err)
                      : wadi_file_read_most(path, WADI_FILE_TEXT, &text, &n, err));
    const size_t zero = strlen(text);
    if (zero != n) {
        free(text);
        return wadi_fail(err, WADI_INVALID, "%s: not a text: byte %zu is zero", *out_name, zero);
    }
    *out_text = text;
    return WADI_OK;
}
