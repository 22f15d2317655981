/* Binds the inputs, sources and sinks of a parsed program to values from the command line. */
#include "cli/bind.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/destination.h"
#include "base/error.h"
#include "base/file.h"
#include "base/io.h"
#include "graph/op.h"
#include "sched/stream.h"

/* ---- streams as text ---- */

typedef struct printer {
    const char *name;
    const wadi_val_type *type;
    bool at_once;
} printer;

/* Prints piece by piece: a pipe that has room takes at least PIPE_BUF bytes without blocking, so only the wait below blocks, and a stop
 * ends it. */
static bool print_text(const char *text) {
    enum { MOST = PIPE_BUF };
    for (size_t left = strlen(text), n; left > 0; left -= n, text += n) {
        n = left < MOST ? left : MOST;
        if (!wadi_io_wait(STDOUT_FILENO, POLLOUT, "standard output")) return false;
        if (fwrite(text, 1, n, stdout) != n) return false;
    }
    return true;
}

static wadi_status put_text(wadi_text *t, wadi_error *err) {
    wadi_status st = WADI_OK;
    if (t->failed)
        st = wadi_fail(err, WADI_MEMORY, "out of memory");
    else if (!print_text(wadi_text_str(t)))
        st = wadi_fail_errno(err, errno, "standard output");
    wadi_text_fini(t);
    return st;
}

static void add_name(wadi_text *t, const char *name) {
    wadi_text_add_shown(t, name, strlen(name));
}

static wadi_status print_element(void *env, int64_t index, int parts, const wadi_array *element,
                                 wadi_error *err) {
    const printer *p = env;
    wadi_text t;
    wadi_text_init(&t);
    for (int i = 0; i < parts; i++) {
        add_name(&t, p->name);
        wadi_text_addf(&t, "[%lld]", (long long)index);
        if (parts > 1) wadi_text_addf(&t, ".%d", i);
        wadi_text_add(&t, " = ");
        wadi_cli_array_print(&element[i], &p->type->array[i].elem, &t);
        wadi_text_add(&t, "\n");
    }
    WADI_TRY(put_text(&t, err));
    if (p->at_once && fflush(stdout) != 0) return wadi_fail_errno(err, errno, "standard output");
    return WADI_OK;
}

/* ---- binding ---- */

