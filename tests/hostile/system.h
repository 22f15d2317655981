/* The system calls of a program that a test runs: counted, and the n-th of a kind disturbed. They are seen by a filter of the kernel
 * (seccomp's notifications), so it does not matter who makes them: malloc, the loader, stdio, a library. */
#ifndef TESTS_HOSTILE_SYSTEM_H
#define TESTS_HOSTILE_SYSTEM_H

#include <stdbool.h>
#include <sys/types.h>

/* Kinds of calls. malloc, thread and dlopen are the preloaded library's (calls/interpose.c), the others system calls. */
enum { HOSTILE_KINDS = 9 };
extern const char *const hostile_kinds[HOSTILE_KINDS];

/* As system calls that no program makes: the preloaded library says that main begins, or that calls are its own for a while. */
enum { HOSTILE_GO = -77001, HOSTILE_PAUSE = -77002 };

typedef struct hostile_system {
    pid_t pid;
    int listener;   /* of the filter */
    unsigned kinds; /* to be disturbed, a bit each */
    long at;        /* which of them */
    enum { HOSTILE_FAIL, HOSTILE_KILL, HOSTILE_STOP } action;
    bool counts;
    long met, calls[HOSTILE_KINDS];
} hostile_system;

/* Puts the filter before the calling process and sends its other end through the socket. False: this kernel has none. */
bool hostile_system_filter(int socket);
/* Takes the end of the process's filter from the socket. orders: KIND:N:WHAT (calls/interpose.c). False: none came. */
bool hostile_system_begin(hostile_system *s, pid_t pid, int socket, const char *orders);
/* Answers calls for as long as there are some, then waits up to that time for another. */
void hostile_system_serve(hostile_system *s, int wait_ms);
void hostile_system_end(hostile_system *s);

#endif
