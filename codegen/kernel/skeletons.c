/* The table of skeletons. It names all of them; the code that writes kernels names none. */
#include "codegen/kernel/skeleton.h"

const wadi_skeleton_row wadi_skeleton_none = {0};

const wadi_skeleton_row *const wadi_skeleton_rows[WADI_SKELETONS] = {
#define WADI_SKELETON(NAME, name, traits) [WADI_SKEL_##NAME] = &wadi_skeleton_##name,
#include "graph/skeletons.def"
#undef WADI_SKELETON
};
