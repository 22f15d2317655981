/* Each file and folder is a node: as the program sees it, as it was forced, and the changes since then. */
#include "tests/disk/disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"

enum { SECTOR = 512 };

const char *const disk_left_words[DISK_LEFT] = {"all", "torn", "synced", "names", "data", "some"};

typedef struct bytes {
    char *at;
    size_t n;
} bytes;

/* A name in a folder, or, as a change, that it is gone (node -1). */
typedef struct name {
    char text[256];
    int node;
} name;

typedef struct names {
    WADI_VEC(name) of;
} names;

typedef struct inode {
    uint64_t number; /* of its inode; 0: another has it now */
    bool folder;
    bytes now, forced;
    names names_now, names_forced, changes; /* of a folder */
    WADI_VEC(disk_entry) writes;            /* of a file, since it was forced */
} inode;

struct disk {
    WADI_VEC(inode) nodes; /* the first is the folder itself */
};

static void need(bool so) {
    if (!so) abort();
}

/* ---- contents ---- */

static void resize(bytes *b, size_t n) {
    char *more = realloc(b->at, n + 1);
    need(more != NULL);
    if (n > b->n) memset(more + b->n, 0, n - b->n);
    *b = (bytes){more, n};
}

static void put_bytes(bytes *b, size_t at, const char *data, size_t n) {
    if (at + n > b->n) resize(b, at + n);
    memcpy(b->at + at, data, n);
}

static bytes copy_bytes(const bytes *b) {
    bytes c = {0};
    resize(&c, b->n);
    if (b->n > 0) memcpy(c.at, b->at, b->n);
    return c;
}

/* ---- names ---- */

static int find_name(const names *n, const char *text) {
    for (size_t i = 0; i < n->of.n; i++)
        if (strcmp(n->of.at[i].text, text) == 0) return (int)i;
    return -1;
}

static void set_name(names *n, const char *text, int node) {
    const int at = find_name(n, text);
    name is = {.node = node};
    (void)snprintf(is.text, sizeof is.text, "%s", text);
    if (at >= 0 && node >= 0)
        n->of.at[at].node = node;
    else if (at >= 0)
        n->of.at[at] = n->of.at[--n->of.n];
    else if (node >= 0)
        need(wadi_vec_push(&n->of, is));
}

static void copy_names(names *to, const names *from) {
    to->of.n = 0;
    for (size_t i = 0; i < from->of.n; i++) need(wadi_vec_push(&to->of, from->of.at[i]));
}

/* ---- nodes ---- */

static int find_node(const disk *d, uint64_t number) {
    for (size_t i = 0; i < d->nodes.n && number != 0; i++)
        if (d->nodes.at[i].number == number) return (int)i;
    return -1;
}

static int add_node(disk *d, uint64_t number, bool folder) {
    const int old = find_node(d, number);
    if (old >= 0) d->nodes.at[old].number = 0;
    need(wadi_vec_push(&d->nodes, ((inode){.number = number, .folder = folder})));
    return (int)d->nodes.n - 1;
}

/* A change of a folder, which is kept until the folder is forced. */
static void change_name(disk *d, int folder, const char *text, int to) {
    inode *f = &d->nodes.at[folder];
    name change = {.node = to};
    (void)snprintf(change.text, sizeof change.text, "%s", text);
    set_name(&f->names_now, text, to);
    need(wadi_vec_push(&f->changes.of, change));
}

static void force(inode *x) {
    free(x->forced.at);
    x->forced = copy_bytes(&x->now);
    x->writes.n = 0;
    copy_names(&x->names_forced, &x->names_now);
    x->changes.of.n = 0;
}

static void change_data(bytes *b, const disk_entry *e) {
    if (e->is.change == DISK_CUT)
        resize(b, (size_t)e->is.at);
    else
        put_bytes(b, (size_t)e->is.at, e->data, (size_t)e->is.data_bytes);
}

