/* assemble.h - inside the reader: levels and values of leaves become lists, structs and maps. */
#ifndef PISTACHIO_PARQUET_READ_ASSEMBLE_H
#define PISTACHIO_PARQUET_READ_ASSEMBLE_H

#include "device/tensor.h"
#include "parquet/format/metadata.h"

/* A leaf's values of whole rows: levels of each, and a tensor of their slots; NULL: the leaf is not read. */
typedef struct pq_leaf_values {
    const uint8_t *repetition, *definition;
    uint64_t count;
    tensor *values;
    uint64_t slots;
} pq_leaf_values;

/* The node's rows. `leaves` has one for each leaf of the column, of which `first` is the number of the first. Levels
 * that do not fit one another are an error that names the node. Parts of which no leaf is read are NULL; of the node one is. */
CHECKED status pq_assemble(dev_stream *stream, const pq_node *node, const pq_leaf_values *leaves,
                           uint32_t first, tensor **out, uint64_t *out_rows);

#endif
