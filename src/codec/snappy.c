/* snappy.c - decompresses snappy, faster than the library for what columns look like.
 *
 * A column of numbers compresses to pairs: a literal of the low bytes that differ from an earlier
 * value, and a copy of the high bytes of that value. Such a pair is taken in one step: eight bytes
 * of input hold it all, and the value is put together in a register from the literal and the
 * earlier value, both loaded whole, so that nothing waits for bytes on their way to memory.
 * Everything else goes tag by tag. What decides the speed is the way from one tag's place to the
 * next one's: a load and a few instructions, about 11 cycles one after another. Machines with
 * AVX-512 find the places of many tags at once (snappy_groups.c).
 *
 * Format: github.com/google/snappy/blob/main/format_description.txt. */
#include "codec/snappy.h"

#include "base/cancel.h"
#include "codec/snappy_step.h"

/* Bytes between two looks whether a page is still wanted. */
#define STEP_BYTES ((size_t)16 << 20)

/* While far from both ends. False: damaged. */
static bool decode_fast(snappy_state *state)
{
    snappy_state s = *state; /* in registers */
    const uint8_t *in_stop = s.in_end - SNAPPY_INPUT_MARGIN;
    const uint8_t *out_stop = s.out_end - SNAPPY_OUTPUT_MARGIN;
    out_stop = s.out_stop < out_stop ? s.out_stop : out_stop;
    bool is_good = true;
    while (s.in < in_stop && s.out < out_stop && is_good)
        is_good = snappy_take_next(&s);
    *state = s;
    return is_good;
}

/* One tag, near the ends. */
static bool decode_tag(snappy_state *s)
{
    uint8_t tag = *s->in++;
    size_t left = (size_t)(s->in_end - s->in), room = (size_t)(s->out_end - s->out);
    static const uint8_t operand_bytes[] = {0, 1, 2, 4};
    uint32_t kind = tag & 3, operand = 0, bytes = operand_bytes[kind];
    size_t length = (tag >> 2) + 1u;
    if (kind == 0 && length > 60)
        bytes = (uint32_t)length - 60;
    if (bytes > left)
        return false;
    for (uint32_t i = 0; i < bytes; i++)
        operand |= (uint32_t)s->in[i] << (8 * i);
    s->in += bytes;
    if (kind == 0) {
        if (bytes)
            length = (size_t)operand + 1;
        if (length > left - bytes || length > room)
            return false;
        memcpy(s->out, s->in, length);
        s->in += length;
        s->out += length;
        return true;
    }
    size_t offset = operand;
    if (kind == 1) {
        length = (tag >> 2 & 7) + 4;
        offset |= (size_t)(tag >> 5) << 8;
    }
    if (!offset || offset > (size_t)(s->out - s->out_start) || length > room)
        return false;
    const uint8_t *from = s->out - offset;
    for (size_t i = 0; i < length; i++)
        s->out[i] = from[i];
    s->out += length;
    return true;
}

bool snappy_begin(snappy_state *state, const void *source, size_t source_bytes, void *target,
                  size_t target_bytes)
{
    const uint8_t *in = source, *end = in + source_bytes;
    uint8_t *out = target;
    uint64_t announced = 0;
    for (unsigned shift = 0;; shift += 7) {
        if (in == end || shift > 28)
            return false;
        announced |= (uint64_t)(*in & 127) << shift;
        if (*in++ < 128)
            break;
    }
    *state = (snappy_state){
        .in = in, .in_end = end, .out = out, .out_start = out, .out_end = out + target_bytes};
    return announced == target_bytes;
}

bool snappy_continue(cpu_isa isa, snappy_state *state, size_t bytes)
{
    bool has_groups = isa >= CPU_ISA_AVX512;
    snappy_state s = *state;
    size_t all = (size_t)(s.out_end - s.out_start);
    cpu_note_use(has_groups ? CPU_ISA_AVX512 : CPU_ISA_SCALAR);
    s.out_stop = bytes < all ? s.out_start + bytes : s.out_end;
    while (s.in < s.in_end && (s.out < s.out_stop || bytes >= all)) {
        if (has_groups && !snappy_decode_groups(&s))
            return false;
        bool has_margin =
            s.in_end - s.in > SNAPPY_INPUT_MARGIN && s.out_end - s.out > SNAPPY_OUTPUT_MARGIN;
        if ((has_margin && !decode_fast(&s)) || (s.in < s.in_end && !decode_tag(&s)))
            return false;
    }
    *state = s;
    return s.out >= s.out_stop;
}

bool snappy_decode(cpu_isa isa, const void *source, size_t source_bytes, void *target,
                   size_t target_bytes)
{
    snappy_state state;
    if (!snappy_begin(&state, source, source_bytes, target, target_bytes))
        return false;
    for (size_t bytes = STEP_BYTES; bytes < target_bytes; bytes += STEP_BYTES)
        if (!snappy_continue(isa, &state, bytes) || cancel_is_asked())
            return false;
    return snappy_continue(isa, &state, target_bytes);
}
