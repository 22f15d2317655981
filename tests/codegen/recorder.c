/* Writes what the compiler decides for a program. The plan's text for people leaves out some numbers that decide a run; they are
 * added here. */
#include "tests/codegen/recorder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/explain.h"
#include "operators/table.h"

static uint64_t digest(const char *s) { /* FNV-1a */
    uint64_t h = UINT64_C(1469598103934665603);
    for (; *s; s++) h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
    return h;
}

void record_digest(const char *text, wadi_text *out) {
    wadi_text_addf(out, "%zu\t%016llx\n", strlen(text), (unsigned long long)digest(text));
}

static void add_part(recording *r, const char *name, wadi_text *text) {
    const record_part p = {strdup(name), wadi_text_take(text)};
    assert_non_null(p.name);
    assert_non_null(p.text);
    assert_true(wadi_vec_push(&r->part, p));
}

/* ---- plans ---- */

static void add_numbers(wadi_text *out, const char *what, int n, const int *numbers) {
    if (!numbers) return;
    wadi_text_addf(out, " %s", what);
    for (int i = 0; i < n; i++) wadi_text_addf(out, "%c%d", i ? ',' : ' ', numbers[i]);
}

static void add_flags(wadi_text *out, const char *what, int n, const bool *flags) {
    if (!flags) return;
    wadi_text_addf(out, " %s ", what);
    for (int i = 0; i < n; i++) wadi_text_add(out, flags[i] ? "1" : "0");
}

static void add_place(wadi_text *out, int i, const wadi_plan_place *p) {
    wadi_text_addf(out, "  place %d: %s %s%s%s:%d\n", i, p->op ? p->op : "", p->what ? p->what : "",
                   p->what && *p->what ? " " : "", p->loc.file ? p->loc.file : "", p->loc.line);
}

/* What the text of a plan says is the plan. */
static void check_reading(const wadi_plan *p, const char *text) {
    wadi_plan *again = NULL;
    uint8_t before[32], after[32];
    wadi_error err = {.status = WADI_OK};
    wadi_text t;
    wadi_text_init(&t);
    if (wadi_plan_read(text, &again, &err) != WADI_OK) fail_msg("%s in\n%s", err.msg, text);
    wadi_plan_print(again, &t);
    assert_string_equal(wadi_text_str(&t), text);
    wadi_plan_hash(p, before);
    wadi_plan_hash(again, after);
    assert_memory_equal(before, after, sizeof before);
    wadi_text_fini(&t);
    wadi_plan_destroy(again);
}

static void add_plan(wadi_text *out, const wadi_plan *p) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_plan_print(p, &t);
    check_reading(p, wadi_text_str(&t));
    wadi_text_add(out, "\n== plan ==\n\n");
    wadi_text_add(out, wadi_text_str(&t));
    wadi_text_fini(&t);
}

static void add_control(wadi_text *out, const wadi_plan_control *c) {
    add_numbers(out, "results", c->nvalues, c->results);
    add_numbers(out, "init", c->nvalues, c->init);
    add_numbers(out, "state", c->nvalues, c->state);
    for (int i = 0; i < 2; i++) {
        add_numbers(out, "yields", c->nvalues, c->part[i].yields);
        add_flags(out, "moves", c->nvalues, c->part[i].moves);
    }
}

static void add_step(wadi_text *out, int i, const wadi_plan_step *s) {
    const int reads = s->call ? s->call->nin : s->nslots;
    if (!s->several && !s->apart && !s->call && !s->reads && !s->control) return;
    wadi_text_addf(out, "  step %d:%s%s", i, s->several ? " several" : "",
                   s->apart ? " apart" : "");
    if (s->call)
        wadi_text_addf(out, " call %s dims %d nin %d", s->call->routine, s->call->dims,
                       s->call->nin);
    add_numbers(out, "reads", reads, s->reads);
    if (s->control) add_control(out, s->control);
    wadi_text_add(out, "\n");
}

static void add_steps(wadi_text *out, const wadi_plan_version *v) {
    wadi_text_add(out, "  places of steps:");
    for (int i = 0; i < v->nsteps; i++) wadi_text_addf(out, " %d", v->steps[i].place);
    wadi_text_add(out, "\n");
    for (int i = 0; i < v->nsteps; i++) add_step(out, i, &v->steps[i]);
}

