/* Schedules: the ways to run a body over a chunk of the stream. All give the same bits.
 *
 * This list is the only one: enums, names, tables and messages are made from it. X(NAME, name, "what it does"). The first is
 * offered by every body. How each is lowered stands in codegen/schedules.h, when it is chosen in sched/schedules.c.
 */
#ifndef WADI_SCHEDULE_H
#define WADI_SCHEDULE_H

/* clang-format off */
#define WADI_SCHEDULES(X)                                                                          \
    X(INSIDE, inside, "one worker runs the whole body for one element")                            \
    X(FLAT, flat, "operator by operator over the whole chunk")                                     \
    X(ACROSS, across, "one SIMD lane per element; bodies of scalars only, others run inside")      \
    X(GROUP, group, "as flat, but a group of lanes does each piece of work: for devices")
/* clang-format on */

/** What a run is told: AUTO, or which schedule to use wherever a body offers it (other bodies use the first). */
typedef enum wadi_schedule_option {
    WADI_SCHEDULE_AUTO = 0, /**< a cost rule decides from the sizes seen, and measuring confirms */
#define WADI_SCHEDULE_FORCED(NAME, name, about) WADI_SCHEDULE_FORCE_##NAME,
    WADI_SCHEDULES(WADI_SCHEDULE_FORCED)
#undef WADI_SCHEDULE_FORCED
} wadi_schedule_option;

#endif
