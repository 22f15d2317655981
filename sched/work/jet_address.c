/* Reading addresses of jobs and of streams. */
#include "sched/work/jet_address.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/error.h"
#include "base/format.h"

static const char scheme[] = "nats://";

bool wadi_jet_name_fits(const char *s) {
    const size_t n = strlen(s);
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    return n > 0 && n <= WADI_JET_NAME_MOST && strspn(s, letters) == n;
}

/* Whether only this machine can be meant. */
static bool is_local(const wadi_jet_address *a) {
    const char *dotted = a->host;
    if (strcmp(a->host, "localhost") == 0 || strcmp(a->host, "::1") == 0) return true;
    return strncmp(dotted, "127.", 4) == 0 && strspn(dotted, "0123456789.") == strlen(dotted);
}

/* ---- settings ---- */

typedef wadi_status (*set)(wadi_jet_address *a, const char *name, const char *value,
                           wadi_error *err);

static wadi_status set_file(wadi_jet_address *a, const char *name, const char *value,
                            wadi_error *err) {
    const struct {
        const char *name;
        const char **to;
    } files[] = {{"nkey", &a->nkey}, {"creds", &a->creds}, {"token", &a->token},
                 {"ca", &a->ca},     {"cert", &a->cert},   {"key", &a->key}};
    if (*value == '\0') return wadi_fail(err, WADI_INVALID, "%s: a file is missing", name);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strcmp(files[i].name, name) == 0) *files[i].to = value;
    return WADI_OK;
}

static wadi_status set_yes(wadi_jet_address *a, const char *name, const char *value,
                           wadi_error *err) {
    if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
        return wadi_fail(err, WADI_INVALID, "%s: expected yes or no, got \"%.40s\"", name, value);
    *(*name == 't' ? &a->tls : *name == 'f' ? &a->follow : &a->gaps) = *value == 'y';
    return WADI_OK;
}

static wadi_status set_seconds(wadi_jet_address *a, const char *name, const char *value,
                               wadi_error *err) {
    char *end = NULL;
    const double s = wadi_format_read_f64(value, &end);
    if (end == value || *end != '\0' || !isfinite(s) || s < 0.1 || s > 1e6)
        return wadi_fail(err, WADI_INVALID,
                         "%s: expected seconds from 0.1 to 1000000, got \"%.40s\"", name, value);
    *(strcmp(name, "wait") == 0 ? &a->wait_s : &a->ack_wait_s) = s;
    return WADI_OK;
}

static wadi_status set_count(wadi_jet_address *a, const char *name, const char *value,
                             wadi_error *err) {
    static const struct {
        const char *letter;
        int64_t times;
    } units[] = {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}};
    const bool bytes = strcmp(name, "budget") == 0;
    int64_t *to = bytes ? &a->budget : strcmp(name, "batch") == 0 ? &a->batch : &a->credit;
    char *end = NULL;
    const long long n = strtoll(value, &end, 10);
    for (size_t i = 0; i < (bytes ? 4 : 1); i++) {
        if (end == value || strcmp(end, units[i].letter) != 0) continue;
        if (n < 1 || n > (bytes ? INT64_C(1) << 44 : 30000) / units[i].times) break;
        *to = n * units[i].times;
        return WADI_OK;
    }
    return wadi_fail(err, WADI_INVALID, "%s: expected %s, got \"%.40s\"", name,
                     bytes ? "bytes (64M, 1G)" : "a number from 1 to 30000", value);
}

/* Words of a subject stand between dots. A pattern has * for a word, and > for all that follow. */
static bool is_subject(const char *s, bool pattern) {
    const size_t n = strlen(s);
    if (n == 0 || n > WADI_JET_STREAM_MOST || s[0] == '.' || s[n - 1] == '.') return false;
    if (strstr(s, "..") != NULL || (!pattern && strpbrk(s, "*>") != NULL)) return false;
    for (size_t i = 0; i < n; i++)
        if (s[i] <= ' ' || s[i] == 127) return false;
    return true;
}

static wadi_status set_subject(wadi_jet_address *a, const char *name, const char *value,
                               wadi_error *err) {
    if (!is_subject(value, true))
        return wadi_fail(err, WADI_INVALID,
                         "%s: \"%.60s\" is no subject, as orders.new or orders.>", name, value);
    a->subject = value;
    return WADI_OK;
}

static wadi_status set_number(wadi_jet_address *a, const char *name, const char *value,
                              wadi_error *err) {
    int64_t n = 0;
    if (!wadi_args_number(value, 1, INT64_MAX / 2, &n))
        return wadi_fail(err, WADI_INVALID,
                         "%s: expected the number of a message, from 1, got \"%.40s\"", name,
                         value);
    *(strcmp(name, "from") == 0 ? &a->from : &a->to) = n;
    return WADI_OK;
}

