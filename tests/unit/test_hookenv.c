/* What the hook changes, and that leaving gives back every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hookenv.h"

static const struct layout layout = {.root = "/r"};

static const char *const names[] = {
	"CUDA_HOME",	"CUDA_PATH",   "CUDA_ROOT",	  "CUDAToolkit_ROOT", "CUDACXX",
	"CUDAENV_HOOK", "CUDAHOSTCXX", "LD_LIBRARY_PATH", "VIRTUAL_ENV",      "CONDA_PREFIX",
	"CPATH",	"CUDNN_HOME",  "CUDNN_PATH",	  "CUDNN_ROOT",	      "LIBRARY_PATH",
};

static char *left;

static int fresh(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unsetenv(names[i]);
	setenv("PATH", "/usr/bin:/bin", 1);
	return 0;
}

/* name NULL: leave. As a shell does that evaluates the changes. */
static size_t go(const char *name, const char *ccbin)
{
	autotoolenv struct toolenv t = {0};
	struct selection s = {0};
	if (name)
		snprintf(s.prefix, sizeof s.prefix, "/r/versions/%s", name);
	free(left);
	hookenv_switch(&t, &layout, name ? &s : NULL,
		       &(struct toolenv_opts){.policy = LD_NEVER, .ccbin = ccbin}, &left);
	for (size_t i = 0; i < t.n; i++) {
		if (t.vars[i].value)
			setenv(t.vars[i].name, t.vars[i].value, 1);
		else
			unsetenv(t.vars[i].name);
	}
	return t.n;
}

static void is(const char *name, const char *want)
{
	const char *have = getenv(name);
	if (want) {
		assert_non_null(have);
		assert_string_equal(have, want);
	} else {
		assert_null(have);
	}
}

static void test_round_trip(void **state)
{
	static const char *const values[] = {NULL, "", "/mine", "a|b;c%d\n\t=%41", "-"};
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		fresh(NULL);
		if (values[i])
			setenv("CUDA_HOME", values[i], 1);
		go("1", NULL);
		is("CUDA_HOME", "/r/versions/1");
		is("CUDACXX", "/r/versions/1/bin/nvcc");
		is("PATH", "/r/versions/1/bin:/usr/bin:/bin");
		go("2", "/opt/g++");
		is("CUDA_HOME", "/r/versions/2");
		is("CUDAHOSTCXX", "/opt/g++");
		is("PATH", "/r/versions/2/bin:/usr/bin:/bin");
		assert_int_equal(go("2", "/opt/g++"), 0);
		go(NULL, NULL);
		is("CUDA_HOME", values[i]);
		is("CUDACXX", NULL);
		is("CUDAHOSTCXX", NULL);
		is("CUDAENV_HOOK", NULL);
		is("PATH", "/usr/bin:/bin");
		assert_int_equal(go(NULL, NULL), 0);
	}
}

