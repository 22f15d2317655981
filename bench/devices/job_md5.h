/* A job in a file of its own: it uses the language's MD5 (apps/md5/hash.h). */
#ifndef WADI_BENCH_DEVICES_JOB_MD5_H
#define WADI_BENCH_DEVICES_JOB_MD5_H

#include "bench/devices/jobs.h"

/* A bench_job.build. Its vectors are "pqrs". */
wadi_program *bench_md5_program(const bench_job *j);

#endif