static wadi_status set_as(wadi_jet_address *a, const char *name, const char *value,
                          wadi_error *err) {
    static const char *const forms[] = {[WADI_JET_AS_ELEMENT] = "element",
                                        [WADI_JET_AS_RECORDS] = "records",
                                        [WADI_JET_AS_LINES] = "lines"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(value, forms[i]) != 0) continue;
        a->as = (wadi_jet_as)i;
        return WADI_OK;
    }
    return wadi_fail(err, WADI_INVALID, "%s: expected element, records or lines, got \"%.40s\"",
                     name, value);
}

static wadi_status set_separator(wadi_jet_address *a, const char *name, const char *value,
                                 wadi_error *err) {
    static const struct {
        const char *word;
        char separator;
    } words[] = {{"blank", '\0'}, {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(value, words[i].word) != 0) continue;
        a->separator = words[i].separator;
        return WADI_OK;
    }
    return wadi_fail(err, WADI_INVALID,
                     "%s: expected blank, comma, semicolon or tab, got \"%.40s\"", name, value);
}

enum { STREAM = WADI_JET_READ | WADI_JET_WRITE, ANY = WADI_JET_JOB | STREAM };

static const struct {
    const char *name;
    set set;
    int uses;
} settings[] = {{"nkey", set_file, ANY},
                {"creds", set_file, ANY},
                {"token", set_file, ANY},
                {"tls", set_yes, ANY},
                {"ca", set_file, ANY},
                {"cert", set_file, ANY},
                {"key", set_file, ANY},
                {"wait", set_seconds, ANY},
                {"ack", set_seconds, WADI_JET_JOB},
                {"credit", set_count, WADI_JET_JOB | WADI_JET_WRITE},
                {"budget", set_count, WADI_JET_JOB},
                {"subject", set_subject, STREAM},
                {"from", set_number, WADI_JET_READ},
                {"to", set_number, WADI_JET_READ},
                {"follow", set_yes, WADI_JET_READ},
                {"gaps", set_yes, WADI_JET_READ},
                {"as", set_as, STREAM},
                {"separator", set_separator, STREAM},
                {"batch", set_count, WADI_JET_WRITE}};

static wadi_status no_such_setting(const char *name, wadi_jet_use use, wadi_error *err) {
    char names[160] = "";
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if ((settings[i].uses & (int)use) == 0) continue;
        (void)strcat(strcat(names, " "), settings[i].name);
    }
    return wadi_fail(err, WADI_INVALID, "there is no setting \"%.40s\"; there are%s", name, names);
}

static wadi_status read_setting(wadi_jet_address *a, wadi_jet_use use, char *word,
                                wadi_error *err) {
    char *value = strchr(word, '=');
    if (value == NULL) return wadi_fail(err, WADI_INVALID, "\"%.40s\": expected NAME=VALUE", word);
    *value++ = '\0';
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if ((settings[i].uses & (int)use) != 0 && strcmp(settings[i].name, word) == 0)
            return settings[i].set(a, word, value, err);
    return no_such_setting(word, use, err);
}

static wadi_status read_settings(wadi_jet_address *a, wadi_jet_use use, char *words,
                                 wadi_error *err) {
    while (words != NULL) {
        char *next = strchr(words, '&');
        if (next != NULL) *next++ = '\0';
        WADI_TRY(read_setting(a, use, words, err));
        words = next;
    }
    if ((a->cert == NULL) != (a->key == NULL))
        return wadi_fail(err, WADI_INVALID, "cert and key must be given together");
    if ((a->nkey != NULL) + (a->creds != NULL) + (a->token != NULL) > 1)
        return wadi_fail(err, WADI_INVALID, "only one of nkey, creds and token can be given");
    if (a->to > 0 && a->to < a->from)
        return wadi_fail(err, WADI_INVALID, "to: message %lld is before the first one, %lld",
                         (long long)a->to, (long long)a->from);
    if (use == WADI_JET_WRITE && a->subject != NULL && !is_subject(a->subject, false))
        return wadi_fail(err, WADI_INVALID, "subject: \"%.60s\" means many, expected one",
                         a->subject);
    if (a->separator != '\0' && a->as != WADI_JET_AS_LINES)
        return wadi_fail(err, WADI_INVALID, "separator: it is for lines of numbers (as=lines)");
    if (a->batch > 1 && a->as == WADI_JET_AS_ELEMENT)
        return wadi_fail(err, WADI_INVALID,
                         "batch: several elements in a message are as=records or as=lines");
    a->tls = a->tls || a->ca != NULL || a->cert != NULL;
    return WADI_OK;
}

/* ---- host and port ---- */

