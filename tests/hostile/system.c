/* Starts a program under a filter of the kernel, counts its system calls and disturbs one of them. Only calls of the process
 * itself count: the compiler inherits the filter, but its calls are not disturbed. */
#define _GNU_SOURCE
#include "tests/hostile/system.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MALLOC, MMAP, OPEN, WRITE, FSYNC, RENAME, FORK };
const char *const hostile_kinds[HOSTILE_KINDS] = {"malloc", "mmap", "open",   "write", "fsync",
                                                  "rename", "fork", "thread", "dlopen"};

static const struct watched {
    int number, kind;
} watched[] = {
    {SYS_mmap, MMAP},       {SYS_mremap, MMAP},       {SYS_mprotect, MMAP}, {SYS_openat, OPEN},
    {SYS_openat2, OPEN},    {SYS_memfd_create, OPEN}, {SYS_pipe2, OPEN},    {SYS_eventfd2, OPEN},
    {SYS_socket, OPEN},     {SYS_dup, OPEN},          {SYS_write, WRITE},   {SYS_pwrite64, WRITE},
    {SYS_writev, WRITE},    {SYS_ftruncate, WRITE},   {SYS_fsync, FSYNC},   {SYS_fdatasync, FSYNC},
    {SYS_renameat, RENAME}, {SYS_renameat2, RENAME},  {SYS_linkat, RENAME}, {SYS_clone, FORK},
#ifdef SYS_open /* older machines have calls that newer ones do without */
    {SYS_open, OPEN},       {SYS_creat, OPEN},        {SYS_pipe, OPEN},     {SYS_rename, RENAME},
    {SYS_link, RENAME},     {SYS_fork, FORK},         {SYS_vfork, FORK},
#endif
};
enum { WATCHED = sizeof watched / sizeof watched[0] };

static const int reason[HOSTILE_KINDS] = {ENOMEM, ENOMEM, EMFILE, ENOSPC, EIO, EIO, EAGAIN};

/* ---- in the process ---- */

static int make_filter(void) {
    struct sock_filter code[2 * WATCHED + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    size_t n = 1;
    for (int i = 0; i < WATCHED; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                 (uint32_t)watched[i].number, 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                        &program);
}

/* A message that carries a descriptor. */
typedef struct parcel {
    struct msghdr head;
    struct iovec data;
    char byte;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
} parcel;

static struct cmsghdr *wrap(parcel *p) {
    *p = (parcel){.byte = 'f'};
    p->data = (struct iovec){&p->byte, 1};
    p->head = (struct msghdr){.msg_iov = &p->data,
                              .msg_iovlen = 1,
                              .msg_control = p->control,
                              .msg_controllen = sizeof p->control};
    return CMSG_FIRSTHDR(&p->head);
}

bool hostile_system_filter(int socket) {
    parcel p;
    struct cmsghdr *c = wrap(&p);
    const int listener = make_filter();
    if (listener < 0) return false;
    *c = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof listener)};
    memcpy(CMSG_DATA(c), &listener, sizeof listener);
    const bool sent = sendmsg(socket, &p.head, 0) == 1;
    (void)close(listener);
    return sent;
}

/* ---- in the test ---- */

static void take_orders(hostile_system *s, const char *orders) {
    char kind[16] = "", what[16] = "";
    if (sscanf(orders, "%15[a-z]:%ld:%15[a-z]", kind, &s->at, what) != 3) abort();
    for (int i = MMAP; i <= FORK; i++)
        if (strcmp(hostile_kinds[i], kind) == 0) s->kinds = 1u << i;
    if (strcmp(kind, "disk") == 0) s->kinds = 1u << WRITE | 1u << FSYNC | 1u << RENAME;
    s->action = *what == 'k' ? HOSTILE_KILL : *what == 's' ? HOSTILE_STOP : HOSTILE_FAIL;
}

