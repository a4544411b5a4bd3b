/* format.c - what the numbers of the Parquet format allow. */
#include "parquet/format/format.h"

bool pq_encoding_fits(pq_encoding encoding, pq_physical physical)
{
    bool is_integer = physical == PQ_INT32 || physical == PQ_INT64;
    bool is_fixed = physical == PQ_FIXED_LEN_BYTE_ARRAY, is_text = physical == PQ_BYTE_ARRAY;
    switch (encoding) {
    case PQ_PLAIN:
        return true;
    case PQ_PLAIN_DICTIONARY:
    case PQ_RLE_DICTIONARY:
        return physical != PQ_BOOLEAN;
    case PQ_RLE:
        return physical == PQ_BOOLEAN;
    case PQ_DELTA_BINARY_PACKED:
        return is_integer;
    case PQ_DELTA_LENGTH_BYTE_ARRAY:
        return is_text;
    case PQ_DELTA_BYTE_ARRAY:
        return is_text || is_fixed;
    case PQ_BYTE_STREAM_SPLIT:
        return is_integer || is_fixed || physical == PQ_FLOAT || physical == PQ_DOUBLE;
    default:
        return false;
    }
}
