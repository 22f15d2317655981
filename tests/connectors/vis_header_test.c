/* The header of visibilities: its bytes are compared with a writer made here from the description in connectors/vis_header.h. Both
 * ends are tried with every field: what the sender refuses the receiver refuses too, in the same words. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "connectors/vis_header.h"
#include "tests/kept_memory.h"

enum { MOST_BYTES = 4 << 20 };

/* What a header says, to be changed: its tables and names are the pointers' own. */
typedef struct header {
    wadi_vis_info info;
    double frequency[4];
    int stokes[13];
    char object[1100], telescope[1100];
} header;

static void make(header *h) {
    *h = (header){.frequency = {1e8, 2e8, 3e8, 4e8}, .stokes = {-1, -4, 1, -8}};
    strcpy(h->object, "M87");
    strcpy(h->telescope, "VLA");
    h->info = (wadi_vis_info){.rows = 1000,
                              .channels = 3,
                              .pols = 2,
                              .frequency = h->frequency,
                              .stokes = h->stokes,
                              .channel_width = 1e5,
                              .ra = 1,
                              .dec = -0.5,
                              .equinox = 2000,
                              .object = h->object,
                              .telescope = h->telescope,
                              .longest = 30000,
                              .shortest = 35};
}

/* ---- the bytes as they are described ---- */

typedef struct text {
    uint8_t *at;
    size_t n;
} text;

static void number(text *t, uint64_t x, int bytes) {
    for (int i = 0; i < bytes; i++, x >>= 8) t->at[t->n++] = (uint8_t)(x & 255);
}

static void real(text *t, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    number(t, bits, 8);
}

static void describe(const header *h, bool reach, text *t) {
    static uint8_t bytes[MOST_BYTES];
    const wadi_vis_info *v = &h->info;
    *t = (text){.at = bytes, .n = 4};
    memcpy(bytes, "WVIS", 4);
    number(t, 1, 2);
    number(t, reach, 2);
    number(t, (uint64_t)v->rows, 8);
    number(t, (uint64_t)v->channels, 4);
    number(t, (uint64_t)v->pols, 4);
    real(t, v->channel_width);
    real(t, v->ra);
    real(t, v->dec);
    real(t, v->equinox);
    number(t, strlen(v->object), 2);
    number(t, strlen(v->telescope), 2);
    number(t, 0, 4);
    if (reach) real(t, v->longest);
    if (reach) real(t, v->shortest);
    for (int64_t c = 0; c < v->channels && c < (1 << 18) + 1; c++)
        real(t, v->frequency == h->frequency ? h->frequency[c % 4] : v->frequency[c]);
    for (int64_t p = 0; p < v->pols && p < 13; p++) number(t, (uint32_t)h->stokes[p], 4);
    memcpy(t->at + t->n, v->object, strlen(v->object));
    t->n += strlen(v->object);
    memcpy(t->at + t->n, v->telescope, strlen(v->telescope));
    t->n += strlen(v->telescope);
}

static bool same(double x, double y) {
    return memcmp(&x, &y, sizeof x) == 0;
}

