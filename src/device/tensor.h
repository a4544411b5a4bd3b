/* tensor.h - a column's values on a device, and a chunk: columns of equal length.
 *
 *   FLAT      values[i], NULL where validity bit i is clear
 *   CONSTANT  the same value (or NULL: constant.is_null) for every row; values[0] on the device
 *   INDEXED   base[index[i]], NULL where index[i] is ROW_NULL or the base is NULL there
 *   NARROW    origin + values[i], unsigned numbers of 1, 2 or 4 bytes, NULL where validity bit i is clear; or with a base, a
 *             dictionary, base[values[i]], NULL where has_null_codes and all bits of values[i] are set
 *
 * NARROW tensors come from the column cache, of host devices, and go only to who says so (program_takes_narrow); to all others
 * tensor_flatten() and tensor_new_indexed() give the values in their full width.
 *
 * INDEXED is both a dictionary-encoded column (base: the dictionary, is_dictionary) and rows that a
 * filter or a join selected but nobody needed yet; its base is always FLAT. tensor_flatten makes
 * the values when somebody does. Tensors are immutable once made and reference-counted: chunks
 * share columns, and columns share indexes.
 *
 * Under a NULL lies a value as well: zero, false, an empty text (kernels.def). Past a column's rows lies anything: if
 * their count is lazy, that is from its actual number on, so that a base of rows that were selected may hold fewer than
 * base_rows. Only tensor_has_whole_base() says that all of them can be read. */
#ifndef PISTACHIO_DEVICE_TENSOR_H
#define PISTACHIO_DEVICE_TENSOR_H

#include "device/device.h"

typedef enum tensor_form {
    TENSOR_FLAT,
    TENSOR_CONSTANT,
    TENSOR_INDEXED,
    TENSOR_NARROW
} tensor_form;

/* Describes the values of a NARROW tensor. */
typedef struct narrow_values {
    uint8_t width;       /* bytes of a value */
    bool has_null_codes; /* with a base */
    int128 origin;       /* without a base */
    const void *bounds;  /* of narrow_bounds, for blocks from the first value on; or NULL */
    dev_buffer *bounds_owner;
} narrow_values;

/* Row numbers into a base; shared by all columns that were selected together. */
typedef struct row_index {
    _Atomic uint32_t references;
    bool has_nulls; /* may contain ROW_NULL */
    uint32_t *rows; /* device address */
    dev_buffer *owner;
} row_index;

/* The memory that values point into: the buffers that hold the bytes of long strings; or the children of lists, structs and maps,
 * whose values are rows of them (nested_value). Children have any form and `child_rows` rows. */
typedef struct string_heap {
    _Atomic uint32_t references;
    uint32_t buffer_count, child_count;
    uint64_t child_rows;
    struct tensor **children; /* NULL: there are none */
    dev_buffer *buffers[];
} string_heap;

typedef struct tensor {
    _Atomic uint32_t references;
    data_type type;
    uint8_t form;       /* a tensor_form */
    bool is_dictionary; /* INDEXED: the base is a dictionary: distinct values, few */
    bool is_lasting;    /* FLAT: rows of a join's build side, the base of many chunks' columns */
    void *values;       /* device address; FLAT, CONSTANT */
    uint64_t *validity; /* device address or NULL; FLAT */
    dev_buffer *values_owner, *validity_owner;
    string_heap *heap;    /* FLAT text with long strings, nested; may be NULL */
    value constant;       /* CONSTANT: the host's copy; its text belongs to the plan */
    row_index *index;     /* INDEXED */
    struct tensor *base;  /* INDEXED, NARROW; FLAT */
    uint64_t base_rows;   /* INDEXED: length of the base, or a bound of it; NARROW: of the base */
    narrow_values narrow; /* NARROW */
} tensor;

typedef struct chunk {
    dev_count rows;
    dev_buffer *rows_owner; /* holds rows.actual; or NULL */
    uint32_t column_count;
    tensor *columns[];
} chunk;

tensor *tensor_ref(tensor *t);
void tensor_unref(tensor *t); /* takes NULL */
row_index *row_index_ref(row_index *index);
void row_index_unref(row_index *index); /* takes NULL */
string_heap *string_heap_ref(string_heap *heap);
void string_heap_unref(string_heap *heap); /* takes NULL */
/* Takes over the caller's references to the buffers, also on failure. */
CHECKED status string_heap_new(dev_buffer *const *buffers, uint32_t count, string_heap **out);
/* The children of a nested tensor: takes over the caller's references, also on failure. */
CHECKED status string_heap_new_children(tensor *const *children, uint32_t count, uint64_t rows,
                                        string_heap **out);

