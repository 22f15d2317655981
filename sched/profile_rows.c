/* The lines of a profile: one for each step of the plan's bodies that ran, in the order of the plan, then one for each account of another kind. */
#include <string.h>

#include "base/text.h"
#include "sched/profile.h"

static bool has_room(wadi_profile_rows *rows) {
    const int room = 2 * rows->room + 16;
    if (rows->n < rows->room) return true;
    wadi_profile_row *at = WADI_NEW_N(rows->arena, wadi_profile_row, (size_t)room);
    const wadi_account **account = WADI_NEW_N(rows->arena, const wadi_account *, (size_t)room);
    if (at == NULL || account == NULL) return false;
    if (rows->n > 0) memcpy(at, rows->at, (size_t)rows->n * sizeof *at);
    if (rows->n > 0) memcpy(account, rows->account, (size_t)rows->n * sizeof *account);
    rows->at = at;
    rows->account = account;
    rows->room = room;
    return true;
}

void wadi_profile_add_row(wadi_profile_rows *rows, const wadi_profile_row *row,
                          const wadi_account *of) {
    if (!has_room(rows)) {
        rows->failed = true;
        return;
    }
    rows->account[rows->n] = of;
    rows->at[rows->n++] = *row;
}

/* ---- names ---- */

enum { NAMES = 4 };

typedef struct naming {
    const wadi_plan *plan;
    const wadi_plan_version *version;
    const char *seen[NAMES]; /* the first names */
    int n;                   /* of all names */
    wadi_text text;
} naming;

static const wadi_plan_slot *slot_of(const naming *k, int slot) {
    return slot < k->plan->nslots ? &k->plan->slots[slot]
                                  : &k->version->slots[slot - k->plan->nslots];
}

static void add_name(naming *k, const char *name) {
    for (int i = 0; i < k->n && i < NAMES; i++)
        if (strcmp(k->seen[i], name) == 0) return;
    if (k->n < NAMES) {
        wadi_text_addf(&k->text, "%s%s", k->n > 0 ? ", " : "", name);
        k->seen[k->n] = name;
    }
    if (k->n == NAMES) wadi_text_add(&k->text, ", ..");
    k->n++;
}

static bool is_own(const naming *k, int slot) {
    return slot >= k->plan->nslots;
}

/* Of what the step writes: values of the program, or else those that its kernels have for themselves. */
static void name_written(naming *k, const wadi_plan_step *s, bool own) {
    if (s->what != NULL && !own) {
        add_name(k, s->what);
        return;
    }
    for (int i = 0; i < s->nuses; i++) {
        const wadi_plan_use *u = &s->uses[i];
        if (!u->writes || is_own(k, u->slot) != own) continue;
        const char *name = slot_of(k, u->slot)->name;
        if (name != NULL && name[0] != '\0') add_name(k, name);
    }
}

static bool reads_of(const wadi_plan_step *s, int slot) {
    for (int i = 0; i < s->nuses; i++)
        if (s->uses[i].slot == slot && s->uses[i].reads) return true;
    return false;
}

/* A step that writes what kernels have for themselves is part of computing the values of later steps that read it. */
static void name_readers(naming *k, int step) {
    const wadi_plan_step *s = &k->version->steps[step];
    for (int j = step + 1; j < k->version->nsteps; j++)
        for (int i = 0; i < s->nuses; i++)
            if (s->uses[i].writes && is_own(k, s->uses[i].slot) &&
                reads_of(&k->version->steps[j], s->uses[i].slot))
                name_written(k, &k->version->steps[j], false);
}

/* "sum, power", or "sum: parts" for a step that writes no value of the program itself. */
static const char *name_of(const wadi_profile *p, const wadi_plan_version *v, int step,
                           wadi_profile_rows *rows) {
    const wadi_plan_step *s = &v->steps[step];
    naming k = {.plan = p->plan, .version = v}, own = k;
    name_written(&k, s, false);
    if (k.n == 0) name_written(&own, s, true);
    name_readers(&k, step); /* siblings of a value that it writes, and that are complete later */
    if (k.n == 0 && s->place >= 0 && s->place < v->nplaces) add_name(&k, v->places[s->place].op);
    const char *name =
        wadi_arena_printf(rows->arena, "%s%s%s", wadi_text_str(&k.text), own.n > 0 ? ": " : "",
                          own.n > 0 ? wadi_text_str(&own.text) : "");
    if (name == NULL || k.text.failed || own.text.failed) rows->failed = true;
    wadi_text_fini(&k.text);
    wadi_text_fini(&own.text);
    return name != NULL ? name : "";
}

