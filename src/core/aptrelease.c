#include "core/aptrelease.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "core/armor.h"
#include "core/config.h"
#include "core/deb822.h"
#include "core/gpgv.h"
#include "core/pagecache.h"
#include "ext/http.h"

enum { RELEASE_MAX = 4 << 20 };

/* Where keyrings are that apt uses without being told. */
static const char *const keyrings[] = {
	"/usr/share/keyrings/debian-archive-keyring.gpg",
	"/usr/share/keyrings/ubuntu-archive-keyring.gpg",
	"/usr/share/keyrings/cuda-archive-keyring.gpg",
};

struct asking {
	const struct aptrepos *all;
	const struct aptrepo *repo;
	const struct source_ctx *ctx;
	const char *arch;
	struct fetch_opts o;
};

bool aptrelease_date(const char *s, long long *out)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char month[4], zone[8];
	struct tm t = {0};
	s = strchr(s, ',');
	if (!s || sscanf(s + 1, "%2d %3s %4d %2d:%2d:%2d %7s", &t.tm_mday, month, &t.tm_year,
			 &t.tm_hour, &t.tm_min, &t.tm_sec, zone) != 7)
		return false;
	const char *at = strstr(months, month);
	if (!at || strlen(month) != 3 || (at - months) % 3 || t.tm_year < 1970 ||
	    (strcmp(zone, "UTC") && strcmp(zone, "GMT") && strcmp(zone, "+0000") &&
	     strcmp(zone, "Z")))
		return false;
	t.tm_mon = (int)(at - months) / 3;
	t.tm_year -= 1900;
	*out = timegm(&t);
	return true;
}

/* One small file of the repository. */
static bool get(const struct asking *a, const char *file, struct buf *out, struct err *err)
{
	autofree char *folder = aptrepo_folder(a->repo);
	autofree char *url = xasprintf("%s%s", folder, file);
	struct fetch_page page = {.url = url, .answer.body = BUF_INIT(RELEASE_MAX)};
	if (!pagecache_fetch(a->ctx->cache_dir, &page, 1, &a->o, err))
		return false;
	if (!page.ok) {
		*err = page.err;
		return false;
	}
	autofree char *shown = fetch_mask(url);
	const struct buf *b = &page.answer.body;
	bool html = http_html_body(buf_str(b), b->len < 64 ? b->len : 64);
	bool ok =
		!html ||
		err_set(err, ERR_NETWORK,
			"'%s' is an HTML page and no file of a repository (login needed?)", shown);
	if (ok)
		ok = buf_add(out, buf_str(b), b->len);
	fetch_answer_clear(&page.answer);
	return ok;
}

static bool absent(const struct err *err)
{
	return err->code == ERR_NETWORK && err->sys == ENOENT;
}

static void add_default_keys(const struct asking *a, struct gpgv_keys *k)
{
	autofree char *trusted = aptconf_path(&a->all->conf, APTCONF_TRUSTED);
	autofree char *parts = aptconf_path(&a->all->conf, APTCONF_TRUSTEDPARTS);
	strlist_add(&k->files, trusted);
	gpgv_add_folder(k, parts);
	for (size_t i = 0; i < ARRAY_LEN(keyrings); i++)
		strlist_add(&k->files, keyrings[i]);
}

static void find_keys(const struct asking *a, struct gpgv_keys *k)
{
	const struct aptsource *s = a->repo->source;
	for (size_t i = 0; s && i < s->keys.n; i++)
		strlist_add(s->keys.items[i][0] == '/' ? &k->files : &k->only, s->keys.items[i]);
	k->block = s ? s->key_block : NULL;
	if (!k->files.n && !k->block)
		add_default_keys(a, k);
}

/* The text of InRelease, else of Release; *signature stays empty where it is not apart. */
static bool get_signed(const struct asking *a, struct buf *text, struct buf *signature, bool *clear,
		       struct err *err)
{
	struct err first;
	*clear = true;
	if (get(a, "InRelease", text, err))
		return true;
	first = *err;
	*clear = false;
	if (!absent(err) || !get(a, "Release", text, err)) {
		*err = first;
		return false;
	}
	return get(a, "Release.gpg", signature, err) || absent(err);
}

static bool unsigned_wanted(const struct asking *a)
{
	const struct aptsource *s = a->repo->source;
	return (s && s->trusted == APTSOURCE_YES) ||
	       config_bool(a->ctx->config, CONFIG_ALLOW_UNSIGNED);
}

/* What Release says, its signature judged unless that is not wanted. */
static bool take_text(const struct asking *a, struct buf *out, char signer[128], struct err *err)
{
	autobuf struct buf text = BUF_INIT(RELEASE_MAX), signature = BUF_INIT(RELEASE_MAX);
	struct gpgv_keys keys = {0};
	bool clear;
	if (!get_signed(a, &text, &signature, &clear, err))
		return false;
	autofree char *words = aptrepo_words(a->repo);
	if (unsigned_wanted(a)) {
		event_warn(a->ctx->events, NULL,
			   "'%s' is taken without a look at its signature, as you asked for",
			   words);
		if (clear && armor_clear_text(buf_str(&text), out))
			return true;
		buf_cut(out, 0);
		return buf_add(out, buf_str(&text), text.len);
	}
	if (!clear && !signature.len) {
		err_set(err, ERR_INTEGRITY, "'%s' is not signed", words);
		return err_hint(err, "give --allow-unsigned to take it as it is");
	}
	find_keys(a, &keys);
	bool ok = gpgv_verify(words, &text, clear ? NULL : &signature, &keys, out, signer, err);
	gpgv_keys_clear(&keys);
	return ok;
}

