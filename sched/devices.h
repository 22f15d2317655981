/* Which devices there are. A row of the table is a kind of device: `cpu`, of which there is one, or a kind whose devices have numbers, as in
 * "opencl:1". What a machine has of a numbered kind its library tells, which is loaded when somebody asks for that kind.
 *
 * Devices of one kind can work as one: "cuda:0+1" (sched/split/apart.h).
 *
 * A run may compute on several devices: "cpu,opencl:1" is a list, and "all" is every device of the machine but those for tests. */
#ifndef WADI_SCHED_DEVICES_H
#define WADI_SCHED_DEVICES_H

#include "base/text.h"
#include "sched/device.h"
#include "wadi/schedule.h"

/* The functions are called by any thread. */
typedef struct wadi_device_row {
    const char *name;
    const char *about;             /* a few words */
    const char *language;          /* of its kernels */
    bool apart;                    /* columns live in memory of its own */
    wadi_schedule_option schedule; /* of runs that leave it to wadi; AUTO: the cost rule decides */
    /* How many there are. NULL: one, without a number. Loads the library, if the kind has one. Errors: what is missing, with the name of the
     * library. */
    wadi_status (*count)(int *out, wadi_error *err);
    /* Fills in what is known of device `number`, also where it fails. Errors: why it cannot be used. */
    wadi_status (*tell)(int number, wadi_device_facts *out, wadi_error *err);
    /* What loads images for device `number`: static. Errors: why it cannot be used. */
    wadi_status (*images)(int number, const wadi_image_ops **out, wadi_error *err);
    wadi_status (*open)(const wadi_device_options *options, wadi_device **out, wadi_error *err);
    /* Whether device `number`, which is there, computes with the processors of the machine, as `cpu` does. NULL: it does not. */
    bool (*by_processors)(int number);
    bool may_crash; /* its library: a process of its own asks it first (wadi_device_ask) */
    int copies; /* a kind for tests, without `count`: so many, all alike, of which the first needs no number; 0: no such kind */
} wadi_device_row;

/* The table, ended by a row without a name (devices.c). The first row is the default. */
extern const wadi_device_row wadi_devices[];

enum { WADI_DEVICES_MOST = 16, WADI_DEVICE_PARTS = 8 };

/* A device that somebody has asked for. */
typedef struct wadi_device_choice {
    const wadi_device_row *row;
    int parts; /* devices that work as one; 1: it is one */
    int number[WADI_DEVICE_PARTS];
    char name[64]; /* "cpu", "opencl:1", "cuda:0+1" */
    int place;     /* in the list */
    bool idle;     /* it computes with the processors, and so does one before it in the list */
} wadi_device_choice;

/* Those that somebody has asked for, none twice. The first is the one that does what cannot be shared. */
typedef struct wadi_device_choices {
    wadi_device_choice at[WADI_DEVICES_MOST];
    int n;
    char name[160]; /* "cpu,opencl:1" */
} wadi_device_choices;

/* The devices of that name: one, a list, or "all". NULL: what $WADI_DEVICE names, or the default. Of numbered kinds the libraries are loaded;
 * for "all" one that is not there counts as a kind without devices. Errors: WADI_INVALID (no such device, one twice, or too many; the
 * message lists what there is), and those of a row's `count`. */
WADI_NODISCARD wadi_status wadi_device_find_all(const char *name, wadi_device_choices *out,
                                                wadi_error *err);
/* The same for a caller that wants one device: the first. "cpu", "opencl:1"; "opencl" is "opencl:0". */
WADI_NODISCARD wadi_status wadi_device_find(const char *name, wadi_device_choice *out,
                                            wadi_error *err);
/* The kind of the first device, which need not be there: nothing is loaded. Errors: WADI_INVALID, as above. */
WADI_NODISCARD wadi_status wadi_device_kind(const char *name, const wadi_device_row **out,
                                            wadi_error *err);
/* All of them, in the order of the list; out has room for WADI_DEVICES_MOST. They need not be there, and nothing is loaded. "all": the first device of every
 * kind that is not for tests. */
