/* The facts. Of inputs: names, what a sketch tells of a file, and how far all visibilities reach and what they weigh, which tells of
 * Measurement Sets as well, although nothing of their values. */
#include "apps/gridding/facts.h"

#include "apps/gridding/report.h"
#include "base/error.h"
#include "base/sketch.h"
#include "sched/traits.h"

static wadi_status add_inputs(wadi_text *out, const grid_options *o, wadi_error *err) {
    for (size_t i = 0; i < o->inputs.n; i++) {
        wadi_text sketch = {0};
        const wadi_status status = wadi_sketch_file(o->inputs.at[i], &sketch, err);
        wadi_traits_put(out, "other inputs", "", o->inputs.at[i]);
        wadi_traits_put(out, "other data of", o->inputs.at[i], wadi_text_str(&sketch));
        wadi_text_fini(&sketch);
        WADI_TRY(status);
    }
    return WADI_OK;
}

/* Which visibilities, and how many of them at a time. */
static void add_selection(wadi_text *out, const grid_options *o, int64_t part) {
    wadi_text t = {0};
    wadi_text_addf(&t, "%d %lld %lld %d %d %d %d %d %s", o->stokes, (long long)o->first_channel,
                   (long long)o->last_channel, o->psf, o->force_flagged, o->autocorrelations,
                   o->conjugate, o->field, o->column != NULL ? o->column : "");
    for (size_t i = 0; i < o->setups.n; i++) wadi_text_addf(&t, " %d", o->setups.at[i]);
    wadi_traits_put(out, "other visibilities (--pol, --channels and the like)", "",
                    wadi_text_str(&t));
    wadi_text_clear(&t);
    wadi_text_addf(&t, "%lld", (long long)part);
    wadi_traits_put(out, "parts of another size (--part, --memory)", "", wadi_text_str(&t));
    wadi_text_fini(&t);
}

static void add_limits(wadi_text *out, const grid_limits *l) {
    wadi_text t = {0};
    wadi_text_addf(&t, "%lld %a %a %a %a %a", (long long)l->n, l->most_u, l->most_v, l->least_w,
                   l->greatest_w, l->weight);
    wadi_traits_put(out, "other data of the inputs", "", wadi_text_str(&t));
    wadi_text_fini(&t);
}

static void add_image(wadi_text *out, const grid_options *o, const grid_job *job) {
    wadi_text t = {0};
    wadi_text_addf(&t, "%lld %a %a ", (long long)job->size, job->scale, job->epsilon);
    grid_report_weights(&t, o->weights);
    wadi_traits_put(out, "another image (size, scale, accuracy or weights)", "", wadi_text_str(&t));
    wadi_text_fini(&t);
}

wadi_status grid_facts_add(wadi_text *out, const grid_options *o, const grid_limits *limits,
                           const grid_job *job, int64_t part, wadi_error *err) {
    wadi_traits_put(out, "another version of wadi", "", WADI_VERSION);
    WADI_TRY(add_inputs(out, o, err));
    add_selection(out, o, part);
    add_image(out, o, job);
    add_limits(out, limits);
    wadi_traits_end(out);
    return out->failed ? wadi_fail(err, WADI_MEMORY, "saving the image: out of memory") : WADI_OK;
}
