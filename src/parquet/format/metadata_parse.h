/* metadata_parse.h - inside the footer's parser: what its files call of each other. */
#ifndef PISTACHIO_PARQUET_FORMAT_METADATA_PARSE_H
#define PISTACHIO_PARQUET_FORMAT_METADATA_PARSE_H

#include "parquet/format/thrift.h"

#endif