/* It is sent as described, and taken as it was. */
static void assert_sound(header *h, bool reach) {
    void *bytes = NULL, *memory = NULL;
    size_t n = 0;
    text t;
    wadi_vis_info got;
    wadi_error err = {.status = WADI_OK};
    describe(h, reach, &t);
    if (wadi_vis_header_write(&h->info, &bytes, &n, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(n, t.n);
    assert_memory_equal(bytes, t.at, n);
    if (wadi_vis_header_read(t.at, t.n, &got, &memory, &err) != WADI_OK) fail_msg("%s", err.msg);
    assert_int_equal(got.rows, h->info.rows);
    assert_int_equal(got.channels, h->info.channels);
    assert_int_equal(got.pols, h->info.pols);
    assert_true(same(got.channel_width, h->info.channel_width));
    assert_true(same(got.ra, h->info.ra) && same(got.dec, h->info.dec));
    assert_true(same(got.equinox, h->info.equinox));
    assert_true(same(got.longest, reach ? h->info.longest : 0));
    assert_true(same(got.shortest, reach ? h->info.shortest : 0));
    for (int64_t c = 0; c < got.channels; c++)
        assert_true(same(got.frequency[c], h->info.frequency[c]));
    for (int64_t p = 0; p < got.pols; p++) assert_int_equal(got.stokes[p], h->stokes[p]);
    assert_string_equal(got.object, h->object);
    assert_string_equal(got.telescope, h->telescope);
    assert_string_equal(got.format, "link");
    free(bytes);
    free(memory);
}

/* Neither sent nor taken. read NULL: the same words as `said`. */
static void assert_unsound(header *h, bool reach, const char *said, const char *read) {
    void *bytes = NULL, *memory = NULL;
    size_t n = 0;
    text t;
    wadi_vis_info got;
    wadi_error err = {.status = WADI_OK};
    char whole[200];
    snprintf(whole, sizeof whole, "visibilities: %s", said);
    assert_int_equal(wadi_vis_header_write(&h->info, &bytes, &n, &err), WADI_INVALID);
    assert_string_equal(err.msg, whole);
    assert_null(bytes);
    describe(h, reach, &t);
    assert_int_equal(wadi_vis_header_read(t.at, t.n, &got, &memory, &err), WADI_IO);
    assert_int_equal(err.status, WADI_IO);
    assert_string_equal(err.msg, read != NULL ? read : whole);
    assert_null(memory);
}

static void what_is_sound_arrives(void **state) {
    (void)state;
    static header h;
    make(&h);
    assert_sound(&h, true);
    h.info.longest = h.info.shortest = 0;
    assert_sound(&h, false);
    h.info.rows = -1;
    h.info.ra = h.info.dec = (double)NAN;
    h.info.channel_width = 0;
    h.info.channels = h.info.pols = 1;
    h.object[0] = h.telescope[0] = '\0';
    assert_sound(&h, false);
    make(&h);
    h.info.rows = INT64_MAX;
    h.info.pols = 12;
    for (int i = 0; i < 12; i++) h.stokes[i] = i < 4 ? i + 1 : 3 - i; /* I to V, RR to YX */
    memset(h.object, 'x', 1024);
    memset(h.telescope, ' ', 1024);
    h.telescope[1023] = '~';
    assert_sound(&h, true);
}

/* Each field at its limits: a value that is sound, and the one beside it that is not. */
static void each_field_has_its_limits(void **state) {
    (void)state;
    static const double pi = 3.14159265358979323846;
    static header h;
#define SOUND(change) \
    make(&h);         \
    change;           \
    assert_sound(&h, true)
#define UNSOUND(change, said) \
    make(&h);                 \
    change;                   \
    assert_unsound(&h, true, said, NULL)
    SOUND(h.info.rows = 0);
    UNSOUND(h.info.rows = -2, "-2 rows");
    UNSOUND(h.info.channels = 0, "0 channels, expected 1 to 262144");
    UNSOUND(h.info.channels = (1 << 18) + 1, "262145 channels, expected 1 to 262144");
    UNSOUND(h.info.pols = 0, "0 polarisations, expected 1 to 12");
    UNSOUND(h.info.pols = 13, "13 polarisations, expected 1 to 12");
    UNSOUND(h.frequency[2] = 0, "the frequency of channel 2 is 0 Hz");
    UNSOUND(h.frequency[0] = -1, "the frequency of channel 0 is -1 Hz");
    UNSOUND(h.frequency[1] = (double)INFINITY, "the frequency of channel 1 is inf Hz");
    UNSOUND(h.stokes[0] = 0, "polarisation 0 has code 0");
    UNSOUND(h.stokes[1] = 5, "polarisation 1 has code 5");
    UNSOUND(h.stokes[1] = -9, "polarisation 1 has code -9");
    SOUND(h.info.ra = -2 * pi);
    SOUND(h.info.dec = pi / 2);
    UNSOUND(h.info.ra = 6.3, "the phase centre is at 6.3, -0.5 rad");
    UNSOUND(h.info.dec = -1.6, "the phase centre is at 1, -1.6 rad");
    UNSOUND(h.info.ra = (double)NAN, "the phase centre is at nan, -0.5 rad");
    UNSOUND(h.info.dec = (double)NAN, "the phase centre is at 1, nan rad");
    SOUND(h.info.equinox = 1000.5);
    SOUND(h.info.equinox = 2999.5);
    UNSOUND(h.info.equinox = 1000, "the equinox is 1000");
    UNSOUND(h.info.equinox = 3000, "the equinox is 3000");
    UNSOUND(h.info.equinox = (double)NAN, "the equinox is nan");
    SOUND(h.info.channel_width = -5);
    UNSOUND(h.info.channel_width = (double)INFINITY, "the width of a channel is inf Hz");
    UNSOUND(h.info.longest = 0, "the longest baseline is 0 m, the shortest 35");
    UNSOUND(h.info.shortest = 0, "the longest baseline is 30000 m, the shortest 0");
    UNSOUND(h.info.longest = -1, "the longest baseline is -1 m, the shortest 35");
    UNSOUND(h.info.shortest = -1, "the longest baseline is 30000 m, the shortest -1");
    UNSOUND(h.info.longest = (double)INFINITY, "the longest baseline is inf m, the shortest 35");
    UNSOUND(h.info.shortest = (double)NAN, "the longest baseline is 30000 m, the shortest nan");
    static const char said[] = "a name is longer than 1024 bytes or has control characters";
    static const char read[] =
        "header of visibilities: a name is longer than 1024 bytes or has control characters";
    for (int i = 0; i < 2; i++) {
        make(&h);
        memset(i == 0 ? h.object : h.telescope, 'x', 1025);
        assert_unsound(&h, true, said, read);
        for (int k = 0; k < 2; k++) {
            make(&h);
            strcpy(i == 0 ? h.object : h.telescope, k == 0 ? "a\x1f"
                                                             "b"
                                                           : "\x7f");
            assert_unsound(&h, true, said, read);
        }
    }
    make(&h);
    strcpy(h.object, "\xc3\xa9toile"); /* whatever is no control character */
    assert_sound(&h, true);
}

/* As many channels as there may be. */
static void the_widest_header_arrives(void **state) {
    (void)state;
    static header h;
    const size_t most = 1 << 18;
    double *frequency = malloc(most * sizeof *frequency);
    assert_non_null(frequency);
    for (size_t i = 0; i < most; i++) frequency[i] = 1e8 + (double)i;
    make(&h);
    h.info.channels = (int64_t)most;
    h.info.frequency = frequency;
    assert_sound(&h, true);
    free(frequency);
}

/* Messages that are cut, too long, or of something else. */
static void bytes_that_are_no_header_are_told(void **state) {
    (void)state;
    static header h;
    static const struct {
        size_t at;
        uint8_t value;
        const char *said;
        wadi_status status;
    } wrongs[] = {
        {0, 'V', "it does not begin with \"WVIS\": the sender sends something else", WADI_IO},
        {3, 'T', "it does not begin with \"WVIS\": the sender sends something else", WADI_IO},
        {4, 2, "version 2; this build reads version 1", WADI_UNSUPPORTED},
        {5, 1, "version 257; this build reads version 1", WADI_UNSUPPORTED},
        {6, 2, "unknown flags", WADI_IO},
        {7, 1, "unknown flags", WADI_IO},
        {60, 1, "bytes that must be zero are not", WADI_IO},
        {63, 1, "bytes that must be zero are not", WADI_IO},
    };
    text t;
    wadi_vis_info got;
    void *memory = NULL;
    wadi_error err = {.status = WADI_OK};
    char said[120];
    make(&h);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        describe(&h, true, &t);
        t.at[wrongs[i].at] = wrongs[i].value;
        assert_int_equal(wadi_vis_header_read(t.at, t.n, &got, &memory, &err), wrongs[i].status);
        snprintf(said, sizeof said, "header of visibilities: %s", wrongs[i].said);
        assert_string_equal(err.msg, said);
        assert_int_equal(err.status, wrongs[i].status);
    }
    for (int reach = 0; reach < 2; reach++) {
        describe(&h, reach == 1, &t);
        const size_t whole = t.n, fixed = reach == 1 ? 80 : 64;
        assert_int_equal(whole, fixed + 3 * 8 + 2 * 4 + 6);
        for (size_t n = 0; n <= whole + 1; n++) {
            if (n == whole) continue;
            if (n < 8)
                snprintf(said, sizeof said,
                         "it does not begin with \"WVIS\": the sender sends "
                         "something else");
            else if (n < fixed)
                snprintf(said, sizeof said, "it ends after %zu bytes", n);
            else
                snprintf(said, sizeof said, "%zu bytes, expected %zu", n, whole);
            assert_int_equal(wadi_vis_header_read(t.at, n, &got, &memory, &err), WADI_IO);
            assert_string_equal(err.msg + strlen("header of visibilities: "), said);
        }
    }
    make(&h);
    h.info.longest = h.info.shortest = 0;
    describe(&h, true, &t);
    assert_int_equal(wadi_vis_header_read(t.at, t.n, &got, &memory, &err), WADI_IO);
    assert_string_equal(err.msg, "header of visibilities: baselines without length");
    assert_null(memory);
}

static void what_is_missing_is_not_sent(void **state) {
    (void)state;
    static header h;
    for (int i = 0; i < 4; i++) {
        void *bytes = NULL;
        size_t n = 0;
        wadi_error err = {.status = WADI_OK};
        make(&h);
        if (i == 0) h.info.frequency = NULL;
        if (i == 1) h.info.stokes = NULL;
        if (i == 2) h.info.object = NULL;
        if (i == 3) h.info.telescope = NULL;
        assert_int_equal(wadi_vis_header_write(&h.info, &bytes, &n, &err), WADI_INVALID);
        assert_string_equal(err.msg, "visibilities: frequencies, polarisations or a name are NULL");
    }
}

static void read_wrong_tables(void *env) {
    header *h = env;
    text t;
    wadi_vis_info got;
    void *memory = NULL;
    make(h);
    for (int i = 0; i < 3; i++) {
        h->stokes[1] = i == 0 ? 77 : -1;
        strcpy(h->object, i == 1 ? "\x7f" : "M87");
        h->info.equinox = i == 2 ? 1 : 2000;
        describe(h, true, &t);
        assert_int_equal(wadi_vis_header_read(t.at, t.n, &got, &memory, NULL), WADI_IO);
    }
}

static void what_is_refused_keeps_no_memory(void **state) {
    (void)state;
    static header h;
    assert_keeps_nothing(read_wrong_tables, &h);
}

/* Names of all lengths: what is told of the memory's size must hold the tables and both names, to their last character. */
static void the_memory_holds_what_is_pointed_at(void **state) {
    (void)state;
#if defined(__GLIBC__)
    static header h;
    for (size_t i = 0; i < 400; i++) {
        text t;
        wadi_vis_info got;
        void *memory = NULL;
        make(&h);
        memset(h.object, 'o', i % 20);
        memset(h.telescope, 't', i / 20);
        h.object[i % 20] = h.telescope[i / 20] = '\0';
        describe(&h, true, &t);
        assert_int_equal(wadi_vis_header_read(t.at, t.n, &got, &memory, NULL), WADI_OK);
        const char *from = memory, *below = from + malloc_usable_size(memory);
        const char *const ends[] = {
            (const char *)(got.frequency + got.channels), (const char *)(got.stokes + got.pols),
            got.object + strlen(got.object) + 1, got.telescope + strlen(got.telescope) + 1};
        for (int k = 0; k < 4; k++) assert_true(ends[k] > from && ends[k] <= below);
        assert_int_equal(strlen(got.object), i % 20);
        assert_int_equal(strlen(got.telescope), i / 20);
        free(memory);
    }
#else
    skip();
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_sound_arrives),
        cmocka_unit_test(each_field_has_its_limits),
        cmocka_unit_test(the_widest_header_arrives),
        cmocka_unit_test(bytes_that_are_no_header_are_told),
        cmocka_unit_test(what_is_missing_is_not_sent),
        cmocka_unit_test(the_memory_holds_what_is_pointed_at),
        cmocka_unit_test(what_is_refused_keeps_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
