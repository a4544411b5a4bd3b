/* kernel_expression.cu - a run of an expression's instructions, step by step, a thread a row.
 *
 * All threads take the same step, so nothing diverges but what the values say. A thread's numbers lie
 * in its column of the block's shared memory, its booleans and validities in two registers; nobody
 * else reads them, so no thread waits for another but where whole words of bits are stored. */
#include "device/cuda/arithmetic.cuh"
#include "device/cuda/cast.cuh"
#include "device/cuda/logic.cuh"

typedef struct tile_thread {
    uint64_t *words; /* its first; the next register's is CUDA_BLOCK further on */
    uint32_t bits, valid;
    uint64_t row, count;
} tile_thread;

/* The value that a step computes. */
typedef struct tile_value {
    uint64_t low, high;
    bool bit, is_valid;
} tile_value;

DEVICE bool tile_bit(const tile_thread &t, unsigned number)
{
    return t.bits >> number & 1;
}

DEVICE bool tile_is_valid(const tile_thread &t, unsigned number)
{
    return t.valid >> number & 1;
}

DEVICE uint64_t tile_word(const tile_thread &t, unsigned number)
{
    return t.words[number * CUDA_BLOCK];
}

DEVICE float tile_float(const tile_thread &t, unsigned number)
{
    float value;
    uint32_t bits = (uint32_t)tile_word(t, number);
    memcpy(&value, &bits, sizeof value);
    return value;
}

DEVICE double tile_double(const tile_thread &t, unsigned number)
{
    double value;
    uint64_t bits = tile_word(t, number);
    memcpy(&value, &bits, sizeof value);
    return value;
}

DEVICE int128 tile_wide(const tile_thread &t, unsigned number)
{
    return (int128)((uint128)tile_word(t, number + 1) << 64 | tile_word(t, number));
}

DEVICE void tile_set(tile_value *v, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    v->low = bits;
}

DEVICE void tile_set(tile_value *v, double number)
{
    memcpy(&v->low, &number, sizeof number);
}

DEVICE void tile_set(tile_value *v, int128 number)
{
    v->low = (uint64_t)(uint128)number;
    v->high = (uint64_t)((uint128)number >> 64);
}

/* ---- memory ---- */

template <bool IS_WIDE>
DEVICE void tile_load(const expression_arguments &a, const tile_step &s, const tile_thread &t,
                      tile_value *v)
{
    const void *values = TILE_INPUT(&a, s.args[0]);
    const uint32_t *index = TILE_INDEX(&a, s.args[0]);
    if (t.row >= t.count)
        return;
    uint64_t row = index ? index[t.row] : t.row;
    bool is_there = !index || row != ROW_NULL;
    v->is_valid = is_there && kernel_is_valid(TILE_VALIDITY(&a, s.args[0]), row);
    if (!values || !is_there)
        return;
    if (s.type.id == TYPE_BOOL) {
        v->bit = kernel_bit((const uint64_t *)values, row);
    } else if (s.type.id == TYPE_FLOAT) {
        v->low = ((const uint32_t *)values)[row];
    } else if (IS_WIDE && s.type.width == 16) {
        const kernel_pair pair = ((const kernel_pair *)values)[row];
        v->low = pair.low;
        v->high = pair.high;
    } else { /* doubles as they are */
        v->low = (uint64_t)kernel_load_integer(s.type, values, row);
    }
}

template <bool IS_WIDE>
DEVICE void tile_store(const expression_arguments &a, const tile_step &s, const tile_thread &t,
                       const tile_value &v)
{
    void *out = TILE_OUT(&a, s.output - 1u);
    uint64_t *out_validity = TILE_OUT_VALIDITY(&a, s.output - 1u);
    if (s.type.id == TYPE_BOOL) {
        kernel_write_bit((uint64_t *)out, t.row, t.count, v.bit);
    } else if (t.row < t.count && IS_WIDE && s.type.width == 16) {
        const kernel_pair pair = {v.low, v.high};
        ((kernel_pair *)out)[t.row] = pair;
    } else if (t.row < t.count) {
        WITH_WIDTH(s.type.width, memcpy((bytes *)out + t.row, &v.low,
                                        sizeof(bytes) < 8 ? sizeof(bytes) : 8);)
    }
    if (out_validity)
        kernel_write_bit(out_validity, t.row, t.count, v.is_valid);
}

/* ---- steps ---- */

template <bool IS_WIDE> DEVICE bool tile_compare(const tile_step &s, const tile_thread &t)
{
    unsigned x = s.args[0], y = s.args[1];
    if (s.from.id == TYPE_BOOL)
        return kernel_number_compare(s.op, (int)tile_bit(t, x), (int)tile_bit(t, y));
    if (s.from.id == TYPE_FLOAT)
        return kernel_number_compare(s.op, tile_float(t, x), tile_float(t, y));
    if (s.from.id == TYPE_DOUBLE)
        return kernel_number_compare(s.op, tile_double(t, x), tile_double(t, y));
    if (s.from.id == TYPE_UINT64)
        return kernel_number_compare(s.op, tile_word(t, x), tile_word(t, y));
    if (IS_WIDE && s.from.width == 16)
        return kernel_number_compare(s.op, tile_wide(t, x), tile_wide(t, y));
    return kernel_number_compare(s.op, (int64_t)tile_word(t, x), (int64_t)tile_word(t, y));
}

