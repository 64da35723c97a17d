#include "cli/verdict.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/event.h"
#include "cli/cmd.h"
#include "cli/print.h"
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
	if (v->detail[0])
		add(out, cap, v->detail);
	return out;
}

/* Whether a driver took part. */
static bool on_machine(const struct verdict *v)
{
	return v->on.driver[0] || v->on.cuda;
}

static json_t *verdict_line(const char *name, const char *prefix, const struct verdict *v)
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
	static const char *const keys[] = {"date", "on", "results"};
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (json_object_get(o, keys[i]) && (strcmp(keys[i], "on") || on_machine(v)))
			json_object_set(line, keys[i], json_object_get(o, keys[i]));
	json_decref(o);
	return line;
}

void verdict_print(struct app *app, const char *name, const char *prefix, const struct verdict *v)
{
	char text[1024];
	if (app->json) {
		print_json_line(stdout, verdict_line(name, prefix, v));
		fflush(stdout);
		return;
	}
	verdict_words(v, text, sizeof text);
	printf("%s\t%s%s%s\n", name, v->word, text[0] ? "\t" : "", text);
	fflush(stdout);
	if (v->hint[0])
		event_note(&app->events, "%s: %s", name, v->hint);
}
