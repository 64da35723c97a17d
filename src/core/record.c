#include "core/record.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "core/record_file.h"
#include "ext/digest.h"

enum { RECORD_COMPONENTS_MAX = 4096 };

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

static bool get_number(const json_t *o, const char *key, uint64_t *out)
{
	json_int_t v = json_integer_value(json_object_get(o, key));
	*out = v > 0 ? (uint64_t)v : 0;
	return v >= 0;
}

static json_t *component_json(const struct component *c)
{
	json_t *o = json_pack("{ss ss? ss ss? ss sI sI}", "name", c->name, "package", c->package,
			      "version", c->version ? c->version : "", "file", c->file, "sha256",
			      c->sha256, "size", (json_int_t)c->size, "unpacked",
			      (json_int_t)c->unpacked);
	if (o && c->unverified)
		json_object_set_new(o, "verified", json_false());
	return o;
}

bool record_write(const char *prefix, const struct record *r, struct err *err)
{
	const struct release *rel = &r->release;
	char installed[sizeof r->installed];
	if (r->installed[0])
		memcpy(installed, r->installed, sizeof installed);
	else
		record_file_now(installed, sizeof installed);

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
	return record_file_write(prefix, "record.json", root, err);
}

static bool read_component(const json_t *o, struct component *c)
{
	const char *name = json_string_value(json_object_get(o, "name"));
	const char *package = json_string_value(json_object_get(o, "package"));
	const char *version = json_string_value(json_object_get(o, "version"));
	const char *file = json_string_value(json_object_get(o, "file"));
	if (!name || !path_safe_component(name) || !version ||
	    !record_file_text(o, "sha256", c->sha256, sizeof c->sha256, true) ||
	    !digest_is_sha256(c->sha256) || !get_number(o, "size", &c->size) ||
	    !get_number(o, "unpacked", &c->unpacked))
		return false;
	c->name = xstrdup(name);
	c->package = xstrdup(package ? package : name);
	c->version = xstrdup(version);
	c->file = xstrdup(file ? file : "");
	c->unverified = json_is_false(json_object_get(o, "verified"));
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
	    !record_file_text(root, "label", rel->label, sizeof rel->label, true) ||
	    !path_safe_component(rel->label) ||
	    !record_file_text(root, "arch", rel->arch, sizeof rel->arch, true) ||
	    !record_file_text(root, "profile", r->profile, sizeof r->profile, false) ||
	    !record_file_text(root, "installed", r->installed, sizeof r->installed, false) ||
	    !record_file_text(manifest, "sha256", rel->manifest_sha256, sizeof rel->manifest_sha256,
			      false) ||
	    (rel->manifest_sha256[0] && !digest_is_sha256(rel->manifest_sha256)))
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
	json_auto_t *root = record_file_read(path, err);
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
