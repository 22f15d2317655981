/* Writes a call, the status of its program and the message. */
#include "tests/operators/misuse.h"

#include <string.h>

void tell_mistake(wadi_program *p, const char *call, int line, wadi_text *out) {
    wadi_error err = {0};
    const wadi_status st = wadi_program_check(p, &err);
    const bool here = err.at.file && strstr(err.at.file, "misuse") && err.at.line == line;
    wadi_text_addf(out, "%s\n> %s: %s\n", call, wadi_status_name(st),
                   st == WADI_OK ? "accepted" : err.msg);
    if (st != WADI_OK && !here) wadi_text_add(out, "> at another line\n");
    wadi_program_destroy(p);
}

wadi_acc vec(void) {
    return wadi_input("v", WADI_F32, 1, NULL);
}

wadi_acc ints(void) {
    return wadi_input("k", WADI_I64, 1, NULL);
}

wadi_acc bools(void) {
    return wadi_input("b", WADI_BOOL, 1, NULL);
}

wadi_acc mat(void) {
    return wadi_input("m", WADI_F32, 2, NULL);
}

wadi_acc unit0(void) {
    return wadi_input("u", WADI_I64, 0, NULL);
}

wadi_acc recs(void) {
    const wadi_elem_type e = {.fields = 2, .type = {WADI_F32, WADI_I64}, .name = {"a", "b"}};
    return wadi_input_rec("r", e, 1, NULL);
}

wadi_acc high(void) {
    return wadi_input("h", WADI_F32, WADI_MAX_RANK, NULL);
}

wadi_acc zs(void) {
    return wadi_input("z", WADI_C64, 1, NULL);
}

wadi_acc pair(void) {
    return wadi_tuple2(vec(), ints());
}

wadi_exp rec_of(void) {
    return wadi_rec2("a", wadi_f32(1), "b", wadi_i64(2));
}

static wadi_acc given(void *env, wadi_exp i) {
    (void)i;
    return *(wadi_acc *)env;
}

wadi_seq seq_of(wadi_acc a) {
    return wadi_produce_env(wadi_i64(3), given, &a);
}

wadi_exp no_exp1(wadi_exp a) {
    (void)a;
    return (wadi_exp){0, 0};
}

wadi_exp i64_of1(wadi_exp a) {
    (void)a;
    return wadi_i64(1);
}

wadi_exp i64_of2(wadi_exp a, wadi_exp b) {
    (void)a, (void)b;
    return wadi_i64(1);
}

wadi_exp same1(wadi_exp a) {
    return a;
}

wadi_exp first2(wadi_exp a, wadi_exp b) {
    (void)b;
    return a;
}

wadi_exp true1(wadi_exp a) {
    (void)a;
    return wadi_bool(true);
}

wadi_acc same_acc(wadi_acc a) {
    return a;
}

wadi_acc vec_of(wadi_acc a) {
    (void)a;
    return vec();
}

wadi_acc true_of(wadi_acc a) {
    (void)a;
    return wadi_unit(wadi_bool(true));
}

wadi_acc no_acc(wadi_acc a) {
    (void)a;
    return (wadi_acc){0, 0};
}

wadi_acc first_acc(wadi_acc a, wadi_acc b) {
    (void)b;
    return a;
}

wadi_acc second_acc(wadi_acc a, wadi_acc b) {
    (void)a;
    return b;
}

wadi_ix same_ix(wadi_ix i) {
    return i;
}

wadi_ix rank2_ix(wadi_ix i) {
    return wadi_ix2(i.at[0], i.at[0]);
}

wadi_ix float_ix(wadi_ix i) {
    (void)i;
    return wadi_ix1(wadi_f32(1));
}

wadi_ix dropping_ix(wadi_ix i) {
    return wadi_keep_if(wadi_bool(true), i);
}

wadi_exp first_of_ix(wadi_ix i) {
    return i.at[0];
}
