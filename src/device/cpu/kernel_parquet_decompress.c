/* kernel_parquet_decompress.c - pages as their codecs left them. */
#include "codec/codec.h"
#include "device/cpu/kernel_parquet.h"

void ISA_(parquet_decompress)(const parquet_decompress_arguments *a)
{
    if (!codec_decompress(a->codec, a->source, a->source_bytes, a->target, a->target_bytes)) {
        memset(a->target, 0, a->target_bytes);
        kernel_fail(a->error, DEV_ERROR_CORRUPT, a->location, 0);
    }
}
