/* A device over another one that dies at a launch, or is slow from one on. */
#ifndef WADI_TESTS_SCHED_PATIENT_H
#define WADI_TESTS_SCHED_PATIENT_H

#include "sched/device.h"

typedef struct patient {
    wadi_device base;
    wadi_device *inner;
    int64_t launches, dies_at, sleeps_from, sleep_ns; /* launch -1: never */
    bool dead;
} patient;

/* Takes over the device, in a patient that lives as long. */
wadi_device *patient_over(patient *p, wadi_device *owned_d);

#endif