static void test_lists(void **state)
{
	static const struct {
		const char *before, *inside;
	} cases[] = {
		{NULL, "/r/versions/1/bin"},
		{"", "/r/versions/1/bin"},
		{":", "/r/versions/1/bin::"},
		{"/a::/b:", "/r/versions/1/bin:/a::/b:"},
		{"/r/current/bin", "/r/versions/1/bin"},
		{"/a:/r/current/bin:/b", "/r/versions/1/bin:/a:/b"},
		{"/r/versionsx/1/bin", "/r/versions/1/bin:/r/versionsx/1/bin"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		fresh(NULL);
		unsetenv("PATH");
		if (cases[i].before)
			setenv("PATH", cases[i].before, 1);
		go("1", NULL);
		is("PATH", cases[i].inside);
		go("2", NULL);
		go("1", NULL);
		is("PATH", cases[i].inside);
		go(NULL, NULL);
		is("PATH", cases[i].before);
	}
}

static void switch_to(const char *prefix, const char *cudnn)
{
	autotoolenv struct toolenv t = {0};
	struct selection s = {0};
	snprintf(s.prefix, sizeof s.prefix, "%s", prefix);
	free(left);
	hookenv_switch(
		&t, &layout, &s,
		&(struct toolenv_opts){.policy = LD_NEVER, .cudnn = cudnn, .compiler_paths = true},
		&left);
	for (size_t i = 0; i < t.n; i++)
		if (t.vars[i].value)
			setenv(t.vars[i].name, t.vars[i].value, 1);
		else
			unsetenv(t.vars[i].name);
}

/* Two elements of ours in one list. */
static void test_cudnn(void **state)
{
	setenv("CPATH", "/mine", 1);
	switch_to("/r/versions/1", NULL);
	is("CPATH", "/r/versions/1/include:/mine");
	switch_to("/r/versions/1", "/r/cudnn/9-cuda12");
	is("CPATH", "/r/cudnn/9-cuda12/include:/r/versions/1/include:/mine");
	is("CUDNN_HOME", "/r/cudnn/9-cuda12");
	setenv("CPATH", "/x:/r/cudnn/9-cuda12/include:/r/versions/1/include:/mine", 1);
	switch_to("/r/versions/2", "/r/cudnn/8-cuda11");
	is("CPATH", "/x:/r/cudnn/8-cuda11/include:/r/versions/2/include:/mine");
	switch_to("/r/versions/2", NULL);
	is("CPATH", "/x:/r/versions/2/include:/mine");
	is("CUDNN_HOME", NULL);
	/* Somebody put something between them. */
	switch_to("/r/versions/1", "/r/cudnn/9-cuda12");
	setenv("CPATH", "/r/cudnn/9-cuda12/include:/y:/r/versions/1/include:/mine", 1);
	switch_to("/r/versions/1", NULL);
	is("CPATH", "/r/versions/1/include:/y:/mine");
	go(NULL, NULL);
	is("CPATH", "/y:/mine");
	/* One that was chosen by hand. */
	setenv("CUDNN_HOME", "/r/cudnn/7-cuda10.2", 1);
	setenv("CPATH", "/r/cudnn/7-cuda10.2/include", 1);
	switch_to("/r/versions/1", "/r/cudnn/9-cuda12");
	go(NULL, NULL);
	is("CPATH", "/r/cudnn/7-cuda10.2/include");
	is("CUDNN_HOME", "/r/cudnn/7-cuda10.2");
}

static void test_changed_meanwhile(void **state)
{
	go("1", NULL);
	setenv("PATH", "/venv/bin:/r/versions/1/bin:/usr/bin:/bin", 1);
	setenv("CUDA_PATH", "/other", 1);
	unsetenv("CUDA_ROOT");
	go("2", NULL);
	is("PATH", "/venv/bin:/r/versions/2/bin:/usr/bin:/bin");
	is("CUDA_PATH", "/r/versions/2");
	is("CUDA_ROOT", "/r/versions/2");
	setenv("CUDA_HOME", "/mine", 1);
	go(NULL, NULL);
	is("PATH", "/venv/bin:/usr/bin:/bin");
	is("CUDA_HOME", "/mine");
	is("CUDA_PATH", "/other");
	is("CUDA_ROOT", NULL);
}

/* What another tool restores after us goes; what somebody chose by hand stays. */
static void test_left_over(void **state)
{
	setenv("PATH", "/r/versions/1/bin:/usr/bin", 1);
	go(NULL, NULL);
	is("PATH", "/usr/bin");
	setenv("PATH", "/r/versions/1/bin:/usr/bin", 1);
	setenv("CUDA_HOME", "/r/versions/1", 1);
	assert_int_equal(go(NULL, NULL), 0);
	go("2", NULL);
	is("PATH", "/r/versions/2/bin:/usr/bin");
	go(NULL, NULL);
	is("PATH", "/r/versions/1/bin:/usr/bin");
	is("CUDA_HOME", "/r/versions/1");
}

static void test_broken_state(void **state)
{
	static const char *const texts[] = {"",
					    ";",
					    "|||",
					    "PATH",
					    "PATH|",
					    "%",
					    "PATH|a|=%",
					    "CUDA_HOME|x|",
					    "PATH|/usr/bin|%4",
					    "+",
					    "+CUDA_HOME",
					    "+CUDA_HOME|",
					    "+CUDA_HOME|/r",
					    "+CUDA_HOME||;+CUDA_HOME|;"};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		fresh(NULL);
		setenv("CUDAENV_HOOK", texts[i], 1);
		go("1", NULL);
		is("CUDA_HOME", "/r/versions/1");
		go(NULL, NULL);
		is("CUDAENV_HOOK", NULL);
		is("CUDA_HOME", NULL);
	}
}

