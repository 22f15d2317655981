/* Lists are short: a kernel has a few slots, and a place for each check. */
#include "codegen/emit/c_like/numbers.h"

static int position(const wadi_c_numbers *n, bool place, int number) {
    for (size_t k = 0; k < n->n; k++)
        if (n->at[k].place == place && n->at[k].number == number) return (int)k;
    return -1;
}

int wadi_c_number_at(wadi_c_numbers *n, bool place, int number) {
    const int at = position(n, place, number);
    if (at >= 0) return at;
    return wadi_vec_push(n, (wadi_c_number){place, number}) ? (int)n->n - 1 : -1;
}

void wadi_c_number_print(const wadi_c_numbers *n, bool place, int number, wadi_text *out) {
    if (n == NULL)
        wadi_text_addf(out, "%d", number);
    else
        wadi_text_addf(out, "of[%d]", position(n, place, number));
}