DEVICE bool tile_in_range(const tile_step &s, const tile_thread &t, const uint64_t *bounds)
{
    uint64_t value = tile_word(t, s.args[0]);
    if (s.from.id == TYPE_UINT64)
        return value >= bounds[0] && value <= bounds[1];
    return (int64_t)value >= (int64_t)bounds[0] && (int64_t)value <= (int64_t)bounds[1];
}

DEVICE uint64_t tile_all(bool bit)
{
    return bit ? ~(uint64_t)0 : 0;
}

DEVICE void tile_logic(const tile_step &s, const tile_thread &t, tile_value *v)
{
    bool compares = s.op == DEV_LOGIC_SAME || s.op == DEV_LOGIC_DIFFERENT;
    uint64_t x = tile_all(tile_bit(t, compares ? s.args[2] : s.args[0])),
             y = tile_all(tile_bit(t, s.args[1]));
    uint64_t x_valid = tile_all(tile_is_valid(t, s.args[0])),
             y_valid = tile_all(tile_is_valid(t, s.args[1]));
    uint64_t valid = ~(uint64_t)0;
    if (s.op == DEV_LOGIC_AND || s.op == DEV_LOGIC_OR) {
        v->bit = logic_and_or(s.op, x, x_valid, y, y_valid, &valid) & 1;
    } else {
        v->bit = logic_word(s.op, x, x_valid, y, y_valid) & 1;
        valid = s.op == DEV_LOGIC_NOT ? x_valid : valid;
    }
    v->is_valid = valid & 1;
}

template <bool IS_WIDE>
DEVICE void tile_choose(const tile_step &s, const tile_thread &t, tile_value *v)
{
    bool is_first = tile_bit(t, s.args[0]) && tile_is_valid(t, s.args[0]);
    unsigned from = is_first ? s.args[1] : s.args[2];
    v->is_valid = tile_is_valid(t, from);
    if (s.type.id == TYPE_BOOL) {
        v->bit = tile_bit(t, from);
        return;
    }
    v->low = tile_word(t, from);
    if (IS_WIDE && s.type.width == 16)
        v->high = tile_word(t, from + 1);
}

DEVICE int128 tile_decimal(const tile_thread &t, unsigned number, bool is_wide)
{
    return is_wide ? tile_wide(t, number) : (int64_t)tile_word(t, number);
}

template <bool IS_WIDE>
DEVICE dev_error_code tile_arithmetic(const tile_step &s, const tile_thread &t, tile_value *v)
{
    unsigned x = s.args[0], y = s.args[1];
    bool is_checked = s.flags & TILE_CHECKED;
    dev_error_code code;
    if (s.type.id == TYPE_FLOAT) {
        float result;
        code = arithmetic_of_real(s.op, tile_float(t, x), tile_float(t, y), is_checked, &result);
        tile_set(v, result);
    } else if (s.type.id == TYPE_DOUBLE) {
        double result;
        code = arithmetic_of_real(s.op, tile_double(t, x), tile_double(t, y), is_checked, &result);
        tile_set(v, result);
    } else if (s.type.id == TYPE_INT32) {
        int32_t result;
        code = arithmetic_of_32(s.op, (int32_t)tile_word(t, x), (int32_t)tile_word(t, y), &result);
        v->low = (uint64_t)(int64_t)result;
    } else if (IS_WIDE && s.type.width == 16) {
        int128 result;
        code = arithmetic_of(s.op, tile_decimal(t, x, s.flags & TILE_LEFT_WIDE),
                             tile_decimal(t, y, s.flags & TILE_RIGHT_WIDE), is_checked, &result);
        tile_set(v, result);
    } else { /* of wide operands the lower halves: the result is known to fit */
        int64_t result;
        is_checked = is_checked && !(s.flags & (TILE_LEFT_WIDE | TILE_RIGHT_WIDE));
        code = arithmetic_of(s.op, (int64_t)tile_word(t, x), (int64_t)tile_word(t, y), is_checked,
                             &result);
        v->low = (uint64_t)result;
    }
    return code;
}

/* A whole number of the register's, of a type of up to 64 bits but UINT64. */
DEVICE int64_t tile_narrow(const tile_step &s, const tile_thread &t)
{
    return s.from.id == TYPE_BOOL ? tile_bit(t, s.args[0]) : (int64_t)tile_word(t, s.args[0]);
}

DEVICE double tile_real(const tile_step &s, const tile_thread &t)
{
    return s.from.id == TYPE_FLOAT ? (double)tile_float(t, s.args[0]) : tile_double(t, s.args[0]);
}

