/* What apt repositories and packages are made of: nothing crashes, refusals have words. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "core/aptconf.h"
#include "core/aptrelease.h"
#include "core/aptsources.h"
#include "core/armor.h"
#include "core/deb822.h"
#include "core/debdep.h"
#include "core/debmap.h"
#include "core/debname.h"
#include "core/debver.h"
#include "ext/debfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_version(const char *version)
{
	char label[32];
	autofree char *own = debver_own(version);
	if (debver_compare(version, version) != 0 || strlen(own) > strlen(version))
		abort();
	if (debver_release(version, label, sizeof label) &&
	    strspn(label, "0123456789.") != strlen(label))
		abort();
}

static bool on_paragraph(void *ctx, const struct deb822_paragraph *p, struct err *err)
{
	autofree char *name = deb822_text(p, "Package"), *depends = deb822_text(p, "Depends"),
		      *version = deb822_text(p, "Version"), *file = deb822_text(p, "Filename");
	struct debdep d;
	size_t *count = ctx;
	(void)err;
	++*count;
	if (p->line < 1)
		abort();
	if (name) {
		autofree char *component = debname_component(name);
		(void)component;
	}
	for (const char *s = depends; s && (s = debdep_next(s, &d));)
		if (version)
			debdep_fits(&d, name ? name : "", version);
	if (version)
		use_version(version);
	if (file) {
		autofree char *place = debmap(file, "x86_64", "x", true);
		(void)place;
	}
	return true;
}

struct input {
	const uint8_t *data;
	size_t left;
};

static ptrdiff_t on_read(void *ctx, void *buf, size_t n, struct err *err)
{
	struct input *in = ctx;
	size_t k = n < in->left ? n : in->left;
	(void)err;
	memcpy(buf, in->data, k);
	in->data += k;
	in->left -= k;
	return (ptrdiff_t)k;
}

static void use_package(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct debfile d = {.read = on_read, .ctx = &in, .name = "x.deb"};
	struct err err = {0};
	char piece[100];
	size_t total = 0;
	ptrdiff_t got;
	while ((got = debfile_read(&d, piece, sizeof piece, &err)) > 0)
		total += (size_t)got;
	if (total > size || (got < 0 && !err.msg[0]))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	autofree char *text = xstrndup(bytes, size);
	autobuf struct buf out = BUF_INIT(1 << 16);
	struct aptsources sources = {0};
	struct aptconf conf = {0};
	struct aptrelease release = {.files = text};
	struct err err = {0};
	char sha256[65];
	uint64_t n;
	size_t count = 0;
	long long date;
	if (!deb822_parse("F", ERR_INTEGRITY, bytes, size, on_paragraph, &count, &err) &&
	    !err.msg[0])
		abort();
	aptsources_parse(&sources, "F.sources", bytes, size, NULL);
	aptsources_parse(&sources, "F.list", bytes, size, NULL);
	for (size_t i = 0; i < sources.n; i++)
		if (!sources.items[i].suite[0] || !strstr(sources.items[i].uri, "://"))
			abort();
	aptsources_clear(&sources);
	aptconf_parse(&conf, text);
	autofree char *proxy = aptconf_proxy(&conf, "http://x.org");
	(void)proxy;
	aptconf_clear(&conf);
	armor_keys(text, &out);
	armor_clear_text(text, &out);
	aptrelease_date(text, &date);
	aptrelease_file(&release, "Packages", sha256, &n);
	use_package(data, size);
	return 0;
}
