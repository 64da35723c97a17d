#include "core/bundle.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/path.h"
#include "ext/digest.h"

enum { BUNDLE_FORMAT = 1, TEXT_MAX = 1 << 20 };

char *bundle_member_name(const char *product, const char *path)
{
	return xasprintf("%s/redist/%s", product, path);
}

bool bundle_is_wheels(const struct bundle_release *r)
{
	return !strcmp(r->source, "wheels");
}

static json_t *file_json(const struct bundle_release *r, const struct bundle_file *f)
{
	json_t *o = json_pack("{ss ss}", "component", f->component, "file", f->name);
	if (!bundle_is_wheels(r))
		return o;
	json_object_set_new(o, "package", json_string(f->package));
	json_object_set_new(o, "version", json_string(f->version));
	json_object_set_new(o, "sha256", json_string(f->sha256));
	json_object_set_new(o, "size", json_integer((json_int_t)f->size));
	json_object_set_new(o, "unpacked", json_integer((json_int_t)f->unpacked));
	return o;
}

static json_t *release_json(const struct bundle_release *r)
{
	json_t *files = json_array();
	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(files, file_json(r, &r->files[i]));
	json_t *o = json_pack("{ss ss ss ss ss so}", "product", r->product, "version", r->version,
			      "source", r->source, "manifest", r->manifest, "profile", r->profile,
			      "files", files);
	if (bundle_is_wheels(r))
		json_object_set_new(o, "manifest_sha256", json_string(r->manifest_sha256));
	return o;
}

char *bundle_text(const struct bundle *b)
{
	json_t *releases = json_array();
	for (size_t i = 0; i < b->n; i++)
		json_array_append_new(releases, release_json(&b->releases[i]));
	json_auto_t *root = json_pack("{si ss so}", "format", BUNDLE_FORMAT, "arch", b->arch,
				      "releases", releases);
	autofree char *text = json_dumps(root, JSON_INDENT(1));
	return xasprintf("%s\n", text ? text : "");
}

/* NULL: it is no name, or none below here. */
static char *get_path(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s && path_safe_relative(s) ? xstrdup(s) : NULL;
}

static char *get_name(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s && path_safe_component(s) ? xstrdup(s) : NULL;
}

static bool get_sha256(const json_t *o, const char *key, char out[65])
{
	const char *s = json_string_value(json_object_get(o, key));
	if (!s || !digest_is_sha256(s))
		return false;
	memcpy(out, s, 65);
	return true;
}

static bool get_size(const json_t *o, const char *key, uint64_t *out)
{
	json_int_t n = json_integer_value(json_object_get(o, key));
	*out = n > 0 ? (uint64_t)n : 0;
	return n >= 0;
}

static bool read_file(const json_t *o, bool wheel, struct bundle_file *f)
{
	f->component = get_name(o, "component");
	f->name = get_path(o, "file");
	if (!f->component || !f->name || !wheel)
		return f->component && f->name;
	f->package = get_name(o, "package");
	f->version = get_name(o, "version");
	return f->package && f->version && get_sha256(o, "sha256", f->sha256) &&
	       get_size(o, "size", &f->size) && get_size(o, "unpacked", &f->unpacked);
}

/* The caller clears *r when this says false, too. */
static bool read_release(const json_t *o, struct bundle_release *r)
{
	const json_t *files = json_object_get(o, "files");
	size_t i;
	json_t *file;
	r->product = get_name(o, "product");
	r->version = get_name(o, "version");
	r->source = get_name(o, "source");
	r->profile = get_name(o, "profile");
	r->manifest = get_path(o, "manifest");
	if (!r->product || !r->version || !r->source || !r->profile || !r->manifest ||
	    !json_is_array(files) || !json_array_size(files) ||
	    json_array_size(files) > BUNDLE_MEMBERS_MAX)
		return false;
	bool wheels = bundle_is_wheels(r);
	if (wheels ? !get_sha256(o, "manifest_sha256", r->manifest_sha256)
		   : strcmp(r->source, "redist") != 0)
		return false;
	json_array_foreach(files, i, file)
	{
		r->files = array_grow(r->files, r->n, sizeof *r->files);
		if (!read_file(file, wheels, &r->files[r->n++]))
			return false;
	}
	return true;
}

static bool read_text(const char *text, size_t len, struct bundle *b)
{
	json_auto_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	const json_t *releases = json_object_get(root, "releases");
	const char *arch = json_string_value(json_object_get(root, "arch"));
	size_t i;
	json_t *o;
	if (json_integer_value(json_object_get(root, "format")) != BUNDLE_FORMAT || !arch ||
	    !path_safe_component(arch) || strlen(arch) >= sizeof b->arch ||
	    !json_array_size(releases) || json_array_size(releases) > BUNDLE_MEMBERS_MAX)
		return false;
	memcpy(b->arch, arch, strlen(arch) + 1);
	json_array_foreach(releases, i, o)
	{
		b->releases = array_grow(b->releases, b->n, sizeof *b->releases);
		if (!read_release(o, &b->releases[b->n++]))
			return false;
	}
	return true;
}

static bool open_list(const char *path, struct bundle *b, struct err *err)
{
	autobuf struct buf text = BUF_INIT(TEXT_MAX);
	const struct bundle_member *list = bundle_index_find(&b->index, "bundle.json");
	if (!list) {
		err_set(err, ERR_INTEGRITY, "'%s' is no bundle: it has no bundle.json", path);
		return err_hint(err, "'cudaenv bundle create' makes them; a tar of a mirror serves "
				     "when it is unpacked, or as --mirror");
	}
	if (!bundle_part_read(path, list->offset, list->size, &text, err))
		return false;
	return read_text(buf_str(&text), text.len, b) ||
	       err_set(err, ERR_INTEGRITY, "'%s': its bundle.json is none of format %d", path,
		       BUNDLE_FORMAT);
}

bool bundle_open(const char *path, struct bundle *out, struct err *err)
{
	struct bundle b = {0};
	if (bundle_index_read(path, &b.index, err) && open_list(path, &b, err)) {
		*out = b;
		return true;
	}
	bundle_clear(&b);
	return false;
}

void bundle_clear(struct bundle *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct bundle_release *r = &b->releases[i];
		for (size_t k = 0; k < r->n; k++) {
			free(r->files[k].component);
			free(r->files[k].name);
			free(r->files[k].package);
			free(r->files[k].version);
		}
		free(r->files);
		free(r->product);
		free(r->version);
		free(r->source);
		free(r->manifest);
		free(r->profile);
	}
	free(b->releases);
	bundle_index_clear(&b->index);
	*b = (struct bundle){0};
}
