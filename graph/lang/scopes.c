/* Scopes as a tree with jump pointers (Myers 1983, "An applicative random-access stack"): a scope knows its parent and
 * one ancestor further up, so that climbing to a depth, and finding common ancestors, takes logarithmic time. */
#include "graph/lang/scopes.h"

void wadi_scopes_fini(wadi_scopes *s) {
    wadi_vec_free(&s->all);
}

wadi_scope_id wadi_scopes_add(wadi_scopes *s, wadi_scope_id parent, wadi_scope scope) {
    const wadi_scope_id id = (wadi_scope_id)s->all.n;
    scope.sibling = WADI_NONE;
    if (parent == WADI_NONE) {
        scope.parent = scope.jump = id;
        scope.depth = 0;
    } else {
        const wadi_scope *all = s->all.at;
        const wadi_scope_id jump = all[parent].jump;
        const bool equal_steps =
            all[parent].depth - all[jump].depth == all[jump].depth - all[all[jump].jump].depth;
        scope.parent = parent;
        scope.jump = equal_steps ? all[jump].jump : parent;
        scope.depth = all[parent].depth + 1;
    }
    return wadi_vec_push(&s->all, scope) ? id : WADI_NONE;
}

static wadi_scope_id climb(const wadi_scopes *s, wadi_scope_id from, uint32_t depth) {
    const wadi_scope *all = s->all.at;
    while (all[from].depth > depth)
        from = all[all[from].jump].depth >= depth ? all[from].jump : all[from].parent;
    return from;
}

bool wadi_scopes_holds(const wadi_scopes *s, wadi_scope_id a, wadi_scope_id b) {
    const wadi_scope *all = s->all.at;
    return all[b].depth >= all[a].depth && climb(s, b, all[a].depth) == a;
}

wadi_scope_id wadi_scopes_common(const wadi_scopes *s, wadi_scope_id a, wadi_scope_id b) {
    const wadi_scope *all = s->all.at;
    const uint32_t depth = all[a].depth < all[b].depth ? all[a].depth : all[b].depth;
    a = climb(s, a, depth);
    b = climb(s, b, depth);
    while (a != b) {
        const bool apart = all[a].jump != all[b].jump;
        a = apart ? all[a].jump : all[a].parent;
        b = apart ? all[b].jump : all[b].parent;
    }
    return a;
}
