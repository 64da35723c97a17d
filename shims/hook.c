#include "shims/hook.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/drift.h"
#include "base/hookenv.h"
#include "base/path.h"
#include "base/pinfile.h"
#include "base/product.h"

enum { OUT_MAX = 1 << 20, CONFIG_MAX = 1 << 16 };

struct out {
	struct buf text;
	bool fish, leaving;
};

/* Within single quotes sh knows no escape, fish knows two. */
static void quote(struct out *o, const char *s, size_t n)
{
	buf_addc(&o->text, '\'');
	for (const char *end = s + n; s < end; s++) {
		size_t plain = strcspn(s, o->fish ? "'\\" : "'");
		if (plain >= (size_t)(end - s)) {
			buf_add(&o->text, s, (size_t)(end - s));
			break;
		}
		buf_add(&o->text, s, plain);
		s += plain;
		buf_adds(&o->text, !o->fish ? "'\\''" : *s == '\'' ? "\\'" : "\\\\");
	}
	buf_addc(&o->text, '\'');
}

static bool is_path(const char *name)
{
	size_t n = strlen(name);
	return n >= 4 && !strcmp(name + n - 4, "PATH");
}

static void value(struct out *o, const char *name, const char *text)
{
	for (const char *p = text;;) {
		/* A list in fish, which exports it with ':' between. */
		size_t n = o->fish && is_path(name) ? strcspn(p, ":") : strlen(p);
		quote(o, p, n);
		if (!p[n])
			break;
		buf_addc(&o->text, ' ');
		p += n + 1;
	}
}

/* What goes back may be the value of a universal variable, which ours only hid. */
static void unless_universal(struct out *o, const struct toolenv_var *v)
{
	if (!o->fish || !o->leaving || !strcmp(v->name, "PATH"))
		return;
	buf_addf(&o->text, "set -qxU %s; and set -eg %s; and test \"$%s\" = ", v->name, v->name,
		 v->name);
	quote(o, v->value, strlen(v->value));
	buf_adds(&o->text, "; or ");
}

/* One command for many variables is a third cheaper than one for each. */
static void assign(struct out *o, const struct toolenv *changes)
{
	size_t set = 0, gone = 0;
	for (const struct toolenv_var *v = changes->vars; v < changes->vars + changes->n; v++) {
		if (!v->value)
			continue;
		unless_universal(o, v);
		buf_adds(&o->text, o->fish ? "set -gx " : set++ ? " " : "export ");
		buf_adds(&o->text, v->name);
		buf_addc(&o->text, o->fish ? ' ' : '=');
		value(o, v->name, v->value);
		if (o->fish)
			buf_addc(&o->text, '\n');
	}
	buf_adds(&o->text, set ? " || __cudaenv_failed=1\n" : "");
	for (const struct toolenv_var *v = changes->vars; v < changes->vars + changes->n; v++)
		if (!v->value)
			buf_addf(&o->text,
				 gone++	   ? " %s"
				 : o->fish ? "set -eg %s"
					   : "unset %s",
				 v->name);
	buf_adds(&o->text, !gone ? "" : o->fish ? "\n" : " || __cudaenv_failed=1\n");
}

/* What must be on disk for the answer to be right another time. */
static void condition(struct out *o, const char *prefix)
{
	char ccbin[PATH_MAX];
	if (!path_join(ccbin, sizeof ccbin, prefix, ".cudaenv/ccbin/g++"))
		return;
	bool has = access(ccbin, F_OK) == 0;
	buf_adds(&o->text, o->fish ? "test -d " : "[[ -d ");
	quote(o, prefix, strlen(prefix));
	buf_addf(&o->text, " %s %s-e ", o->fish ? "-a" : "&&", has ? "" : "! ");
	quote(o, ccbin, strlen(ccbin));
	buf_adds(&o->text, o->fish ? "; or return 1\n" : " ]] || return 1\n");
}

/* A number for the state that the changes leave behind; 0: none. By it a shell knows what it saw before. */
static uint32_t number(const struct toolenv *changes)
{
	const char *state = getenv("CUDAENV_HOOK");
	uint32_t hash = 2166136261u; /* FNV-1a */
	for (const struct toolenv_var *v = changes->vars; v < changes->vars + changes->n; v++)
		if (!strcmp(v->name, "CUDAENV_HOOK"))
			state = v->value;
	for (const char *p = state; p && *p; p++)
		hash = (hash ^ (unsigned char)*p) * 16777619u;
	return state && *state ? hash : 0;
}

static void state(struct out *o, const char *prefix, bool listed, const char *problem, bool keep,
		  uint32_t made, const char *left)
{
	buf_adds(&o->text, "__cudaenv_is ");
	quote(o, prefix, strlen(prefix));
	buf_adds(&o->text, listed ? " 1 " : " 0 ");
	quote(o, problem, strlen(problem));
	buf_addf(&o->text, " %d %u", keep, made);
	if (left) {
		buf_addc(&o->text, ' ');
		quote(o, left, strlen(left));
	}
	buf_addc(&o->text, '\n');
}

static bool write_all(const struct out *o, struct err *err)
{
	size_t done = 0;
	if (o->text.full)
		return err_set(err, ERR_FAILED, "the environment is too large");
	while (done < o->text.len) {
		ssize_t n = write(STDOUT_FILENO, o->text.data + done, o->text.len - done);
		if (n < 0)
			return err_sys(err, ERR_FAILED, "cannot write");
		done += (size_t)n;
	}
	return true;
}

