/* _capsule.c - DLPack tensors as capsules for Python, and copies of them.
 *
 * It is no Python module but a library that ctypes loads, and calls with the interpreter's lock held: of Python it
 * uses three functions of the stable ABI, which are declared here, so that neither Python's headers nor a
 * certain version of Python are needed to build it. */
#include "pistachio/dlpack.h"

#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))

typedef struct python_object python_object;
python_object *PyCapsule_New(void *pointer, const char *name, void (*destructor)(python_object *));
int PyCapsule_IsValid(python_object *capsule, const char *name);
void *PyCapsule_GetPointer(python_object *capsule, const char *name);

/* Who takes a tensor out of its capsule renames that. */
static const char versioned_name[] = "dltensor_versioned", plain_name[] = "dltensor";

static void drop_versioned(python_object *capsule)
{
    if (!PyCapsule_IsValid(capsule, versioned_name))
        return;
    DLManagedTensorVersioned *tensor = PyCapsule_GetPointer(capsule, versioned_name);
    tensor->deleter(tensor);
}

static void drop_plain(python_object *capsule)
{
    if (!PyCapsule_IsValid(capsule, plain_name))
        return;
    DLManagedTensor *tensor = PyCapsule_GetPointer(capsule, plain_name);
    tensor->deleter(tensor);
}

/* The tensor, which is taken over; NULL with an exception. */
API python_object *pistachio_capsule(DLManagedTensorVersioned *tensor)
{
    python_object *capsule = PyCapsule_New(tensor, versioned_name, drop_versioned);
    if (!capsule)
        tensor->deleter(tensor);
    return capsule;
}

/* ---- copies, which may be written to ---- */

typedef struct copied_tensor {
    union {
        DLManagedTensorVersioned versioned;
        DLManagedTensor plain;
    };
    int64_t shape[2], strides[2];
    _Alignas(64) char values[];
} copied_tensor;

static void delete_versioned(DLManagedTensorVersioned *tensor)
{
    free(tensor->manager_ctx);
}

static void delete_plain(DLManagedTensor *tensor)
{
    free(tensor->manager_ctx);
}

/* Of one or two dimensions, without gaps. */
static copied_tensor *copy(const DLTensor *from, DLTensor *out)
{
    size_t bytes = (size_t)from->shape[0] * from->dtype.bits / 8;
    if (from->ndim == 2)
        bytes *= (size_t)from->shape[1];
    copied_tensor *made = aligned_alloc(64, (sizeof *made + bytes + 63) / 64 * 64);
    if (!made)
        return NULL;
    memset(made, 0, sizeof *made);
    if (bytes)
        memcpy(made->values, from->data, bytes);
    for (int i = 0; i < from->ndim; i++) {
        made->shape[i] = from->shape[i];
        made->strides[i] = from->strides[i];
    }
    *out = *from;
    out->data = made->values;
    out->shape = made->shape;
    out->strides = made->strides;
    return made;
}

static python_object *versioned_copy(copied_tensor *made, const DLTensor *values)
{
    made->versioned =
        (DLManagedTensorVersioned){.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION},
                                   .manager_ctx = made,
                                   .deleter = delete_versioned,
                                   .flags = DLPACK_FLAG_BITMASK_IS_COPIED,
                                   .dl_tensor = *values};
    return pistachio_capsule(&made->versioned);
}

/* For those who know DLPack before 1.0 alone, which could not say that a tensor is read-only. */
static python_object *plain_copy(copied_tensor *made, const DLTensor *values)
{
    made->plain = (DLManagedTensor){
        .dl_tensor = *values, .manager_ctx = made, .deleter = delete_plain};
    python_object *capsule = PyCapsule_New(&made->plain, plain_name, drop_plain);
    if (!capsule)
        free(made);
    return capsule;
}

/* A copy of the tensor, which is taken over; NULL with an exception, or without one where there is no
 * memory: *out_is_made says which. */
API python_object *pistachio_capsule_copy(DLManagedTensorVersioned *tensor, int is_versioned,
                                          int *out_is_made)
{
    DLTensor values;
    copied_tensor *made = copy(&tensor->dl_tensor, &values);
    tensor->deleter(tensor);
    *out_is_made = made != NULL;
    if (!made)
        return NULL;
    return is_versioned ? versioned_copy(made, &values) : plain_copy(made, &values);
}