WADI_NODISCARD wadi_status wadi_device_names(const char *name, wadi_device_choice *out, int *out_n,
                                             wadi_error *err);
/* The function for the option --device in the option tables of programs (base/args.h). Makes the device the default of this process and its
 * children; must be called before there are threads. `options` is not used. Errors: those of wadi_device_find. */
WADI_NODISCARD wadi_status wadi_device_take(void *options, const char *value, wadi_error *err);

/* The same for programs that run nothing: the device need not be there, and nothing is loaded. Errors: those of wadi_device_kind. */
WADI_NODISCARD wadi_status wadi_device_take_kind(void *options, const char *value, wadi_error *err);

/* Opens it, with the number or numbers of the choice instead of the options' own. The processors' threads are shared out among devices that work as
 * one. Errors: those of the kind's `open`, and WADI_INVALID (they cannot work as one). */
WADI_NODISCARD wadi_status wadi_device_open(const wadi_device_choice *choice,
                                            const wadi_device_options *options, wadi_device **out,
                                            wadi_error *err);
/* What loads images for it: static. Errors: those of the kind's `images`, and WADI_INVALID as above. */
WADI_NODISCARD wadi_status wadi_device_images(const wadi_device_choice *choice,
                                              const wadi_image_ops **out, wadi_error *err);

/* It has not answered, and whoever waited has left it behind: from now on it cannot be opened. Any thread. */
void wadi_device_left(const wadi_device_choice *choice);

/* The schedule that a run with this option is forced to on devices of the kind; -1: none. */
int wadi_device_force(const wadi_device_row *row, wadi_schedule_option option);

/* ---- device_ask.c ---- */

/* Whether the library of the kind answers, and does not crash: to be asked before `count` and `tell`. It is found out once in a process. Errors:
 * WADI_DEVICE, WADI_CANCELLED. */
WADI_NODISCARD wadi_status wadi_device_ask(const wadi_device_row *row, wadi_error *err);

/* ---- device_names.c: over any table ---- */

WADI_NODISCARD wadi_status wadi_device_find_in(const wadi_device_row *table, const char *name,
                                               wadi_device_choice *out, wadi_error *err);
/* The same without asking whether it is there. */
WADI_NODISCARD wadi_status wadi_device_read_in(const wadi_device_row *table, const char *name,
                                               wadi_device_choice *out, wadi_error *err);
/* Whether there are devices of these numbers. Errors: WADI_INVALID (the message says what there is), and those of the row's `count`. */
WADI_NODISCARD wadi_status wadi_device_check(const wadi_device_choice *c, wadi_error *err);
/* Appends a line for each device of the kind: its name, what it is, its memory, and why it cannot be used if that is so. One line if there
 * is none. Never fails. */
void wadi_device_describe(const wadi_device_row *row, wadi_text *out);

/* ---- device_lists.c: over any table ---- */

WADI_NODISCARD wadi_status wadi_device_list_in(const wadi_device_row *table, const char *name,
                                               wadi_device_choices *out, wadi_error *err);
/* Whether the device gains nothing behind these n: it computes with the processors, and so does one of another kind before it. Several of one kind are
 * asked for by name, to stand for a machine that has several. ask: kinds whose devices are counted ask the machine; else they count as devices with
 * processors of their own. */
bool wadi_device_idle(const wadi_device_choice *c, const wadi_device_choice *before, int n,
                      bool ask);

/* The kinds in a list, each once, out[0] the first; out has room for WADI_DEVICES_MOST. Of "all": every kind that is not for tests. */
WADI_NODISCARD wadi_status wadi_device_kinds_in(const wadi_device_row *table, const char *name,
                                                const wadi_device_row **out, int *out_n,
                                                wadi_error *err);

WADI_NODISCARD wadi_status wadi_device_names_in(const wadi_device_row *table, const char *name,
                                                wadi_device_choice *out, int *out_n,
                                                wadi_error *err);

#endif
