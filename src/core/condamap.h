#pragma once

/*
 * From the names in a conda package to the places in a prefix; NULL: it is not needed there. Facts: a conda
 * environment has bin, include, lib and nvvm at its top, newer packages targets/<arch>-linux/{include,lib} with links
 * to it, and info/ is conda's own. arch: "x86_64". The caller frees.
 */
char *condamap(const char *entry, const char *arch, const char *component);
