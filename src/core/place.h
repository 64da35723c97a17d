#pragma once
/* Where the files that belong to this program are: shim, catalog, kernels. */

/*
 * variable: an environment variable that names the file and wins, NULL: none. installed: where the build
 * puts it (DATADIR "/...", LIBEXECDIR "/..."). An installation that was moved as a whole finds its own:
 * the place beside the running program comes first. The caller frees; the file need not be there.
 */
char *place_find(const char *variable, const char *installed);
