/* Binds one description of inputs to compiled runs, and compares the results. */
#include "tests/conformance/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sched/null/null.h"
#include "codegen/pipeline.h"
#include "graph/lang/node.h"
#include "operators/table.h"
#include "sched/devices.h"
#include "sched/run.h"
#include "sched/schedules.h"
#include "sched/run/stream.h"
#include "tests/conformance/guarded.h"
#include "tests/conformance/seekable.h"
#include "tests/conformance/workers.h"

enum { MAX_BOUND = 16 };

const char *conf_pass(int i) {
    for (int k = 0; wadi_pipeline_name(k); k++)
        if (wadi_pipeline_is_optional(k) && i-- == 0) return wadi_pipeline_name(k);
    return NULL;
}

const char *conf_all_passes(void) {
    static char list[256];
    if (list[0]) return list;
    for (int i = 0; conf_pass(i); i++) {
        if (i > 0) strcat(list, ",");
        strcat(list, conf_pass(i));
    }
    return list;
}

/* ---- cases ---- */

/* Judges and interprets the module, which is there if `st` says so. */
static bool interpreted(conf_case *c, wadi_status st, wadi_error *err, wadi_text *why) {
    if (st == WADI_OK) st = wadi_ir_verify(c->module, err);
    if (st != WADI_OK) {
        wadi_text_addf(why, "the program is refused: %s", err->msg);
        return false;
    }
    st = wadi_interp_run(c->module, &c->io, &c->want, &c->fault);
    if (st == WADI_OK || st == WADI_FAULT) return true;
    wadi_text_addf(why, "the interpreter: %s", c->fault.msg);
    return false;
}

bool conf_case_init(conf_case *c, const wadi_program *p, const wadi_interp_io *io, wadi_text *why) {
    *c = (conf_case){.program = p, .io = *io};
    wadi_error err = {0};
    const wadi_status st = wadi_program_lower(p, wadi_operators(), &c->module, &err);
    return interpreted(c, st, &err, why);
}

bool conf_case_text(conf_case *c, const char *text, const wadi_interp_io *io, wadi_text *why) {
    *c = (conf_case){.text = text, .io = *io};
    wadi_error err = {0};
    const wadi_status st = wadi_ir_parse(text, "text", wadi_operators(), &c->module, &err);
    return interpreted(c, st, &err, why);
}

void conf_case_fini(conf_case *c) {
    wadi_interp_results_destroy(c->want);
    wadi_module_destroy(c->module);
    *c = (conf_case){0};
}

/* ---- sources ---- */

typedef struct feed {
    const wadi_interp_source *from;
    int parts;
    char *rows; /* the elements as one array; NULL: a callback tells them */
    wadi_source *source;
} feed;

static wadi_status pull(void *env, int64_t index, wadi_yield *yield, wadi_error *err) {
    const feed *f = env;
    if (index >= f->from->n) return WADI_OK;
    for (int p = 0; p < f->parts; p++) {
        const wadi_array *a = &f->from->elements[index * f->parts + p];
        wadi_array room;
        int64_t n = 1;
        for (int d = 0; d < a->rank; d++) n *= a->shape[d];
        WADI_TRY(wadi_yield_array(yield, p, a->shape, &room, err));
        for (int k = 0; k < a->fields && n > 0; k++)
            memcpy(room.column[k], a->column[k], (size_t)n * (size_t)wadi_type_size(a->type[k]));
    }
    return WADI_OK;
}

static wadi_part part_of(const wadi_array_type *t) {
    wadi_part p = {.rank = t->rank, .fields = t->elem.fields, .fixed = true};
    memcpy(p.type, t->elem.type, sizeof p.type);
    for (int d = 0; d < t->rank; d++) {
        p.fixed = p.fixed && t->extent && t->extent[d].kind == WADI_EXTENT_CONST;
        if (p.fixed) p.shape[d] = t->extent[d].value;
    }
    return p;
}

static const wadi_interp_source *source_named(const wadi_interp_io *io, const char *name) {
    for (int i = 0; i < io->nsources; i++)
        if (strcmp(io->sources[i].name, name) == 0) return &io->sources[i];
    return NULL;
}

