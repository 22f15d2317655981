/* A program outside wadi's tree that needs a module. */
#include <stdio.h>
#include <wadi/image.h>

int main(void) {
    wadi_error err = {0};
    wadi_sink *sink = NULL;
    if (wadi_sink_png("/dev/null", NULL, &sink, &err)) return puts(err.msg), 1;
    wadi_sink_destroy(sink);
    return 0;
}