/* As tile_cast_is_plain says. */
DEVICE bool tile_cast_plain(const tile_step &s, const tile_thread &t, tile_value *v)
{
    bool is_real = tile_type_is_real(s.from);
    if (s.type.id == TYPE_DOUBLE) {
        tile_set(v, is_real ? tile_real(s, t) : (double)tile_narrow(s, t));
        return true;
    }
    int128 low, high;
    int64_t number = tile_narrow(s, t);
    cast_bounds(s.type, &low, &high);
    bool fits = number >= low && number <= high;
    v->low = fits ? (uint64_t)number : 0;
    v->bit = v->low != 0;
    return fits;
}

DEVICE bool tile_cast(const tile_step &s, const tile_thread &t, tile_value *v)
{
    bool is_real = tile_type_is_real(s.from);
    double real = is_real ? tile_real(s, t) : 0;
    int128 exact = is_real                      ? 0
                   : s.from.width == 16         ? tile_wide(t, s.args[0])
                   : s.from.id == TYPE_UINT64   ? (int128)tile_word(t, s.args[0])
                                                : (int128)tile_narrow(s, t);
    bool fits = true;
    if (s.type.id == TYPE_DOUBLE) {
        tile_set(v, cast_to_double(s.from, exact, real));
    } else if (s.type.id == TYPE_FLOAT) {
        float result;
        fits = cast_to_float(s.from, exact, real, &result);
        tile_set(v, result);
    } else {
        int128 result;
        fits = cast_to_exact(s.from, s.type, exact, real, &result);
        tile_set(v, result);
        v->bit = result != 0;
    }
    return fits;
}

/* NULL where an operand is: not of steps that decide. */
template <bool IS_WIDE>
DEVICE dev_error_code tile_step_of(const expression_arguments &a, const tile_step &s,
                                   const tile_thread &t, tile_value *v)
{
    const uint64_t *constants = a.code.constants;
    bool fits;
    switch (s.kind) {
    case TILE_LOAD:
        tile_load<IS_WIDE>(a, s, t, v);
        break;
    case TILE_CONSTANT:
        v->low = constants[s.args[0]];
        v->bit = v->low & 1;
        if (IS_WIDE && s.type.width == 16)
            v->high = constants[s.args[0] + 1];
        v->is_valid = !s.op;
        break;
    case TILE_COMPARE:
        v->bit = tile_compare<IS_WIDE>(s, t);
        v->is_valid = tile_is_valid(t, s.args[0]) && tile_is_valid(t, s.args[1]);
        break;
    case TILE_RANGE:
        v->bit = tile_in_range(s, t, constants + s.args[1]);
        v->is_valid = tile_is_valid(t, s.args[0]);
        break;
    case TILE_LOGIC:
        tile_logic(s, t, v);
        break;
    case TILE_CHOOSE:
        tile_choose<IS_WIDE>(s, t, v);
        break;
    case TILE_ARITHMETIC:
        v->is_valid = tile_is_valid(t, s.args[0]) && tile_is_valid(t, s.args[1]);
        return tile_arithmetic<IS_WIDE>(s, t, v);
    case TILE_CAST:
        v->is_valid = tile_is_valid(t, s.args[0]);
        if (IS_WIDE && !tile_cast_is_plain(s.from, s.type))
            fits = tile_cast(s, t, v);
        else
            fits = tile_cast_plain(s, t, v);
        return fits ? DEV_ERROR_NONE : DEV_ERROR_OVERFLOW;
    }
    return DEV_ERROR_NONE;
}

template <bool IS_WIDE> DEVICE void tile_run(const expression_arguments &a, uint64_t *words)
{
    tile_thread t = {words + threadIdx.x, 0, 0, kernel_row(), kernel_count(a.count)};
    /* Blocks behind the count have nothing to do. */
    uint32_t steps = (uint64_t)blockIdx.x * blockDim.x < t.count ? a.code.step_count : 0;
    for (uint32_t i = 0; i < steps; i++) {
        const tile_step &s = a.code.steps[i];
        tile_value v = {0, 0, false, true};
        dev_error_code code = tile_step_of<IS_WIDE>(a, s, t, &v);
        if (code && v.is_valid && t.row < t.count)
            kernel_fail(a.error, code, s.location, t.row);
        uint32_t flag = 1u << s.target;
        t.bits = v.bit ? t.bits | flag : t.bits & ~flag;
        t.valid = v.is_valid ? t.valid | flag : t.valid & ~flag;
        if (s.target < TILE_WORDS) {
            t.words[s.target * CUDA_BLOCK] = v.low;
            if (IS_WIDE && s.type.width == 16)
                t.words[(s.target + 1) * CUDA_BLOCK] = v.high;
        }
        if (s.output)
            tile_store<IS_WIDE>(a, s, t, v);
    }
}

KERNEL_TOGETHER(expression)
{
    __shared__ uint64_t words[TILE_WORDS * CUDA_BLOCK];
    tile_run<false>(a, words);
}

KERNEL_STEP_TOGETHER_WIDEST(expression_wide, expression)
{
    __shared__ uint64_t words[TILE_WORDS * CUDA_BLOCK];
    tile_run<true>(a, words);
}
