/* unique_names.h - names of columns of which several are alike, told apart: value, value_1, value_2. */
#ifndef PISTACHIO_BASE_UNIQUE_NAMES_H
#define PISTACHIO_BASE_UNIQUE_NAMES_H

#include "base/mem.h"

/* Gives each name that one before it has a number behind it, counted from 1, and if that is taken another: value_1_1;
 * names that differ in their case are different. The texts that are made are in the arena. */
CHECKED status unique_names(arena *a, const char **names, size_t count);

#endif