static wadi_status read_host(wadi_jet_address *a, char *host, wadi_error *err) {
    char *port = NULL;
    if (strchr(host, '@') != NULL)
        return wadi_fail(err, WADI_INVALID,
                         "names and passwords in an address can be seen by others: use nkey=FILE, "
                         "creds=FILE or token=FILE");
    if (*host == '[') {
        char *close = strchr(host++, ']');
        if (close == NULL || (close[1] != '\0' && close[1] != ':'))
            return wadi_fail(err, WADI_INVALID, "the ] of the host is missing");
        port = close[1] == ':' ? close + 2 : NULL;
        *close = '\0';
    } else if ((port = strchr(host, ':')) != NULL) {
        *port++ = '\0';
    }
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:%";
    if (*host == '\0' || strspn(host, letters) != strlen(host))
        return wadi_fail(err, WADI_INVALID, "\"%.60s\" is no host", host);
    a->host = host;
    if (port == NULL) return WADI_OK;
    char *end = NULL;
    const long n = strtol(port, &end, 10);
    if (end == port || *end != '\0' || n < 1 || n > 65535)
        return wadi_fail(err, WADI_INVALID, "\"%.40s\" is no port", port);
    a->port = (int)n;
    return WADI_OK;
}

static wadi_status check_safety(const wadi_jet_address *a, wadi_jet_use use, wadi_error *err) {
    const bool known = a->nkey != NULL || a->creds != NULL || a->token != NULL || a->cert != NULL;
    if (is_local(a) || (a->tls && known)) return WADI_OK;
    return wadi_fail(err, WADI_INVALID,
                     "%.100s is another machine: %s, so this needs TLS "
                     "(tls=yes or ca=FILE) and one of nkey, creds, token and cert",
                     a->host,
                     use == WADI_JET_JOB ? "workers compile what comes from there"
                                         : "others could read and change messages on their way");
}

/* Whether a server takes this as the name of a stream, and a question mark ends it. */
static bool is_stream(const char *s) {
    const size_t n = strlen(s);
    if (n == 0 || n > WADI_JET_STREAM_MOST || strpbrk(s, ".*>/\\ ") != NULL) return false;
    for (size_t i = 0; i < n; i++)
        if (s[i] <= ' ' || s[i] >= 127) return false;
    return true;
}

static wadi_status read_name(wadi_jet_address *a, wadi_jet_use use, const char *name,
                             wadi_error *err) {
    if (use != WADI_JET_JOB) {
        if (name == NULL || *name == '\0')
            return wadi_fail(err, WADI_INVALID,
                             "the name of a stream is missing: expected " WADI_JET_STREAM_FORM);
        if (!is_stream(name))
            return wadi_fail(err, WADI_INVALID, "\"%.60s\" is no name of a stream", name);
        a->stream = name;
        return WADI_OK;
    }
    if (name == NULL || *name == '\0') return WADI_OK;
    if (!wadi_jet_name_fits(name))
        return wadi_fail(
            err, WADI_INVALID,
            "\"%.60s\" is no name of a job: it has letters, digits, - and _, at most %d", name,
            (int)WADI_JET_NAME_MOST);
    a->job = name;
    return WADI_OK;
}

static wadi_status read_parts(const char *address, wadi_jet_use use, wadi_jet_address *a,
                              wadi_error *err) {
    if (strncmp(address, scheme, sizeof scheme - 1) != 0)
        return wadi_fail(err, WADI_INVALID, "expected %s",
                         use == WADI_JET_JOB ? WADI_JET_FORM : WADI_JET_STREAM_FORM);
    if (strlen(address) > 4096) return wadi_fail(err, WADI_INVALID, "it is too long");
    *a = (wadi_jet_address){.text = strdup(address + sizeof scheme - 1),
                            .port = WADI_JET_PORT,
                            .job = "",
                            .wait_s = 60,
                            .ack_wait_s = 5,
                            .credit = 256,
                            .batch = 1,
                            .budget = INT64_C(256) << 20};
    if (a->text == NULL) return wadi_fail(err, WADI_MEMORY, "out of memory");
    char *words = strchr(a->text, '?');
    if (words != NULL) *words++ = '\0';
    char *name = strchr(a->text, '/');
    if (name != NULL) *name++ = '\0';
    WADI_TRY(read_name(a, use, name, err));
    WADI_TRY(read_host(a, a->text, err));
    WADI_TRY(read_settings(a, use, words, err));
    return check_safety(a, use, err);
}

static wadi_status read_address(const char *address, wadi_jet_use use, wadi_jet_address *out,
                                wadi_error *err) {
    wadi_error why = {0};
    *out = (wadi_jet_address){0};
    const wadi_status st = read_parts(address, use, out, &why);
    if (st != WADI_OK) return wadi_fail(err, st, "\"%.80s\": %.380s", address, why.msg);
    return WADI_OK;
}

wadi_status wadi_jet_address_read(const char *address, wadi_jet_address *out, wadi_error *err) {
    return read_address(address, WADI_JET_JOB, out, err);
}

wadi_status wadi_jet_stream_address_read(const char *address, wadi_jet_use use,
                                         wadi_jet_address *out, wadi_error *err) {
    return read_address(address, use, out, err);
}

void wadi_jet_address_fini(wadi_jet_address *a) {
    free(a->text);
    *a = (wadi_jet_address){0};
}