static bool check_time(const struct asking *a, const struct deb822_paragraph *p, struct err *err)
{
	const struct aptsource *s = a->repo->source;
	autofree char *until = deb822_text(p, "Valid-Until");
	bool wanted = s && s->check_valid_until != APTSOURCE_UNSET
			      ? s->check_valid_until == APTSOURCE_YES
			      : aptconf_flag(&a->all->conf, "acquire::check-valid-until", true);
	long long end;
	if (!until || !wanted)
		return true;
	autofree char *words = aptrepo_words(a->repo);
	if (!aptrelease_date(until, &end))
		return err_set(err, ERR_INTEGRITY, "'%s': 'Valid-Until: %.60s' is no date", words,
			       until);
	if (end >= (long long)time(NULL))
		return true;
	err_set(err, ERR_INTEGRITY, "'%s' has expired: it is valid until %.60s", words, until);
	return err_hint(err,
			"the mirror is behind, or this machine's clock is wrong; apt's setting "
			"Acquire::Check-Valid-Until is heeded");
}

static bool check_arch(const struct asking *a, const struct deb822_paragraph *p, struct err *err)
{
	autostrlist struct strlist archs = {0};
	autofree char *list = deb822_text(p, "Architectures");
	const char *want = aptrepo_arch(a->arch);
	if (!list)
		return true;
	aptsources_split(&archs, list, strlen(list), " \t\n");
	if (strlist_has(&archs, want) || !archs.n)
		return true;
	autofree char *words = aptrepo_words(a->repo);
	return err_set(err, ERR_NO_VERSION, "'%s' is not for '%s', only for %.200s", words, want,
		       list);
}

struct reading {
	const struct asking *a;
	struct aptrelease *out;
};

static bool on_paragraph(void *ctx, const struct deb822_paragraph *p, struct err *err)
{
	struct reading *r = ctx;
	const char *value;
	size_t n;
	if (r->out->files)
		return true;
	if (!check_time(r->a, p, err) || !check_arch(r->a, p, err))
		return false;
	if (deb822_line(p, "Codename", &value, &n) || deb822_line(p, "Suite", &value, &n))
		snprintf(r->out->codename, sizeof r->out->codename, "%.*s", (int)n, value);
	if (deb822_line(p, "Acquire-By-Hash", &value, &n))
		r->out->by_hash = n == 3 && !memcmp(value, "yes", 3);
	r->out->files = deb822_text(p, "SHA256");
	return true;
}

static bool read_release(const struct asking *a, struct aptrelease *out, struct err *err)
{
	struct reading reading = {a, out};
	autobuf struct buf text = BUF_INIT(RELEASE_MAX);
	autofree char *folder = aptrepo_folder(a->repo);
	autofree char *shown = fetch_mask(folder);
	autofree char *name = xasprintf("%sInRelease", shown);
	if (!take_text(a, &text, out->signer, err)) {
		/* A heap of packages, with an index and nothing more. */
		return absent(err) && !a->repo->suite && unsigned_wanted(a);
	}
	return deb822_parse(name, ERR_INTEGRITY, buf_str(&text), text.len, on_paragraph, &reading,
			    err) &&
	       (out->files || err_set(err, ERR_INTEGRITY, "'%s' has no SHA256 digests", name));
}

bool aptrelease_get(const struct aptrepos *all, const struct aptrepo *r,
		    const struct source_ctx *ctx, const char *arch, struct aptrelease *out,
		    struct err *err)
{
	autofree char *proxy = NULL;
	struct asking a = {all, r, ctx, arch, aptrepo_fetch_opts(all, r, ctx, &proxy)};
	struct aptrelease now = {0};
	if (!read_release(&a, &now, err)) {
		aptrelease_clear(&now);
		return false;
	}
	*out = now;
	return true;
}

void aptrelease_clear(struct aptrelease *r)
{
	free(r->files);
	*r = (struct aptrelease){0};
}

bool aptrelease_file(const struct aptrelease *r, const char *name, char sha256[65], uint64_t *size)
{
	size_t len = strlen(name);
	for (const char *s = r->files ? r->files : ""; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		size_t hex = strspn(s, "0123456789abcdef");
		if (hex != 64 || s[hex] != ' ')
			continue;
		char *end;
		unsigned long long n = strtoull(s + hex, &end, 10);
		end += strspn(end, " \t");
		if (strncmp(end, name, len) != 0 || !strchr("\n \t", end[len]))
			continue;
		memcpy(sha256, s, 64);
		sha256[64] = '\0';
		*size = n;
		return true;
	}
	return false;
}
