/* program_frame.c - frames: made, emptied for other rows, and kept for the next branch that needs one. */
#include "exec/expression/program_frame.h"

#include "exec/expression/program_instruction.h"

/* Slots of which so many are listed when they are set. */
static status init_slots(const program *p, size_t room, frame *f)
{
    size_t count = p->instructions.count + 1;
    f->slots = mem_new_array(count, sizeof *f->slots);
    f->set = mem_new_array(room, sizeof *f->set);
    if (!f->slots || !f->set)
        return status_no_memory("expression", count * sizeof *f->slots);
    f->set_room = (uint32_t)room;
    return STATUS_OK;
}

status frame_init(const program *p, frame *f)
{
    TRY(init_slots(p, p->instructions.count + 1, f));
    f->columns = mem_new_array(p->layout.count + 1, sizeof *f->columns);
    return f->columns ? STATUS_OK
                      : status_no_memory("expression", p->layout.count * sizeof *f->columns);
}

/* Instructions that read one column are few, and the frame never reads another. */
#define DICTIONARY_ROOM 64

status frame_init_dictionary(const program *p, frame *f)
{
    return init_slots(p, DICTIONARY_ROOM, f);
}

void slot_set(frame *f, uint32_t number, tensor *value)
{
    f->slots[number] = value;
    if (f->set_count < f->set_room)
        f->set[f->set_count] = number;
    f->set_count += f->set_count <= f->set_room; /* beyond the room: too many to list */
}

void slot_clear(frame *f, uint32_t number)
{
    tensor_unref(f->slots[number]);
    f->slots[number] = NULL;
}

void frame_forget(const program *p, frame *f, uint32_t root)
{
    for (uint32_t i = root ? p->release_ends[root - 1] : 0; i < p->release_ends[root]; i++)
        slot_clear(f, p->releases[i]);
    for (frame *child = f->children; child; child = child->next)
        frame_forget(p, child, root);
}

/* Empties all slots: those that were set, as a frame has one for each instruction of the program. */
static void program_frame_clear_slots(const program *p, frame *f)
{
    bool is_listed = f->set_count <= f->set_room;
    uint32_t count = is_listed ? f->set_count : (uint32_t)p->instructions.count;
    for (uint32_t i = 0; i < count; i++)
        slot_clear(f, is_listed ? f->set[i] : i);
    f->set_count = 0;
}

void frame_clear(const program *p, frame *f)
{
    if (f->slots && f->set)
        program_frame_clear_slots(p, f);
    for (uint32_t i = 0; f->columns && i < p->layout.count; i++) {
        tensor_unref(f->columns[i]);
        f->columns[i] = NULL;
    }
    row_index_unref(f->rows);
    f->rows = NULL;
    dev_buffer_unref(f->count_owner);
    f->count_owner = NULL;
    f->is_ready = false;
    for (frame *child = f->children; child; child = child->next)
        frame_clear(p, child);
}

void frame_release(const program *p, frame *f)
{
    frame_clear(p, f);
    tensor_unref(f->dictionary);
    while (f->children) {
        frame *child = f->children;
        f->children = child->next;
        frame_release(p, child);
        mem_free(child);
    }
    mem_free(f->slots);
    mem_free(f->set);
    mem_free(f->columns);
}

/* ---- selections ---- */

static frame *take_spare(program_run *run)
{
    frame *spare = run->spares;
    if (spare) {
        run->spares = spare->next;
        spare->next = NULL;
        return spare;
    }
    spare = mem_new(sizeof *spare);
    if (!spare)
        return NULL;
    status st = frame_init(run->program, spare);
    if (!st)
        return spare;
    status_free(st);
    frame_release(run->program, spare);
    mem_free(spare);
    return NULL;
}

frame *run_child(program_run *run, frame *f, uint32_t number, uint32_t branch)
{
    for (frame *child = f->children; child; child = child->next)
        if (child->instruction == number && child->branch == branch)
            return child;
    frame *child = take_spare(run);
    if (!child)
        return NULL;
    child->parent = f;
    child->instruction = number;
    child->branch = branch;
    child->next = f->children;
    f->children = child;
    return child;
}

void run_end_children(program_run *run, frame *f, uint32_t number)
{
    for (frame **link = &f->children; *link;) {
        frame *child = *link;
        if (child->instruction != number) {
            link = &child->next;
            continue;
        }
        *link = child->next;
        frame_clear(run->program, child);
        child->parent = NULL;
        child->next = run->spares;
        run->spares = child;
    }
}

void frame_free_spares(program_run *run)
{
    while (run->spares) {
        frame *spare = run->spares;
        run->spares = spare->next;
        frame_release(run->program, spare);
        mem_free(spare);
    }
}
