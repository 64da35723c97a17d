#include "core/verdict.h"

#include <stdlib.h>
#include <string.h>

#include "core/record_file.h"

static json_t *measured_json(const struct measured *on)
{
	return json_pack("{ss si ss ss si ss ss ss sb sf sf sf}", "driver", on->driver, "cuda",
			 on->cuda, "gpu", on->gpu, "uuids", on->uuids, "cc", on->cc, "code",
			 on->code, "ptx", on->ptx, "libraries", on->libraries, "slow",
			 (int)on->slow, "h2d", on->h2d, "d2h", on->d2h, "d2d", on->d2d);
}

json_t *verdict_json(const struct verdict *v)
{
	char date[sizeof v->date];
	if (v->date[0])
		memcpy(date, v->date, sizeof date);
	else
		record_file_now(date, sizeof date);
	json_t *root = json_pack("{ss ss ss ss ss ss so}", "verdict", v->word, "level", v->level,
				 "detail", v->detail, "hint", v->hint, "ccbin", v->ccbin, "date",
				 date, "on", measured_json(&v->on));
	json_t *results = v->results ? json_loads(v->results, 0, NULL) : NULL;
	if (root && results)
		json_object_set(root, "results", results);
	json_decref(results);
	return root;
}

bool verdict_write(const char *prefix, const struct verdict *v, struct err *err)
{
	json_auto_t *root = verdict_json(v);
	if (!root)
		return err_set(err, ERR_FAILED, "cannot write the verdict of '%s': not UTF-8",
			       prefix);
	json_object_set_new(root, "format", json_integer(RECORD_FORMAT));
	return record_file_write(prefix, "verdict.json", root, err);
}

static double rate(const json_t *o, const char *key)
{
	double v = json_number_value(json_object_get(o, key));
	return v > 0 ? v : 0;
}

/* Files of older cudaenv have none. */
static bool read_measured(const json_t *o, struct measured *on)
{
	on->cuda = (int)json_integer_value(json_object_get(o, "cuda"));
	on->cc = (int)json_integer_value(json_object_get(o, "cc"));
	on->slow = json_is_true(json_object_get(o, "slow"));
	on->h2d = rate(o, "h2d");
	on->d2h = rate(o, "d2h");
	on->d2d = rate(o, "d2d");
	return record_file_text(o, "driver", on->driver, sizeof on->driver, false) &&
	       record_file_text(o, "gpu", on->gpu, sizeof on->gpu, false) &&
	       record_file_text(o, "uuids", on->uuids, sizeof on->uuids, false) &&
	       record_file_text(o, "libraries", on->libraries, sizeof on->libraries, false) &&
	       record_file_text(o, "code", on->code, sizeof on->code, false) &&
	       record_file_text(o, "ptx", on->ptx, sizeof on->ptx, false);
}

bool verdict_read(const char *prefix, struct verdict *v)
{
	struct err err;
	autofree char *path = xasprintf("%s/.cudaenv/verdict.json", prefix);
	json_auto_t *root = record_file_read(path, &err);
	struct verdict got = {0};
	bool ok = root && json_integer_value(json_object_get(root, "format")) == RECORD_FORMAT &&
		  record_file_text(root, "verdict", got.word, sizeof got.word, true) &&
		  record_file_text(root, "level", got.level, sizeof got.level, false) &&
		  record_file_text(root, "detail", got.detail, sizeof got.detail, false) &&
		  record_file_text(root, "hint", got.hint, sizeof got.hint, false) &&
		  record_file_text(root, "ccbin", got.ccbin, sizeof got.ccbin, false) &&
		  record_file_text(root, "date", got.date, sizeof got.date, false) &&
		  read_measured(json_object_get(root, "on"), &got.on);
	const json_t *results = json_object_get(root, "results");
	if (ok && json_is_array(results))
		got.results = json_dumps(results, JSON_COMPACT);
	*v = ok ? got : (struct verdict){0};
	return ok;
}

bool verdict_good(const struct verdict *v)
{
	static const char *const good[] = {"ok", "compiled", "files-ok"};
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		if (!strcmp(v->word, good[i]))
			return true;
	return false;
}

void verdict_clear(struct verdict *v)
{
	free(v->results);
	*v = (struct verdict){0};
}
