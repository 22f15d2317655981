/* MD5 of words that stay on the device: four message words each, 15 bytes. See jobs.h. */
#include "bench/devices/job_md5.h"

#include "apps/md5/hash.h"
#include "base/error.h"

enum { WORDS = MD5_SHORT_WORDS };

typedef struct words {
    wadi_acc of[WORDS];
    wadi_exp round;
} words;

/* 1 for the digests that begin with 16 zero bits: none of them may be left out. Each round hashes other words. */
static wadi_exp is_rare(void *env, int n, const wadi_exp *word) {
    const words *w = env;
    wadi_exp m[16];
    for (int i = 0; i < 16; i++) m[i] = i < n ? word[i] : wadi_u32(0);
    m[0] = wadi_xor(m[0], w->round);
    m[14] = wadi_u32(8 * MD5_SHORT_BYTES);
    const wadi_exp rare = wadi_eq(wadi_shr(md5_first_word(m), wadi_i32(16)), wadi_u32(0));
    return wadi_cond(rare, wadi_f64(1), wadi_f64(0));
}

static wadi_acc hash_round(void *env, wadi_exp i) {
    words w = *(const words *)env;
    w.round = wadi_convert(WADI_U32, i);
    return wadi_sum(wadi_zip_with_n_env(is_rare, &w, WORDS, w.of));
}

static wadi_acc total(wadi_acc sum, wadi_acc x) {
    return wadi_unit(wadi_add(wadi_the(sum), wadi_the(x)));
}

wadi_program *bench_md5_program(const bench_job *j) {
    static const char *const names[WORDS] = {"p", "q", "r", "s"};
    wadi_program *p = wadi_program_create("md5_rounds");
    words w;
    WADI_UNUSED(j);
    if (p == NULL) return NULL;
    const wadi_acc rounds = wadi_input("rounds", WADI_I64, 0, NULL);
    for (int i = 0; i < WORDS; i++) w.of[i] = wadi_input(names[i], WADI_U32, 1, NULL);
    const wadi_seq all = wadi_produce_env(wadi_the(rounds), hash_round, &w);
    wadi_output("sum", wadi_consume(wadi_fold_seq(total, wadi_unit(wadi_f64(0)), all)));
    return p;
}