static void add_version(wadi_text *out, const wadi_plan *p, const wadi_plan_version *v) {
    wadi_plan_version_print(p, v, out);
    add_steps(out, v);
    for (int i = 0; i < v->nslots; i++) {
        const wadi_plan_slot *s = &v->slots[i];
        wadi_text_addf(out, "  slot %s.%d: kind %d level %d rank %d", s->name ? s->name : "_",
                       p->nslots + i, (int)s->kind, s->level, s->rank);
        for (int f = 0; f < s->fields; f++)
            wadi_text_addf(out, " %s%s%s", s->field[f] ? s->field[f] : "", s->field[f] ? ":" : "",
                           wadi_type_name(s->type[f]));
        wadi_text_add(out, "\n");
    }
    for (int i = 0; i < v->nlevels; i++)
        wadi_text_addf(out, "  level %d: in %d by slot %d\n", i + 1, v->levels[i].parent,
                       v->levels[i].map);
    for (int i = 0; i < v->nplaces; i++) add_place(out, i, &v->places[i]);
    wadi_text_addf(out, "  %s\n", v->counts ? "counts" : "does not count");
}

/* ---- kernels ---- */

/* The names of the functions in front of kernels, as they stand there. Their texts are what a preprocessor left, and differ. */
static void add_pasted(wadi_text *out, const char *source, const char *end) {
    int n = 0;
    for (const char *at = source; (at = strstr(at, "WADI_")) != NULL && at < end; at++) {
        if (strncmp(at, "WADI_FN ", 8) != 0 && strncmp(at, "WADI_LIBRARY ", 13) != 0) continue;
        const char *paren = strchr(at, '('), *name = paren;
        while (name > at && name[-1] != ' ' && name[-1] != '*') name--;
        if (strncmp(name, "wadi_", 5) != 0) continue; /* the definition of the mark itself */
        wadi_text_addf(out, "%s%.*s", n++ ? " " : "/* pasted: ", (int)(paren - name), name);
    }
    if (n > 0) wadi_text_add(out, " */\n");
}

/* Puts in its place what a bundle would give back of it, from which the same bytes are made. */
static void pass_through_bytes(wadi_made *made) {
    wadi_text bytes = {0}, again = {0};
    wadi_plan_version loaded;
    wadi_error err = {.status = WADI_OK};
    if (wadi_plan_version_save(&made->version, &bytes)) {
        if (wadi_plan_version_load(bytes.at, bytes.n, made->arena, &loaded, &err) != WADI_OK)
            fail_msg("%s", err.msg);
        assert_true(wadi_plan_version_save(&loaded, &again));
        assert_int_equal(bytes.n, again.n);
        assert_memory_equal(bytes.at, again.at, bytes.n);
        made->version = loaded;
    }
    wadi_text_fini(&bytes);
    wadi_text_fini(&again);
}

static void add_version_part(recording *r, const wadi_plan *p, wadi_versions *versions, int body,
                             wadi_version_key version) {
    char name[256];
    wadi_made *made = NULL;
    wadi_error err = {.status = WADI_OK};
    wadi_text t;
    wadi_text_init(&t);
    snprintf(name, sizeof name, "%s %s", p->bodies[body].name, wadi_version_name(version));
    if (wadi_versions_make(versions, body, version, NULL, &made, &err) != WADI_OK) {
        wadi_text_addf(&t, "refused: %s\n", err.msg);
    } else {
        const char *first = made->kernels;
        pass_through_bytes(made);
        add_version(&t, p, &made->version);
        wadi_text_add(&t, "\n");
        add_pasted(&t, made->source, first);
        wadi_text_add(&t, first);
    }
    add_part(r, name, &t);
    wadi_made_destroy(made);
}

/* ---- one program ---- */

static bool any_routine(const char *name) {
    return name != NULL;
}

/* Places belong to the program: they are what faults tell. */
static void on_pass(void *env, const char *pass, const wadi_module *m) {
    recording *r = env;
    wadi_text t;
    wadi_text_init(&t);
    wadi_ir_print_places(m, &t);
    wadi_text_addf(&r->passes, "%s\t", pass ? pass : "as written");
    record_digest(wadi_text_str(&t), &r->passes);
    wadi_text_fini(&t);
}