/* Whether the elements are rows of an array: one part of one field and one shape. */
static bool are_rows(const feed *f) {
    const wadi_array *a = f->from->elements;
    if (f->parts != 1 || !a || f->from->n == 0 || a->fields != 1 || a->rank == WADI_MAX_RANK)
        return false;
    for (int64_t i = 1; i < f->from->n; i++)
        if (memcmp(a[i].shape, a->shape, (size_t)a->rank * sizeof *a->shape) != 0) return false;
    return true;
}

static wadi_status open_rows(feed *f, wadi_error *err) {
    const wadi_array *a = f->from->elements;
    wadi_array all = {.rank = a->rank + 1, .fields = 1, .type = {a->type[0]}};
    size_t bytes = (size_t)wadi_type_size(a->type[0]);
    all.shape[0] = f->from->n;
    for (int d = 0; d < a->rank; d++) {
        all.shape[d + 1] = a->shape[d];
        bytes *= (size_t)a->shape[d];
    }
    f->rows = malloc(bytes * (size_t)f->from->n + 1);
    if (!f->rows) return wadi_fail(err, WADI_MEMORY, "out of memory");
    for (int64_t i = 0; i < f->from->n && bytes > 0; i++)
        memcpy(f->rows + (size_t)i * bytes, a[i].column[0], bytes);
    all.column[0] = f->rows;
    return wadi_source_memory(&all, &f->source, err);
}

/* Every other variant reads elements from memory where it can. */
static wadi_status feed_init(feed *f, int number, const conf_case *c, const wadi_bind *b,
                             const conf_variant *v, wadi_error *err) {
    const wadi_val_type *t = &c->module->values[b->results[0]].type;
    wadi_part part[WADI_MAX_PARTS];
    f->from = source_named(&c->io, b->name);
    f->parts = t->arrays;
    if (!f->from) return wadi_fail(err, WADI_INVALID, "nothing to bind to %s", b->name);
    if ((v->chunk + v->schedule) % 2 == 0 && are_rows(f)) return open_rows(f, err);
    for (int p = 0; p < t->arrays; p++) part[p] = part_of(&t->array[p]);
    if (v->cut == 0) return wadi_source_callback(f->parts, part, pull, f, &f->source, err);
    f->source = seekable_create(f->from, f->parts, part, number);
    return f->source ? WADI_OK : wadi_fail(err, WADI_MEMORY, "out of memory");
}

/* ---- runs ---- */

/* Where streams are cut: everywhere in turn, and nowhere, so that all that is kept between chunks moves to and fro. */
typedef struct cutting {
    bool apart;
    int64_t chunks;
    bool possible;  /* some stream has a cut */
    int64_t shares; /* chunks of a run on several devices so far */
} cutting;

/* Chunks are shared, and now and then one device takes them alone. */
static int choose_device(void *env, int devices) {
    cutting *c = env;
    const int turn = (int)(c->shares++ % (devices + 3));
    return turn < devices ? turn : -1;
}

/* Any of them may have what is not shared. */
static int choose_home(void *env, int devices) {
    const cutting *c = env;
    return (int)(c->chunks % devices);
}

static int choose_seam(void *env, int seams) {
    cutting *c = env;
    c->possible = c->possible || seams > 0;
    return c->apart ? (int)(c->chunks++ / 2 % (seams + 1)) - 1 : -1;
}

typedef struct bound {
    const struct bound *before; /* the run that this one goes on with: its sinks get the rest */
    wadi_run *run;
    conf_workers workers;
    cutting cut;
    feed feeds[MAX_BOUND];
    guarded inputs[MAX_BOUND];
    wadi_sink *sinks[MAX_BOUND];
    const char *sink_names[MAX_BOUND];
    int nfeeds, ninputs, nsinks;
} bound;

static const wadi_interp_input *input_named(const wadi_interp_io *io, const char *name) {
    for (int i = 0; i < io->ninputs; i++)
        if (strcmp(io->inputs[i].name, name) == 0) return &io->inputs[i];
    return NULL;
}

static wadi_status bind_input(bound *b, const wadi_interp_input *in, wadi_error *err) {
    if (b->ninputs == MAX_BOUND) return wadi_fail(err, WADI_INVALID, "too many inputs");
    guarded *g = &b->inputs[b->ninputs++];
    WADI_TRY(guarded_init(g, &in->array, err));
    return wadi_run_input(b->run, in->name, &g->array, err);
}

