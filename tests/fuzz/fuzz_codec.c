/* fuzz_codec.c - a codec fills exactly the bytes it was promised, or refuses; never a byte more.
 *
 * Input: the codec's number, the low and high byte of the target's size, then the compressed bytes.
 */
#include "codec/codec.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length < 3)
        return 0;
    size_t target_bytes = bytes[1] | (size_t)bytes[2] << 8;
    uint8_t *first = mem_new(target_bytes), *second = mem_new(target_bytes);
    FUZZ_CHECK(first && second);
    memset(second, 0xa5, target_bytes);
    int codec = bytes[0] % 9;
    bool is_taken = codec_decompress(codec, bytes + 3, length - 3, first, target_bytes);
    bool is_taken_again = codec_decompress(codec, bytes + 3, length - 3, second, target_bytes);
    FUZZ_CHECK(is_taken == is_taken_again);
    FUZZ_CHECK(!is_taken || memcmp(first, second, target_bytes) == 0);
    FUZZ_CHECK(!is_taken || codec_is_known(codec));
    mem_free(first);
    mem_free(second);
    return 0;
}