static void refused(recording *r, const wadi_error *err) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_addf(&t, "%s: %s\n", wadi_status_name(err->status), err->msg);
    add_part(r, "refused", &t);
}

static void add_decisions(recording *r, const wadi_module *m, const wadi_diag *d,
                          const wadi_facts *facts, const wadi_plan *p) {
    wadi_text t;
    wadi_text_init(&t);
    wadi_text_add(&t, "== program behind the passes ==\n\n");
    wadi_ir_print(m, &t);
    wadi_explain_text(d, m, facts, NULL, &t);
    if (p) add_plan(&t, p);
    add_part(r, "decisions", &t);
}

void record_module(wadi_module *owned_m, const record_options *o, recording *out) {
    wadi_error err = {.status = WADI_OK};
    wadi_facts facts = {NULL, NULL};
    wadi_plan *plan = NULL;
    wadi_versions *versions = NULL;
    memset(out, 0, sizeof *out);
    const wadi_pipeline_options passes = {.disable = o->disable,
                                          .steady = o->steady,
                                          .verify = true,
                                          .dump = on_pass,
                                          .env = out,
                                          .routine = o->alone ? NULL : any_routine};
    const wadi_plan_options planning = {.unchecked = o->unchecked};
    wadi_diag *d = wadi_diag_create(false);
    assert_non_null(d);
    if (wadi_pipeline_run(owned_m, &passes, d, &facts, &err) != WADI_OK) {
        refused(out, &err);
    } else {
        const wadi_status st = wadi_plan_build(owned_m, &facts, &planning, &plan, &versions, &err);
        add_decisions(out, owned_m, d, &facts, plan);
        if (st != WADI_OK) refused(out, &err);
    }
    for (int b = 0; plan && b < plan->nbodies; b++)
        for (int k = 0; k < WADI_BODY_VERSIONS; k++)
            if (wadi_body_offers(&plan->bodies[b], wadi_version_numbered(k)))
                add_version_part(out, plan, versions, b, wadi_version_numbered(k));
    wadi_versions_destroy(versions);
    wadi_plan_destroy(plan);
    wadi_facts_fini(&facts);
    wadi_diag_destroy(d);
    wadi_module_destroy(owned_m);
}

void record_program(const char *text, const char *file, const record_options *options,
                    recording *out) {
    wadi_module *m = NULL;
    wadi_error err = {.status = WADI_OK};
    if (wadi_ir_parse(text, file, wadi_operators(), &m, &err) == WADI_OK) {
        record_module(m, options, out);
        return;
    }
    memset(out, 0, sizeof *out);
    refused(out, &err);
}

void recording_free(recording *r) {
    for (size_t i = 0; i < r->part.n; i++) {
        free(r->part.at[i].name);
        free(r->part.at[i].text);
    }
    wadi_vec_free(&r->part);
    wadi_text_fini(&r->passes);
}

static bool has_part(const recording *r, const record_part *p) {
    for (size_t i = 0; i < r->part.n; i++)
        if (strcmp(r->part.at[i].name, p->name) == 0 && strcmp(r->part.at[i].text, p->text) == 0)
            return true;
    return false;
}

void record_keep_others(const recording *plain, recording *r) {
    size_t n = 0;
    for (size_t i = 0; i < r->part.n; i++) {
        const record_part p = r->part.at[i];
        if (!has_part(plain, &p)) {
            r->part.at[n++] = p;
            continue;
        }
        free(p.name);
        free(p.text);
    }
    r->part.n = n;
    wadi_text_clear(&r->passes);
}

void record_shorten(const char *text, size_t most, wadi_text *out) {
    static const char start[] = "/* ---- start of ", end[] = "/* ---- end of ";
    const char *at = strstr(text, start);
    if (!at || strlen(at) <= most) {
        wadi_text_add(out, text);
        return;
    }
    wadi_text_add_n(out, text, (size_t)(at - text));
    for (; at; at = strstr(at, start)) {
        const char *stop = strstr(at, end), *name = at + strlen(start);
        assert_non_null(stop);
        char *kernel = strndup(at, (size_t)(stop - at));
        assert_non_null(kernel);
        wadi_text_addf(out, "%.*s\t", (int)strcspn(name, " "), name);
        record_digest(kernel, out);
        free(kernel);
        at = stop;
    }
}