/* What is given but not used by the program is not bound. */
static wadi_status bind_one(bound *b, const conf_case *c, const wadi_bind *bind,
                            const conf_variant *v, wadi_error *err) {
    if (strcmp(bind->op->name, "input") == 0) {
        const wadi_interp_input *in = input_named(&c->io, bind->name);
        return in ? bind_input(b, in, err) : WADI_OK;
    }
    if (strcmp(bind->op->name, "stream_in") == 0) {
        const int number = b->nfeeds++;
        feed *f = &b->feeds[number];
        WADI_TRY(feed_init(f, number, c, bind, v, err));
        return wadi_run_source(b->run, bind->name, f->source, err);
    }
    if (bind->op->kind == WADI_OP_SEQUENCE && bind->op->seq.form == WADI_SEQ_DELIVER) {
        const int i = b->nsinks++;
        b->sink_names[i] = bind->name;
        if (b->before)
            b->sinks[i] = b->before->sinks[i];
        else
            WADI_TRY(wadi_sink_memory(&b->sinks[i], err));
        return wadi_run_sink(b->run, bind->name, b->sinks[i], err);
    }
    return WADI_OK;
}

static wadi_status open_parts(void *env, const wadi_device_options *options, wadi_device **out,
                              wadi_error *err) {
    const conf_parts *parts = env;
    int numbers[WADI_SPLIT_MOST];
    for (int p = 0; p < parts->n; p++) numbers[p] = p;
    if (parts->apart)
        return wadi_split_open_alike(wadi_null_open, options, parts->n, numbers, parts->rule,
                                     parts->count, out, err);
    return wadi_split_open_cpus(options, parts->n, parts->rule, out, err);
}

static wadi_status bound_init(bound *b, const conf_case *c, const wadi_exe *exe,
                              const conf_variant *v, wadi_error *err) {
    const wadi_run_options o = {.threads = v->threads,
                                .chunk = v->chunk,
                                .policy = v->chunk > 0 ? "fixed" : NULL,
                                .schedule = v->schedule,
                                .device = v->device,
                                .via = v->workers > 0 ? conf_workers_address() : NULL,
                                .workers = v->workers};
    WADI_TRY(wadi_run_create(exe, &o, &b->run, err));
    WADI_TRY(conf_workers_start(&b->workers, v, err));
    if (v->parts)
        WADI_TRY(wadi_run_compute_on(
            b->run, (wadi_device_maker){open_parts, (void *)(uintptr_t)v->parts}, err));
    b->cut = (cutting){.apart = v->apart, .chunks = 2 + v->chunk + v->threads};
    wadi_run_seam_by(b->run, (wadi_seam_rule){choose_seam, &b->cut});
    b->cut.shares = v->chunk;
    wadi_run_share_by(b->run, (wadi_share_rule){.choose = choose_device,
                                                .stage = (int)(v->chunk + v->threads) % 4,
                                                .env = &b->cut});
    wadi_run_home_by(b->run, (wadi_home_rule){choose_home, &b->cut});
    for (int i = 0; i < c->module->main->nbinds; i++)
        WADI_TRY(bind_one(b, c, c->module->main->binds[i], v, err));
    return WADI_OK;
}

static void bound_fini(bound *b) {
    conf_workers_end(&b->workers);
    wadi_run_destroy(b->run);
    for (int i = 0; i < b->nfeeds; i++) {
        wadi_source_destroy(b->feeds[i].source);
        free(b->feeds[i].rows);
    }
    for (int i = 0; i < b->ninputs; i++) guarded_fini(&b->inputs[i]);
    for (int i = 0; !b->before && i < b->nsinks; i++) wadi_sink_destroy(b->sinks[i]);
}

static bool same_output(const wadi_interp_output *want, wadi_run *run, wadi_text *why) {
    wadi_array got;
    wadi_error err = {0};
    wadi_text_addf(why, "output %s: ", want->name);
    if (wadi_run_result(run, want->name, &got, &err) == WADI_OK)
        return conf_same_array(&want->array, &got, why);
    wadi_text_addf(why, "%s", err.msg);
    return false;
}

