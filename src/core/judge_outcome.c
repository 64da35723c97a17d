#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "core/judge.h"
#include "core/judge_run.h"

enum { STATUS_WRONG = 1, STATUS_CALL = 3 };

/* Runtimes before 10.1 have numbers of their own; the names never changed. */
static const struct {
	const char *name;
	int code;
} names[] = {
	{"cudaErrorMemoryAllocation", 2},
	{"cudaErrorInitializationError", 3},
	{"cudaErrorStubLibrary", 34},
	{"cudaErrorInsufficientDriver", 35},
	{"cudaErrorCallRequiresNewerDriver", 36},
	{"cudaErrorDevicesUnavailable", 46},
	{"cudaErrorNoDevice", 100},
	{"cudaErrorInvalidDevice", 101},
	{"cudaErrorInvalidKernelImage", 200},
	{"cudaErrorNoKernelImageForDevice", 209},
	{"cudaErrorECCUncorrectable", 214},
	{"cudaErrorInvalidPtx", 218},
	{"cudaErrorJitCompilerNotFound", 221},
	{"cudaErrorUnsupportedPtxVersion", 222},
	{"cudaErrorOperatingSystem", 304},
	{"cudaErrorIllegalAddress", 700},
	{"cudaErrorLaunchTimeout", 702},
	{"cudaErrorLaunchFailure", 719},
	{"cudaErrorSystemNotReady", 802},
	{"cudaErrorSystemDriverMismatch", 803},
	{"cudaErrorCompatNotSupportedOnDevice", 804},
	{"cudaErrorUnknown", 999},
};

static int code_of(const char *name, int number)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i].name, name))
			return names[i].code;
	return number;
}

static void say(struct run_outcome *o, enum run_end end, const char *text)
{
	o->end = end;
	judge_line(text, strlen(text), o->said, sizeof o->said);
}

static const char *text_of(const json_t *line, const char *key)
{
	const char *s = json_string_value(json_object_get(line, key));
	return s ? s : "";
}

static void take_call(struct run_outcome *o, const json_t *line)
{
	int number = (int)json_integer_value(json_object_get(line, "code"));
	const char *text = text_of(line, "text"), *name = text_of(line, "name");
	autofree char *said =
		xasprintf("%s: %s (%d)%s%s", text_of(line, "call"), name[0] ? name : "error",
			  number, text[0] ? ": " : "", text);
	/* Libraries have numbers of their own. */
	bool cuda = !strncmp(name, "cuda", 4) || !strncmp(name, "CUDA_ERROR_", 11);
	o->code = cuda ? code_of(name, number) : -1;
	say(o, RUN_CALL, said);
}

static void take_wrong(struct run_outcome *o, const json_t *line)
{
	autofree char *said = xasprintf("%s %.0f is %.9g and should be %.9g", text_of(line, "what"),
					json_number_value(json_object_get(line, "index")),
					json_number_value(json_object_get(line, "value")),
					json_number_value(json_object_get(line, "expected")));
	say(o, RUN_WRONG, said);
}

/* The last whole line; NULL: none, or not an object. */
static json_t *last_line(const struct buf *out)
{
	const char *s = buf_str(out), *end = s + out->len;
	while (end > s && (end[-1] == '\n' || end[-1] == ' '))
		end--;
	const char *start = end;
	while (start > s && start[-1] != '\n')
		start--;
	json_t *line = json_loadb(start, (size_t)(end - start), 0, NULL);
	if (json_is_object(line))
		return line;
	json_decref(line);
	return NULL;
}

static void take_strange(struct run_outcome *o, const struct proc_result *r)
{
	char words[64];
	const struct buf *said = r->err.len ? &r->err : &r->out;
	autofree char *first = xstrndup(buf_str(said), strcspn(buf_str(said), "\n"));
	autofree char *text = xasprintf("%s%s%s", proc_result_words(r, words, sizeof words),
					first[0] ? ": " : "", first);
	say(o, RUN_STRANGE, text);
}

void judge_outcome(const struct proc_result *r, struct run_outcome *o)
{
	char words[64];
	*o = (struct run_outcome){0};
	if (r->timed_out) {
		say(o, r->out.full || r->err.full ? RUN_ENDLESS : RUN_TIMEOUT,
		    proc_result_words(r, words, sizeof words));
		return;
	}
	if (r->signal) {
		say(o, RUN_CRASHED, proc_result_words(r, words, sizeof words));
		return;
	}
	json_auto_t *line = last_line(&r->out);
	bool done = json_is_true(json_object_get(line, "ok")) &&
		    json_is_true(json_object_get(line, "done"));
	bool failed = json_is_false(json_object_get(line, "ok"));
	if (r->status == 0 && done)
		say(o, RUN_OK, "");
	else if (r->status == STATUS_CALL && failed)
		take_call(o, line);
	else if (r->status == STATUS_WRONG && failed)
		take_wrong(o, line);
	else
		take_strange(o, r);
}
