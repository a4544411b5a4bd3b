/* kernel_logic.cu - three-valued logic, a thread a word of bits; choosing and scattering, a thread a
 * row. */
#include "device/cuda/logic.cuh"
#include "device/cuda/numbers.cuh"

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
    if (a.op == DEV_LOGIC_AND || a.op == DEV_LOGIC_OR) {
        uint64_t valid;
        a.out[w] = logic_and_or(a.op, x, x_valid, y, y_valid, &valid) & mask;
        if (a.out_validity)
            a.out_validity[w] = valid & mask;
    } else {
        a.out[w] = logic_word(a.op, x, x_valid, y, y_valid) & mask;
    }
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
