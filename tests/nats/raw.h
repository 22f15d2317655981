/* What any client may say to a server, and hear there. */
#ifndef WADI_TESTS_NATS_RAW_H
#define WADI_TESTS_NATS_RAW_H

#include <stddef.h>

/* A connection that has introduced itself. */
int test_raw_connect(int port);
/* headers: with their empty line; "": none. The server has done it when the call returns. */
void test_raw_say(int port, const char *subject, const char *headers, const char *data);
/* Hears a subject; what comes is to be read from the socket. */
int test_raw_hear(int port, const char *subject);
/* Reads until one of the words has come, and closes the socket. */
void test_raw_read(int s, const char *word, const char *other, char *out, size_t room);

#endif
