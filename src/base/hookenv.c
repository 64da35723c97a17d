#include "base/hookenv.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"

#define STATE "CUDAENV_HOOK"

enum { STATE_MAX = 1 << 17 }; /* no exec takes a longer string */

struct record {
	char *set, *old; /* NULL: there is none */
};

static void record_clear(struct record *r)
{
	free(r->set);
	free(r->old);
}
#define autorecord __attribute__((cleanup(record_clear)))

static void escape(struct buf *to, const char *s)
{
	static const char digits[] = "0123456789ABCDEF";
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c >= 0x20 && c != 0x7f && c != '%' && c != '|' && c != ';') {
			buf_addc(to, *s);
			continue;
		}
		buf_addc(to, '%');
		buf_addc(to, digits[c >> 4]);
		buf_addc(to, digits[c & 15]);
	}
}

static char *escaped(const char *s)
{
	autobuf struct buf out = BUF_INIT(STATE_MAX);
	escape(&out, s);
	return xstrdup(buf_str(&out));
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static char *unescape(const char *s, size_t len)
{
	char *out = xstrndup(s, len), *to = out;
	for (const char *p = out; *p; p++) {
		int high = *p == '%' ? digit(p[1]) : -1, low = high >= 0 ? digit(p[2]) : -1;
		*to++ = low >= 0 ? (char)(high << 4 | low) : *p;
		p += low >= 0 ? 2 : 0;
	}
	*to = '\0';
	return out;
}

/*
 * The record of a variable; both NULL: we did not change it. aside: of a value of ours that somebody else
 * replaced; that of `set`.
 */
static struct record find_record(const char *name, bool aside, const char *set_to)
{
	const char *p = getenv(STATE);
	size_t n = strlen(name);
	while (p && *p) {
		const char *end = p + strcspn(p, ";");
		const char *key = p + (aside && *p == '+');
		const char *set = p + strcspn(p, "|;");
		set += *set == '|';
		const char *old = set + strcspn(set, "|;");
		if (*old == '|' && (key != p) == aside && (size_t)(set - 1 - key) == n &&
		    !memcmp(key, name, n)) {
			struct record r = {unescape(set, (size_t)(old - set)),
					   unescape(old + 1, (size_t)(end - old - 1))};
			if (!aside || !strcmp(r.set, set_to))
				return r;
			record_clear(&r);
		}
		p = end + (*end == ';');
	}
	return (struct record){0};
}

static void add_record(struct buf *to, const char *name, const char *set, const char *old)
{
	buf_addf(to, "%s|", name);
	escape(to, set);
	buf_addc(to, '|');
	escape(to, old);
	buf_addc(to, ';');
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * The values of ours that somebody replaced, but for the one that he put back. What was there before the first
 * time is what counts.
 */
static void keep_asides(struct buf *to, const char *name, const char *now, const struct record *r)
{
	bool ours = r->set && same(now, r->set), replaced = r->set && !ours;
	autofree char *plus = xasprintf("+%s|", name);
	autofree char *back = now && !ours ? escaped(now) : NULL;
	size_t n = strlen(plus);
	for (const char *p = getenv(STATE); p && *p;) {
		size_t len = strcspn(p, ";"), set = strcspn(p + (len < n ? len : n), "|;");
		bool is_one = len > n && !memcmp(p, plus, n);
		if (is_one && !(back && set == strlen(back) && !memcmp(p + n, back, set))) {
			buf_add(to, p, len);
			buf_addc(to, ';');
		}
		p += len + (p[len] == ';');
	}
	autorecord struct record known = {0};
	if (replaced)
		known = find_record(name, true, r->set);
	plus[n - 1] = '\0';
	if (replaced && !known.set)
		add_record(to, plus, r->set, r->old);
}

/*
 * The length of our element at p, where what we set (one element, or two with ':' between)
 * stands; else 0.
 */
static size_t own_length(const char *p, const char *set)
{
	size_t n = set ? strlen(set) : 0;
	return n && !strncmp(p, set, n) && (p[n] == ':' || !p[n]) ? n : 0;
}

/* "=TEXT" or "-" of what is there. */
static char *keep(const char *now)
{
	return now ? xasprintf("=%s", now) : xstrdup("-");
}

struct sweep {
	const struct layout *l;
	const char *home
		[2]; /* a version and a cuDNN that somebody chose by hand, with their elements; or NULL */
	bool all; /* also its elements */
};

static bool is_below(const char *p, size_t n, const char *folder)
{
	size_t len = folder ? strlen(folder) : 0;
	return len && n > len && !memcmp(p, folder, len) && p[len] == '/';
}

/* An element to take out besides our own. */
static bool swept(const struct sweep *w, const char *p, size_t n)
{
	static const char current[] = "/current/";
	size_t root = strlen(w->l->root);
	if (!toolenv_our_element(w->l, p, n))
		return false;
	if (w->all)
		return true;
	/* Nobody but the user puts <root>/current on a list. */
	bool by_hand = n > root + sizeof current && !memcmp(p, w->l->root, root) &&
		       !memcmp(p + root, current, sizeof current - 1);
	return !by_hand && !is_below(p, n, w->home[0]) && !is_below(p, n, w->home[1]);
}

/*
 * The list with `new` where `old` stood, or first; either may be NULL. NULL: nothing is left.
 * An empty list has no elements; an empty element of the user's stays.
 */
static char *change_list(const struct sweep *w, const char *list, const char *old, const char *new)
{
	autobuf struct buf out = BUF_INIT(STATE_MAX);
	const char *p = list && *list ? list : NULL;
	bool any = false, placed = !new;
	for (const char *q = p; q && new; q = q[strcspn(q, ":")] ? q + strcspn(q, ":") + 1 : NULL)
		placed |= own_length(q, old) > 0;
	if (new && !placed) {
		buf_adds(&out, new);
		any = true;
		old = NULL;
	}
	while (p) {
		size_t own = own_length(p, old), n = own ? own : strcspn(p, ":");
		if (own ? new != NULL : !swept(w, p, n)) {
			if (any)
				buf_addc(&out, ':');
			buf_add(&out, own ? new : p, own ? strlen(new) : n);
			any = true;
		}
		if (own)
			new = NULL;
		p = p[n] ? p + n + 1 : NULL;
	}
	return any ? buf_take(&out) : NULL;
}

/* The list without us; what the record says where nobody changed the rest meanwhile. */
static char *leave_list(const struct sweep *w, const char *now, const struct record *r)
{
	const struct sweep all = {w->l, {NULL, NULL}, true};
	autofree char *bare = change_list(&all, now, r->set, NULL);
	if (r->old && r->old[0] == '=') {
		autofree char *was = change_list(&all, r->old + 1, NULL, NULL);
		if (same(bare, was))
			return xstrdup(r->old + 1);
	}
	if (!r->set && now && !*now)
		return xstrdup(now);
	return change_list(w, now, r->set, NULL);
}

static char *leave_one(const char *name, const char *now, const struct record *r)
{
	autorecord struct record aside = {0};
	const struct record *of = r;
	if (!r->set || !same(now, r->set)) {
		aside = now ? find_record(name, true, now) : aside;
		of = &aside;
	}
	if (!of->set)
		return now ? xstrdup(now) : NULL;
	return of->old[0] == '=' ? xstrdup(of->old + 1) : NULL;
}

/* The new value of a list that shall have `element`; its record goes into state. */
static char *enter_list(const struct sweep *w, const char *name, const char *now,
			const struct record *r, const char *base, const char *element,
			struct buf *state)
{
	const struct sweep all = {w->l, {NULL, NULL}, true};
	autofree char *stripped = change_list(&all, base, NULL, NULL), *old = keep(base);
	char *next = change_list(&all, now, r->set, element);
	add_record(state, name, element, base && same(base, stripped) ? "" : old);
	return next;
}

static char *enter_one(const char *name, const char *base, const char *value, struct buf *state)
{
	autofree char *old = keep(base);
	add_record(state, name, value, old);
	return xstrdup(value);
}

static void add_change(struct toolenv *t, const char *name, const char *now, const char *next)
{
	if (same(now, next))
		return;
	t->vars = array_grow(t->vars, t->n, sizeof *t->vars);
	t->vars[t->n++] =
		(struct toolenv_var){.name = xstrdup(name), .value = next ? xstrdup(next) : NULL};
}

static void switch_one(struct toolenv *changes, const struct sweep *w,
		       const struct toolenv_want *want, struct buf *state, struct buf *asides)
{
	autorecord struct record r = find_record(want->name, false, NULL);
	const char *now = getenv(want->name);
	autofree char *base =
		want->is_list ? leave_list(w, now, &r) : leave_one(want->name, now, &r);
	autofree char *next = NULL;
	if (!want->is_list)
		keep_asides(asides, want->name, now, &r);
	if (!want->value)
		next = base ? xstrdup(base) : NULL;
	else if (want->is_list)
		next = enter_list(w, want->name, now, &r, base, want->value, state);
	else
		next = enter_one(want->name, base, want->value, state);
	add_change(changes, want->name, now, next);
}

static bool has_records(const char *state)
{
	for (const char *p = state; p && *p;
	     p += p[strcspn(p, ";")] ? strcspn(p, ";") + 1 : strlen(p))
		if (*p != '+')
			return true;
	return false;
}

void hookenv_switch(struct toolenv *changes, const struct layout *l, const struct selection *s,
		    const struct toolenv_opts *o, char **left)
{
	static const struct selection nothing;
	struct toolenv_want wants[TOOLENV_WANTS];
	autobuf struct buf state = BUF_INIT(STATE_MAX), asides = BUF_INIT(STATE_MAX);
	autorecord struct record r = find_record("CUDA_HOME", false, NULL);
	autorecord struct record d = find_record("CUDNN_HOME", false, NULL);
	autofree char *home = leave_one("CUDA_HOME", getenv("CUDA_HOME"), &r);
	autofree char *cudnn = leave_one("CUDNN_HOME", getenv("CUDNN_HOME"), &d);
	const struct sweep w = {l, {home, cudnn}, false};

	*changes = (struct toolenv){0};
	toolenv_wants(wants, s ? s : &nothing, o);
	for (size_t i = 0; i < TOOLENV_WANTS; i++)
		switch_one(changes, &w, &wants[i], &state, &asides);
	toolenv_wants_clear(wants);
	bool inside = state.len > 0;
	buf_add(&state, asides.data, asides.len);
	*left = asides.len && (inside || has_records(getenv(STATE))) ? xstrdup(buf_str(&state))
								     : NULL;
	add_change(changes, STATE, getenv(STATE), inside ? buf_str(&state) : NULL);
}
