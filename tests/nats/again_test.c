/* Another connection in place of one that was given up, where the library does things in an order that no server can be made to cause. The test plays
 * the library and the rest of the queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef WADI_HAVE_NATS

#include "base/error.h"
#include "modules/nats/inside.h"

static wadi_nats_queue *queue;
static bool is_lost,
    is_back_again; /* what becomes of the new connection before its maker goes on */
static natsConnection *const new_nc = (natsConnection *)&is_lost;

/* ---- the library ---- */

natsStatus natsConnection_GetLastError(natsConnection *nc, const char **words) {
    WADI_UNUSED(nc);
    *words = "";
    return NATS_OK;
}

void natsConnection_Close(natsConnection *nc) {
    WADI_UNUSED(nc);
}

/* ---- the rest of the queue ---- */

wadi_status wadi_nats_connect(const wadi_jet_address *a, const wadi_nats_events *events,
                              wadi_nats_keys *keys, natsConnection **out, wadi_error *err) {
    WADI_UNUSED(a);
    WADI_UNUSED(events);
    WADI_UNUSED(keys);
    WADI_UNUSED(err);
    *out = new_nc;
    return WADI_OK;
}

void wadi_nats_disconnect(natsConnection *nc, wadi_nats_keys *keys) {
    WADI_UNUSED(nc);
    WADI_UNUSED(keys);
}

wadi_status wadi_nats_subscribe_again(wadi_nats_queue *q, wadi_error *err) {
    WADI_UNUSED(err);
    if (is_lost) wadi_nats_service_lost(q);
    if (is_back_again) wadi_nats_service_back(q, new_nc);
    return WADI_OK;
}

void wadi_nats_service_lost(void *q) {
    assert_ptr_equal(q, queue);
    queue->connected = false;
    queue->outages++;
}

void wadi_nats_service_resume(wadi_nats_queue *q) {
    q->connected = true;
}

void wadi_nats_service_back(void *q, natsConnection *nc) {
    assert_ptr_equal(nc, new_nc);
    wadi_nats_service_resume(q);
}

void wadi_nats_service_met(wadi_nats_queue *q, natsConnection *nc) {
    assert_ptr_equal(q, queue);
    assert_ptr_equal(nc, new_nc);
}

void wadi_nats_refused(wadi_nats_queue *q, const char *words, size_t n) {
    WADI_UNUSED(q);
    WADI_UNUSED(words);
    WADI_UNUSED(n);
}

void wadi_nats_stir(wadi_nats_queue *q) {
    WADI_UNUSED(q);
}

void wadi_nats_quiet(void *q) {
    WADI_UNUSED(q);
}

void wadi_nkey_fini(wadi_nats_keys *k) {
    WADI_UNUSED(k);
}

/* ---- the tests ---- */

/* Whether the queue takes itself for connected afterwards. */
static bool connects(bool lost, bool back_again) {
    wadi_nats_queue q = {.closed = true, .asked_why = true, .outages = 1};
    queue = &q;
    is_lost = lost;
    is_back_again = back_again;
    assert_int_equal(pthread_mutex_init(&q.lock, NULL), 0);
    assert_int_equal(pthread_mutex_init(&q.wire, NULL), 0);
    (void)pthread_mutex_lock(&q.lock);
    wadi_nats_again_step(&q, 1);
    (void)pthread_mutex_unlock(&q.lock);
    assert_false(q.closed);
    assert_int_equal(q.calling, 1);
    wadi_vec_free(&q.past_ncs);
    (void)pthread_mutex_destroy(&q.wire);
    (void)pthread_mutex_destroy(&q.lock);
    return q.connected;
}

static void a_new_connection_ends_the_outage(void **state) {
    (void)state;
    assert_true(connects(false, false));
}

static void a_new_connection_that_is_lost_at_once_does_not(void **state) {
    (void)state;
    assert_false(connects(true, false));
    assert_true(connects(true, true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_connection_ends_the_outage),
        cmocka_unit_test(a_new_connection_that_is_lost_at_once_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77;
}

#endif
