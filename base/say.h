/* What a program says on standard error, line by line: in words, or with --log json as objects that other programs read. */
#ifndef WADI_BASE_SAY_H
#define WADI_BASE_SAY_H

#include <stdbool.h>
#include <stdio.h>

#include "wadi/status.h"

typedef enum wadi_say_level { WADI_SAY_INFO, WADI_SAY_WARNING, WADI_SAY_ERROR } wadi_say_level;

/* The program's name, static. */
void wadi_say_as(const char *program);
const char *wadi_say_name(void);
/* Takes the value of --log: "text" or "json". For the tables of base/args.h; options is not used. */
wadi_status wadi_say_take(void *options, const char *value, wadi_error *err);
/* Whether it was json. */
bool wadi_say_json(void);

/* "PROGRAM: WORDS", with "warning: " before the words of one, as a terminal may have them (wadi_text_add_shown); or {"time", "level", "program", "run", "stage", "message"}, where time is that of the world in
 * UTC, and run and stage are those of the calling thread (base/log.h, base/task.h), or else of the run that has failed with these words, null if there is none. Any thread. */
void wadi_say(wadi_say_level level, const char *format, ...) WADI_PRINTF(2, 3);

/* Writes `words` at once as a terminal may have them; without memory, as they are. */
void wadi_say_shown(FILE *to, const char *words);

#endif