static bool same_element(const wadi_interp_sink *want, const wadi_sink *sink, int64_t i,
                         wadi_text *why) {
    for (int p = 0; p < want->components; p++) {
        wadi_array got;
        wadi_error err = {0};
        wadi_text_clear(why);
        wadi_text_addf(why, "stream %s, element %lld, part %d: ", want->name, (long long)i, p);
        if (wadi_sink_memory_get(sink, i, p, &got, &err) != WADI_OK) {
            wadi_text_addf(why, "%s", err.msg);
            return false;
        }
        if (!conf_same_array(&want->elements[i * want->components + p], &got, why)) return false;
    }
    return true;
}

static bool same_stream(const wadi_interp_sink *want, const wadi_sink *sink, wadi_text *why) {
    const int64_t n = wadi_sink_memory_count(sink);
    for (int64_t i = 0; i < want->n && i < n; i++)
        if (!same_element(want, sink, i, why)) return false;
    wadi_text_clear(why);
    if (n != want->n)
        wadi_text_addf(why, "stream %s: %lld elements, expected %lld", want->name, (long long)n,
                       (long long)want->n);
    return n == want->n;
}

static bool same_results(const conf_case *c, const bound *b, wadi_text *why) {
    for (int i = 0; i < c->want->noutputs; i++) {
        if (!same_output(&c->want->outputs[i], b->run, why)) return false;
        wadi_text_clear(why);
    }
    for (int i = 0; i < b->nsinks; i++) {
        const wadi_interp_sink *want = wadi_interp_sink_get(c->want, b->sink_names[i]);
        if (!same_stream(want, b->sinks[i], why)) return false;
    }
    return true;
}

/* ---- a run that is saved, and another that goes on ---- */

typedef struct cutter {
    const wadi_plan_stream *stream; /* the first one */
    int chunks;                     /* still to come */
    bool saved;
    wadi_text text;
} cutter;

static int cuts_made;

int conf_cuts(void) {
    return cuts_made;
}

static wadi_status cut(void *env, wadi_stream *s, bool last, wadi_error *err) {
    cutter *k = env;
    WADI_UNUSED(last);
    if (!k->stream) k->stream = s->plan;
    if (s->plan != k->stream || --k->chunks != 0) return WADI_OK;
    const wadi_status st = wadi_run_save(s, &k->text, err);
    if (st == WADI_UNSUPPORTED) return WADI_OK; /* it has failed, and tells soon */
    if (st != WADI_OK) return st;
    k->saved = true;
    cuts_made++;
    return wadi_fail(err, WADI_CANCELLED, "saved");
}

/* A stream of fewer chunks ends in the first run. *out_last: the run that has ended. */
static wadi_status go(bound *b, bound *second, const bound **out_last, const conf_case *c,
                      const wadi_exe *exe, const conf_variant *v, wadi_error *err) {
    cutter k = {.chunks = v->cut};
    *out_last = b;
    if (v->cut == 0) return wadi_run_go(b->run, err);
    b->run->saver = (wadi_run_saver){cut, &k};
    wadi_status st = wadi_run_go(b->run, err);
    if (k.saved) {
        const wadi_run_saver none = {cut, &(cutter){.chunks = 0}};
        *out_last = second;
        second->before = b;
        st = bound_init(second, c, exe, v, err);
        if (st == WADI_OK) second->run->saved = (wadi_state_reader){k.text.at, k.text.n};
        if (st == WADI_OK) second->run->saver = none;
        if (st == WADI_OK) st = wadi_run_go(second->run, err);
    }
    wadi_text_fini(&k.text);
    return st;
}

/* *out_cut: the run could have been cut. */
static bool runs_on(const conf_case *c, const wadi_exe *exe, const conf_variant *v, bool *out_cut,
                    wadi_text *why) {
    bound b = {0}, second = {0};
    const bound *last = &b;
    wadi_error err = {0};
    bool same = false;
    wadi_status st = bound_init(&b, c, exe, v, &err);
    if (st == WADI_OK) st = go(&b, &second, &last, c, exe, v, &err);
    if (st != WADI_OK && (c->want || st != WADI_FAULT))
        wadi_text_addf(why, "the run failed: %s", err.msg);
    else
        same = !c->want || same_results(c, last, why);
    *out_cut = b.cut.possible;
    bound_fini(&second);
    bound_fini(&b);
    return same;
}

