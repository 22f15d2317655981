#include "tests/devices/doubles/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 64, RULES = 16, NAME = 64 };

static const settings usual = {.devices = 1,
                               .major = 8,
                               .minor = 0,
                               .units = 2,
                               .fitting = 7,
                               .driver = 12000,
                               .mode = 0,
                               .memory = 1ul << 28,
                               .pinned = 1ul << 30,
                               .seed = 1};
settings set;

static struct {
    char name[NAME];
    long calls;
} counted[NAMES];
static struct {
    char name[NAME];
    long at;
    int result;
} rules[RULES];
static int nrules;
static char hanging[NAME];
static long hangs_from;
static long all, lost_at;

static void take_rule(const char *value) {
    if (nrules == RULES) return;
    char name[NAME] = "";
    long at = 0;
    int result = 0;
    if (sscanf(value, "%63[^:]:%ld:%d", name, &at, &result) != 3) return;
    strcpy(rules[nrules].name, name);
    rules[nrules].at = at;
    rules[nrules++].result = result;
}

static void take_hang(const char *value) {
    if (sscanf(value, "%63[^:]:%ld", hanging, &hangs_from) != 2) hanging[0] = '\0';
}

static void take_word(const char *word, const char *value) {
    static const struct {
        const char *word;
        int *to;
    } numbers[] = {{"devices", &set.devices}, {"major", &set.major},   {"minor", &set.minor},
                   {"units", &set.units},     {"driver", &set.driver}, {"mode", &set.mode},
                   {"fitting", &set.fitting}, {"early", &set.early}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(word, numbers[i].word) == 0) *numbers[i].to = atoi(value);
    if (strcmp(word, "memory") == 0) set.memory = strtoul(value, NULL, 10);
    if (strcmp(word, "pinned") == 0) set.pinned = strtoul(value, NULL, 10);
    if (strcmp(word, "seed") == 0) set.seed = (unsigned)strtoul(value, NULL, 10);
    if (strcmp(word, "lost") == 0) lost_at = strtol(value, NULL, 10);
    if (strcmp(word, "fail") == 0) take_rule(value);
    if (strcmp(word, "hang") == 0) take_hang(value);
}

void settings_take(const char *words) {
    char copy[512];
    set = usual;
    nrules = 0;
    all = lost_at = 0;
    hanging[0] = '\0';
    memset(counted, 0, sizeof counted);
    (void)snprintf(copy, sizeof copy, "%s", words != NULL ? words : "");
    char *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (value == NULL) continue;
        *value = '\0';
        take_word(word, value + 1);
    }
}

static long *count_of(const char *name) {
    int i = 0;
    while (i < NAMES - 1 && counted[i].name[0] != '\0' && strcmp(counted[i].name, name) != 0) i++;
    (void)snprintf(counted[i].name, NAME, "%s", name);
    return &counted[i].calls;
}

int settings_call(const char *name, int *lost) {
    const long n = ++*count_of(name);
    *lost = ++all == lost_at;
    for (int i = 0; i < nrules; i++)
        if (rules[i].at == n && strcmp(rules[i].name, name) == 0) return rules[i].result;
    return 0;
}

int settings_hangs(const char *name) {
    return strcmp(name, hanging) == 0 && *count_of(name) >= hangs_from;
}

long settings_calls(const char *name) {
    return name == NULL ? all : *count_of(name);
}
