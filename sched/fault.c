/* Faults as text: "quot: division of 7 by zero, element 12, at program.c:31". */
#include "sched/fault.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"

static void say_kind(const wadi_fault *f, char *out, size_t room) {
    const long long a = f->value[0], b = f->value[1], c = f->value[2], d = f->value[3];
    switch ((wadi_fault_kind)f->kind) {
    case WADI_FAULT_INDEX:
        if (b > 0)
            (void)snprintf(out, room, "index %lld out of range 0..%lld", a, b - 1);
        else
            (void)snprintf(out, room, WADI_SAID_NO_ELEMENTS, a);
        return;
    case WADI_FAULT_DIVISION:
        (void)snprintf(out, room, "division of %lld by zero", a);
        return;
    case WADI_FAULT_SHAPE:
        (void)snprintf(out, room, WADI_SAID_DIFFER, a, b);
        return;
    case WADI_FAULT_EMPTY:
        out[0] = '\0';
        return;
    case WADI_FAULT_EXTENT:
        (void)snprintf(out, room, WADI_SAID_EXTENT, a, b);
        return;
    case WADI_FAULT_SEGMENT:
        (void)snprintf(out, room, WADI_SAID_SEGMENT, a, b, c, d);
        return;
    case WADI_FAULT_MEMORY:
        if (a <= 0)
            (void)snprintf(out, room, "no memory");
        else if (a < INT64_MAX / 4)
            (void)snprintf(out, room, "no memory for %lld bytes", a);
        else
            (void)snprintf(out, room, "no memory: more bytes than can be counted");
        return;
    case WADI_FAULT_DECLINED:
        (void)snprintf(out, room, "the library declined");
        return;
    case WADI_FAULT_COUNT:
        (void)snprintf(out, room, WADI_SAID_COUNT, a);
        return;
    case WADI_FAULT_CANCELLED:
        (void)snprintf(out, room, "cancelled");
        return;
    case WADI_FAULT_NONE:
        break;
    }
    (void)snprintf(out, room, "fault of unknown kind %d", (int)f->kind);
}

/* ", index [1, 2]" */
static void say_index(const wadi_fault *f, char *out, size_t room) {
    size_t n = 0;
    for (int32_t d = 0; d < f->rank && n < room; d++)
        n += (size_t)snprintf(out + n, room - n, d == 0 ? ", index [%lld" : ", %lld",
                              (long long)f->index[d]);
    if (f->rank > 0 && n < room) (void)snprintf(out + n, room - n, "]");
}

enum { PARTS = 5 + WADI_FAULT_VALUES };

bool wadi_fault_is_earlier(const wadi_fault *a, const wadi_fault *b) {
    int64_t of_a[PARTS] = {a->element, a->linear, a->place, a->kind};
    int64_t of_b[PARTS] = {b->element, b->linear, b->place, b->kind};
    if (b->kind == WADI_FAULT_NONE) return true;
    memcpy(of_a + 4, a->value, sizeof a->value);
    memcpy(of_b + 4, b->value, sizeof b->value);
    of_a[PARTS - 1] = a->rank;
    of_b[PARTS - 1] = b->rank;
    for (int k = 0; k < PARTS; k++)
        if (of_a[k] != of_b[k]) return of_a[k] < of_b[k];
    for (int32_t d = 0; d < a->rank; d++)
        if (a->index[d] != b->index[d]) return a->index[d] < b->index[d];
    return false;
}

bool wadi_fault_is_of_element(const wadi_fault *f) {
    return f->kind != WADI_FAULT_NONE && f->kind != WADI_FAULT_MEMORY &&
           f->kind != WADI_FAULT_DECLINED && f->kind != WADI_FAULT_CANCELLED;
}

wadi_status wadi_fault_error(int nplaces, const wadi_plan_place *places, const wadi_fault *fault,
                             int64_t first, bool main_block, wadi_error *err) {
    static const wadi_plan_place nowhere = {"a result", "", {NULL, 0}};
    const bool known = fault->place >= 0 && fault->place < nplaces;
    const wadi_plan_place *p = known ? &places[fault->place] : &nowhere;
    char kind[192], element[48] = "", index[200] = "", at[300] = "";
    say_kind(fault, kind, sizeof kind);
    if (!main_block) {
        (void)snprintf(element, sizeof element, ", element %lld",
                       (long long)(first + fault->element));
    }
    say_index(fault, index, sizeof index);
    if (p->loc.file != NULL) (void)snprintf(at, sizeof at, ", at %s:%d", p->loc.file, p->loc.line);
    const char *what = p->what != NULL ? p->what : "";
    const bool behind =
        fault->kind == WADI_FAULT_INDEX; /* "index 3 out of range 0..2 in dimension 1" */
    const char *between = what[0] == '\0' || kind[0] == '\0' ? "" : behind ? " " : ": ";
    const wadi_status status = fault->kind == WADI_FAULT_MEMORY ? WADI_MEMORY : WADI_FAULT;
    return wadi_fail_at(err, p->loc, status, "%s: %s%s%s%s%s%s", p->op, behind ? kind : what,
                        between, behind ? what : kind, element, index, at);
}

wadi_status wadi_job_error(const wadi_job *job, wadi_error *err) {
    const wadi_plan_version *v = job->version;
    return wadi_fault_error(v->nplaces, v->places, &job->fault, job->first, job->main_block, err);
}