/* A FLAT tensor with room for `rows` values (and for validity, if with_validity), to be filled by
 * kernels before it is shared. */
CHECKED status tensor_new_flat(device *dev, data_type type, uint64_t rows, bool with_validity,
                               tensor **out);
/* The place where the values of a new tensor go. Without an owner: memory of their own. */
typedef struct tensor_target {
    dev_buffer *owner;
    void *values;
} tensor_target;

/* Makes a FLAT tensor whose values go to the place, whose owner it references. */
CHECKED status tensor_new_flat_at(device *dev, data_type type, uint64_t rows, bool with_validity,
                                  tensor_target target_memory, tensor **out);
/* A FLAT tensor over memory inside `owner`, of which it takes a reference. */
CHECKED status tensor_new_view(data_type type, dev_buffer *owner, void *values, tensor **out);
/* Whether rows of a FLAT tensor from `first` on can share its memory: bits begin with a word. */
bool tensor_can_slice(const tensor *t, uint64_t first);
/* Makes a tensor of those rows. On host devices. */
CHECKED status tensor_new_slice(const tensor *t, uint64_t first, tensor **out);
/* Makes a NARROW tensor over values inside `owner`, a host device's; validity, base and bounds are the caller's to set. */
CHECKED status tensor_new_narrow(data_type type, dev_buffer *owner, void *values,
                                 const narrow_values *narrow, tensor **out);
/* Gives a NARROW tensor's values in full: FLAT, or INDEXED over its dictionary. */
CHECKED status tensor_widen(dev_stream *stream, const tensor *t, dev_count count, tensor **out);
/* `v` for every row; the text of v must outlive the tensor. */
CHECKED status tensor_new_constant(dev_stream *stream, const value *v, tensor **out);
/* base[index]; takes references of its own to both. A base that is INDEXED is composed with the
 * index; a CONSTANT one stays CONSTANT where the index has no nulls. */
CHECKED status tensor_new_indexed(dev_stream *stream, tensor *base, uint64_t base_rows,
                                  row_index *index, dev_count count, tensor **out);
/* Whether every row of an INDEXED tensor's base was made, selected or not: of dictionaries, of a join's build side, and on
 * hosts, which know all counts. */
bool tensor_has_whole_base(const tensor *t);
/* An index with room for `rows` numbers, to be filled by a kernel. */
CHECKED status row_index_new(device *dev, uint64_t rows, row_index **out);
/* The numbers from `first` on, sharing memory. */
CHECKED status row_index_view(const row_index *index, uint64_t first, row_index **out);

/* A bit for each row. */
typedef struct row_mask {
    const uint64_t *bits;
    const uint64_t *validity; /* or NULL: a NULL selects nothing */
    bool is_inverted;         /* rows whose bit is clear are wanted */
    uint32_t first_row;       /* the number of the row of bit 0 */
} row_mask;

/* Rows that were selected, ascending. */
typedef struct row_selection {
    row_index *rows; /* NULL: all */
    dev_count count;
    dev_buffer *count_owner; /* holds count.actual; or NULL */
} row_selection;

/* Gives the values as a FLAT tensor, with a reference; t itself if it is FLAT. */
CHECKED status tensor_flatten(dev_stream *stream, tensor *t, dev_count count, tensor **out);
/* The values of an INDEXED tensor as a FLAT one, at the place. */
CHECKED status tensor_gather_at(dev_stream *stream, const tensor *t, dev_count count,
                                tensor_target target_memory, tensor **out);
/* An array of lazily known counts and other small state: 8-byte words on the device, zeroed. */
CHECKED status dev_words_new(dev_stream *stream, uint32_t count, dev_buffer **out);

/* Words on their way from the device to the host. Zeroed: none. */
typedef struct dev_fetch {
    uint64_t *words; /* pinned; on host devices the words themselves, copied at the start */
    uint32_t count;
    dev_event *event;
    dev_moment since;
} dev_fetch;

typedef ARRAY(chunk *) chunk_list;

/* A chunk whose number of rows is on its way to the host. Zeroed: none. */
typedef struct late_chunk {
    chunk *rows;
    dev_fetch count; /* none where the count is exact */
} late_chunk;

#endif
