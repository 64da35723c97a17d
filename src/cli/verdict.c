#include "cli/verdict.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/event.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "core/gpu.h"
#include "core/toolkits.h"

static void add(char *out, size_t cap, const char *text)
{
	size_t n = strlen(out);
	snprintf(out + n, cap - n, "%s%s", n ? "; " : "", text);
}

const char *verdict_words(const struct verdict *v, char *out, size_t cap)
{
	const struct measured *on = &v->on;
	char text[256];
	out[0] = '\0';
	if (on->gpu[0] && on->code[0] && verdict_good(v)) {
		snprintf(text, sizeof text, "%s: %s%s", on->gpu, on->code,
			 strcmp(on->ptx, "ok") ? "" : " and PTX");
		add(out, cap, text);
	}
	if (on->h2d > 0 || on->d2d > 0) {
		snprintf(text, sizeof text, "%.1f GB/s to it, %.1f back, %.0f on its memory",
			 on->h2d / 1e9, on->d2h / 1e9, on->d2d / 1e9);
		add(out, cap, text);
	}
	if (on->libraries[0])
		add(out, cap, on->libraries);
	if (v->detail[0])
		add(out, cap, v->detail);
	return out;
}

/* Whether a driver took part. */
static bool on_machine(const struct verdict *v)
{
	return v->on.driver[0] || v->on.cuda;
}

static json_t *number(double v)
{
	return v > 0 ? json_integer((json_int_t)v) : json_null();
}

static json_t *state(enum gpu_state s)
{
	return s == GPU_UNKNOWN ? json_null() : json_boolean(s == GPU_ON);
}

/* What is not known is null. "ordinal" null: programs do not see it. */
static json_t *gpu_json(const struct gpu *g)
{
	char cc[16];
	snprintf(cc, sizeof cc, "%d.%d", g->cc / 10, g->cc % 10);
	json_t *o = json_pack("{s:o, s:s, s:s, s:s}", "name", print_json_text(g->name), "uuid",
			      g->uuid, "pci", g->pci, "cc", cc);
	json_object_set_new(o, "ordinal", g->ordinal < 0 ? json_null() : json_integer(g->ordinal));
	json_object_set_new(o, "index", g->index < 0 ? json_null() : json_integer(g->index));
	json_object_set_new(o, "memory", number((double)g->memory));
	json_object_set_new(o, "pcie_gen", number(g->pcie_gen));
	json_object_set_new(o, "pcie_width", number(g->pcie_width));
	json_object_set_new(o, "pcie_gen_max", number(g->pcie_gen_max));
	json_object_set_new(o, "pcie_width_max", number(g->pcie_width_max));
	json_object_set_new(o, "pcie_limit",
			    number(gpu_pcie_limit(g->pcie_gen_max, g->pcie_width_max)));
	json_object_set_new(o, "memory_limit", number(gpu_memory_limit(g)));
	json_object_set_new(o, "ecc", state(g->ecc));
	json_object_set_new(o, "mig", state(g->mig));
	return o;
}

static json_t *verdict_line(const char *name, const char *prefix, const struct verdict *v,
			    const struct gpus *gpus)
{
	char host[256] = "", release[VERSION_TEXT] = "";
	json_t *o = verdict_json(v);
	gethostname(host, sizeof host - 1);
	toolkit_release(prefix, release);
	json_t *line = json_pack("{s:o, s:o, s:s, s:o, s:o, s:s}", "version", print_json_text(name),
				 "host", print_json_text(host), "verdict", v->word, "detail",
				 print_json_text(v->detail), "hint", print_json_text(v->hint),
				 "level", v->level);
	json_object_set_new(line, "release", release[0] ? json_string(release) : json_null());
	json_object_set_new(line, "host_compiler", print_json_text(v->ccbin));
	json_t *list = gpus ? json_array() : NULL;
	for (size_t i = 0; gpus && i < gpus->n; i++)
		json_array_append_new(list, gpu_json(&gpus->items[i]));
	if (list)
		json_object_set_new(line, "gpus", list);
	static const char *const keys[] = {"date", "on", "results"};
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (json_object_get(o, keys[i]) && (strcmp(keys[i], "on") || on_machine(v)))
			json_object_set(line, keys[i], json_object_get(o, keys[i]));
	json_decref(o);
	return line;
}

void verdict_print(struct app *app, const char *name, const char *prefix, const struct verdict *v,
		   const struct gpus *gpus)
{
	char text[1024];
	if (app->json) {
		print_json_line(stdout, verdict_line(name, prefix, v, gpus));
		fflush(stdout);
		return;
	}
	verdict_words(v, text, sizeof text);
	printf("%s\t%s%s%s\n", name, v->word, text[0] ? "\t" : "", text);
	fflush(stdout);
	if (v->hint[0])
		event_note(&app->events, "%s: %s", name, v->hint);
}
