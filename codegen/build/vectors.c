/* Finds the loops of kernels in their text, and says of each what the compiler did. The text is wadi's own, so the indentation tells where a
 * loop ends, and a comment in a line of its own what is computed below it. */
#include "codegen/build/vectors.h"

#include <stdlib.h>
#include <string.h>

/* ---- the loops of a text ---- */

/* Bytes of the text; at: NULL if there are none. */
typedef struct piece {
    const char *at;
    int n;
} piece;

typedef struct loop {
    int line, last; /* the first line and the last; last is 0 while the loop is open */
    int indent;
    bool brief;   /* it is marked as one of few rounds, which is not meant for vectors */
    bool outer;   /* there is another loop in it */
    piece test;   /* i < n */
    piece about;  /* the comment above */
    piece kernel; /* its name */
    piece nest;   /* the array that its function writes, if it has one of its own */
} loop;

typedef struct finder {
    WADI_VEC(loop) loops;
    size_t first;             /* loop of the present kernel */
    WADI_VEC(piece) comments; /* of the present kernel */
    int comment;              /* line of the last one */
    piece kernel, nest, about;
} finder;

static bool starts(piece p, const char *with) {
    const size_t n = strlen(with);
    return (size_t)p.n >= n && strncmp(p.at, with, n) == 0;
}

static bool ends(piece p, const char *with) {
    const int n = (int)strlen(with);
    return p.n >= n && strncmp(p.at + p.n - n, with, (size_t)n) == 0;
}

/* What stands between the first two semicolons, which is a loop's test. */
static piece test_of(piece line) {
    piece t = {line.at, 0};
    int k = 0;
    while (k < line.n && line.at[k] != ';') k++;
    while (k + 1 < line.n && (line.at[k] == ';' || line.at[k] == ' ')) k++;
    t.at = line.at + k;
    while (k < line.n && line.at[k] != ';' && line.at[k] != ')') k++, t.n++;
    return t;
}

/* There is another loop in all that are open. */
static void note_inner(finder *f) {
    for (size_t k = f->first; k < f->loops.n; k++)
        if (f->loops.at[k].last == 0) f->loops.at[k].outer = true;
}

/* if (KERNEL_.. calls a nest. */
static bool calls_nest(const finder *f, piece line) {
    return starts(line, "if (") && line.n > 4 + f->kernel.n && line.at[4 + f->kernel.n] == '_' &&
           strncmp(line.at + 4, f->kernel.at, (size_t)f->kernel.n) == 0;
}

static bool open_loop(finder *f, piece line, int number, int indent) {
    note_inner(f);
    const bool endless = starts(line, "for (;;)");
    return wadi_vec_push(&f->loops, (loop){.line = number,
                                           .indent = indent,
                                           .test = endless ? (piece){NULL, 0} : test_of(line),
                                           .about = f->about,
                                           .kernel = f->kernel,
                                           .nest = f->nest});
}

static void close_loop(finder *f, int number, int indent) {
    for (size_t k = f->loops.n; k-- > f->first;)
        if (f->loops.at[k].last == 0 && f->loops.at[k].indent == indent) {
            f->loops.at[k].last = number;
            return;
        }
}

/* Whether the comment says what is computed into the array. */
static bool is_of(piece comment, piece array) {
    return comment.n > array.n && comment.at[array.n] == ':' &&
           strncmp(comment.at, array.at, (size_t)array.n) == 0;
}

/* A function of a nest stands in front of the kernel that calls it, and of that kernel's comments. */
static piece comment_for(const finder *f, const loop *l) {
    for (size_t k = 0; k < f->comments.n && l->nest.at != NULL; k++)
        if (is_of(f->comments.at[k], l->nest)) return f->comments.at[k];
    return f->comments.n > 0 ? f->comments.at[0] : (piece){NULL, 0};
}

static void end_kernel(finder *f, int number) {
    for (size_t k = f->first; k < f->loops.n; k++) {
        loop *l = &f->loops.at[k];
        if (l->last == 0) l->last = number;
        if (l->about.at == NULL) l->about = comment_for(f, l);
    }
    f->first = f->loops.n;
    wadi_vec_clear(&f->comments);
}

