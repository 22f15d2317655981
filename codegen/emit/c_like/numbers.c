/* Lists are short: a kernel has a few slots and constants, and a place for each check. */
#include "codegen/emit/c_like/numbers.h"

int wadi_c_number_find(const wadi_c_numbers *n, wadi_c_number_kind kind, int number) {
    for (size_t k = 0; n != NULL && k < n->n; k++)
        if (n->at[k].kind == kind && n->at[k].number == number) return n->at[k].at;
    return -1;
}

int wadi_c_number_add(wadi_c_numbers *n, wadi_c_number_kind kind, int number, int words) {
    const int known = wadi_c_number_find(n, kind, number);
    if (known >= 0) return known;
    const wadi_c_number *last = n->n > 0 ? &n->at[n->n - 1] : NULL;
    const int at = last != NULL ? last->at + last->words : 0;
    return wadi_vec_push(n, (wadi_c_number){kind, number, at, words}) ? at : -1;
}

void wadi_c_number_print(const wadi_c_numbers *n, wadi_c_number_kind kind, int number,
                         wadi_text *out) {
    if (n == NULL)
        wadi_text_addf(out, "%d", number);
    else
        wadi_text_addf(out, "of[%d]", wadi_c_number_find(n, kind, number));
}
