/* dlpack.c - columns of numbers as DLPack tensors of one dimension, and lists of a fixed size of numbers as tensors of two,
 * a row each. They hold their batch.
 *
 * The memory is the engine's, and other columns' and clients' perhaps, too: tensors are read-only. */
#include "pistachio/dlpack.h"
#include "api/arrow/arrow_array.h"
#include "api/handles/error.h"
#include "base/type/nested_type.h"
#include "device/device.h"

typedef struct held_tensor {
    DLManagedTensorVersioned tensor;
    int64_t shape[2], strides[2];
    const pistachio_batch *batch;
} held_tensor;

static void delete_tensor(DLManagedTensorVersioned *tensor)
{
    held_tensor *held = tensor->manager_ctx;
    pistachio_batch_unref(held->batch);
    mem_free(held);
}

/* ---- what is a tensor ---- */

static const char *way_out(data_type type)
{
    if (type.id == TYPE_BOOL)
        return "cast it: b::integer";
    if (type.id == TYPE_LIST)
        return "give its lists one size: l::float[384]";
    if (type_is_time(type) && type.id != TYPE_TIME)
        return "give it as a number: extract(epoch FROM t)";
    return type.id == TYPE_DECIMAL ? "cast it: d::double precision"
                                   : "leave it out, or cast it to a number: x::double precision";
}

static status check_type(uint32_t column, data_type type)
{
    char name[TYPE_NAME_BYTES];
    data_type number = nested_type_size(type) ? nested_type_of(type)->fields[0].type : type;
    bool is_real = number.id == TYPE_FLOAT || number.id == TYPE_DOUBLE;
    if (is_real || type_is_integer(number))
        return STATUS_OK;
    return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                  "column %u is of type %s, which tensors do not have", column,
                                  type_name(type, name)),
                       "%s", way_out(type));
}

static bool dlpack_has_nulls(const exec_batch *batch, const exec_batch_column *column)
{
    const uint64_t *validity = column->validity;
    uint64_t rows = batch->row_count;
    if (batch->is_on_device)
        return column->null_count;
    bool is_missing = false;
    for (uint64_t i = 0; validity && i < rows / 64; i++)
        is_missing |= ~validity[i] != 0;
    if (validity && rows % 64)
        is_missing |= ~validity[rows / 64] << (64 - rows % 64) != 0;
    return is_missing;
}

/* The values that a tensor is over: the column's own, or the elements of its lists of a fixed size. */
static const exec_batch_column *numbers_of(const exec_batch_column *column, int64_t *out_size)
{
    *out_size = nested_type_size(column->type);
    return *out_size ? &column->children->columns[0] : column;
}

static status dlpack_check_column(const pistachio_batch *batch, uint32_t column)
{
    if (column >= batch->rows->column_count)
        return status_new(STATUS_KIND_INVALID, "there is no column %u: the batch has %u", column,
                          batch->rows->column_count);
    const exec_batch_column *values = &batch->rows->columns[column];
    int64_t size;
    TRY(check_type(column, values->type));
    const exec_batch_column *numbers = numbers_of(values, &size);
    if (dlpack_has_nulls(batch->rows, values))
        return status_hint(status_new(STATUS_KIND_UNSUPPORTED,
                                      "column %u has NULLs, which tensors do not have", column),
                           "%s",
                           size ? "leave its rows out: WHERE x IS NOT NULL"
                                : "put a number in their place: coalesce(x, 0)");
    if (!size || !dlpack_has_nulls(values->children, numbers))
        return STATUS_OK;
    return status_hint(
        status_new(STATUS_KIND_UNSUPPORTED,
                   "lists of column %u have NULL elements, which tensors do not have", column),
        "put a number in their place: list_transform(x, lambda e: coalesce(e, 0))");
}

/* ---- tensors ---- */

static DLDataType element_of(data_type type)
{
    bool is_real = type.id == TYPE_FLOAT || type.id == TYPE_DOUBLE;
    return (DLDataType){.code = is_real                ? kDLFloat
                                : type_is_signed(type) ? kDLInt
                                                       : kDLUInt,
                        .bits = (uint8_t)(type.width * 8),
                        .lanes = 1};
}

static DLDevice dlpack_place_of(const exec_batch *batch)
{
    if (!batch->is_on_device)
        return (DLDevice){kDLCPU, 0};
    return (DLDevice){batch->dev->memory == DEV_MEMORY_CUDA ? kDLCUDA : kDLExtDev,
                      (int32_t)batch->dev->ordinal};
}

static status make_tensor(const pistachio_batch *batch, uint32_t column,
                          DLManagedTensorVersioned **out)
{
    const exec_batch_column *values = &batch->rows->columns[column];
    held_tensor *held = mem_new(sizeof *held);
    if (!held)
        return status_no_memory("tensor", sizeof *held);
    int64_t size;
    const exec_batch_column *numbers = numbers_of(values, &size);
    held->batch = pistachio_batch_ref(batch);
    held->shape[0] = (int64_t)batch->rows->row_count;
    held->shape[1] = size;
    held->strides[0] = size ? size : 1;
    held->strides[1] = 1;
    held->tensor =
        (DLManagedTensorVersioned){.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION},
                                   .manager_ctx = held,
                                   .deleter = delete_tensor,
                                   .flags = DLPACK_FLAG_BITMASK_READ_ONLY,
                                   .dl_tensor = {.data = (void *)numbers->values,
                                                 .device = dlpack_place_of(batch->rows),
                                                 .ndim = size ? 2 : 1,
                                                 .dtype = element_of(numbers->type),
                                                 .shape = held->shape,
                                                 .strides = held->strides}};
    *out = &held->tensor;
    return STATUS_OK;
}

static status tensor_of(const pistachio_batch *batch, uint32_t column,
                        DLManagedTensorVersioned **out)
{
    TRY(dlpack_check_column(batch, column));
    return make_tensor(batch, column, out);
}

pistachio_error *pistachio_dlpack(const pistachio_batch *batch, uint32_t column,
                                  struct DLManagedTensorVersioned **out)
{
    if (!out)
        return api_null_argument("out");
    *out = NULL;
    if (!batch)
        return api_null_argument("batch");
    return api_error(tensor_of(batch, column, out));
}

pistachio_error *pistachio_arrow_dlpack(const struct ArrowArray *rows, uint32_t column,
                                        struct DLManagedTensorVersioned **out)
{
    const pistachio_batch *batch;
    if (!out)
        return api_null_argument("out");
    *out = NULL;
    if (!rows)
        return api_null_argument("rows");
    status st = api_arrow_batch_of(rows, column, &batch);
    return api_error(st ? st : tensor_of(batch, column, out));
}