static void rename_in(disk *d, int from, const disk_entry *e) {
    const int to = find_node(d, e->is.folder2),
              at = find_name(&d->nodes.at[from].names_now, e->name);
    if (to < 0 || at < 0) return;
    const int moved = d->nodes.at[from].names_now.of.at[at].node;
    change_name(d, to, e->name2, moved);
    if (e->is.change == DISK_RENAME) change_name(d, from, e->name, -1);
}

void disk_apply(disk *d, const disk_entry *e) {
    const int folder = find_node(d, e->is.folder);
    int file = find_node(d, e->is.file);
    switch ((disk_change)e->is.change) {
    case DISK_FILE:
    case DISK_FOLDER:
        if (folder < 0) return;
        file = add_node(d, e->is.file, e->is.change == DISK_FOLDER);
        change_name(d, folder, e->name, file);
        return;
    case DISK_WRITE:
    case DISK_CUT:
        if (file < 0) return;
        change_data(&d->nodes.at[file].now, e);
        need(wadi_vec_push(&d->nodes.at[file].writes, *e));
        return;
    case DISK_SYNC:
        if (file >= 0) force(&d->nodes.at[file]);
        return;
    case DISK_RENAME:
    case DISK_LINK:
        if (folder >= 0) rename_in(d, folder, e);
        return;
    case DISK_REMOVE:
        if (folder >= 0) change_name(d, folder, e->name, -1);
        return;
    }
}

/* ---- the beginning ---- */

static int take_folder(disk *d, const char *path) {
    struct stat about;
    need(stat(path, &about) == 0);
    const int self = add_node(d, about.st_ino, true);
    DIR *dir = opendir(path);
    need(dir != NULL);
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        char at[PATH_MAX];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        (void)snprintf(at, sizeof at, "%s/%s", path, e->d_name);
        need(stat(at, &about) == 0);
        int child = -1;
        if (S_ISDIR(about.st_mode)) {
            child = take_folder(d, at);
        } else {
            bytes b = {0};
            need(wadi_file_read(at, &b.at, &b.n, NULL) == WADI_OK);
            child = add_node(d, about.st_ino, false);
            d->nodes.at[child].now = b;
            force(&d->nodes.at[child]);
        }
        change_name(d, self, e->d_name, child);
    }
    (void)closedir(dir);
    force(&d->nodes.at[self]);
    return self;
}

disk *disk_create(const char *folder) {
    disk *d = calloc(1, sizeof *d);
    need(d != NULL);
    (void)take_folder(d, folder);
    return d;
}

void disk_destroy(disk *d) {
    for (size_t i = 0; i < d->nodes.n; i++) {
        inode *x = &d->nodes.at[i];
        free(x->now.at);
        free(x->forced.at);
        wadi_vec_free(&x->names_now.of);
        wadi_vec_free(&x->names_forced.of);
        wadi_vec_free(&x->changes.of);
        wadi_vec_free(&x->writes);
    }
    wadi_vec_free(&d->nodes);
    free(d);
}

/* ---- the end ---- */

typedef struct leaving {
    const disk *d;
    disk_left left;
    const disk_entry *next;
    uint64_t chance, digest;
} leaving;

static uint64_t chance(leaving *l) {
    l->chance = wadi_hash64(l->chance + 1);
    return l->chance;
}

static void note(leaving *l, const void *data, size_t n) {
    l->digest = wadi_hash64(l->digest ^ wadi_crc32c(0, data, n) ^ (uint64_t)n << 32);
}

/* A file becomes longer or shorter in one step; of what is written in it, any sectors may be there. */
static bytes some_data(leaving *l, const inode *x) {
    bytes b = copy_bytes(&x->forced);
    for (size_t i = 0; i < x->writes.n; i++) {
        const disk_entry *e = &x->writes.at[i];
        const uint64_t how = chance(l) % 4;
        if (how == 0) continue;
        if (e->is.change == DISK_CUT || how == 1) {
            change_data(&b, e);
            continue;
        }
        for (int64_t at = 0; at < e->is.data_bytes; at += SECTOR) {
            const int64_t n = e->is.data_bytes - at < SECTOR ? e->is.data_bytes - at : SECTOR;
            if (chance(l) % 2 == 0) put_bytes(&b, (size_t)(e->is.at + at), e->data + at, (size_t)n);
        }
    }
    return b;
}

