/* Texts as places: what the options mean, and what the ending of a name says of the separator. */
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "connectors/connectors.h"

static const struct {
    const char *option;
    const char *ending; /* of names of files that have it; NULL: none */
    char separator;
} separators[] = {
    {"separator=blank", NULL, '\0'},
    {"separator=comma", "csv", ','},
    {"separator=semicolon", NULL, ';'},
    {"separator=tab", "tsv", '\t'},
};

static wadi_status bad_option(const char *text, size_t n, wadi_error *err) {
    return wadi_fail(err, WADI_INVALID,
                     "lines: \"%.*s\" is no option; there are separator=blank, comma, semicolon or "
                     "tab, and for sources words (each word an element), skip=N (lines in front), "
                     "keep-cr",
                     n < 60 ? (int)n : 60, text);
}

static bool is(const char *word, const char *text, size_t n) {
    return strlen(word) == n && strncmp(word, text, n) == 0;
}

static wadi_status read_option(const char *text, size_t n, bool source, wadi_lines_options *o,
                               wadi_error *err) {
    for (size_t i = 0; i < sizeof separators / sizeof separators[0]; i++) {
        if (!is(separators[i].option, text, n)) continue;
        o->separator = separators[i].separator;
        return WADI_OK;
    }
    if (!source) return bad_option(text, n, err);
    if (strncmp(text, "skip=", 5) == 0 && wadi_place_number(text, n, 0, INT64_MAX, &o->skip))
        return WADI_OK;
    if (is("words", text, n))
        o->words = true;
    else if (is("keep-cr", text, n))
        o->keep_cr = true;
    else
        return bad_option(text, n, err);
    return WADI_OK;
}

static char separator_of(const char *at) {
    const char *dot = strrchr(at, '.');
    for (size_t i = 0; dot != NULL && i < sizeof separators / sizeof separators[0]; i++)
        if (separators[i].ending != NULL && wadi_ascii_alike(dot + 1, separators[i].ending))
            return separators[i].separator;
    return '\0';
}

static wadi_status read_options(const wadi_place *p, bool source, wadi_lines_options *o,
                                wadi_error *err) {
    *o = (wadi_lines_options){.separator = separator_of(p->at)};
    for (const char *text = p->options; text != NULL && *text != '\0';) {
        const size_t n = strcspn(text, ",");
        WADI_TRY(read_option(text, n, source, o, err));
        text += n + (text[n] == ',');
    }
    return WADI_OK;
}

static wadi_status lines_source(const wadi_place *p, wadi_opened *out, wadi_error *err) {
    wadi_lines_options o;
    WADI_TRY(read_options(p, true, &o, err));
    return wadi_source_lines(p->at, p->parts, p->part, &o, &out->source, err);
}

static wadi_status lines_sink(const wadi_place *p, wadi_sink **out, wadi_error *err) {
    wadi_lines_options o;
    WADI_TRY(read_options(p, false, &o, err));
    return wadi_sink_lines(p->at, &o, out, err);
}

const wadi_connector wadi_connector_row_lines = {
    .name = "lines",
    .about = "a text (txt, csv, tsv): its lines as u8[n], or the numbers in them; options "
             "separator=comma, words, skip=N, keep-cr",
    .endings = "txt csv tsv",
    .takes_options = true,
    .source = lines_source,
    .sink = lines_sink,
};
