/* The links between the threads of one stream. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sched/run/stream.h"

wadi_status wadi_run_inner_link(wadi_stream *s, const char *from, const char *to, const char *name,
                                wadi_pipe **out, wadi_error *err) {
    wadi_mutex_lock(&s->x->lock);
    const int64_t bytes = s->x->budget.bytes;
    wadi_mutex_unlock(&s->x->lock);
    wadi_pipe_options o = {.from = from,
                           .to = to,
                           .most_chunks = WADI_WINDOW_CHUNKS,
                           .most_bytes = bytes / 4,
                           .waits = s->x->waits,
                           .stop = &s->x->stop,
                           .trace = s->x->trace};
    (void)snprintf(o.name, sizeof o.name, "%s to %s", strcmp(from, "source") == 0 ? name : from,
                   strcmp(to, "sink") == 0 ? name : to);
    wadi_pipe *made = NULL;
    WADI_TRY(wadi_pipe_create(&o, &made, err));
    wadi_mutex_lock(&s->x->lock);
    *out = made; /* others may be looking (view.c) */
    wadi_mutex_unlock(&s->x->lock);
    return WADI_OK;
}
