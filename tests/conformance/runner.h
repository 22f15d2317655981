/* One program, run by the interpreter and by compiled code, with the results compared element by element.
 *
 * The inputs of a program are described once, as the interpreter takes them (operators/interp/interp.h). The same arrays are bound
 * to compiled runs through the public interface. Floats are compared bit for bit, but every NaN equals every NaN. */
#ifndef TESTS_CONFORMANCE_RUNNER_H
#define TESTS_CONFORMANCE_RUNNER_H

#include <stdbool.h>

#include "base/text.h"
#include "operators/interp/interp.h"
#include "sched/split/apart.h"
#include "sched/split/split.h"
#include "wadi/wadi.h"

/* A program with its inputs and what the interpreter says. */
typedef struct conf_case {
    const wadi_program *program; /* NULL: the text is the program */
    const char *text;
    wadi_interp_io io;
    wadi_module *module;
    wadi_interp_results *want; /* NULL after a fault */
    wadi_error fault;          /* the interpreter's, when want is NULL */
} conf_case;

/* Lowers and interprets. Borrows the program and what io points to. False: `why` says what is wrong with the program;
 * a fault is no such thing. fini is needed in both cases. */
bool conf_case_init(conf_case *c, const wadi_program *p, const wadi_interp_io *io, wadi_text *why);
/* The same of a program in text form (docs/TEXT.md). */
bool conf_case_text(conf_case *c, const char *text, const wadi_interp_io *io, wadi_text *why);
void conf_case_fini(conf_case *c);

/* Several devices cpu that share each launch, in parts that begin where the rule says. */
typedef struct conf_parts {
    int n;
    wadi_split_rule rule;
    bool apart;               /* devices null instead, which have memory of their own */
    wadi_split_copies *count; /* of these; or NULL */
} conf_parts;

/* How a program is compiled and run. */
typedef struct conf_variant {
    const char *disable; /* passes, comma separated; "all"; NULL: none */
    wadi_schedule_option schedule;
    int threads;
    int64_t chunk;      /* 0: the policy decides */
    const char *device; /* NULL: all that there are, one after the other */
    int cut; /* so many chunks into the first stream the run is saved and ended, and another goes on; 0: no */
    bool
        apart; /* streams are cut, elsewhere with every other chunk; devices that can do so run joined as well */
    int workers; /* so many workers elsewhere compute a stage, on the device of the run; 0: none */
    const conf_parts *parts; /* instead of the device, which is then cpu; NULL: no */
} conf_variant;

void conf_variant_print(const conf_variant *v, wadi_text *out);

/* Whether programs call library routines from now on, as users' programs do. Otherwise they compute what routines mean, so that floats have the bits of the
 * interpreter. */
void conf_routines(bool called);
/* The executable of the variant, compiled by WADI_CONFORMANCE_CC if that is set; NULL: `why` says why not. */
wadi_exe *conf_compile(const conf_case *c, const char *disable, wadi_text *why);
/* The first kind of device, from this row on, that programs are to run on: those of which every machine has one. WADI_DEVICE leaves only one, of
 * any kind: drivers take seconds to build the kernels of a program. */
const struct wadi_device_row *conf_device(const struct wadi_device_row *from);
/* Runs it and compares everything it gives with what the interpreter gave. False: `why` names the first difference. */
bool conf_run(const conf_case *c, const wadi_exe *exe, const conf_variant *v, wadi_text *why);
/* How many runs have been saved and gone on with, in all. */
int conf_cuts(void);
/* Runs it without judging; *out_delivered is how many elements the first sink got, -1 without one. */
wadi_status conf_go(const conf_case *c, const wadi_exe *exe, const conf_variant *v,
                    int64_t *out_delivered, wadi_error *err);
/* Runs a program that may fault: what the first sink got is compared with as many elements of `want` (NULL: not); `why` names the first
 * difference. *out_delivered: how many it got. */
wadi_status conf_go_prefix(const conf_case *c, const wadi_exe *exe, const conf_variant *v,
                           const wadi_interp_results *want, int64_t *out_delivered, wadi_error *err,
                           wadi_text *why);
/* Whether a compiled run's fault is told as the interpreter's is: word for word. */
bool conf_told_alike(const conf_case *c, const wadi_error *err, wadi_text *why);
/* Compiles, runs and compares. */
bool conf_check(const conf_case *c, const conf_variant *v, wadi_text *why);

/* Passes in order, NULL after the last, and all of them as one list to be switched off (static). */
const char *conf_pass(int i);
const char *conf_all_passes(void);

/* Whether two arrays are the same; if not, `why` names the first difference. */
bool conf_same_array(const wadi_array *want, const wadi_array *got, wadi_text *why);

/* A host array for an input, an element or an expectation: one field, `shape` row-major extents, borrowed data. */
wadi_array conf_array(wadi_type type, int rank, const int64_t *shape, const void *data);
wadi_array conf_vector(wadi_type type, int64_t n, const void *data);
wadi_array conf_scalar(wadi_type type, const void *data);

/* The same for all outputs and streams of two interpreted runs. */
bool conf_same_results(const wadi_interp_results *want, const wadi_interp_results *got,
                       wadi_text *why);

/* Checks a hand-written program under every kind of variant, and the outputs named in `expected` (they may be fewer than
 * there are) against values that come from elsewhere; fails the running test on a difference. Destroys p. */
void conf_assert_agrees(wadi_program *p, const wadi_interp_io *io, int nexpected,
                        const wadi_interp_input *expected);
/* The same in two variants only: for programs with much code and little structure. */
void conf_assert_agrees_briefly(wadi_program *p, const wadi_interp_io *io);

#endif
