#pragma once
/* Candidates for `cudnn` and `product`, see offer.h. */

void offer_products(const char *current);
/*
 * What can stand behind an action: known releases, or those that are installed. product NULL:
 * none that is known was named.
 */
void offer_product_versions(const char *current, const char *product, const char *action);
