/* arrow_feed.c - one array at a time, each of the same rows. */
#include "arrow_feed.h"

#include <errno.h>
#include <stdbool.h>

static void release_schema(struct ArrowSchema *schema)
{
    if (schema->private_data)
        ((arrow_feed *)schema->private_data)->open--;
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    if (array->private_data)
        ((arrow_feed *)array->private_data)->open--;
    array->release = NULL;
}

static struct ArrowSchema schema_of(const arrow_feed_column *column)
{
    return (struct ArrowSchema){
        .format = column->format, .name = column->name, .release = release_schema};
}

static bool is_nested(const arrow_feed_column *column)
{
    return column->format && column->format[0] == '+';
}

static int64_t count_nested(const arrow_feed_column *column)
{
    int64_t count = 0;
    while (is_nested(column) && column->dictionary && column->dictionary[count].name)
        count++;
    return count;
}

/* Gives the schema those of its children, which follow one another, as deep as they go. */
static void add_nested_schemas(arrow_feed *feed, const arrow_feed_column *column,
                               struct ArrowSchema *schema)
{
    int64_t first = feed->nested_schemas_used, count = count_nested(column);
    feed->nested_schemas_used += count;
    schema->n_children = count;
    schema->children = count ? &feed->nested_field_list[first] : NULL;
    for (int64_t i = 0; i < count; i++) {
        feed->nested_fields[first + i] = schema_of(&column->dictionary[i]);
        feed->nested_field_list[first + i] = &feed->nested_fields[first + i];
        add_nested_schemas(feed, &column->dictionary[i], &feed->nested_fields[first + i]);
    }
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    arrow_feed *feed = stream->private_data;
    feed->nested_schemas_used = 0;
    for (int64_t i = 0; i < feed->column_count; i++) {
        feed->fields[i] = schema_of(&feed->columns[i]);
        feed->field_list[i] = &feed->fields[i];
        add_nested_schemas(feed, &feed->columns[i], &feed->fields[i]);
        if (!feed->columns[i].dictionary || is_nested(&feed->columns[i]))
            continue;
        feed->dictionaries[i] = schema_of(feed->columns[i].dictionary);
        feed->fields[i].dictionary = &feed->dictionaries[i];
    }
    *out = (struct ArrowSchema){.format = "+s",
                                .n_children = feed->column_count,
                                .children = feed->field_list,
                                .release = release_schema,
                                .private_data = feed};
    feed->open++;
    return 0;
}

static struct ArrowArray array_of(const arrow_feed_column *column)
{
    return (struct ArrowArray){.length = column->length,
                               .offset = column->offset,
                               .null_count = column->null_count,
                               .n_buffers = column->buffer_count,
                               .buffers = (const void **)column->buffers,
                               .release = release_array};
}

static void add_nested_arrays(arrow_feed *feed, const arrow_feed_column *column,
                              struct ArrowArray *array)
{
    int64_t first = feed->nested_arrays_used, count = count_nested(column);
    feed->nested_arrays_used += count;
    array->n_children = count;
    array->children = count ? &feed->nested_array_list[first] : NULL;
    for (int64_t i = 0; i < count; i++) {
        feed->nested_arrays[first + i] = array_of(&column->dictionary[i]);
        feed->nested_array_list[first + i] = &feed->nested_arrays[first + i];
        add_nested_arrays(feed, &column->dictionary[i], &feed->nested_arrays[first + i]);
    }
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    arrow_feed *feed = stream->private_data;
    *out = (struct ArrowArray){0};
    feed->calls++;
    if (feed->calls == feed->fails_at)
        return EIO;
    if (feed->calls > feed->arrays)
        return 0;
    feed->nested_arrays_used = 0;
    for (int64_t i = 0; i < feed->column_count; i++) {
        feed->children[i] = array_of(&feed->columns[i]);
        feed->child_list[i] = &feed->children[i];
        add_nested_arrays(feed, &feed->columns[i], &feed->children[i]);
        if (!feed->columns[i].dictionary || is_nested(&feed->columns[i]))
            continue;
        feed->entries[i] = array_of(feed->columns[i].dictionary);
        feed->children[i].dictionary = &feed->entries[i];
    }
    feed->row_buffers[0] = feed->validity;
    *out = (struct ArrowArray){.length = feed->length,
                               .offset = feed->offset,
                               .null_count = feed->null_count,
                               .n_buffers = 1,
                               .buffers = feed->row_buffers,
                               .n_children =
                                   feed->array_columns ? feed->array_columns : feed->column_count,
                               .children = feed->child_list,
                               .release = release_array,
                               .private_data = feed};
    feed->open++;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "the feed was told to fail";
}

static void release(struct ArrowArrayStream *stream)
{
    ((arrow_feed *)stream->private_data)->open--;
    stream->release = NULL;
}

struct ArrowArrayStream arrow_feed_open(arrow_feed *feed)
{
    feed->calls = 0;
    feed->open = 1;
    return (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release,
                                     .private_data = feed};
}
