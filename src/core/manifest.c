#include "core/manifest.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/path.h"

struct parse {
	struct manifest *m;
	const char *where;
	const char *component, *name, *version;
	struct err *err;
};

static bool bad(const struct parse *p, const char *what, const char *value)
{
	err_set(p->err, ERR_INTEGRITY, "manifest '%s': component '%s': %s '%s'", p->where,
		p->component ? p->component : "-", what, value);
	return err_hint(p->err, "try another mirror, or report it to whoever runs that one");
}

static bool lower_hex(const char *s, char out[65])
{
	if (!s || strlen(s) != 64 || strspn(s, "0123456789abcdefABCDEF") != 64)
		return false;
	for (int i = 0; i < 65; i++)
		out[i] = s[i] >= 'A' && s[i] <= 'F' ? (char)(s[i] + 32) : s[i];
	return true;
}

static bool parse_size(const json_t *v, uint64_t *out)
{
	if (json_is_integer(v) && json_integer_value(v) >= 0) {
		*out = (uint64_t)json_integer_value(v);
		return true;
	}
	const char *s = json_string_value(v);
	if (!s || !*s || strlen(s) > 18 || strspn(s, "0123456789") != strlen(s))
		return false;
	*out = strtoull(s, NULL, 10);
	return true;
}

static bool add_file(struct parse *p, const char *platform, const char *variant, const json_t *o)
{
	const char *path = json_string_value(json_object_get(o, "relative_path"));
	struct manifest_file f = {0};
	if (!path || !path_safe_relative(path))
		return bad(p, "relative_path leaves the mirror or is no path:", path ? path : "");
	if (!lower_hex(json_string_value(json_object_get(o, "sha256")), f.sha256))
		return bad(p, "no sha256 for", path);
	if (!parse_size(json_object_get(o, "size"), &f.size))
		return bad(p, "no size for", path);
	f.component = xstrdup(p->component);
	f.name = xstrdup(p->name);
	f.version = xstrdup(p->version);
	f.platform = xstrdup(platform);
	f.variant = variant ? xstrdup(variant) : NULL;
	f.path = xstrdup(path);
	p->m->files = array_grow(p->m->files, p->m->n, sizeof f);
	p->m->files[p->m->n++] = f;
	return true;
}

static bool add_platform(struct parse *p, const char *platform, json_t *o)
{
	const char *variant;
	json_t *v;
	if (json_object_get(o, "relative_path"))
		return add_file(p, platform, NULL, o);
	json_object_foreach(o, variant, v)
	{
		if (!json_is_object(v))
			return bad(p, "neither a file nor variants under", platform);
		if (!add_file(p, platform, variant, v))
			return false;
	}
	return true;
}

static bool add_component(struct parse *p, json_t *o)
{
	const char *key;
	json_t *v;
	p->name = json_string_value(json_object_get(o, "name"));
	p->version = json_string_value(json_object_get(o, "version"));
	if (!p->name)
		p->name = p->component;
	if (!p->version || !path_safe_component(p->version))
		return bad(p, "no version, or an impossible one:", p->version ? p->version : "");
	json_object_foreach(o, key,
			    v) if (json_is_object(v) && !add_platform(p, key, v)) return false;
	return true;
}

static void copy_text(const json_t *o, const char *key, char *out, size_t cap)
{
	const char *s = json_string_value(json_object_get(o, key));
	if (s && strlen(s) < cap)
		memcpy(out, s, strlen(s) + 1);
}

bool manifest_parse(const char *json, size_t len, const char *where, struct manifest *out,
		    struct err *err)
{
	struct manifest m = {0};
	struct parse p = {.m = &m, .where = where, .err = err};
	json_error_t je;
	json_t *top, *v;
	const char *key;
	bool ok = true;

	top = json_loadb(json, len, JSON_REJECT_DUPLICATES, &je);
	if (!json_is_object(top)) {
		if (top)
			err_set(err, ERR_INTEGRITY, "'%s' is no redist manifest: not an object",
				where);
		else
			err_set(err, ERR_INTEGRITY, "'%s' is no redist manifest: line %d: %s",
				where, je.line, je.text);
		json_decref(top);
		return err_hint(err, "a login page or a broken mirror? open the URL in a browser");
	}
	copy_text(top, "release_label", m.label, sizeof m.label);
	copy_text(top, "release_product", m.product, sizeof m.product);
	copy_text(top, "release_date", m.date, sizeof m.date);
	json_object_foreach(top, key, v)
	{
		if (!json_is_object(v))
			continue;
		p.component = key;
		if (!path_safe_component(key))
			ok = bad(&p, "impossible name", key);
		ok = ok && add_component(&p, v);
		if (!ok)
			break;
	}
	p.component = NULL;
	if (ok && m.n == 0)
		ok = bad(&p, "no component in", where);
	json_decref(top);
	if (ok)
		*out = m;
	else
		manifest_clear(&m);
	return ok;
}

void manifest_clear(struct manifest *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct manifest_file *f = &m->files[i];
		free(f->component);
		free(f->name);
		free(f->version);
		free(f->platform);
		free(f->variant);
		free(f->path);
	}
	free(m->files);
	*m = (struct manifest){0};
}
