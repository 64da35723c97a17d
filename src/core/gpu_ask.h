#pragma once
/* What the child of gpu_probe does: loads the driver's libraries and fills *g, each fact as it comes. */
#include "core/gpu.h"

void gpu_ask(struct gpus *g, const struct gpu_places *at);