/* ---- rows ---- */

static void fill(wadi_profile_row *row, const wadi_profile *p, const wadi_account *a,
                 wadi_profile_rows *rows) {
    row->device = wadi_arena_strdup(rows->arena, p->device);
    if (row->device == NULL) rows->failed = true;
    row->beside = p->beside;
    row->calls = a->calls;
    row->elements = a->elements;
    row->bytes_read = a->read;
    row->bytes_written = a->written;
    row->operations_f32 = a->operations[0];
    row->operations_f64 = a->operations[1];
    row->seconds = (double)a->ns / 1e9;
    row->busy = (double)a->busy_ns / 1e9;
    wadi_profile_add_row(rows, row, a);
}

static wadi_profile_kind kind_of(const wadi_plan_step *s) {
    switch (s->kind) {
    case WADI_STEP_FOREIGN:
        return WADI_PROFILE_ROUTINE;
    case WADI_STEP_COND:
    case WADI_STEP_LOOP:
    case WADI_STEP_MANY:
    case WADI_STEP_SINGLE:
        return WADI_PROFILE_CONTROL;
    default:
        return WADI_PROFILE_KERNEL;
    }
}

static void add_version(const wadi_profile *p, int phase, int stage, int body, int number,
                        wadi_profile_rows *rows) {
    const wadi_profiled *of = &p->version[body * WADI_BODY_VERSIONS + number];
    for (int i = 0; of->version != NULL && i < of->version->nsteps; i++) {
        const wadi_plan_step *s = &of->version->steps[i];
        if (of->step[i].calls == 0) continue;
        wadi_profile_row row = {.kind = kind_of(s),
                                .phase = phase,
                                .stage = stage,
                                .schedule = wadi_version_name(wadi_version_numbered(number))};
        row.name = name_of(p, of->version, i, rows);
        fill(&row, p, &of->step[i], rows);
    }
}

static void add_body(const wadi_profile *p, int phase, int stage, int body,
                     wadi_profile_rows *rows) {
    for (int k = 0; body >= 0 && k < WADI_BODY_VERSIONS; k++)
        add_version(p, phase, stage, body, k, rows);
}

static void add_stream(const wadi_profile *p, int phase, wadi_profile_rows *rows) {
    const wadi_plan_stream *s = &p->plan->phases[phase].stream;
    for (int g = 0; g < s->nstages; g++) {
        const wadi_plan_fold *scan = wadi_plan_stage_fold(&s->stages[g]);
        if (scan != NULL) add_body(p, phase, g, scan->body, rows);
        add_body(p, phase, g, s->stages[g].body, rows);
    }
    for (int e = 0; e < s->nends; e++) {
        const wadi_plan_fold *fold = wadi_plan_end_fold(&s->ends[e]);
        if (fold != NULL) add_body(p, phase, s->ends[e].stage, fold->body, rows);
    }
}

static const char *const words[WADI_PROFILE_KIND_COUNT] = {
    [WADI_PROFILE_SHAPES] = "shapes and memory",
    [WADI_PROFILE_COMPILE] = "kernels compiled or loaded",
    [WADI_PROFILE_COPY] = "copies to devices and back",
    [WADI_PROFILE_SOURCE] = "waits for what is read",
    [WADI_PROFILE_SINK] = "waits for what is written",
    [WADI_PROFILE_TEAM] = "waits for other devices",
    [WADI_PROFILE_REST] = "rest"};

void wadi_profile_add_rows(const wadi_profile *p, wadi_profile_rows *rows) {
    for (int i = 0; i < p->plan->nphases; i++) {
        if (p->plan->phases[i].is_stream)
            add_stream(p, i, rows);
        else
            add_body(p, i, -1, p->plan->phases[i].body, rows);
    }
    for (int k = 0; k < WADI_PROFILE_KIND_COUNT; k++) {
        if (words[k] == NULL || p->of[k].ns == 0) continue;
        wadi_profile_row row = {
            .kind = (wadi_profile_kind)k, .name = words[k], .phase = -1, .stage = -1};
        fill(&row, p, &p->of[k], rows);
    }
}