/* The shell's next prompt: with what the last answer left. */
static void ask_again(const char *name)
{
	assert_non_null(left);
	setenv("CUDAENV_HOOK", left, 1);
	go(name, NULL);
}

/*
 * As direnv: what it found when it came is put back when it goes, which is behind our own switch. Each case in
 * one folder after the other, with what was set before.
 */
static void test_put_back(void **state)
{
	static const char *const values[] = {NULL, "/mine", "a|b;c%d"};
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		fresh(NULL);
		if (values[i])
			setenv("CUDA_HOME", values[i], 1);
		/* In, and out at once. */
		go("1", NULL);
		assert_null(left);
		setenv("CUDA_HOME", "/theirs", 1);
		go(NULL, NULL);
		is("CUDA_HOME", "/theirs");
		is("CUDAENV_HOOK", NULL);
		setenv("CUDA_HOME", "/r/versions/1", 1);
		ask_again(NULL);
		is("CUDA_HOME", values[i]);
		is("CUDAENV_HOOK", NULL);
		assert_null(left);

		/* Seen in between, twice, and another project next. */
		go("1", NULL);
		setenv("CUDA_HOME", "/theirs", 1);
		go("1", NULL);
		is("CUDA_HOME", "/r/versions/1");
		setenv("CUDA_HOME", "/more", 1);
		go("1", NULL);
		go("2", NULL);
		is("CUDA_HOME", "/r/versions/2");
		setenv("CUDA_HOME", "/r/versions/1", 1);
		setenv("PATH", "/r/versions/1/bin:/usr/bin:/bin", 1);
		ask_again("2");
		is("CUDA_HOME", "/r/versions/2");
		is("PATH", "/r/versions/2/bin:/usr/bin:/bin");
		go(NULL, NULL);
		is("CUDA_HOME", values[i]);
		is("PATH", "/usr/bin:/bin");

		/* Out, and into another one before the prompt. */
		go("1", NULL);
		setenv("CUDA_HOME", "/theirs", 1);
		go("1", NULL);
		go(NULL, NULL);
		ask_again("2");
		setenv("CUDA_HOME", "/r/versions/1", 1);
		ask_again("2");
		go(NULL, NULL);
		is("CUDA_HOME", values[i]);

		/* The user, who puts nothing back: no more than one question. */
		go("1", NULL);
		setenv("CUDA_HOME", "/theirs", 1);
		go(NULL, NULL);
		ask_again(NULL);
		is("CUDA_HOME", "/theirs");
		is("CUDAENV_HOOK", NULL);
		assert_null(left);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_round_trip, fresh),
		cmocka_unit_test_setup(test_lists, fresh),
		cmocka_unit_test_setup(test_cudnn, fresh),
		cmocka_unit_test_setup(test_changed_meanwhile, fresh),
		cmocka_unit_test_setup(test_put_back, fresh),
		cmocka_unit_test_setup(test_left_over, fresh),
		cmocka_unit_test_setup(test_broken_state, fresh),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
