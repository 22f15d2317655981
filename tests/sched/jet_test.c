/* Addresses of jobs on a NATS server, and the labels that travel there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sched/work/jet_address.h"
#include "sched/work/jet_label.h"

/* ---- addresses ---- */

static void an_address_is_read(void **state) {
    (void)state;
    wadi_jet_address a;
    wadi_error err = {0};
    assert_int_equal(wadi_jet_address_read("nats://localhost/sky_1-a", &a, &err), WADI_OK);
    assert_string_equal(a.host, "localhost");
    assert_int_equal(a.port, 4222);
    assert_string_equal(a.job, "sky_1-a");
    assert_int_equal(a.budget, INT64_C(256) << 20);
    wadi_jet_address_fini(&a);
    assert_int_equal(
        wadi_jet_address_read(
            "nats://[::1]:77/j?ca=/a/b.pem&nkey=k.nk&wait=2.5&ack=0.5&credit=12&budget=3G", &a,
            &err),
        WADI_OK);
    assert_string_equal(a.host, "::1");
    assert_int_equal(a.port, 77);
    assert_string_equal(a.ca, "/a/b.pem");
    assert_string_equal(a.nkey, "k.nk");
    assert_true(a.tls);
    assert_true(a.wait_s == 2.5 && a.ack_wait_s == 0.5);
    assert_int_equal(a.credit, 12);
    assert_int_equal(a.budget, INT64_C(3) << 30);
    wadi_jet_address_fini(&a);
    assert_int_equal(wadi_jet_address_read("nats://127.0.0.1:4333", &a, &err), WADI_OK);
    assert_string_equal(a.job, "");
    wadi_jet_address_fini(&a);
}