/* Whether the environment leaves only one device. If there is no such device, the test is left out. */
static bool only_device(wadi_device_choice *out) {
    wadi_error err = {0};
    const char *name = getenv("WADI_DEVICE");
    if (!name || *name == '\0') return false;
    if (wadi_device_find(name, out, &err) == WADI_OK) return true;
    fprintf(stderr, "left out: %s\n", err.msg);
    exit(77);
}

const wadi_device_row *conf_device(const wadi_device_row *from) {
    wadi_device_choice only = {.row = NULL};
    (void)only_device(&only);
    while (from->name && (only.row ? from != only.row : from->count != NULL)) from++;
    return from;
}

/* The one that is left, or the first of the kind. */
static const char *name_of(const wadi_device_row *kind) {
    static wadi_device_choice only;
    return only_device(&only) ? only.name : kind->name;
}

static bool is_only(void) {
    wadi_device_choice only;
    return only_device(&only);
}

/* Devices that every machine has; the first computes in memory of its own, or not. */
static const char *several(const conf_variant *v) {
    return (v->chunk + v->threads) % 2 == 0 ? "cpu,null,null:1" : "null,cpu";
}

static bool runs_on_several(const conf_case *c, const wadi_exe *exe, const conf_variant *v,
                            wadi_text *why) {
    conf_variant on = *v;
    bool cut = false;
    on.device = several(v);
    on.apart = v->chunk % 3 == 1;
    if (runs_on(c, exe, &on, &cut, why)) return true;
    wadi_text_addf(why, " (on devices %s%s)", on.device, on.apart ? ", apart" : "");
    return false;
}

bool conf_run(const conf_case *c, const wadi_exe *exe, const conf_variant *v, wadi_text *why) {
    for (const wadi_device_row *d = conf_device(wadi_devices); d->name; d = conf_device(d + 1)) {
        conf_variant on = *v;
        if (v->device && strcmp(v->device, d->name) != 0) continue;
        on.device = name_of(d);
        bool cut = false;
        bool same = runs_on(c, exe, &on, &cut, why);
        on.apart = true;
        if (same && cut && !v->apart) same = runs_on(c, exe, &on, &cut, why);
        if (same) continue;
        wadi_text_addf(why, " (on device %s%s)", on.device, cut ? ", joined or apart" : "");
        return false;
    }
    return v->device != NULL || v->workers > 0 || is_only() || runs_on_several(c, exe, v, why);
}

static wadi_status go_on(const conf_case *c, const wadi_exe *exe, const conf_variant *v,
                         const wadi_interp_results *want, int64_t *out_delivered, bool *out_cut,
                         wadi_error *err, wadi_text *why) {
    bound b = {0};
    wadi_status st = bound_init(&b, c, exe, v, err);
    if (st == WADI_OK) st = wadi_run_go(b.run, err);
    const wadi_interp_sink *sink = want && want->nsinks > 0 ? &want->sinks[0] : NULL;
    const wadi_sink *got = b.nsinks > 0 ? b.sinks[0] : NULL;
    *out_delivered = got ? wadi_sink_memory_count(got) : -1;
    bool same = true;
    for (int64_t i = 0; got && sink && same && i < *out_delivered && i < sink->n; i++) {
        same = same_element(sink, got, i, why);
        if (same) wadi_text_clear(why);
    }
    *out_cut = b.cut.possible;
    bound_fini(&b);
    return st;
}