/* The value if the argument is NAME=VALUE for this name, or NULL. */
static const char *value_of_one(const char *name, const char *arg) {
    const size_t n = strlen(name);
    return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static const char *value_of(const char *name, int nargs, char *const *args) {
    const char *value = NULL;
    for (int i = 0; i < nargs && !value; i++) value = value_of_one(name, args[i]);
    return value;
}

static wadi_status missing(const char *what, const wadi_bind *b, wadi_error *err) {
    return wadi_fail_at(err, b->loc, WADI_INVALID, "%s \"%s\" is not bound: add %s=VALUE", what,
                        b->name, b->name);
}

static wadi_status bind_input(wadi_cli_bindings *all, const wadi_module *m, const wadi_bind *b,
                              const char *text, wadi_run *run, wadi_error *err) {
    if (!text) return missing("input", b, err);
    wadi_cli_value v;
    wadi_array a;
    WADI_TRY(wadi_cli_value_split(text, &v, err));
    WADI_TRY(wadi_cli_array_read(&v, &m->values[b->results[0]].type.array[0], &a, err));
    if (!wadi_vec_push(&all->inputs, a)) {
        wadi_cli_array_free(&a);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    return wadi_run_input(run, b->name, &a, err);
}

static wadi_status bind_source(wadi_cli_bindings *all, const wadi_module *m, const wadi_bind *b,
                               const char *text, wadi_run *run, wadi_error *err) {
    if (!text) return missing("stream", b, err);
    wadi_opened s = {0};
    WADI_TRY(wadi_cli_source_open(text, &m->values[b->results[0]].type, all->links, &s, err));
    if (!wadi_vec_push(&all->sources, s)) {
        wadi_opened_close(&s);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    return wadi_run_source(run, b->name, s.source, err);
}

static wadi_status text_sink(wadi_cli_bindings *all, const wadi_module *m, const wadi_bind *b,
                             wadi_sink **out, wadi_error *err) {
    printer *p = malloc(sizeof *p);
    if (!p || !wadi_vec_push(&all->printers, (void *)p)) {
        free(p);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    *p = (printer){b->name, &m->values[b->args[0]].type, all->at_once};
    WADI_TRY(wadi_sink_callback(print_element, p, out, err));
    (*out)->kind = "terminal";
    return WADI_OK;
}

static wadi_status bind_sink(wadi_cli_bindings *all, const wadi_module *m, const wadi_bind *b,
                             const char *text, wadi_run *run, wadi_error *err) {
    wadi_sink *sink = NULL;
    if (all->sink && text && !all->instead)
        return wadi_fail(err, WADI_INVALID,
                         "nothing is delivered by wadi check: expected no value for a sink");
    if (all->sink)
        WADI_TRY(all->sink(all->env, b, &sink, err));
    else if (text)
        WADI_TRY(wadi_cli_sink_open(text, all->links, &sink, err));
    else
        WADI_TRY(text_sink(all, m, b, &sink, err));
    if (!wadi_vec_push(&all->sinks, sink)) {
        wadi_sink_destroy(sink);
        return wadi_fail(err, WADI_MEMORY, "out of memory");
    }
    return wadi_run_sink(run, b->name, sink, err);
}

typedef struct bindable {
    const char *op;
    wadi_status (*bind)(wadi_cli_bindings *all, const wadi_module *m, const wadi_bind *b,
                        const char *text, wadi_run *run, wadi_error *err);
} bindable;

static const bindable bindables[] = {{"input", bind_input},
                                     {"stream_in", bind_source},
                                     {"stream_out", bind_sink},
                                     {"stream_out_unordered", bind_sink}};

static const bindable *bindable_of(const wadi_bind *b) {
    for (size_t i = 0; b->name && i < sizeof bindables / sizeof *bindables; i++)
        if (strcmp(bindables[i].op, b->op->name) == 0) return &bindables[i];
    return NULL;
}

/* Every argument must name an input, source or sink of the program. */
static wadi_status check_names(const wadi_module *m, int nargs, char *const *args,
                               wadi_error *err) {
    for (int i = 0; i < nargs; i++) {
        bool found = false;
        for (int k = 0; k < m->main->nbinds && !found; k++) {
            const wadi_bind *b = m->main->binds[k];
            found = bindable_of(b) && value_of(b->name, 1, &args[i]);
        }
        if (!found)
            return wadi_fail(err, WADI_INVALID,
                             "\"%s\": the program has no input, source or sink of this name",
                             args[i]);
    }
    return WADI_OK;
}

/* The place (with its @) to which the argument sends a stream of the program. NULL: it is about something else. */
static const char *sink_of(const wadi_module *m, const char *arg) {
    for (int k = 0; k < m->main->nbinds; k++) {
        const wadi_bind *b = m->main->binds[k];
        const bindable *kind = bindable_of(b);
        const char *text = kind && kind->bind == bind_sink ? value_of_one(b->name, arg) : NULL;
        if (text) return text[0] == '@' ? text : NULL;
    }
    return NULL;
}

/* Where the argument has something from. NULL: it names a sink, or no place. */
static const char *source_of(const wadi_module *m, const char *arg) {
    return sink_of(m, arg) ? NULL : strchr(strchr(arg, '=') + 1, '@');
}

static bool are_one_file(const char *text, const char *other) {
    return wadi_destination_is_same(wadi_cli_place(text + 1), wadi_cli_place(other + 1));
}

/* Whether a file that is read by another name, as /dev/stdin, is the one that `to` replaces. A file of several names is not lost. */
static bool is_read_as(const char *from, const char *to) {
    struct stat a, b;
    return wadi_destination_is_same(to, to) && stat(from, &a) == 0 && stat(to, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_nlink == 1;
}

static bool reads_file(const char *from, const char *to) {
    return wadi_destination_is_same(from, to) || is_read_as(from, to);
}

/* Whether who reads one place reads the file of the other. Its name may be a pattern, as of sound. */
static bool reads(const char *source, const char *sink) {
    const char *from = wadi_cli_place(source + 1), *to = wadi_cli_place(sink + 1);
    glob_t found = {0};
    bool any = reads_file(from, to);
    if (any || strpbrk(from, "*?[") == NULL || wadi_file_exists(from)) return any;
    if (glob(from, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && !any; i++) any = reads_file(found.gl_pathv[i], to);
    globfree(&found);
    return any;
}

/* A file of the command beside those of NAME=VALUE. */
typedef struct named_file {
    const char *option, *file; /* file NULL: none */
    bool read;                 /* the run does not write it, so another may read it, too */
} named_file;

static wadi_status fail_one_file(const char *a, const char *b, const char *file, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID, "%s and %s %s name the same file, expected two", a, b,
                     file);
}

/* Its place, as that of a source or sink. False: there is none, or it is standard output. */
static bool place_of(const named_file *f, wadi_text *out) {
    const bool standard = f->file != NULL && strcmp(f->file, "-") == 0;
    if (f->file == NULL || (standard && !f->read)) return false;
    wadi_text_addf(out, "@raw:%s", standard ? "/dev/stdin" : f->file);
    return true;
}

/* Whether the file is also at a place that the run writes. */
static bool is_written(const named_file *f, const char *at, const char *place) {
    return f->read ? reads(at, place) : are_one_file(at, place);
}

/* Refuses an input, source or sink in this file: one would replace the other. */
static wadi_status check_beside(const wadi_module *m, const named_file *f, const char *at,
                                int nargs, char *const *args, wadi_error *err) {
    for (int i = 0; i < nargs; i++) {
        const char *sink = sink_of(m, args[i]), *source = f->read ? NULL : source_of(m, args[i]);
        if (!(sink && is_written(f, at, sink)) && !(source && reads(source, at))) continue;
        char quoted[300];
        (void)snprintf(quoted, sizeof quoted, "\"%.280s\"", args[i]);
        return fail_one_file(quoted, f->option, f->file, err);
    }
    return WADI_OK;
}

/* The same for all of them, and for each two. */
static wadi_status check_files(const wadi_cli_bindings *all, const wadi_module *m, int nargs,
                               char *const *args, wadi_error *err) {
    const named_file of[] = {{"the program", all->program, true},
                             {"--dead", all->dead, false},
                             {"--trace", all->trace, false},
                             {"--certificate", all->certificate, false}};
    enum { FILES = sizeof of / sizeof *of };
    wadi_text at[FILES] = {{0}};
    wadi_status st = WADI_OK;
    for (int i = 0; i < FILES && st == WADI_OK; i++) {
        if (!place_of(&of[i], &at[i])) continue;
        st = check_beside(m, &of[i], wadi_text_str(&at[i]), nargs, args, err);
        for (int k = 0; k < i && st == WADI_OK; k++) {
            if (at[k].n == 0 || !is_written(&of[k], wadi_text_str(&at[k]), wadi_text_str(&at[i])))
                continue;
            wadi_text first = {0};
            wadi_text_addf(&first, "%s %s", of[k].option, of[k].file);
            st = fail_one_file(wadi_text_str(&first), of[i].option, of[i].file, err);
            wadi_text_fini(&first);
        }
    }
    for (int i = 0; i < FILES; i++) wadi_text_fini(&at[i]);
    return st;
}

/* Refuses a sink that would replace what another argument reads. */
static wadi_status check_replaced(const wadi_module *m, const char *from, const char *to,
                                  wadi_error *err) {
    const char *source = source_of(m, from), *sink = sink_of(m, to);
    if (!source || !sink || !reads(source, sink)) return WADI_OK;
    return wadi_fail(err, WADI_INVALID, "\"%s\" would replace the file of \"%s\", expected two", to,
                     from);
}

/* Refuses two values for one name, because one would be lost, and two arguments with one file, of which one writes it. */
static wadi_status check_pairs(const wadi_module *m, int nargs, char *const *args,
                               wadi_error *err) {
    for (int i = 0; i < nargs; i++)
        for (int k = 0; k < i; k++) {
            const size_t n = strcspn(args[i], "=");
            if (strcspn(args[k], "=") == n && strncmp(args[i], args[k], n) == 0)
                return wadi_fail(err, WADI_INVALID,
                                 "\"%s\" and \"%s\" give one name two values, expected one",
                                 args[k], args[i]);
            const char *a = sink_of(m, args[k]), *b = sink_of(m, args[i]);
            if (a && b && are_one_file(a, b))
                return wadi_fail(err, WADI_INVALID,
                                 "\"%s\" and \"%s\" write the same file, expected two", args[k],
                                 args[i]);
            WADI_TRY(check_replaced(m, args[k], args[i], err));
            WADI_TRY(check_replaced(m, args[i], args[k], err));
        }
    return WADI_OK;
}

static const char *article(const char *word) {
    return strchr("aeiou", word[0]) ? "an" : "a";
}

/* A name must belong to one input, source or sink only, because NAME=VALUE does not say which is meant. */
static wadi_status check_apart(const wadi_module *m, wadi_error *err) {
    for (int i = 0; i < m->main->nbinds; i++)
        for (int k = 0; k < i; k++) {
            const wadi_bind *a = m->main->binds[k], *b = m->main->binds[i];
            if (!bindable_of(a) || !bindable_of(b) || strcmp(a->name, b->name) != 0) continue;
            return wadi_fail_at(
                err, b->loc, WADI_INVALID,
                "\"%s\" names %s %s and %s %s: on the command line they cannot be told apart; "
                "rename one",
                b->name, article(a->op->name), a->op->name, article(b->op->name), b->op->name);
        }
    return WADI_OK;
}

/* Whether a stream that is read, or one that is sent, is over a link. */
static bool has_link(const wadi_module *m, bool sent, int nargs, char *const *args) {
    for (int k = 0; k < m->main->nbinds; k++) {
        const wadi_bind *b = m->main->binds[k];
        const bindable *kind = bindable_of(b);
        const char *text = kind ? value_of(b->name, nargs, args) : NULL;
        if (text && kind->bind == (sent ? bind_sink : bind_source) && wadi_cli_is_link(text))
            return true;
    }
    return false;
}

/* Only the program tells which streams are read and which are sent. */
static wadi_status check_keys(const wadi_cli_links *l, const wadi_module *m, int nargs,
                              char *const *args, wadi_error *err) {
    if (l && l->senders && !has_link(m, false, nargs, args))
        return wadi_fail(err, WADI_INVALID, "--senders: nothing is read over tcp:// or ipc://");
    if (l && l->receiver && !has_link(m, true, nargs, args))
        return wadi_fail(err, WADI_INVALID, "--receiver: nothing is sent over tcp:// or ipc://");
    return WADI_OK;
}

wadi_status wadi_cli_bind(wadi_cli_bindings *all, const wadi_module *m, wadi_run *run, int nargs,
                          char *const *args, wadi_error *err) {
    WADI_TRY(check_apart(m, err));
    WADI_TRY(check_names(m, nargs, args, err));
    WADI_TRY(check_pairs(m, nargs, args, err));
    WADI_TRY(check_files(all, m, nargs, args, err));
    WADI_TRY(check_keys(all->links, m, nargs, args, err));
    for (int i = 0; i < m->main->nbinds; i++) {
        const wadi_bind *b = m->main->binds[i];
        const bindable *kind = bindable_of(b);
        if (!kind) continue;
        wadi_error why = {0};
        const char *text = value_of(b->name, nargs, args);
        const wadi_status st = kind->bind(all, m, b, text, run, &why);
        if (st != WADI_OK && text)
            return wadi_fail(err, st, "%s=%.100s: %.350s", b->name, text, why.msg);
        if (st != WADI_OK) return wadi_fail_at(err, why.at, st, "%s", why.msg);
    }
    return WADI_OK;
}

void wadi_cli_bindings_fini(wadi_cli_bindings *b) {
    for (size_t i = 0; i < b->inputs.n; i++) wadi_cli_array_free(&b->inputs.at[i]);
    for (size_t i = 0; i < b->sources.n; i++) wadi_opened_close(&b->sources.at[i]);
    for (size_t i = 0; i < b->sinks.n; i++) wadi_sink_destroy(b->sinks.at[i]);
    for (size_t i = 0; i < b->printers.n; i++) free(b->printers.at[i]);
    wadi_vec_free(&b->inputs);
    wadi_vec_free(&b->sources);
    wadi_vec_free(&b->sinks);
    wadi_vec_free(&b->printers);
}

wadi_status wadi_cli_print_results(const wadi_module *m, wadi_run *run, wadi_error *err) {
    for (int i = 0; i < m->main->nyields; i++) {
        const wadi_val_type *type = &m->values[m->main->yields[i]].type;
        wadi_array a;
        wadi_text t;
        WADI_TRY(wadi_run_result(run, m->outputs[i], &a, err));
        wadi_text_init(&t);
        add_name(&t, m->outputs[i]);
        wadi_text_add(&t, " = ");
        wadi_cli_array_print(&a, &type->array[0].elem, &t);
        wadi_text_add(&t, "\n");
        WADI_TRY(put_text(&t, err));
    }
    return WADI_OK;
}
