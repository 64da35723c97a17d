#include "core/record.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/atomic.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/path.h"
#include "base/tree.h"

enum { RECORD_FORMAT = 1, RECORD_MAX = 4 << 20, RECORD_COMPONENTS_MAX = 4096 };

/* release.source is static text, so a name that was read is looked up here. */
static const char *const source_names[] = {"redist",  "wheels",	 "deb", "runfile",
					   "archive", "unknown", NULL};

static const char *source_name(const char *s)
{
	size_t i = 0;
	while (strcmp(source_names[i], "unknown") && strcmp(source_names[i], s))
		i++;
	return source_names[i];
}

static void now(char *out, size_t cap)
{
	time_t t = time(NULL);
	struct tm tm;
	if (!gmtime_r(&t, &tm) || !strftime(out, cap, "%Y-%m-%dT%H:%M:%SZ", &tm))
		out[0] = '\0';
}

/* Writes root to <prefix>/.cudaenv/<name>, readable for everybody whatever the umask is. */
static bool write_json(const char *prefix, const char *name, const json_t *root, struct err *err)
{
	autofree char *dir = xasprintf("%s/.cudaenv", prefix);
	autofree char *path = xasprintf("%s/%s", dir, name);
	struct stat st;
	if (stat(prefix, &st) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", path);
	if (mkdir(dir, 0755) == 0) {
		if (chmod(dir, 0755) < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot open '%s' to all users", dir);
	} else if (errno != EEXIST) {
		return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", dir);
	}
	autofree char *text = json_dumps(root, JSON_INDENT(2));
	if (!text)
		return err_set(err, ERR_FAILED, "cannot write '%s': a value is not UTF-8", path);
	autofree char *line = xasprintf("%s\n", text);
	if (!atomic_write(path, line, strlen(line), 0644, err))
		return false;
	if (chmod(path, 0644) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open '%s' to all users", path);
	return true;
}

static json_t *read_json(const char *path, struct err *err)
{
	autobuf struct buf text = BUF_INIT(RECORD_MAX);
	json_error_t e;
	if (!io_read_file(path, &text, err)) {
		err->code = ERR_FAILED;
		return NULL;
	}
	json_t *root = json_loadb(buf_str(&text), text.len, JSON_REJECT_DUPLICATES, &e);
	if (!root)
		err_set(err, ERR_FAILED, "'%s' line %d: %s", path, e.line, e.text);
	return root;
}

/* A string member of at most cap - 1 bytes; a missing one is "" unless it is required. */
static bool get_text(const json_t *o, const char *key, char *out, size_t cap, bool required)
{
	const char *s = json_string_value(json_object_get(o, key));
	if (!s)
		s = "";
	if ((required && !s[0]) || strlen(s) >= cap)
		return false;
	memcpy(out, s, strlen(s) + 1);
	return true;
}

static bool get_number(const json_t *o, const char *key, uint64_t *out)
{
	json_int_t v = json_integer_value(json_object_get(o, key));
	*out = v > 0 ? (uint64_t)v : 0;
	return v >= 0;
}

static bool is_sha256(const char *s)
{
	return strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

static json_t *component_json(const struct component *c)
{
	return json_pack("{ss ss? ss ss? ss sI sI}", "name", c->name, "package", c->package,
			 "version", c->version ? c->version : "", "file", c->file, "sha256",
			 c->sha256, "size", (json_int_t)c->size, "unpacked",
			 (json_int_t)c->unpacked);
}

bool record_write(const char *prefix, const struct record *r, struct err *err)
{
	const struct release *rel = &r->release;
	char installed[sizeof r->installed];
	if (r->installed[0])
		memcpy(installed, r->installed, sizeof installed);
	else
		now(installed, sizeof installed);

	json_auto_t *components = json_array();
	for (size_t i = 0; i < rel->n; i++)
		json_array_append_new(components, component_json(&rel->components[i]));
	json_auto_t *root = json_pack(
		"{si ss ss ss ss ss s{ss? ss sb} sO}", "format", RECORD_FORMAT, "label", rel->label,
		"source", rel->source ? rel->source : "unknown", "arch", rel->arch, "profile",
		r->profile, "installed", installed, "manifest", "file", rel->manifest, "sha256",
		rel->manifest_sha256, "pinned", (int)rel->pinned, "components", components);
	if (!root)
		return err_set(err, ERR_FAILED, "cannot write the record of '%s'", prefix);
	return write_json(prefix, "record.json", root, err);
}

static bool read_component(const json_t *o, struct component *c)
{
	const char *name = json_string_value(json_object_get(o, "name"));
	const char *package = json_string_value(json_object_get(o, "package"));
	const char *version = json_string_value(json_object_get(o, "version"));
	const char *file = json_string_value(json_object_get(o, "file"));
	if (!name || !path_safe_component(name) || !version ||
	    !get_text(o, "sha256", c->sha256, sizeof c->sha256, true) || !is_sha256(c->sha256) ||
	    !get_number(o, "size", &c->size) || !get_number(o, "unpacked", &c->unpacked))
		return false;
	c->name = xstrdup(name);
	c->package = xstrdup(package ? package : name);
	c->version = xstrdup(version);
	c->file = xstrdup(file ? file : "");
	return true;
}

/* Fills *r as far as it comes; the caller clears it when this says false. */
static bool read_record(const json_t *root, struct record *r)
{
	struct release *rel = &r->release;
	const json_t *manifest = json_object_get(root, "manifest");
	const json_t *components = json_object_get(root, "components");
	const char *source = json_string_value(json_object_get(root, "source"));
	const char *file = json_string_value(json_object_get(manifest, "file"));

	if (json_integer_value(json_object_get(root, "format")) != RECORD_FORMAT || !source ||
	    !json_is_array(components) || json_array_size(components) > RECORD_COMPONENTS_MAX ||
	    !get_text(root, "label", rel->label, sizeof rel->label, true) ||
	    !path_safe_component(rel->label) ||
	    !get_text(root, "arch", rel->arch, sizeof rel->arch, true) ||
	    !get_text(root, "profile", r->profile, sizeof r->profile, false) ||
	    !get_text(root, "installed", r->installed, sizeof r->installed, false) ||
	    !get_text(manifest, "sha256", rel->manifest_sha256, sizeof rel->manifest_sha256,
		      false) ||
	    (rel->manifest_sha256[0] && !is_sha256(rel->manifest_sha256)))
		return false;
	rel->source = source_name(source);
	rel->manifest = file ? xstrdup(file) : NULL;
	rel->pinned = json_is_true(json_object_get(manifest, "pinned"));
	for (size_t i = 0; i < json_array_size(components); i++) {
		rel->components = array_grow(rel->components, rel->n, sizeof *rel->components);
		if (!read_component(json_array_get(components, i), &rel->components[rel->n++]))
			return false;
	}
	return true;
}

bool record_read(const char *prefix, struct record *out, struct err *err)
{
	autofree char *path = xasprintf("%s/.cudaenv/record.json", prefix);
	json_auto_t *root = read_json(path, err);
	if (!root)
		return false;
	struct record r = {0};
	if (!read_record(root, &r)) {
		record_clear(&r);
		return err_set(err, ERR_FAILED, "'%s' is not a record of format %d", path,
			       RECORD_FORMAT);
	}
	*out = r;
	return true;
}

void record_clear(struct record *r)
{
	release_clear(&r->release);
	*r = (struct record){0};
}

bool verdict_write(const char *prefix, const struct verdict *v, struct err *err)
{
	char date[sizeof v->date];
	if (v->date[0])
		memcpy(date, v->date, sizeof date);
	else
		now(date, sizeof date);
	json_auto_t *root = json_pack("{si ss ss ss ss ss ss}", "format", RECORD_FORMAT, "verdict",
				      v->word, "level", v->level, "detail", v->detail, "hint",
				      v->hint, "ccbin", v->ccbin, "date", date);
	if (!root)
		return err_set(err, ERR_FAILED, "cannot write the verdict of '%s': not UTF-8",
			       prefix);
	return write_json(prefix, "verdict.json", root, err);
}

bool verdict_read(const char *prefix, struct verdict *v)
{
	struct err err;
	autofree char *path = xasprintf("%s/.cudaenv/verdict.json", prefix);
	json_auto_t *root = read_json(path, &err);
	struct verdict got = {0};
	bool ok = root && json_integer_value(json_object_get(root, "format")) == RECORD_FORMAT &&
		  get_text(root, "verdict", got.word, sizeof got.word, true) &&
		  get_text(root, "level", got.level, sizeof got.level, false) &&
		  get_text(root, "detail", got.detail, sizeof got.detail, false) &&
		  get_text(root, "hint", got.hint, sizeof got.hint, false) &&
		  get_text(root, "ccbin", got.ccbin, sizeof got.ccbin, false) &&
		  get_text(root, "date", got.date, sizeof got.date, false);
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
