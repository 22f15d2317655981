/* Names and sizes of the scalar types. */
#include "base/type.h"

static const struct {
    const char *name;
    int size;
} types[WADI_TYPE_COUNT] = {
    [WADI_BOOL] = {"bool", 1},  [WADI_I8] = {"i8", 1},   [WADI_I16] = {"i16", 2},
    [WADI_I32] = {"i32", 4},    [WADI_I64] = {"i64", 8}, [WADI_U8] = {"u8", 1},
    [WADI_U16] = {"u16", 2},    [WADI_U32] = {"u32", 4}, [WADI_U64] = {"u64", 8},
    [WADI_F32] = {"f32", 4},    [WADI_F64] = {"f64", 8}, [WADI_C64] = {"c64", 8},
    [WADI_C128] = {"c128", 16},
};

int wadi_type_size(wadi_type type) {
    return (unsigned)type < WADI_TYPE_COUNT ? types[type].size : 0;
}

int wadi_fields_size(const wadi_type *type, int fields) {
    int bytes = 0;
    for (int f = 0; f < fields; f++) bytes += wadi_type_size(type[f]);
    return bytes;
}

const char *wadi_type_name(wadi_type type) {
    return (unsigned)type < WADI_TYPE_COUNT ? types[type].name : "?";
}
