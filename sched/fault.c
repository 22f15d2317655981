/* Faults in words: "quot: 7 divided by zero, element 12, at program.c:31". */
#include "sched/fault.h"

#include <stdio.h>

#include "base/error.h"

static void say_kind(const wadi_fault *f, char *out, size_t room) {
    const long long a = f->value[0], b = f->value[1];
    switch ((wadi_fault_kind)f->kind) {
    case WADI_FAULT_INDEX:
        (void)snprintf(out, room, "index %lld is outside the extent %lld", a, b);
        return;
    case WADI_FAULT_DIVISION:
        (void)snprintf(out, room, "division of %lld by zero", a);
        return;
    case WADI_FAULT_SHAPE:
        (void)snprintf(out, room, "%lld and %lld differ", a, b);
        return;
    case WADI_FAULT_EMPTY:
        (void)snprintf(out, room, "the dimension is empty");
        return;
    case WADI_FAULT_EXTENT:
        (void)snprintf(out, room, "extent %lld is negative", a);
        return;
    case WADI_FAULT_SEGMENT:
        (void)snprintf(out, room, "segment %lld, up to %lld, is no part of the array", a, b);
        return;
    case WADI_FAULT_MEMORY:
        (void)snprintf(out, room, "no memory for %lld bytes", a);
        return;
    case WADI_FAULT_DECLINED:
        (void)snprintf(out, room, "the library declined");
        return;
    case WADI_FAULT_COUNT:
        (void)snprintf(out, room, "%lld is less than 1", a);
        return;
    case WADI_FAULT_NONE:
        break;
    }
    (void)snprintf(out, room, "fault of unknown kind %d", (int)f->kind);
}

wadi_status wadi_fault_error(int nplaces, const wadi_plan_place *places, const wadi_fault *fault,
                             int64_t first, bool main_block, wadi_error *err) {
    static const wadi_plan_place nowhere = {"a result", "", {NULL, 0}};
    const bool known = fault->place >= 0 && fault->place < nplaces;
    const wadi_plan_place *p = known ? &places[fault->place] : &nowhere;
    char kind[96], element[48] = "", at[300] = "";
    say_kind(fault, kind, sizeof kind);
    if (!main_block) {
        (void)snprintf(element, sizeof element, ", element %lld",
                       (long long)(first + fault->element));
    }
    if (p->loc.file != NULL) (void)snprintf(at, sizeof at, ", at %s:%d", p->loc.file, p->loc.line);
    const char *what = p->what != NULL ? p->what : "";
    return wadi_fail_at(err, p->loc, WADI_FAULT, "%s: %s%s%s%s%s", p->op, what,
                        what[0] != '\0' ? ": " : "", kind, element, at);
}

wadi_status wadi_job_error(const wadi_job *job, wadi_error *err) {
    const wadi_plan_version *v = job->version;
    return wadi_fault_error(v->nplaces, v->places, &job->fault, job->first, job->main_block, err);
}
