/* Room is given piece by piece, from the begin of each to its end. A piece is used again when the queue has come to the mark that was set when
 * the piece was full. */
#include "sched/cuda/staging.h"

#include "base/error.h"

/* The end of a piece that is smaller than this and than what is wanted is left over. */
enum { ALIGN = 256, LEFT_OVER = 1 << 14 };

static wadi_cu_result make(wadi_cuda_staging *s, int piece) {
    void *at = NULL;
    const wadi_cu_result result = s->queue->session->cu->take_host(&at, WADI_CUDA_PIECE);
    if (result == WADI_CU_SUCCESS) s->piece[piece].at = at;
    if (result == WADI_CU_OUT_OF_MEMORY) s->denied = true;
    return result == WADI_CU_OUT_OF_MEMORY ? WADI_CU_SUCCESS : result;
}

wadi_status wadi_cuda_staging_open(wadi_cuda_staging *s, wadi_cuda_queue *queue, wadi_error *err) {
    s->queue = queue;
    const wadi_cu_result result = make(s, 0);
    if (result == WADI_CU_SUCCESS) return WADI_OK;
    return wadi_cu_fail(err, queue->session->machine->name, "cuMemAllocHost", result);
}

void wadi_cuda_staging_close(wadi_cuda_staging *s) {
    for (int i = 0; i < WADI_CUDA_PIECES; i++)
        if (s->piece[i].at != NULL) (void)s->queue->session->cu->give_host(s->piece[i].at);
}

/* The next piece; the first, if there is no memory for more. */
static void turn(wadi_cuda_staging *s) {
    const int next = (s->now + 1) % WADI_CUDA_PIECES;
    s->piece[s->now].mark = wadi_cuda_queue_mark(s->queue);
    if (s->piece[next].at == NULL && !s->denied)
        (void)wadi_cuda_check(s->queue->session, "cuMemAllocHost", make(s, next));
    s->now = s->piece[next].at != NULL ? next : 0;
    s->used = 0;
}

char *wadi_cuda_staging_room(wadi_cuda_staging *s, size_t wanted, size_t *out_n) {
    if (s->piece[0].at == NULL) return NULL;
    const size_t left = WADI_CUDA_PIECE - s->used;
    if (left < wanted && left < LEFT_OVER) turn(s);
    if (s->used == 0 && !wadi_cuda_queue_reach(s->queue, s->piece[s->now].mark)) return NULL;
    const size_t room = WADI_CUDA_PIECE - s->used, n = wanted < room ? wanted : room;
    char *at = s->piece[s->now].at + s->used;
    s->used += (n + ALIGN - 1) / ALIGN * ALIGN;
    *out_n = n;
    return at;
}

void wadi_cuda_staging_clear(wadi_cuda_staging *s) {
    s->used = 0;
    s->piece[s->now].mark = 0;
}