/* Every device stops at the same element and says the same, and so does a run that is cut. */
wadi_status conf_go_prefix(const conf_case *c, const wadi_exe *exe, const conf_variant *v,
                           const wadi_interp_results *want, int64_t *out_delivered, wadi_error *err,
                           wadi_text *why) {
    bool cut = false, none = false;
    const wadi_status st = go_on(c, exe, v, want, out_delivered, &cut, err, why);
    for (const wadi_device_row *d = conf_device(wadi_devices + !cut); d->name && !v->device;
         d = conf_device(d + 1)) {
        conf_variant on = *v;
        wadi_error said = {0};
        int64_t delivered = 0;
        on.device = name_of(d);
        on.apart = d == wadi_devices;
        const wadi_status other = go_on(c, exe, &on, want, &delivered, &none, &said, why);
        if (other == st && delivered == *out_delivered &&
            (st == WADI_OK || strcmp(said.msg, err->msg) == 0))
            continue;
        return wadi_fail(err, WADI_INTERNAL, "device %s%s: %lld elements, then %s", on.device,
                         on.apart ? ", apart" : "", (long long)delivered, said.msg);
    }
    if (v->device || v->workers > 0 || is_only()) return st;
    conf_variant on = *v;
    wadi_error said = {0};
    int64_t delivered = 0;
    on.device = several(v);
    const wadi_status other = go_on(c, exe, &on, want, &delivered, &none, &said, why);
    if (other == st && delivered == *out_delivered &&
        (st == WADI_OK || strcmp(said.msg, err->msg) == 0))
        return st;
    return wadi_fail(err, WADI_INTERNAL, "devices %s: %lld elements, then %s", on.device,
                     (long long)delivered, said.msg);
}

wadi_status conf_go(const conf_case *c, const wadi_exe *exe, const conf_variant *v,
                    int64_t *out_delivered, wadi_error *err) {
    return conf_go_prefix(c, exe, v, NULL, out_delivered, err, NULL);
}

static bool routines;

void conf_routines(bool called) {
    routines = called;
}

wadi_exe *conf_compile(const conf_case *c, const char *disable, wadi_text *why) {
    const char *cc = getenv("WADI_CONFORMANCE_CC");
    if (cc != NULL) (void)setenv("WADI_CC", cc, 1);
    const char *off = disable && strcmp(disable, "all") == 0 ? conf_all_passes() : disable;
    const wadi_compile_options o = {.disable = off, .verify = true, .no_foreign = !routines};
    wadi_exe *exe = NULL;
    wadi_error err = {0};
    const wadi_status st = c->text ? wadi_compile_text(c->text, "text", &o, &exe, &err)
                                   : wadi_compile(c->program, &o, &exe, &err);
    if (st != WADI_OK) wadi_text_addf(why, "it does not compile: %s", err.msg);
    return exe;
}

bool conf_told_alike(const conf_case *c, const wadi_error *err, wadi_text *why) {
    const char *want = c->fault.msg;
    if (strcmp(want, err->msg) == 0) return true;
    wadi_text_addf(why, "the interpreter says \"%s\", compiled code \"%s\"", want, err->msg);
    return false;
}

bool conf_check(const conf_case *c, const conf_variant *v, wadi_text *why) {
    wadi_exe *exe = conf_compile(c, v->disable, why);
    const bool same = exe && conf_run(c, exe, v, why);
    wadi_exe_destroy(exe);
    return same;
}

void conf_variant_print(const conf_variant *v, wadi_text *out) {
    const int forced = wadi_forced_schedule(v->schedule);
    wadi_text_addf(out, "without %s, schedule %s, %d threads, chunks of %lld",
                   v->disable ? v->disable : "nothing",
                   forced < 0 ? "auto" : wadi_schedules[forced].name, v->threads,
                   (long long)v->chunk);
    if (v->device) wadi_text_addf(out, ", device %s", v->device);
    if (v->workers > 0) wadi_text_addf(out, ", %d workers", v->workers);
    if (v->cut > 0) wadi_text_addf(out, ", saved behind chunk %d", v->cut);
    if (v->apart) wadi_text_add(out, ", apart");
    if (v->parts) wadi_text_addf(out, ", %d devices that share launches", v->parts->n);
}

/* ---- hand-written programs ---- */

wadi_array conf_array(wadi_type type, int rank, const int64_t *shape, const void *data) {
    wadi_array a = {.rank = rank, .fields = 1, .type = {type}, .column = {(void *)(uintptr_t)data}};
    for (int d = 0; d < rank; d++) a.shape[d] = shape[d];
    return a;
}

wadi_array conf_vector(wadi_type type, int64_t n, const void *data) {
    return conf_array(type, 1, &n, data);
}

wadi_array conf_scalar(wadi_type type, const void *data) {
    return conf_array(type, 0, NULL, data);
}