static bytes data_left(leaving *l, const inode *x) {
    const disk_entry *next = l->next;
    if (l->left == DISK_SOME) return some_data(l, x);
    if (l->left == DISK_SYNCED || l->left == DISK_NAMES) return copy_bytes(&x->forced);
    bytes b = copy_bytes(&x->now);
    if (l->left == DISK_TORN && next != NULL && next->is.change == DISK_WRITE &&
        next->is.file == x->number)
        put_bytes(&b, (size_t)next->is.at, next->data, (size_t)next->is.data_bytes / 2);
    return b;
}

static names names_left(leaving *l, const inode *x) {
    names n = {0};
    if (l->left == DISK_SYNCED || l->left == DISK_DATA || l->left == DISK_SOME) {
        copy_names(&n, &x->names_forced);
        const size_t some = l->left == DISK_SOME ? chance(l) % (x->changes.of.n + 1) : 0;
        for (size_t i = 0; i < some; i++)
            set_name(&n, x->changes.of.at[i].text, x->changes.of.at[i].node);
    } else {
        copy_names(&n, &x->names_now);
    }
    return n;
}

static void leave_node(leaving *l, int i, const char *path) {
    const inode *x = &l->d->nodes.at[i];
    note(l, path, strlen(path));
    if (!x->folder) {
        bytes b = data_left(l, x);
        const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        need(fd >= 0 && write(fd, b.at, b.n) == (ssize_t)b.n && close(fd) == 0);
        note(l, b.at, b.n);
        free(b.at);
        return;
    }
    names n = names_left(l, x);
    need(i == 0 || mkdir(path, 0700) == 0);
    for (size_t k = 0; k < n.of.n; k++) {
        char at[PATH_MAX];
        (void)snprintf(at, sizeof at, "%s/%s", path, n.of.at[k].text);
        leave_node(l, n.of.at[k].node, at);
    }
    wadi_vec_free(&n.of);
}

uint64_t disk_leave(const disk *d, disk_left left, const disk_entry *next, uint64_t seed,
                    const char *folder) {
    leaving l = {.d = d, .left = left, .next = next, .chance = seed};
    leave_node(&l, 0, folder);
    return l.digest;
}

void disk_empty(const char *folder) {
    DIR *d = opendir(folder);
    for (const struct dirent *e = d ? readdir(d) : NULL; e != NULL; e = readdir(d)) {
        char path[PATH_MAX];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (unlink(path) == 0) continue;
        disk_empty(path);
        (void)rmdir(path);
    }
    if (d != NULL) (void)closedir(d);
}

/* ---- the log ---- */

disk_log disk_read_log(const char *path) {
    WADI_VEC(disk_entry) all = {0};
    disk_log log = {0};
    size_t n = 0;
    if (wadi_file_read(path, &log.bytes, &n, NULL) != WADI_OK) return log;
    for (size_t at = 0; at + sizeof(disk_record) <= n;) {
        disk_entry e = {0};
        memcpy(&e.is, log.bytes + at, sizeof e.is);
        at += sizeof e.is;
        memcpy(e.name, log.bytes + at, (size_t)e.is.name_bytes);
        at += (size_t)e.is.name_bytes;
        memcpy(e.name2, log.bytes + at, (size_t)e.is.name2_bytes);
        at += (size_t)e.is.name2_bytes;
        e.data = log.bytes + at;
        at += (size_t)e.is.data_bytes;
        need(wadi_vec_push(&all, e));
    }
    log.entry = all.at;
    log.n = (int)all.n;
    return log;
}

void disk_free_log(disk_log *log) {
    free(log->bytes);
    free(log->entry);
    *log = (disk_log){0};
}
