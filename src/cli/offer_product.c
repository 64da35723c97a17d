#include "cli/offer_product.h"

#include <stdio.h>
#include <string.h>

#include "cli/offer.h"
#include "core/product_list.h"

void offer_products(const char *current)
{
	for (const struct product *p = products; p->name; p++)
		offer(current, "", p->name, p->title);
}

static void offer_releases(const char *current, const struct product *p)
{
	autoproducts struct product_catalog known = {0};
	struct err ignored;
	if (!product_catalog_load(&known, p, NULL, &ignored))
		return;
	for (size_t i = 0; i < known.n; i++) {
		char cuda[128];
		product_release_cuda(&known.releases[i], cuda, sizeof cuda);
		autofree char *about = xasprintf("CUDA %s", cuda);
		offer(current, "", known.releases[i].label, cuda[0] ? about : NULL);
	}
}

static void offer_here(const char *current, const struct product *p)
{
	autoentries struct product_entries all = {0};
	struct layout l;
	struct err ignored;
	if (!layout_init(&l, &ignored) || !product_entries_read(&all, &l, p, &ignored))
		return;
	for (size_t i = 0; i < all.n; i++)
		offer(current, "", all.items[i].name, NULL);
}

void offer_product_versions(const char *current, const char *product, const char *action)
{
	const struct product *p;
	struct err ignored;
	if (!product || !product_by_name(product, &p, &ignored))
		return;
	if (!strcmp(action, "install") && strchr(current, '/'))
		puts(":files");
	else if (!strcmp(action, "install") || !strcmp(action, "list-remote"))
		offer_releases(current, p);
	else if (strcmp(action, "list") != 0)
		offer_here(current, p);
}
