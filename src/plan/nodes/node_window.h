/* node_window.h - what is known of a window's calls. */
#ifndef PISTACHIO_PLAN_NODES_NODE_WINDOW_H
#define PISTACHIO_PLAN_NODES_NODE_WINDOW_H

#include "plan/tree/plan.h"

/* Returns whether the call's value depends on its frame. */
bool plan_window_has_frame(const plan_window_call *call);

#endif
