/* A program outside of wadi's tree: it sees the installed headers and the library, nothing else. */
#include <stdio.h>
#include <wadi/status.h>

int main(void) {
    printf("%s\n", wadi_status_name(WADI_SHAPE));
    return 0;
}
