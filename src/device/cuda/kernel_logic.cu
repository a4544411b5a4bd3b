/* kernel_logic.cu - three-valued logic, a thread a word of bits; choosing and scattering, a thread a
 * row. */
#include "device/cuda/numbers.cuh"

/* AND is NULL unless both are known or one is false; OR likewise with true: OR is AND of the
 * negations. */
DEVICE void and_or(const logic_arguments &a, uint64_t w, uint64_t mask, uint64_t x, uint64_t x_valid,
                   uint64_t y, uint64_t y_valid)
{
    uint64_t flip = a.op == DEV_LOGIC_OR ? ~(uint64_t)0 : 0;
    uint64_t is_false = (x_valid & ~(x ^ flip)) | (y_valid & ~(y ^ flip));
    a.out[w] = (~is_false ^ flip) & mask;
    if (a.out_validity)
        a.out_validity[w] = (is_false | (x_valid & y_valid)) & mask;
}

DEVICE uint64_t logic_word(uint8_t op, uint64_t x, uint64_t x_valid, uint64_t y, uint64_t y_valid)
{
    uint64_t is_same = (x & x_valid & y_valid) | (~x_valid & ~y_valid);
    switch (op) {
    case DEV_LOGIC_NOT:
        return ~x;
    case DEV_LOGIC_IS_TRUE:
        return x & x_valid;
    case DEV_LOGIC_IS_FALSE:
        return ~x & x_valid;
    case DEV_LOGIC_IS_NULL:
        return ~x_valid;
    case DEV_LOGIC_IS_NOT_NULL:
        return x_valid;
    case DEV_LOGIC_BOTH_VALID:
        return x_valid & y_valid;
    case DEV_LOGIC_BUT_NOT:
        return (x & x_valid) & ~(y & y_valid);
    case DEV_LOGIC_SAME:
        return is_same;
    default:
        return ~is_same;
    }
}

KERNEL_ALONE(logic)
{
    uint64_t count = kernel_count(a.count), w = kernel_row();
    if (w * 64 >= count)
        return;
    uint64_t mask = kernel_word_mask(count, w);
    uint64_t x = kernel_operand_word(a.left, a.left_stride, w);
    uint64_t x_valid = kernel_operand_word(a.left_validity, a.left_stride, w);
    uint64_t y = kernel_operand_word(a.right, a.right_stride, w);
    uint64_t y_valid = kernel_operand_word(a.right_validity, a.right_stride, w);
    if (a.op == DEV_LOGIC_AND || a.op == DEV_LOGIC_OR)
        and_or(a, w, mask, x, x_valid, y, y_valid);
    else
        a.out[w] = logic_word(a.op, x, x_valid, y, y_valid) & mask;
}

DEVICE bool operand_bit(const uint64_t *bits, uint8_t stride, uint64_t i)
{
    return !bits || kernel_bit(bits, i * stride);
}

KERNEL_TOGETHER(choose)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    bool is_first = i < count && kernel_bit(a.condition, i) &&
                    kernel_is_valid(a.condition_validity, i);
    bool bit = false, is_valid = false;
    if (i < count && a.width) {
        WITH_WIDTH(a.width, ((bytes *)a.out)[i] =
                                is_first ? ((const bytes *)a.first)[i * a.first_stride]
                                         : ((const bytes *)a.second)[i * a.second_stride];)
    } else if (i < count) {
        bit = is_first ? operand_bit((const uint64_t *)a.first, a.first_stride, i)
                       : operand_bit((const uint64_t *)a.second, a.second_stride, i);
    }
    if (i < count)
        is_valid = is_first ? operand_bit(a.first_validity, a.first_stride, i)
                            : operand_bit(a.second_validity, a.second_stride, i);
    if (!a.width)
        kernel_write_bit((uint64_t *)a.out, i, count, bit);
    if (a.out_validity)
        kernel_write_bit(a.out_validity, i, count, is_valid);
}

KERNEL_ALONE(scatter)
{
    uint64_t count = kernel_count(a.count), i = kernel_row();
    if (i >= count)
        return;
    uint64_t from = i * a.stride, to = a.index[i];
    if (a.width) {
        WITH_WIDTH(a.width, ((bytes *)a.out)[to] = ((const bytes *)a.values)[from];)
    } else if (kernel_bit((const uint64_t *)a.values, from)) {
        kernel_set_bit((uint64_t *)a.out, to);
    }
    if (a.out_validity && kernel_is_valid(a.validity, from))
        kernel_set_bit(a.out_validity, to);
}

KERNEL_ALONE(invert_bits)
{
    uint64_t count = kernel_count(a.count), w = kernel_row();
    if (w * 64 < count)
        a.out[w] = ~a.bits[w] & kernel_word_mask(count, w);
}
