/* cudnn, product: libraries beside the toolkit. */
#include <string.h>

#include "base/nearest.h"
#include "cli/flags.h"
#include "cli/product.h"

#define SHARED_OPTIONS                                                                             \
	{0, "cuda", "V", "for this CUDA instead of the selected toolkit's: 12, or a version"},     \
		{'s', "skip-existing", NULL, "install: say nothing about what is there already"},  \
		{'f', "force", NULL, "install: build anew; uninstall: also the global one"},       \
		{'n', "dry-run", NULL, "install: print the plan with sizes, change nothing"},      \
		{0, "source", "S", "auto, redist or wheels"},                                      \
		{0, "mirror", "URL", "in place of NVIDIA's host; several: blanks between"},        \
		{0, "arch", "A", "platform: x86_64 or sbsa (default: this machine's)"},            \
		{0, "offline", NULL, "use only what is on this machine"},                          \
		{0, "as", "NAME", "merge: name of the new version"},                               \
		{'b', "bare", NULL, "list, list-remote: names only"},                              \
	{                                                                                          \
		0, "accept-eula", NULL, "agree to NVIDIA's licence without the note"               \
	}

static const struct opt cudnn_options[] = {
	SHARED_OPTIONS,
	{0, "set-global", NULL, "install: make it the cuDNN of the global version"},
	{0, "set-local", NULL, "install: write it to .cuda-version here"},
	{0, "unset", NULL, "global, local: take the cuDNN out"},
	{0},
};
static const struct opt product_options[] = {SHARED_OPTIONS, {0}};

static const struct action {
	const char *name, *operands;
	int min, max; /* operands; max -1: any number */
	bool cudnn;   /* only of cuDNN */
	bool (*run)(const struct product_call *c, struct err *err);
} actions[] = {
	{"install", "[VERSION|PATH...]", 0, -1, false, product_run_install},
	{"uninstall", "VERSION...", 1, -1, false, product_run_uninstall},
	{"list", "", 0, 0, false, product_run_list},
	{"list-remote", "[PREFIX]", 0, 1, false, product_run_list_remote},
	{"global", "[VERSION]", 0, 1, true, product_run_global},
	{"local", "[VERSION]", 0, 1, true, product_run_local},
	{"prefix", "[VERSION]", 0, 1, false, product_run_prefix},
	{"merge", "VERSION TOOLKIT", 2, 2, false, product_run_merge},
};

static bool unknown(const char *command, const char *word, struct err *err)
{
	const char *names[ARRAY_LEN(actions) + 1] = {0};
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		names[i] = actions[i].name;
	const char *near = nearest(word, names);
	err_set(err, ERR_USAGE, "'%s' does not know '%s'", command, word);
	return near ? err_hint(err, "did you mean 'cudaenv %s %s'?", command, near)
		    : err_hint(err, "see 'cudaenv help %s'", command);
}

static bool start(struct product_call *c, const char *command, const char *word, bool cudnn,
		  struct err *err)
{
	for (const struct action *x = actions; x < actions + ARRAY_LEN(actions); x++) {
		if (strcmp(word, x->name) != 0 || (x->cudnn && !cudnn))
			continue;
		if (c->n < x->min || (x->max >= 0 && c->n > x->max)) {
			const char *name = cudnn ? "" : " PRODUCT";
			err_set(err, ERR_USAGE, "'%s %s' takes%s %s", command, word, name,
				x->operands[0] ? x->operands : "nothing more");
			return err_hint(err, "usage: cudaenv %s %s%s %s", command, word, name,
					x->operands);
		}
		return flags_override(c->app, c->a, err) && x->run(c, err);
	}
	return unknown(command, word, err);
}

static bool run_cudnn(struct app *app, const struct args *a, struct err *err)
{
	struct product_call c = {.app = app, .a = a, .pos = a->pos + 1, .n = a->n - 1};
	return product_by_name("cudnn", &c.p, err) && start(&c, "cudnn", a->pos[0], true, err);
}

const struct command cmd_cudnn = {
	.name = "cudnn",
	.args = "ACTION [VERSION...]",
	.summary = "cuDNN beside the toolkits",
	.about = "Actions are install, uninstall, list, list-remote, global, local, prefix and "
		 "merge. "
		 "'install' fetches the newest cuDNN that VERSION means and that is built for the "
		 "selected toolkit's CUDA; or it takes an archive or wheel that was downloaded by "
		 "hand. None is copied into a toolkit: exec, env and the hook point at the one "
		 "that the version file asks for (cudnn=9.3). For the old way 'merge VERSION "
		 "TOOLKIT --as NAME' makes a new version that has both in one tree.",
	.options = cudnn_options,
	.min_args = 1,
	.max_args = -1,
	.run = run_cudnn,
};

static bool run_product(struct app *app, const struct args *a, struct err *err)
{
	struct product_call c = {.app = app, .a = a, .pos = a->pos + 1, .n = a->n - 1};
	bool listing = !strncmp(a->pos[0], "list", 4);
	if (c.n || !listing) {
		if (!c.n) {
			err_set(err, ERR_USAGE, "'product %s' needs the name of a product",
				a->pos[0]);
			return err_hint(err, "'cudaenv product list-remote' names them");
		}
		if (!product_by_name(c.pos[0], &c.p, err))
			return false;
		c.pos++;
		c.n--;
	}
	return start(&c, "product", a->pos[0], false, err);
}

const struct command cmd_product = {
	.name = "product",
	.args = "ACTION [PRODUCT] [VERSION...]",
	.summary = "cuTENSOR, NCCL and the other libraries beside the toolkits",
	.about = "Actions are install, uninstall, list, list-remote, prefix and merge. As 'cudnn', "
		 "for every library that NVIDIA ships apart from the toolkit; "
		 "'product list-remote' names them. Each version has a folder of its own, which "
		 "'product prefix' prints.",
	.options = product_options,
	.min_args = 1,
	.max_args = -1,
	.run = run_product,
};