static size_t word(const char *s)
{
	return strcspn(s, " \t\r\n=:");
}

/* The value in the last line that sets the key; NULL: none does. */
static const char *value_of(const char *text, const char *key)
{
	const char *value = NULL;
	size_t n = strlen(key);
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		p += strspn(p, " \t\r\xef\xbb\xbf");
		if (word(p) == n && !memcmp(p, key, n))
			value = p + n + strspn(p + n, " \t=:");
	}
	return value;
}

static bool is_yes(const char *value)
{
	static const char *const words[] = {"yes", "true", "on", "1"};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strncasecmp(value, words[i], strlen(words[i])))
			return true;
	return false;
}

/* What the file sets. Who writes nonsense hears of it from cudaenv. */
static void read_settings(const char *path, struct toolenv_opts *o)
{
	char text[CONFIG_MAX];
	const char *value;
	autoclose int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	text[n < 0 ? 0 : n] = '\0';
	if ((value = value_of(text, "ld_library_path")))
		o->policy = !strncmp(value, "always", 6)  ? LD_ALWAYS
			    : !strncmp(value, "never", 5) ? LD_NEVER
							  : LD_AUTO;
	if ((value = value_of(text, "compiler_paths")))
		o->compiler_paths = is_yes(value);
}

static void settings(const struct layout *l, struct toolenv_opts *o)
{
	char path[PATH_MAX];
	read_settings("/etc/cudaenv/config.ini", o);
	if (layout_path(l, path, sizeof path, "config.ini"))
		read_settings(path, o);
}

/* Whether the pin is a list of fallbacks. */
static bool has_fallbacks(const struct selection *s)
{
	struct pinfile pins;
	struct err ignored;
	const char *words = getenv("CUDAENV_VERSION");
	if (s->origin_path[0])
		return pinfile_read(s->origin_path, &pins, &ignored) && pins.versions > 1;
	return s->origin == ORIGIN_ENV && words && words[strcspn(words, " \t")];
}

/* Whether another version may answer this selection when one comes or goes. */
static bool depends_on_list(const struct selection *s, const struct product_selection *cudnn,
			    bool ok, const struct err *err)
{
	if (!ok)
		return err->code == ERR_NOT_INSTALLED || err->code == ERR_FILESYSTEM;
	return strcmp(s->spec, s->name) != 0 || cudnn->spec[0] || has_fallbacks(s);
}

/* Whether what the hook compares before it uses an answer again is all that this one came from. */
static bool may_keep(const struct selection *s)
{
	struct spec spec;
	struct err ignored;
	return !strcmp(s->spec, s->name) ||
	       (spec_parse(s->spec, strlen(s->spec), "", &spec, &ignored) &&
		spec.kind != SPEC_NAME);
}

static void problem(const struct err *err, char *out, size_t cap)
{
	size_t n = strlen(err->msg), hint = strlen(err->hint);
	const char head[] = "cudaenv: ", between[] = "; hint: ";
	if (cap < sizeof head + sizeof between + n + hint)
		return;
	memcpy(out, head, sizeof head);
	memcpy(out + sizeof head - 1, err->msg, n + 1);
	n += sizeof head - 1;
	if (hint) {
		memcpy(out + n, between, sizeof between);
		memcpy(out + n + sizeof between - 1, err->hint, hint + 1);
	}
	err_sanitize(out);
}

bool hook(const char *shell, struct err *err)
{
	struct out o = {.text = BUF_INIT(OUT_MAX), .fish = !strcmp(shell, "fish")};
	autotoolenv struct toolenv changes = {0};
	autofree char *left = NULL;
	char ccbin[PATH_MAX], said[sizeof err->msg + sizeof err->hint + 64] = "";
	struct layout l = {0};
	struct selection s = {0};
	struct product_selection cudnn = {0};
	struct toolenv_opts opts = {0};
	struct err why = {0};

	if (!o.fish && strcmp(shell, "bash") != 0 && strcmp(shell, "zsh") != 0)
		return err_set(err, ERR_USAGE, "there is no hook for '%s'", shell);
	bool ok = layout_init(&l, &why) && resolve_select(&l, NULL, &s, &why) &&
		  toolenv_host_compiler(&s, ccbin, &why);
	if (ok && s.prefix[0])
		settings(&l, &opts);
	/* Without the cuDNN that was asked for the toolkit is right all the same. */
	bool beside = ok && product_cudnn(&l, &s, &cudnn, &why);
	bool listed = depends_on_list(&s, &cudnn, beside, &why);
	if (!beside || drift_find(&l, &s, NULL, &why))
		problem(&why, said, sizeof said);
	opts.ccbin = ok && ccbin[0] ? ccbin : NULL;
	opts.cudnn = beside && cudnn.prefix[0] ? cudnn.prefix : NULL;
	hookenv_switch(&changes, &l, ok ? &s : NULL, &opts, &left);
	bool keep = ok && !said[0] && !left && may_keep(&s);
	buf_adds(&o.text, o.fish ? "function $answer\n" : "");
	if (keep && s.prefix[0])
		condition(&o, s.prefix);
	o.leaving = !ok || !s.prefix[0];
	assign(&o, &changes);
	state(&o, ok ? s.prefix : "", listed, said, keep, number(&changes), left);
	buf_adds(&o.text, o.fish ? "end\n" : "");
	bool written = write_all(&o, err);
	buf_clear(&o.text);
	return written;
}
