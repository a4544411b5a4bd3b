/* profile.c - what a scan of a column chunk takes, predicted. */
#include "parquet/write/profile.h"

pq_value_class pq_class_of(pq_physical physical)
{
    switch (physical) {
    case PQ_BOOLEAN:
        return PQ_CLASS_BOOLEAN;
    case PQ_INT32:
    case PQ_FLOAT:
        return PQ_CLASS_INT32;
    case PQ_BYTE_ARRAY:
        return PQ_CLASS_TEXT;
    case PQ_FIXED_LEN_BYTE_ARRAY:
        return PQ_CLASS_FIXED;
    default:
        return PQ_CLASS_INT64;
    }
}

const char *pq_class_name(pq_value_class value_class)
{
    static const char *const names[PQ_CLASS_COUNT] = {"boolean", "int32", "int64", "fixed", "text"};
    return names[value_class];
}

pq_profile pq_profile_default(void)
{
    return (pq_profile){
        .bandwidth = 3e9,
        .cached = 6e9,
        .hot = 0.5,
        .threads = 1,
        .decompress = {[PQ_CODEC_SNAPPY] = 1.8e9,
                       [PQ_CODEC_GZIP] = 0.35e9,
                       [PQ_CODEC_BROTLI] = 0.35e9,
                       [PQ_CODEC_LZ4] = 2.5e9,
                       [PQ_CODEC_ZSTD] = 0.9e9,
                       [PQ_CODEC_LZ4_RAW] = 2.5e9},
        .decode = {[PQ_PLAIN] = {2e10, 2e10, 2e10, 1e8, 2e8},
                   [PQ_PLAIN_DICTIONARY] = {0, 1e9, 1e9, 5e8, 2e9},
                   [PQ_RLE] = {2e9},
                   [PQ_DELTA_BINARY_PACKED] = {0, 1.5e9, 1e9},
                   [PQ_DELTA_LENGTH_BYTE_ARRAY] = {[PQ_CLASS_TEXT] = 2e8},
                   [PQ_DELTA_BYTE_ARRAY] = {[PQ_CLASS_FIXED] = 5e7, [PQ_CLASS_TEXT] = 5e7},
                   [PQ_RLE_DICTIONARY] = {0, 1e9, 1e9, 5e8, 2e9},
                   [PQ_BYTE_STREAM_SPLIT] = {0, 5e8, 3e8, 1e8}},
    };
}

static double profile_divide(double amount, double speed)
{
    return speed > 0 ? amount / speed : 0;
}

double pq_predict(const pq_profile *profile, const pq_chunk_form *form)
{
    double threads = profile->threads > 0 ? profile->threads : 1;
    double read = profile_divide((double)form->stored_bytes, profile->bandwidth);
    double work = profile_divide((double)form->stored_bytes, profile->cached);
    if (form->codec != PQ_CODEC_NONE)
        work += profile_divide((double)form->encoded_bytes, profile->decompress[form->codec]);
    work += profile_divide((double)form->value_count,
                           profile->decode[form->encoding][form->value_class]);
    work += profile_divide((double)form->dictionary_values,
                           profile->decode[PQ_PLAIN][form->value_class]);
    work /= threads;
    return profile->hot * work + (1 - profile->hot) * (read > work ? read : work);
}
