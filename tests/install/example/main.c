/* A program outside wadi's tree: it only sees the installed headers and the library. */
#include <stdio.h>
#include <wadi/status.h>

int main(void) {
    printf("%s\n", wadi_status_name(WADI_SHAPE));
    return 0;
}