bool hostile_system_begin(hostile_system *s, pid_t pid, int socket, const char *orders) {
    parcel p;
    struct cmsghdr *c = wrap(&p);
    *s = (hostile_system){.pid = pid, .listener = -1};
    take_orders(s, orders);
    if (recvmsg(socket, &p.head, MSG_CMSG_CLOEXEC) != 1) return false;
    c = CMSG_FIRSTHDR(&p.head);
    if (c == NULL || c->cmsg_type != SCM_RIGHTS) return false;
    memcpy(&s->listener, CMSG_DATA(c), sizeof s->listener);
    return true;
}

void hostile_system_end(hostile_system *s) {
    if (s->listener >= 0) (void)close(s->listener);
    s->listener = -1;
}

static bool is_of(const hostile_system *s, pid_t thread) {
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d", (int)s->pid, (int)thread);
    return thread == s->pid || access(path, F_OK) == 0;
}

static int kind_of(int number) {
    for (int i = 0; i < WATCHED; i++)
        if (watched[i].number == number) return watched[i].kind;
    return MALLOC;
}

/* What a kill or a crash in the middle of a write leaves. */
static void write_half(const hostile_system *s, const struct seccomp_data *call) {
    static char data[1 << 20];
    const size_t half =
        (size_t)call->args[2] / 2 < sizeof data ? (size_t)call->args[2] / 2 : sizeof data;
    const struct iovec to = {data, half}, from = {(void *)(uintptr_t)call->args[1], half};
    if (call->nr != SYS_write && call->nr != SYS_pwrite64) return;
    const int process = (int)syscall(SYS_pidfd_open, s->pid, 0);
    const int fd = (int)syscall(SYS_pidfd_getfd, process, (int)call->args[0], 0);
    const ssize_t n = process_vm_readv(s->pid, &to, 1, &from, 1, 0);
    if (fd < 0 || n < 0) abort();
    const ssize_t done = call->nr == SYS_write ? write(fd, data, (size_t)n)
                                               : pwrite(fd, data, (size_t)n, (off_t)call->args[3]);
    if (done < 0 && errno != EPIPE) abort();
    (void)close(fd);
    (void)close(process);
}

/* A counter of the kernel's, which is never full: threads wake one another by it. */
static bool is_eventfd(const hostile_system *s, int fd) {
    char path[64], what[32] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)s->pid, fd);
    return readlink(path, what, sizeof what - 1) > 0 && strcmp(what, "anon_inode:[eventfd]") == 0;
}

/* Is this the call? */
static bool strikes(hostile_system *s, int kind) {
    if (!s->counts) return false;
    s->calls[kind]++;
    return (s->kinds & 1u << kind) != 0 && ++s->met == s->at;
}

static void answer(hostile_system *s, const struct seccomp_notif *asked) {
    struct seccomp_notif_resp reply = {.id = asked->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    const int kind = kind_of(asked->data.nr), fd = (int)asked->data.args[0];
    if (!is_of(s, (pid_t)asked->pid) || (kind == WRITE && is_eventfd(s, fd))) {
        /* another process's, or one that does not fail */
    } else if (kind == FSYNC && (fd == HOSTILE_GO || fd == HOSTILE_PAUSE)) {
        s->counts = fd == HOSTILE_GO;
        reply.flags = 0;
    } else if (strikes(s, kind)) {
        if (s->action == HOSTILE_KILL) {
            if (kind == WRITE) write_half(s, &asked->data);
            (void)kill(s->pid, SIGKILL);
        } else if (s->action == HOSTILE_STOP) {
            (void)kill(s->pid, SIGSTOP);
        } else {
            reply.flags = 0;
            reply.error = -reason[kind];
        }
    }
    (void)ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

void hostile_system_serve(hostile_system *s, int wait_ms) {
    struct pollfd p = {.fd = s->listener, .events = POLLIN};
    while (poll(&p, 1, wait_ms) > 0 && (p.revents & POLLIN) != 0) {
        struct seccomp_notif asked = {0};
        if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) == 0) answer(s, &asked);
    }
    if ((p.revents & POLLHUP) != 0) hostile_system_end(s);
}
