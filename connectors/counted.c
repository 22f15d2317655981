/* How many elements a sink has. */
#include "connectors/counted.h"

#include "base/error.h"

wadi_status wadi_counted_have(wadi_sink *self, wadi_position *out, wadi_error *err) {
    WADI_UNUSED(err);
    *out = (wadi_position){.element = ((const wadi_counted_sink *)self)->elements};
    return WADI_OK;
}

wadi_status wadi_counted_last(wadi_sink *self, wadi_error *err) {
    WADI_UNUSED(self);
    WADI_UNUSED(err);
    return WADI_OK;
}

wadi_status wadi_counted_go_on(wadi_sink *self, wadi_position behind, bool ended, wadi_error *err) {
    WADI_UNUSED(ended);
    WADI_UNUSED(err);
    ((wadi_counted_sink *)self)->elements = behind.element;
    return WADI_OK;
}
