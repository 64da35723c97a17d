/* What is here, and which release a tree is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/atomic.h"
#include "base/buf.h"
#include "base/tree.h"
#include "core/toolkits.h"

static char base[] = "/tmp/test toolkits.XXXXXX";

static void put(const char *sub, const char *text)
{
	struct err err;
	autofree char *path = xasprintf("%s/%s", base, sub), *folder = xstrdup(path);
	*strrchr(folder, '/') = '\0';
	assert_true(tree_mkdirs(folder, &err));
	assert_true(atomic_write(path, text, strlen(text), 0644, &err));
}

static void tie(const char *target, const char *sub)
{
	autofree char *path = xasprintf("%s/%s", base, sub);
	assert_int_equal(symlink(target, path), 0);
}

static void lists_all_roots(void **state)
{
	autofree char *shared = xasprintf("%s/none:%s/shared/", base, base);
	autobuf struct buf have = BUF_INIT(4096);
	autotoolkits struct toolkits t = {0};
	struct layout l = {.shared = shared};
	struct err err;
	snprintf(l.root, sizeof l.root, "%s/own", base);
	assert_true(toolkits_read(&t, &l, &err));
	assert_int_equal(t.n, 0);
	put("own/versions/9.2.0/x", "");
	put("own/versions/11.10.0/x", "");
	put("own/versions/11.9.0/x", "");
	put("own/versions/.hidden/x", "");
	put("own/versions/file", "");
	put("shared/versions/11.9.0/x", "");
	put("shared/versions/12.4.1/x", "");
	put("shared/versions/zeta/x", "");
	tie("/nonexistent", "own/versions/gone");
	tie("../../shared/versions/12.4.1", "own/versions/site");
	assert_true(toolkits_read(&t, &l, &err));
	for (size_t i = 0; i < t.n; i++)
		buf_addf(&have, "%s%s%s%s ", t.items[i].name, t.items[i].target ? "@" : "",
			 t.items[i].dangling ? "!" : "", t.items[i].shared ? "~" : "");
	assert_string_equal(buf_str(&have), "12.4.1~ 11.10.0 11.9.0 9.2.0 gone@! site@ zeta~ ");
	assert_string_equal(t.items[5].target, "../../shared/versions/12.4.1");
}

static void tells_the_release(void **state)
{
	static const struct {
		const char *file, *text, *release;
	} cases[] = {
		{"json/version.json",
		 "{\"cuda\": {\"name\": \"CUDA SDK\", \"version\": \"12.4.1\"}}", "12.4.1"},
		{"txt/version.txt", "CUDA Version 10.1.243\nCUDA Patch Version 10.1.1\n",
		 "10.1.243"},
		{"h/include/cuda.h", "/* x */\n#define CUDA_VERSION 11080\n#define B", "11.8"},
		{"none/x", "", NULL},
		{"bad1/version.json", "{\"cuda\": {\"version\": \"../../etc\"}}", NULL},
		{"bad2/version.json", "[[[[", NULL},
		{"bad3/version.txt", "CUDA Version \033[2J", NULL},
		{"bad4/include/cuda.h", "#define CUDA_VERSION x", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char out[VERSION_TEXT];
		put(cases[i].file, cases[i].text);
		autofree char *prefix = xasprintf("%s/%s", base, cases[i].file);
		prefix[strlen(base) + 1 + strcspn(cases[i].file, "/")] = '\0';
		assert_int_equal(toolkit_release(prefix, out), cases[i].release != NULL);
		if (cases[i].release)
			assert_string_equal(out, cases[i].release);
	}
	/* The tree's own version file goes before its header. */
	char out[VERSION_TEXT];
	autofree char *prefix = xasprintf("%s/json", base);
	put("json/include/cuda.h", "#define CUDA_VERSION 9000\n");
	assert_true(toolkit_release(prefix, out));
	assert_string_equal(out, "12.4.1");
}

static int open_base(void **state)
{
	return mkdtemp(base) ? 0 : -1;
}

static int close_base(void **state)
{
	struct err err;
	return tree_remove(base, &err) ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_all_roots),
		cmocka_unit_test(tells_the_release),
	};
	return cmocka_run_group_tests(tests, open_base, close_base);
}
