#include "core/gpgv.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/io.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/tree.h"
#include "core/armor.h"

enum { KEYRING_MAX = 8 << 20, KEYRINGS_MAX = 64, DEADLINE_MS = 60000 };

void gpgv_keys_clear(struct gpgv_keys *k)
{
	strlist_clear(&k->files);
	strlist_clear(&k->only);
}

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);
	return n > m && !strcmp(s + n - m, with);
}

void gpgv_add_folder(struct gpgv_keys *k, const char *folder)
{
	autodir DIR *d = opendir(folder);
	for (struct dirent *e; d && k->files.n < KEYRINGS_MAX && (e = readdir(d));) {
		autofree char *path = xasprintf("%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.' && (ends(path, ".gpg") || ends(path, ".asc")))
			strlist_add(&k->files, path);
	}
}

/* What is handed to the program, in a folder of its own. */
struct work {
	char dir[PATH_MAX];
	const char *name;
	const char *argv[2 * KEYRINGS_MAX + 16];
	size_t argc;
	struct strlist paths; /* that argv points to */
};

static bool work_open(struct work *w, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	if (!tmp || tmp[0] != '/' || access(tmp, W_OK) < 0)
		tmp = "/tmp";
	if (!path_join(w->dir, sizeof w->dir, tmp, "cudaenv-keys.XXXXXX") || !mkdtemp(w->dir)) {
		w->dir[0] = '\0';
		return err_sys(err, ERR_FILESYSTEM, "cannot create a folder in '%s'", tmp);
	}
	return true;
}

static void work_close(struct work *w)
{
	struct err ignored;
	if (w->dir[0] && !tree_remove(w->dir, &ignored))
		w->dir[0] = '\0';
	strlist_clear(&w->paths);
}

static const char *path_in(struct work *w, const char *file)
{
	autofree char *path = xasprintf("%s/%s", w->dir, file);
	strlist_add(&w->paths, path);
	return w->paths.items[w->paths.n - 1];
}

static void arg(struct work *w, const char *a)
{
	w->argv[w->argc++] = a;
}

/* gpgv takes binary keyrings only. */
static bool add_armored(struct work *w, const char *text, struct err *err)
{
	char file[32];
	autobuf struct buf keys = BUF_INIT(KEYRING_MAX);
	snprintf(file, sizeof file, "keys-%zu.gpg", w->argc);
	const char *path = path_in(w, file);
	if (!armor_keys(text, &keys))
		return true;
	arg(w, "--keyring");
	arg(w, path);
	return atomic_write(path, buf_str(&keys), keys.len, 0600, err);
}

static bool add_keyring(struct work *w, const char *path, struct err *err)
{
	struct err ignored;
	autobuf struct buf text = BUF_INIT(KEYRING_MAX);
	if (w->argc > 2 * KEYRINGS_MAX || !io_read_file(path, &text, &ignored) || !text.len)
		return true;
	/* Binary key material has the highest bit set. */
	if (!(*text.data & 0x80))
		return add_armored(w, buf_str(&text), err);
	strlist_add(&w->paths, path);
	arg(w, "--keyring");
	arg(w, w->paths.items[w->paths.n - 1]);
	return true;
}

static bool add_keys(struct work *w, const struct gpgv_keys *k, struct err *err)
{
	size_t before = w->argc;
	for (size_t i = 0; i < k->files.n; i++)
		if (!add_keyring(w, k->files.items[i], err))
			return false;
	if (k->block && !add_armored(w, k->block, err))
		return false;
	if (w->argc > before)
		return true;
	err_set(err, ERR_HOST, "there is no key to check '%s' with%s%s", w->name,
		k->files.n ? ": none in " : "", k->files.n ? k->files.items[0] : "");
	return err_hint(err, "install the repository's keyring package (debian-archive-keyring, "
			     "ubuntu-keyring, cuda-keyring), or give --allow-unsigned");
}

/* What gpgv said of the signatures. */
struct findings {
	bool good, bad, none, expired;
	char unknown[40]; /* a key that is not in the keyrings */
	char signer[128];
};

static bool wanted(const struct strlist *only, const char *fingerprint, size_t n)
{
	for (size_t i = 0; i < only->n; i++) {
		size_t len = strcspn(only->items[i], "!");
		if (len == n && !strncasecmp(only->items[i], fingerprint, n))
			return true;
	}
	return !only->n;
}

/* VALIDSIG <key> <date> ... <primary key> */
static bool is_wanted(const struct strlist *only, const char *line)
{
	size_t n = strcspn(line, "\n");
	autofree char *copy = xstrndup(line, n);
	const char *last = strrchr(copy, ' ');
	return wanted(only, copy, strcspn(copy, " ")) ||
	       (last && wanted(only, last + 1, strlen(last + 1)));
}

static const char *word(const char *line, const char *start)
{
	size_t n = strlen(start);
	return strncmp(line, start, n) ? NULL : line + n;
}

static void take_line(struct findings *f, const char *line, const struct strlist *only, char *name)
{
	const char *s;
	if ((s = word(line, "GOODSIG "))) {
		s += strcspn(s, " \n");
		snprintf(name, 128, "%.*s", (int)strcspn(s, "\n"), s + (*s == ' '));
		name[strcspn(name, "\n")] = '\0';
	} else if ((s = word(line, "VALIDSIG ")) && name[0] && is_wanted(only, s)) {
		/* The first one that counts is named. */
		if (!f->good)
			memcpy(f->signer, name, sizeof f->signer);
		f->good = true;
	} else if (word(line, "NEWSIG")) {
		name[0] = '\0';
	} else if (word(line, "BADSIG ")) {
		f->bad = true;
	} else if (word(line, "EXPKEYSIG ") || word(line, "REVKEYSIG ") || word(line, "EXPSIG ")) {
		f->expired = true;
	} else if (word(line, "NODATA")) {
		f->none = true;
	} else if ((s = word(line, "NO_PUBKEY ")) && !f->unknown[0]) {
		snprintf(f->unknown, sizeof f->unknown, "%.*s", (int)strcspn(s, "\n"), s);
	}
}

static void read_findings(struct findings *f, const char *status, const struct strlist *only)
{
	char name[128] = "";
	for (const char *s = status; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		const char *line = word(s, "[GNUPG:] ");
		if (line)
			take_line(f, line, only, name);
	}
}

static bool judge(const struct findings *f, const char *name, struct err *err)
{
	if (f->good && !f->bad)
		return true;
	if (f->bad) {
		err_set(err, ERR_INTEGRITY, "the signature of '%s' does not fit: it was changed",
			name);
		return err_hint(err, "take another mirror");
	}
	if (f->expired)
		err_set(err, ERR_INTEGRITY,
			"'%s' is signed with a key that has expired or was "
			"revoked",
			name);
	else if (f->unknown[0])
		err_set(err, ERR_INTEGRITY,
			"'%s' is signed with the key %s, which is none of those trusted for it",
			name, f->unknown);
	else if (f->none)
		err_set(err, ERR_INTEGRITY, "'%s' is not signed", name);
	else
		err_set(err, ERR_INTEGRITY, "'%s' has no signature that counts", name);
	return err_hint(err, "apt would refuse it too; bring the keyring up to date, or give "
			     "--allow-unsigned to take it as it is");
}

static bool start(struct work *w, struct proc_result *r, struct err *err)
{
	static const char *const env[] = {"LC_ALL=C", "PATH=/usr/bin:/bin:/usr/local/bin", NULL};
	if (!proc_run(&(struct proc){.argv = w->argv, .env = env, .deadline_ms = DEADLINE_MS}, r,
		      err)) {
		if (err->sys != ENOENT)
			return false;
		err_set(err, ERR_HOST, "there is no program 'gpgv' to check the signature of '%s'",
			w->name);
		return err_hint(err, "install the package 'gpgv', or give --allow-unsigned");
	}
	return true;
}

static bool run(struct work *w, const struct buf *text, const struct buf *signature,
		const struct gpgv_keys *keys, struct buf *out, char signer[128], struct err *err)
{
	struct proc_result r = {0};
	struct findings f = {0};
	const char *in = path_in(w, "text"), *sig = path_in(w, "signature"),
		   *plain = path_in(w, "plain");
	/* strlist moves its array, not the strings. */
	arg(w, "gpgv");
	arg(w, "--homedir");
	arg(w, w->dir);
	arg(w, "--ignore-time-conflict");
	arg(w, "--status-fd");
	arg(w, "1");
	if (!add_keys(w, keys, err) || !atomic_write(in, buf_str(text), text->len, 0600, err) ||
	    (signature && !atomic_write(sig, buf_str(signature), signature->len, 0600, err)))
		return false;
	if (!signature) {
		arg(w, "--output");
		arg(w, plain);
	} else {
		arg(w, sig);
	}
	arg(w, in);
	if (!start(w, &r, err))
		return false;
	read_findings(&f, buf_str(&r.out), &keys->only);
	proc_result_clear(&r);
	if (!judge(&f, w->name, err))
		return false;
	memcpy(signer, f.signer, sizeof f.signer);
	err_sanitize(signer);
	if (signature)
		return buf_add(out, buf_str(text), text->len) ||
		       err_set(err, ERR_INTEGRITY, "'%s' is too long", w->name);
	/* Only what the signature covers, not what may stand around it. */
	return io_read_file(plain, out, err);
}

bool gpgv_verify(const char *name, const struct buf *text, const struct buf *signature,
		 const struct gpgv_keys *keys, struct buf *out, char signer[128], struct err *err)
{
	struct work w = {.name = name};
	bool ok = work_open(&w, err) && run(&w, text, signature, keys, out, signer, err);
	work_close(&w);
	return ok;
}
