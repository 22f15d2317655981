/* What a run guarantees, and why: the least that one of its sources and sinks gives. Sources say by their operations whether they come back, sinks
 * by `gives` (sched/stream.h); nothing here knows one kind of them. */
#include "base/error.h"
#include "sched/run/checkpoint.h"
#include "sched/run/dead.h"

static const char *const words[] = {[WADI_GUARANTEE_NONE] = "none",
                                    [WADI_GUARANTEE_AT_LEAST_ONCE] = "at least once",
                                    [WADI_GUARANTEE_EXACTLY_ONCE] = "exactly once"};

static wadi_guarantee of_source(const wadi_binding *b, wadi_text *why) {
    wadi_error reason = {.status = WADI_OK};
    if (wadi_source_comes_back(b->source, &reason) == WADI_OK) return WADI_GUARANTEE_EXACTLY_ONCE;
    wadi_text_addf(why, "the source \"%s\" cannot go back: %.400s", b->name, reason.msg);
    return WADI_GUARANTEE_NONE;
}

static wadi_guarantee of_sink(const wadi_binding *b, wadi_text *why) {
    static const char *const reasons[] = {
        [WADI_GUARANTEE_NONE] = "cannot go on after its process was ended",
        [WADI_GUARANTEE_AT_LEAST_ONCE] = "may get elements since the last saving again"};
    const wadi_guarantee gives = b->sink->gives;
    if (!wadi_checkpoint_suits(b)) {
        wadi_text_addf(why, "\"%s\", a %s sink, can go on only if its elements come in order",
                       b->name, b->sink->kind);
        return WADI_GUARANTEE_NONE;
    }
    if (gives < WADI_GUARANTEE_EXACTLY_ONCE)
        wadi_text_addf(why, "\"%s\", a %s sink, %s", b->name, b->sink->kind, reasons[gives]);
    return gives;
}

/* `least`, or less if the source or sink gives less: then *why tells of it. */
static wadi_guarantee lower(const wadi_binding *b, wadi_guarantee least, wadi_text *why) {
    wadi_text reason = {0};
    wadi_guarantee gives = WADI_GUARANTEE_EXACTLY_ONCE;
    if (b->source != NULL) gives = of_source(b, &reason);
    if (b->sink != NULL && gives != WADI_GUARANTEE_NONE) gives = of_sink(b, &reason);
    if (gives < least) {
        wadi_text_clear(why);
        wadi_text_add(why, wadi_text_str(&reason));
    }
    wadi_text_fini(&reason);
    return gives < least ? gives : least;
}

static wadi_guarantee find(const wadi_run *x, wadi_text *why) {
    wadi_guarantee least = WADI_GUARANTEE_EXACTLY_ONCE;
    if (x->options.state == NULL) {
        wadi_text_add(why, "nothing of the run is saved: if it is killed, it begins anew, and what "
                           "it had passed on comes again");
        return WADI_GUARANTEE_NONE;
    }
    if (!wadi_dead_lasts(x)) {
        wadi_text_addf(why, "what is told of elements that fail goes to %s, which is no file",
                       x->options.dead);
        return WADI_GUARANTEE_NONE;
    }
    wadi_text_add(why, "every source can go back, and every sink goes on where it was");
    for (size_t i = 0; i < x->bindings.n; i++) least = lower(&x->bindings.at[i], least, why);
    return least;
}

/* Which sinks get elements in any order, whatever else is promised. */
static void tell_order(const wadi_run *x, wadi_text *out) {
    for (size_t i = 0; i < x->bindings.n; i++)
        if (x->bindings.at[i].unordered != NULL)
            wadi_text_addf(out, "; \"%s\" gets elements in any order", x->bindings.at[i].name);
}

wadi_status wadi_run_guarantee(wadi_run *run, wadi_guarantee *out, char **out_why,
                               wadi_error *err) {
    wadi_text why = {0}, line = {0};
    WADI_GIVEN(err, run);
    WADI_GIVEN(err, out);
    WADI_GIVEN(err, out_why);
    if (run->started) return wadi_fail(err, WADI_INVALID, "the run has begun already");
    WADI_TRY(wadi_run_check_bound(run, err));
    *out = find(run, &why);
    tell_order(run, &why);
    wadi_text_addf(&line, "%s: %s", words[*out], wadi_text_str(&why));
    const bool failed = why.failed;
    wadi_text_fini(&why);
    *out_why = wadi_text_take(&line);
    if (*out_why != NULL && !failed) return WADI_OK;
    free(*out_why);
    *out_why = NULL;
    return wadi_fail(err, WADI_MEMORY, "run: out of memory");
}

wadi_status wadi_run_check_guarantee(wadi_run *x, wadi_error *err) {
    wadi_guarantee has = WADI_GUARANTEE_NONE;
    char *why = NULL;
    if (x->options.guarantee == WADI_GUARANTEE_NONE) return WADI_OK;
    WADI_TRY(wadi_run_guarantee(x, &has, &why, err));
    const wadi_status status =
        has >= x->options.guarantee
            ? WADI_OK
            : wadi_fail(err, WADI_UNSUPPORTED, "the run cannot guarantee \"%s\"; it has %.400s",
                        words[x->options.guarantee], why);
    free(why);
    return status;
}
