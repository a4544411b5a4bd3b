/* bound_filter.c - compiles a runtime bound. */
#include "exec/expression/bound_filter.h"

#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"

void bound_filter_release(bound_filter *f)
{
    program_run_free(f->run);
    program_free(f->program);
    arena_free(f->memory);
    bound_values_unref(f->values);
    *f = (bound_filter){0};
}

static status bound_filter_compile(bound_filter *f, const bound_use *use, exec_task *task)
{
    expr *condition;
    TRY(arena_new(&f->memory));
    TRY(bound_condition(f->memory, f->values, use->keys, use->count, use->has_all_keys,
                        &condition));
    if (!condition)
        return STATUS_OK;
    TRY(program_compile((const expr *const[]){condition}, 1, use->layout, &f->program));
    return program_run_new(f->program, task, &f->run);
}

status bound_filter_refresh(bound_filter *f, const bound_use *use, exec_task *task)
{
    if (f->version == runtime_bound_version(use->bound))
        return STATUS_OK;
    bound_filter_release(f);
    f->values = runtime_bound_get(use->bound);
    f->version = bound_values_version(f->values);
    status st = bound_filter_compile(f, use, task);
    if (st)
        bound_filter_release(f);
    return st;
}