static void begin_kernel(finder *f, piece line, const char *mark) {
    const char *name = line.at + strlen(mark);
    f->kernel = (piece){name, (int)strcspn(name, " \n")};
}

/* KERNEL_NUMBER_ARRAY( of a nest, or KERNEL(. A comment right above belongs to the function. */
static void begin_function(finder *f, piece name, int number) {
    const int open = (int)strcspn(name.at, "(\n");
    const int digits = f->kernel.n + 1;
    f->nest = (piece){NULL, 0};
    if (number != f->comment + 1) f->about = (piece){NULL, 0};
    if (open <= digits) return;
    const int at = digits + (int)strspn(name.at + digits, "0123456789") + 1;
    if (at < open) f->nest = (piece){name.at + at, open - at};
}

/* Comments in lines that follow each other are one. */
static bool take_comment(finder *f, piece line, int number) {
    const piece more = {line.at + 3, line.n - 6};
    const bool joined = f->about.at != NULL && number == f->comment + 1;
    f->comment = number;
    if (!joined) {
        f->about = more;
        return wadi_vec_push(&f->comments, more);
    }
    f->about.n = (int)(more.at + more.n - f->about.at);
    wadi_vec_last(&f->comments) = f->about;
    return true;
}

static bool take_line(finder *f, piece line, int number, int indent, const char *mark) {
    if (starts(line, mark)) {
        end_kernel(f, number - 1);
        begin_kernel(f, line, mark);
    } else if (f->kernel.at == NULL || starts(line, "/* ---- ")) {
        return true;
    } else if (starts(line, "/* ") && ends(line, " */")) {
        return take_comment(f, line, number);
    } else if (starts(line, "int ") && indent == 0) {
        begin_function(f, (piece){line.at + 4, line.n - 4}, number);
    } else if (starts(line, "WADI_NEST int ")) {
        begin_function(f, (piece){line.at + 14, line.n - 14}, number);
    } else if (starts(line, "for (")) {
        return open_loop(f, line, number, indent);
    } else if (starts(line, "WADI_BRIEF") && f->loops.n > f->first) {
        wadi_vec_last(&f->loops).brief = true;
    } else if (calls_nest(f, line)) {
        note_inner(f);
    } else if (starts(line, "}")) {
        close_loop(f, number, indent);
    }
    return true;
}

static bool find_loops(finder *f, const char *source, const char *mark) {
    int number = 1;
    for (const char *at = source; *at != '\0'; number++) {
        const int n = (int)strcspn(at, "\n"), indent = (int)strspn(at, " ");
        if (!take_line(f, (piece){at + indent, n - indent}, number, indent, mark)) return false;
        at += n;
        at += *at == '\n';
    }
    end_kernel(f, number);
    return true;
}

/* ---- what was said of them ---- */

/* What was said of one loop. */
typedef struct verdict {
    bool vectors, parts;
    int bytes[3], lanes; /* of vectors, in the order told; 0: no more */
    piece why;
} verdict;

static void add_bytes(verdict *v, int bytes) {
    int k = 0;
    while (k < 2 && v->bytes[k] != 0 && v->bytes[k] != bytes) k++;
    v->bytes[k] = bytes;
}

static void hear(verdict *v, const wadi_remark *r) {
    v->vectors = v->vectors || r->kind == WADI_REMARK_LOOP;
    v->parts = v->parts || r->kind == WADI_REMARK_PART;
    if (r->bytes > 0) add_bytes(v, r->bytes);
    if (r->lanes > v->lanes) v->lanes = r->lanes;
    if (r->kind == WADI_REMARK_NOT && (v->why.at == NULL || v->why.n == 0))
        v->why = r->n > 0 ? (piece){r->why, r->n} : (piece){"", 0};
}

/* Of a loop with others in it only what is said of its first line. */
static verdict verdict_of(const loop *l, const wadi_remarks *remarks) {
    verdict v = {0};
    for (size_t k = 0; k < remarks->n; k++) {
        const wadi_remark *r = &remarks->at[k];
        if (r->line == l->line || (!l->outer && r->line > l->line && r->line <= l->last))
            hear(&v, r);
    }
    return v;
}

