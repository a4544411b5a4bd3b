/* profile_measure.h - how fast this machine decompresses and decodes, measured. */
#ifndef PISTACHIO_PARQUET_PROFILE_PROFILE_MEASURE_H
#define PISTACHIO_PARQUET_PROFILE_PROFILE_MEASURE_H

#include "parquet/write/profile.h"

/* Replaces all but bandwidth and hot by what this machine does, in about a tenth of a second:
 * codecs, encodings by the kernels of scans, the page cache. */
CHECKED status pq_profile_measure(pq_profile *profile);
/* Inside: the encodings' part (profile_decode.c). */
CHECKED status pq_profile_measure_decoding(pq_profile *profile);

#endif
