/* Sine and cosine of one number. Both have one text in kernels (graph/elementary/trigonometric.h), so the compiler of kernels computes once what
 * they share: the reduced argument and the polynomials. */
#include "graph/lang/node.h"

wadi_exp wadi_sincos(wadi_exp a) {
    const wadi_elem *e = wadi_exp_elem(a);
    if (!e) return wadi_exp_of(wadi_lang_fail(WADI_INVALID, "sincos: argument 1 is missing"));
    if (e->name[0] || !wadi_type_rounds(e->type[0]))
        return wadi_exp_of(wadi_lang_fail(
            WADI_TYPE, "sincos: argument 1 is %s, expected a float or a complex number",
            wadi_elem_text(e)));
    return wadi_rec2("sin", wadi_sin(a), "cos", wadi_cos(a));
}