/* ---- printing ---- */

/* Whether the test says that there are at most 16 rounds, which the compiler writes out. */
static bool is_short(piece test) {
    int k = test.n;
    while (k > 0 && test.at[k - 1] >= '0' && test.at[k - 1] <= '9') k--;
    return k > 1 && k < test.n && test.at[k - 1] == ' ' && atoi(test.at + k) <= 16;
}

static bool is_same(piece a, piece b) {
    return a.n == b.n && (a.n == 0 || strncmp(a.at, b.at, (size_t)a.n) == 0);
}

static void add(wadi_text *out, piece p) {
    wadi_text_add_n(out, p.at, (size_t)p.n);
}

static void print_sizes(const verdict *v, wadi_text *out) {
    if (v->lanes > 0) wadi_text_addf(out, " of %d elements", v->lanes);
    for (int k = 0; k < 3 && v->bytes[k] > 0; k++)
        wadi_text_addf(out, "%s %d", k == 0 ? " of" : ", then", v->bytes[k]);
    if (v->bytes[0] > 0) wadi_text_add(out, " bytes");
}

static void print_verdict(const verdict *v, wadi_text *out) {
    if (v->vectors || v->parts) {
        wadi_text_add(out, v->vectors ? "vectors" : "written out, with vectors");
        print_sizes(v, out);
    } else if (v->why.at != NULL) {
        wadi_text_add(out, "no vectors");
        if (v->why.n > 0) wadi_text_add(out, ": ");
        add(out, v->why);
    } else {
        wadi_text_add(out, "nothing is said: written out, removed, or made one with another");
    }
    wadi_text_add(out, "\n");
}

/* Comments in several lines go into one. */
static void print_about(piece about, wadi_text *out) {
    for (int k = 0; k < about.n;) {
        const char *end = strstr(about.at + k, " */\n");
        const bool more = end != NULL && end < about.at + about.n;
        const int n = more ? (int)(end - about.at) - k : about.n - k;
        wadi_text_add_n(out, about.at + k, (size_t)n);
        if (!more) return;
        wadi_text_add(out, "; ");
        k += n + 4;
        k += (int)strspn(about.at + k, " ") + 3;
    }
}

static void print_loop(const loop *l, const loop *before, const verdict *v, wadi_text *out) {
    if (before == NULL || !is_same(l->kernel, before->kernel) ||
        !is_same(l->about, before->about)) {
        wadi_text_add(out, "\n");
        print_about(l->about, out);
        wadi_text_add(out, " (");
        add(out, l->kernel);
        wadi_text_add(out, ")\n");
    }
    wadi_text_add(out, "    ");
    add(out, l->test.at != NULL ? l->test : (piece){"until it is left", 16});
    wadi_text_add(out, ": ");
    print_verdict(v, out);
}

/* Whether it is told of the loop. What has no comment computes shapes and counts units of work. */
static bool is_told(const loop *l, const verdict *v) {
    if (l->brief || l->about.at == NULL) return false;
    if (v->vectors) return true;
    return !l->outer && (v->parts || v->why.at != NULL || !is_short(l->test));
}

bool wadi_vectors_print(const char *source, const char *mark, const wadi_remarks *remarks,
                        wadi_text *out) {
    finder f = {0};
    wadi_text lines = {0};
    const loop *before = NULL;
    int all = 0, some = 0;
    const bool found = find_loops(&f, source, mark);
    for (size_t k = 0; k < f.loops.n; k++) {
        const loop *l = &f.loops.at[k];
        const verdict v = verdict_of(l, remarks);
        if (!is_told(l, &v)) continue;
        all++;
        some += v.vectors || v.parts;
        print_loop(l, before, &v, &lines);
        before = l;
    }
    wadi_text_addf(out, "%d of %d loops use vectors\n", some, all);
    wadi_text_add(out, wadi_text_str(&lines));
    const bool ok = found && !lines.failed && !out->failed;
    wadi_vec_free(&f.loops);
    wadi_vec_free(&f.comments);
    wadi_text_fini(&lines);
    return ok;
}
