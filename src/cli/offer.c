#include "cli/offer.h"

#include <stdio.h>
#include <string.h>

#include "base/resolve.h"
#include "base/scan.h"
#include "cli/cmd.h"
#include "core/component.h"
#include "core/shimdir.h"
#include "core/toolkits.h"

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

void offer(const char *current, const char *before, const char *word, const char *about)
{
	autofree char *whole = xasprintf("%s%s", before, word);
	if (begins(whole, current))
		printf("%s%s%s\n", whole, about ? "\t" : "", about ? about : "");
}

/* The words of a list: "a|b", "a b". */
void offer_each(const char *current, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, "| ");
		autofree char *word = xstrndup(list, n);
		offer(current, "", word, NULL);
		list += n;
		list += strspn(list, "| ");
	}
}

void offer_options(const char *current, const struct opt *options)
{
	for (const struct opt *o = options; o && o->name; o++)
		offer(current, "--", o->name, o->summary);
}

void offer_commands(const char *current)
{
	for (const struct command *const *c = commands; *c; c++)
		offer(current, "", (*c)->name, (*c)->summary);
}

void offer_installed(const char *current, const char *before, bool only_linked)
{
	struct layout layout;
	autotoolkits struct toolkits t = {0};
	struct err err;
	if (!layout_init(&layout, &err) || !toolkits_read(&t, &layout, &err))
		return;
	for (size_t i = 0; i < t.n; i++)
		if (t.items[i].target || !only_linked)
			offer(current, before, t.items[i].name, t.items[i].target);
}

struct aliases {
	const char *current;
	const char *before;
};

static bool offer_alias(void *ctx, const char *name, unsigned char type)
{
	const struct aliases *a = ctx;
	offer(a->current, a->before, name, "alias");
	return true;
}

void offer_aliases(const char *current, const char *before)
{
	struct layout layout;
	struct err err;
	char path[PATH_MAX];
	if (layout_init(&layout, &err) && layout_path(&layout, path, sizeof path, "aliases"))
		scan_folder(path, offer_alias, &(struct aliases){current, before});
}

void offer_known(const char *current)
{
	struct catalog c = {0};
	struct err err;
	if (!catalog_load(&c, NULL, &err))
		return;
	for (size_t i = c.n; i-- > 0;)
		offer(current, "", c.releases[i].label, c.releases[i].date);
	catalog_clear(&c);
}

void offer_specs(const char *current, const char *before)
{
	offer_installed(current, before, false);
	offer_aliases(current, before);
	offer(current, before, "latest", "the newest");
	offer(current, before, "system", "no version of cudaenv");
}

void offer_tools(const char *current)
{
	struct layout layout;
	autostrlist struct strlist names = {0};
	struct err err;
	if (!layout_init(&layout, &err) || !shimdir_list(&layout, &names, &err))
		return;
	for (size_t i = 0; i < names.n; i++)
		offer(current, "", names.items[i], NULL);
}

static void offer_lacking(const char *current, const struct layout *l, const struct release *has)
{
	struct config config = {0};
	struct catalog catalog = {0};
	struct release all = {0};
	struct err err;
	struct source_ctx ctx = {
		.catalog = &catalog, .config = &config, .layout = l, .offline = true};
	if (config_load(&config, l, &err) && catalog_load(&catalog, NULL, &err)) {
		ctx.cache_dir = config_get(&config, CONFIG_CACHE_DIR);
		if (component_all(&ctx, has, &all, &err))
			for (size_t i = 0; i < all.n; i++)
				if (!release_find(has, all.components[i].name))
					offer(current, "", all.components[i].name, NULL);
	}
	release_clear(&all);
	catalog_clear(&catalog);
	config_clear(&config);
}

void offer_components(const char *current, const char *spec, bool lacking)
{
	struct layout layout;
	struct selection s;
	struct record r;
	struct err err;
	if (!layout_init(&layout, &err) ||
	    (!(spec && resolve_select(&layout, spec, &s, &err)) &&
	     !resolve_select(&layout, NULL, &s, &err)) ||
	    !s.prefix[0] || !record_read(s.prefix, &r, &err))
		return;
	if (lacking)
		offer_lacking(current, &layout, &r.release);
	for (size_t i = 0; i < r.release.n && !lacking; i++)
		offer(current, "", r.release.components[i].name, r.release.components[i].version);
	record_clear(&r);
}

void offer_keys(const char *current)
{
	for (int k = 0; k < CONFIG_KEYS; k++)
		offer(current, "", config_info((enum config_key)k)->name,
		      config_info((enum config_key)k)->summary);
}

/* The words that a setting takes; false: it takes no fixed ones. */
bool offer_setting(const char *current, const char *key)
{
	enum config_key k;
	struct err err;
	if (!config_key_parse(key, &k, &err))
		return false;
	const char *type = config_info(k)->type;
	if (!strcmp(type, "bool"))
		offer_each(current, "yes no");
	else if (strchr(type, '|'))
		offer_each(current, type);
	else if (!strcmp(type, "path"))
		puts(":files");
	return true;
}
