/* stream_in: arrays from the source that is bound by name when the program runs. Every element has the declared extents. */
#include "operators/rules.h"

#include "graph/lang/node.h"

static wadi_status type(wadi_module *m, wadi_bind *b, wadi_error *err) {
    WADI_TRY(wadi_rule_counts(m, b, 0, 0, err));
    if (!b->name || b->nresults != 1 || !m->values[b->results[0]].type.is_seq)
        return wadi_fail_at(err, b->loc, WADI_INVALID,
                            "stream_in: needs a name and the type of a sequence");
    if (m->values[b->results[0]].type.arrays < 1)
        return wadi_fail_at(err, b->loc, WADI_INVALID, "stream_in: an element has no arrays");
    return WADI_OK;
}

static void shape(wadi_shape_cx *cx, const wadi_bind *b) {
    const wadi_val s = b->results[0];
    for (int c = 0; c < cx->module->values[s].type.arrays; c++) wadi_rule_declared(cx, s, c);
}

const wadi_op wadi_op_stream_in = {
    .name = "stream_in",
    .form = "s = stream_in \"name\" : seq(TYPE..)",
    .types = "-> seq(a[..]..)",
    .about = "the stream bound by name when the program runs",
    .kind = WADI_OP_SEQUENCE,
    .skeleton = WADI_SKEL_NONE,
    .seq = {.form = WADI_SEQ_READ},
    .type = type,
    .shape = shape,
};

wadi_seq wadi_stream_in(const char *name, int components, const wadi_component *component) {
    wadi_draft d = wadi_draft_begin("stream_in");
    wadi_draft_name(&d, name);
    if (components < 1 || components > WADI_DRAFT_ARGS)
        wadi_draft_fail(&d, WADI_INVALID, "%d components, expected 1..%d", components,
                        WADI_DRAFT_ARGS);
    wadi_draft_given(&d, component, "components");
    if (wadi_draft_failed(&d)) return WADI_NO_SEQ;
    wadi_array_type *t = wadi_draft_types(&d, components);
    for (int c = 0; c < components && !wadi_draft_failed(&d); c++)
        wadi_draft_declare(&d, component[c].elem, component[c].rank, component[c].extents, &t[c]);
    return wadi_draft_seq(&d, &wadi_op_stream_in, components, t);
}
