#include "core/wheelmeta.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/marker.h"
#include "core/requirement.h"
#include "core/wheelname.h"

/* The lines that matter, before it is known which of them hold. */
struct lines {
	struct requirement *requirements;
	size_t n;
};

static bool add_need(struct wheelmeta *m, const struct requirement *r, struct err *err)
{
	for (size_t i = 0; i < m->n; i++) {
		struct pyspec *spec = &m->needs[i].spec;
		if (strcmp(m->needs[i].package, r->name) != 0)
			continue;
		/* Named twice: both must hold. */
		if (!memcmp(spec, &r->spec, sizeof *spec))
			return true;
		if (spec->n + r->spec.n > PYSPEC_CONDS)
			return err_set(err, ERR_INTEGRITY, "too many conditions on '%s'", r->name);
		memcpy(spec->cond + spec->n, r->spec.cond, (size_t)r->spec.n * sizeof *spec->cond);
		spec->n += r->spec.n;
		return true;
	}
	m->needs = array_grow(m->needs, m->n, sizeof *m->needs);
	struct wheelneed *need = &m->needs[m->n++];
	memcpy(need->package, r->name, sizeof need->package);
	need->spec = r->spec;
	return true;
}

static bool add_extra(struct wheelmeta *m, const char *value, size_t n, struct err *err)
{
	struct wheelextra e = {0};
	if (!wheelname_project(value, n, e.name) || m->n_extras == WHEELMETA_NEEDS_MAX)
		return err_set(err, ERR_INTEGRITY, "bad or too many extras: '%.*s'",
			       (int)(n < 60 ? n : 60), value);
	m->extras = array_grow(m->extras, m->n_extras, sizeof *m->extras);
	m->extras[m->n_extras++] = e;
	return true;
}

static bool add_requirement(struct lines *l, const char *value, size_t n, struct err *err)
{
	if (l->n == WHEELMETA_NEEDS_MAX)
		return err_set(err, ERR_INTEGRITY, "more than %d requirements",
			       WHEELMETA_NEEDS_MAX);
	l->requirements = array_grow(l->requirements, l->n, sizeof *l->requirements);
	return requirement_parse(value, n, &l->requirements[l->n++], err);
}

static bool is_header(const char *line, size_t n, const char *name, const char **value, size_t *len)
{
	size_t k = strlen(name);
	if (n <= k || strncasecmp(line, name, k) != 0 || line[k] != ':')
		return false;
	line += k + 1;
	n -= k + 1;
	while (n && isspace((unsigned char)*line))
		line++, n--;
	while (n && isspace((unsigned char)line[n - 1]))
		n--;
	*value = line;
	*len = n;
	return true;
}

static bool parse_line(struct wheelmeta *m, struct lines *l, const char *line, size_t n,
		       struct err *err)
{
	const char *value;
	size_t len;
	if (is_header(line, n, "Requires-Dist", &value, &len))
		return add_requirement(l, value, len, err);
	if (is_header(line, n, "Provides-Extra", &value, &len))
		return add_extra(m, value, len, err);
	if (is_header(line, n, "Name", &value, &len) && !wheelname_project(value, len, m->name))
		return err_set(err, ERR_INTEGRITY, "bad name");
	if (is_header(line, n, "Version", &value, &len)) {
		if (len >= sizeof m->version || memchr(value, '\0', len))
			return err_set(err, ERR_INTEGRITY, "bad version");
		memcpy(m->version, value, len);
	}
	return true;
}

/* The headers end at the first empty line; a description follows. */
static bool parse_headers(struct wheelmeta *m, struct lines *l, const char *text, size_t len,
			  struct err *err)
{
	const char *end = text + len;
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl ? nl : end) - text);
		if (n && text[n - 1] == '\r')
			n--;
		if (!n)
			break;
		if (!parse_line(m, l, text, n, err))
			return false;
		text = nl ? nl + 1 : end;
	}
	if (!m->name[0] || !m->version[0])
		return err_set(err, ERR_INTEGRITY, "no name and version");
	return true;
}

static bool judge(struct wheelmeta *m, const struct lines *l, const char *arch, struct err *err)
{
	bool all = false;
	for (size_t i = 0; i < m->n_extras; i++)
		all = all || !strcmp(m->extras[i].name, "all");
	for (size_t e = 0; e < m->n_extras; e++) {
		struct wheelextra *extra = &m->extras[e];
		struct marker_env env = marker_env(arch, extra->name);
		bool is_all = !strcmp(extra->name, "all");
		for (size_t i = 0; i < l->n; i++) {
			bool holds;
			if (!marker_holds(l->requirements[i].marker, &env, &holds, err))
				return false;
			if (holds && !is_all)
				strlist_add(&extra->packages, l->requirements[i].name);
			if (holds && is_all == all && !add_need(m, &l->requirements[i], err))
				return false;
		}
	}
	return true;
}

bool wheelmeta_parse(const char *text, size_t len, const char *arch, struct wheelmeta *out,
		     struct err *err)
{
	struct wheelmeta m = {0};
	struct lines l = {0};
	bool ok = parse_headers(&m, &l, text, len, err) && judge(&m, &l, arch, err);
	free(l.requirements);
	if (ok)
		*out = m;
	else
		wheelmeta_clear(&m);
	return ok;
}

void wheelmeta_clear(struct wheelmeta *m)
{
	for (size_t i = 0; i < m->n_extras; i++)
		strlist_clear(&m->extras[i].packages);
	free(m->extras);
	free(m->needs);
	*m = (struct wheelmeta){0};
}

const struct wheelneed *wheelmeta_find(const struct wheelmeta *m, const char *package)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->needs[i].package, package))
			return &m->needs[i];
	return NULL;
}

/* An extra is called like its package without "nvidia-" and "cuda-", or like the beginning of that.
 */
static bool is_for(const char *extra, const char *package)
{
	if (!strcmp(package, "nvidia-cuda-runtime"))
		return !strcmp(extra, "cudart");
	const char *name = strncmp(package, "nvidia-", 7) == 0 ? package + 7 : package;
	name += strncmp(name, "cuda-", 5) == 0 ? 5 : 0;
	size_t n = strlen(extra);
	return !strncmp(name, extra, n) && (name[n] == '\0' || name[n] == '-');
}

const struct wheelextra *wheelmeta_extra(const struct wheelmeta *m, const char *package)
{
	for (size_t i = 0; i < m->n_extras; i++)
		if (is_for(m->extras[i].name, package) &&
		    strlist_has(&m->extras[i].packages, package))
			return &m->extras[i];
	return NULL;
}
