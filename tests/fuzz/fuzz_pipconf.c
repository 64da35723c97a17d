/* Settings of pip and uv, help texts and URLs: nothing crashes, refusals have words. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "core/pipconf.h"
#include "core/pytool.h"
#include "core/pyurl.h"
#include "ext/html.h"
#include "ext/tomlfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void pip_value(void *ctx, const char *section, const char *key, const char *value)
{
	if (!*section || !*key || strchr(key, '_') || strchr(section, '\n'))
		abort();
}

static void uv_value(void *ctx, const char *key, const char *value)
{
	if (!key || !value)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	autofree char *text = xstrndup(bytes, size);
	struct err err = {0};
	if (!pipconf_parse("pip.conf", bytes, size, pip_value, NULL, &err) && !err.msg[0])
		abort();
	err = (struct err){0};
	if (!tomlfile_parse("uv.toml", bytes, size, uv_value, NULL, &err) && !err.msg[0])
		abort();
	autofree char *index = pytool_parse(text);
	if (index && strncmp(index, "http", 4) != 0)
		abort();
	autofree char *url = html_url("https://u@h.example:1/a/b?c#d", text);
	autofree char *login = pyurl_with_login(text, "https://u:p@h.example");
	autofree char *bare = pyurl_without_login(login);
	autofree char *path = pyurl_to_path(text);
	autofree char *back = path ? pyurl_from_path(path) : NULL;
	(void)bare, (void)back;
	if (url && !strstr(url, "://"))
		abort();
	return 0;
}
