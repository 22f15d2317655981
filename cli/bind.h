/* Binding the inputs, sources and sinks of a program to values from the command line. */
#ifndef WADI_CLI_BIND_H
#define WADI_CLI_BIND_H

#include "base/vec.h"
#include "cli/streams.h"
#include "wadi/run.h"

/* Everything a run borrows. All zero is empty. */
typedef struct wadi_cli_bindings {
    /* Makes the sink of a stream_out, whatever the command line says. NULL: the command line decides. */
    wadi_status (*sink)(void *env, const wadi_bind *b, wadi_sink **out, wadi_error *err);
    void *env;
    bool
        instead; /* with `sink`: what the command line says of sinks is ignored; else it is an error */
    const wadi_cli_links *links; /* how links to other processes are opened; NULL: by default */
    bool at_once;        /* an element that is printed has left the process when its sink returns */
    const char *program; /* the file with its text; NULL: none */
    const char *dead, *trace,
        *certificate; /* files that the run writes beside its sinks; NULL: none */
    WADI_VEC(wadi_array) inputs;
    WADI_VEC(wadi_opened) sources;
    WADI_VEC(wadi_sink *) sinks;
    WADI_VEC(void *) printers;
} wadi_cli_bindings;

/* Binds every input, source and sink of `m`: args are NAME=VALUE. A sink that is not mentioned prints its elements to
 * standard output. Errors: WADI_INVALID (missing, unknown, malformed) and those of reading; the message has the name. */
WADI_NODISCARD wadi_status wadi_cli_bind(wadi_cli_bindings *b, const wadi_module *m, wadi_run *run,
                                         int nargs, char *const *args, wadi_error *err);
/* After the run is destroyed. */
void wadi_cli_bindings_fini(wadi_cli_bindings *b);

/* Prints the results of a finished run to standard output. */
WADI_NODISCARD wadi_status wadi_cli_print_results(const wadi_module *m, wadi_run *run,
                                                  wadi_error *err);

#endif
