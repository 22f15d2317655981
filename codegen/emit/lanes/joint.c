/* The entry is a kernel that branches by the argument of the launch. */
#include "codegen/emit/lanes/joint.h"

#include "sched/image.h"

#define ENTRY "wadi_small"

/* Instructions of a small kernel: room for shapes, for counts of units, and for a loop or two over what is computed once. */
enum { MOST = 64 };

bool wadi_c_joint_takes(const wadi_lfun *f) {
    return f->n <= MOST;
}

void wadi_c_joint_add(wadi_c_joint *j, const char *kernel, wadi_text *out) {
    wadi_text_addf(out, "/* %s" WADI_IMAGE_CASE "%d of " ENTRY " */\n", kernel, j->n);
    wadi_text_addf(&j->cases, "    case %d:\n        WADI_RANGES(%s_body)\n        break;\n",
                   j->n++, kernel);
}

bool wadi_c_joint_write(wadi_c_joint *j, wadi_text *out) {
    if (j->n > 0)
        wadi_text_addf(out,
                       "/* ---- start of " ENTRY " ---- */\nWADI_KERNEL(" ENTRY
                       ") {\n    WADI_ITEM\n"
                       "    switch (call.which) {\n%s    default:\n        break;\n    }\n}\n"
                       "/* ---- end of " ENTRY " ---- */\n\n",
                       wadi_text_str(&j->cases));
    const bool fine = !j->cases.failed && !out->failed;
    wadi_text_fini(&j->cases);
    return fine;
}