static void a_wrong_address_is_refused_by_its_part(void **state) {
    (void)state;
    static const struct {
        const char *address, *words;
    } wrong[] = {
        {"tcp://localhost/j", "expected nats://"},
        {"nats:///j", "is no host"},
        {"nats://a b/j", "is no host"},
        {"nats://localhost:0/j", "is no port"},
        {"nats://localhost:70000/j", "is no port"},
        {"nats://localhost:12x/j", "is no port"},
        {"nats://[::1/j", "the ] of the host"},
        {"nats://me:secret@localhost/j", "can be seen by others"},
        {"nats://localhost/a.b", "no name of a job"},
        {"nats://localhost/a>", "no name of a job"},
        {"nats://localhost/a*", "no name of a job"},
        {"nats://localhost/a/b", "no name of a job"},
        {"nats://localhost/a%20b", "no name of a job"},
        {"nats://localhost/0123456789012345678901234567890123456789012345678", "no name of a job"},
        {"nats://localhost/j?credit", "expected NAME=VALUE"},
        {"nats://localhost/j?colour=red", "there is no setting"},
        {"nats://localhost/j?credit=0", "from 1 to 30000"},
        {"nats://localhost/j?credit=1K", "from 1 to 30000"},
        {"nats://localhost/j?budget=-1", "expected bytes"},
        {"nats://localhost/j?budget=99999999999999999999", "expected bytes"},
        {"nats://localhost/j?wait=nan", "expected seconds"},
        {"nats://localhost/j?wait=", "expected seconds"},
        {"nats://localhost/j?nkey=", "a file is missing"},
        {"nats://localhost/j?nkey=a&token=b", "only one of"},
        {"nats://localhost/j?cert=a", "given together"},
        {"nats://localhost/j?tls=maybe", "yes or no"},
        /* Beyond this machine both sides must know each other. */
        {"nats://example.org/j", "needs TLS"},
        {"nats://127.evil.example.org/j", "needs TLS"},
        {"nats://example.org/j?tls=yes", "needs TLS"},
        {"nats://example.org/j?nkey=k", "needs TLS"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        wadi_jet_address a;
        wadi_error err = {0};
        if (wadi_jet_address_read(wrong[i].address, &a, &err) != WADI_INVALID ||
            strstr(err.msg, wrong[i].words) == NULL)
            fail_msg("%s: %s", wrong[i].address, err.msg);
        wadi_jet_address_fini(&a);
    }
    wadi_jet_address a;
    assert_int_equal(wadi_jet_address_read("nats://example.org/j?tls=yes&nkey=k", &a, NULL),
                     WADI_OK);
    wadi_jet_address_fini(&a);
}

static void an_address_of_a_stream_is_read(void **state) {
    (void)state;
    wadi_jet_address a;
    wadi_error err = {0};
    assert_int_equal(
        wadi_jet_stream_address_read(
            "nats://localhost:77/A_b=c$?subject=a.*.>&from=3&to=3&follow=yes&gaps=yes&wait=2",
            WADI_JET_READ, &a, &err),
        WADI_OK);
    assert_string_equal(a.stream, "A_b=c$");
    assert_string_equal(a.subject, "a.*.>");
    assert_int_equal(a.from, 3);
    assert_int_equal(a.to, 3);
    assert_true(a.follow && a.gaps && a.wait_s == 2);
    assert_true(a.as == WADI_JET_AS_ELEMENT && a.batch == 1 && a.separator == '\0');
    wadi_jet_address_fini(&a);
    assert_int_equal(wadi_jet_stream_address_read(
                         "nats://localhost/s?separator=comma&batch=30000&credit=9&as=lines",
                         WADI_JET_WRITE, &a, &err),
                     WADI_OK);
    assert_true(a.as == WADI_JET_AS_LINES && a.batch == 30000 && a.separator == ',' &&
                a.credit == 9);
    wadi_jet_address_fini(&a);
    static const struct {
        const char *address;
        wadi_jet_use use;
        const char *words;
    } wrong[] = {
        {"nats://localhost", WADI_JET_READ, "the name of a stream is missing"},
        {"nats://localhost/", WADI_JET_WRITE, "the name of a stream is missing"},
        {"nats://localhost/a.b", WADI_JET_READ, "no name of a stream"},
        {"nats://localhost/a b", WADI_JET_READ, "no name of a stream"},
        {"nats://localhost/a/b", WADI_JET_READ, "no name of a stream"},
        {"nats://localhost/s?from=0", WADI_JET_READ, "the number of a message"},
        {"nats://localhost/s?from=x", WADI_JET_READ, "the number of a message"},
        {"nats://localhost/s?from=99999999999999999999", WADI_JET_READ, "the number of a message"},
        {"nats://localhost/s?from=5&to=4", WADI_JET_READ, "before the first one, 5"},
        {"nats://localhost/s?from=5", WADI_JET_WRITE, "there is no setting \"from\""},
        {"nats://localhost/s?budget=5", WADI_JET_READ, "there is no setting \"budget\""},
        {"nats://localhost/s?credit=5", WADI_JET_READ, "there is no setting \"credit\""},
        {"nats://localhost/s?follow=1", WADI_JET_READ, "yes or no"},
        {"nats://localhost/s?as=", WADI_JET_READ, "expected element, records or lines"},
        {"nats://localhost/s?as=line", WADI_JET_WRITE, "expected element, records or lines"},
        {"nats://localhost/s?as=lines&separator=,", WADI_JET_READ, "expected blank, comma"},
        {"nats://localhost/s?separator=tab&as=records", WADI_JET_READ, "it is for lines"},
        {"nats://localhost/s?batch=2", WADI_JET_WRITE, "are as=records or as=lines"},
        {"nats://localhost/s?batch=0&as=lines", WADI_JET_WRITE, "a number from 1 to 30000"},
        {"nats://localhost/s?batch=2&as=lines", WADI_JET_READ, "there is no setting \"batch\""},
        {"nats://localhost/s?subject=", WADI_JET_READ, "is no subject"},
        {"nats://localhost/s?subject=a..b", WADI_JET_READ, "is no subject"},
        {"nats://localhost/s?subject=.a", WADI_JET_READ, "is no subject"},
        {"nats://localhost/s?subject=a.*", WADI_JET_WRITE, "means many"},
        {"nats://example.org/s", WADI_JET_WRITE, "on their way, so this needs TLS"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memset(&err, 0, sizeof err);
        if (wadi_jet_stream_address_read(wrong[i].address, wrong[i].use, &a, &err) !=
                WADI_INVALID ||
            strstr(err.msg, wrong[i].words) == NULL)
            fail_msg("%s: %s", wrong[i].address, err.msg);
        wadi_jet_address_fini(&a);
    }
    assert_int_equal(wadi_jet_address_read("nats://localhost/j?subject=a", &a, &err), WADI_INVALID);
    wadi_jet_address_fini(&a);
}

/* ---- labels ---- */

static const wadi_jet_label sound = {.number = 77,
                                     .status = WADI_FAULT,
                                     .bytes = 3000000,
                                     .frames = 3,
                                     .crc = 0xdeadbeef,
                                     .nonce = 0x0123456789abcdef};

static void a_label_reads_as_it_was_written(void **state) {
    (void)state;
    char text[WADI_JET_LABEL_ROOM];
    wadi_jet_label_write(&sound, text);
    assert_string_equal(text, "77 8 3000000 3 deadbeef 0123456789abcdef");
    wadi_jet_label l = {0};
    assert_true(wadi_jet_label_read(text, &l));
    char again_text[WADI_JET_LABEL_ROOM];
    wadi_jet_label_write(&l, again_text);
    assert_string_equal(again_text, text);
    assert_int_equal(l.number, 77);
    assert_int_equal(l.status, WADI_FAULT);
    assert_int_equal(l.bytes, 3000000);
    wadi_jet_record r = {"0123456789abcdef", WADI_JET_LEFT, 5000, sound}, again = {0};
    wadi_jet_record_write(&r, text);
    assert_true(wadi_jet_record_read(text, &again));
    assert_string_equal(again.epoch, r.epoch);
    assert_int_equal(again.state, r.state);
    assert_int_equal(again.ack_wait_ms, r.ack_wait_ms);
    assert_int_equal(again.charter.bytes, sound.bytes);
    assert_int_equal(again.charter.crc, sound.crc);
}

static void what_makes_no_sense_is_no_label(void **state) {
    (void)state;
    static const char *const wrong[] = {"",
                                        " ",
                                        "77",
                                        "77 8 3000000 3 deadbeef",
                                        "77 8 3000000 3 deadbeef 0123456789abcde",
                                        "77 8 3000000 3 deadbeef 0123456789abcdef ",
                                        " 77 8 3000000 3 deadbeef 0123456789abcdef",
                                        "077 8 3000000 3 deadbeef 0123456789abcdef",
                                        "-7 8 3000000 3 deadbeef 0123456789abcdef",
                                        "77 99 3000000 3 deadbeef 0123456789abcdef",
                                        "77 8 3000000 0 deadbeef 0123456789abcdef",
                                        "77 8 2 3 deadbeef 0123456789abcdef",
                                        "77 8 3000000 3 DEADBEEF 0123456789abcdef",
                                        "77 8 9223372036854775808 3 deadbeef 0123456789abcdef",
                                        "77 8 3000000 99999999 deadbeef 0123456789abcdef",
                                        "77 8 3000000 3 deadbeef 0123456789abcdef 1"};
    wadi_jet_label l;
    assert_false(wadi_jet_label_read(NULL, &l));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (wadi_jet_label_read(wrong[i], &l)) fail_msg("\"%s\" was let through", wrong[i]);
    wadi_jet_record r;
    assert_false(wadi_jet_record_read(NULL, &r));
    assert_false(
        wadi_jet_record_read("1 0123456789abcdef open 5000 0 0 0 0 00000000 0000000000000000", &r));
    assert_false(
        wadi_jet_record_read("3 0123456789abcdef open 5000 0 0 0 0 00000000 0000000000000000", &r));
    assert_false(
        wadi_jet_record_read("4 0123456789abcdef shut 5000 0 0 0 0 00000000 0000000000000000", &r));
    assert_false(
        wadi_jet_record_read("4 0123456789abcdef open 0 0 0 0 0 00000000 0000000000000000", &r));
    assert_true(
        wadi_jet_record_read("4 0123456789abcdef open 5000 0 0 0 0 00000000 0000000000000000", &r));
}

/* Changes of sound texts: what is read is written as it stood. */
static void no_text_confuses_the_reader(void **state) {
    (void)state;
    static const char letters[] = "0123456789abcdef -+.xg\x01\xff";
    uint32_t seed = 1;
    for (int i = 0; i < 200000; i++) {
        char text[WADI_JET_LABEL_ROOM + 40] = "", again[WADI_JET_LABEL_ROOM];
        wadi_jet_record r = {"0123456789abcdef", WADI_JET_OPEN, 5000, sound};
        wadi_jet_label l;
        if (i % 2 == 0)
            wadi_jet_label_write(&sound, text);
        else
            wadi_jet_record_write(&r, text);
        for (int k = 0; k < 1 + i % 5; k++) {
            seed = seed * 1664525 + 1013904223;
            text[(seed >> 8) % (strlen(text) + 1)] = letters[(seed >> 20) % sizeof letters];
        }
        text[sizeof text - 1] = '\0';
        if (i % 2 == 0 && wadi_jet_label_read(text, &l)) {
            wadi_jet_label_write(&l, again);
            assert_string_equal(text, again);
        } else if (i % 2 == 1 && wadi_jet_record_read(text, &r)) {
            wadi_jet_record_write(&r, again);
            assert_string_equal(text, again);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_read),
        cmocka_unit_test(a_wrong_address_is_refused_by_its_part),
        cmocka_unit_test(an_address_of_a_stream_is_read),
        cmocka_unit_test(a_label_reads_as_it_was_written),
        cmocka_unit_test(what_makes_no_sense_is_no_label),
        cmocka_unit_test(no_text_confuses_the_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
