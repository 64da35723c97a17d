#pragma once
/* What the child of gpu_probe does: loads the driver's libraries and fills *g, each fact as it comes. */
#include "core/gpu.h"

void gpu_ask(struct gpus *g, const struct gpu_places *at);

/* For its parts. Adds what NVML tells, also of GPUs that are there already. */
void gpu_ask_nvml(struct gpus *g, const char *const *names);
/* Stands in *g before a call, so that a hang or a crash has a name. */
void gpu_ask_step(struct gpus *g, const char *name);
void gpu_ask_text(char *out, size_t cap, const char *text);
/* An unknown one behind the others; NULL: no room. */
struct gpu *gpu_ask_add(struct gpus *g);
