#include "cli/doctor_print.h"

#include <stdio.h>
#include <string.h>

#include "cli/print.h"
#include "cli/select.h"
#include "cli/table.h"

static const char *fit_words(enum host_fit fit)
{
	switch (fit) {
	case HOST_FIT_FULL:
		return "serves the selected release";
	case HOST_FIT_MINOR:
		return "runs machine code of the selected release, but not its PTX";
	case HOST_FIT_NONE:
		return "too old for the selected release";
	case HOST_FIT_UNKNOWN:
		break;
	}
	return "";
}

static void print_selection(const struct facts *f)
{
	char why[PATH_MAX + VERSION_TEXT + 32];
	if (!f->resolved) {
		printf("selected   nothing: %s\n", f->why.msg);
		return;
	}
	printf("selected   %s (%s)\n", f->sel.name, select_why(&f->sel, why, sizeof why));
	if (!f->sel.prefix[0])
		return;
	printf("           CUDA %s%s%s in '%s'\n", f->release, f->nvcc[0] ? ", nvcc " : "", f->nvcc,
	       f->sel.prefix);
	if (f->cudnn.prefix[0])
		printf("           cuDNN %s\n", f->cudnn.name);
}

static void print_driver(const struct facts *f)
{
	char number[VERSION_TEXT];
	const char *fit = fit_words(f->fit);
	if (!f->host.driver[0] && !f->host.cuda) {
		puts("driver     none");
		return;
	}
	printf("driver     %s", f->host.driver[0] ? f->host.driver : "of unknown version");
	if (f->host.cuda)
		printf(", up to CUDA %s", facts_cuda_number(f->host.cuda, number));
	printf("%s%s\n", fit[0] ? ": " : "", fit);
}

static void print_gpus(const struct facts *f)
{
	for (size_t i = 0; i < f->gpus.n; i++) {
		const struct gpu *g = &f->gpus.items[i];
		char size[PRINT_TEXT];
		printf("GPU %-6d %s, compute capability %d.%d, %s%s\n",
		       g->index >= 0 ? g->index : (int)i, g->name, g->cc / 10, g->cc % 10,
		       print_size(g->memory, size), g->ordinal < 0 ? ", hidden from programs" : "");
	}
	for (size_t i = 0; !f->gpus.n && i < f->n_pci; i++) {
		const struct facts_pci *p = &f->pci[i];
		printf("GPU        %s, PCI id 10de:%04x, held by %s\n",
		       p->id.cc ? p->id.name : "not known", p->device,
		       p->driver[0] ? p->driver : "no driver");
	}
	if (!f->gpus.n && !f->n_pci)
		puts("GPU        none seen");
}

static void print_machine(const struct facts *f)
{
	const char *kind = f->host.wsl	    ? "WSL"
			   : f->host.jetson ? "Jetson"
			   : f->container   ? f->container
					    : NULL;
	printf("machine    %s, Linux %s%s%s%s%s\n", f->host.arch, f->kernel,
	       f->glibc[0] ? ", glibc " : "", f->glibc, kind ? ", " : "", kind ? kind : "");
}

static const char *known(const char *release)
{
	return release[0] ? release : "?";
}

static void print_nvccs(const struct facts *f)
{
	autotable struct table t = TABLE_INIT(5);
	if (!f->n_nvccs) {
		puts("\nnvcc on PATH: none");
		return;
	}
	puts("\nnvcc on PATH, the first one wins:");
	for (size_t i = 0; i < f->n_nvccs; i++) {
		const struct facts_nvcc *n = &f->nvccs[i];
		bool link = strcmp(n->path, n->real) != 0 && !n->shim;
		const char *cells[] = {i ? " " : "*", known(n->release), n->path,
				       n->shim ? "shim"
				       : link  ? "->"
					       : "",
				       link ? n->real : ""};
		table_row(&t, cells);
	}
	table_print(&t, stdout);
	if (f->n_nvccs > 1)
		puts("A shell that ran another one before remembers it until: hash -r");
}

static void print_vars(const struct facts *f)
{
	autotable struct table t = TABLE_INIT(3);
	for (size_t i = 0; i < f->n_vars; i++) {
		const struct facts_var *v = &f->vars[i];
		const char *cells[] = {v->name, v->there ? known(v->release) : "not there",
				       v->value};
		table_row(&t, cells);
	}
	if (f->n_vars)
		puts("\nvariables:");
	table_print(&t, stdout);
}

static void print_libs(const struct facts *f)
{
	autotable struct table t = TABLE_INIT(4);
	for (size_t i = 0; i < f->n_libs; i++) {
		const struct facts_lib *l = &f->libs[i];
		const char *cells[] = {l->soname, l->version, l->path, l->from};
		table_row(&t, cells);
	}
	if (f->n_libs)
		puts("\nlibraries in the loader's order:");
	table_print(&t, stdout);
}

static void print_frameworks(const struct facts *f)
{
	autotable struct table t = TABLE_INIT(5);
	for (size_t i = 0; i < f->n_frameworks; i++) {
		const struct facts_framework *w = &f->frameworks[i];
		autofree char *cuda =
			w->cpu ? xstrdup("CPU") : xasprintf("CUDA %s", known(w->cuda));
		autofree char *cudnn = xasprintf("%s%s", w->cudnn[0] ? "cuDNN " : "", w->cudnn);
		const char *cells[] = {w->name, w->version, cuda, cudnn, w->folder};
		table_row(&t, cells);
	}
	if (f->n_frameworks)
		puts("\nframeworks:");
	table_print(&t, stdout);
}

void doctor_print_facts(const struct facts *f)
{
	print_selection(f);
	print_driver(f);
	print_gpus(f);
	print_machine(f);
	print_nvccs(f);
	print_vars(f);
	print_libs(f);
	print_frameworks(f);
}

/* NULL for "". */
static json_t *text(const char *s)
{
	return print_json_text(s && s[0] ? s : NULL);
}

static json_t *gpus_json(const struct facts *f)
{
	json_t *all = json_array();
	for (size_t i = 0; i < f->gpus.n; i++) {
		const struct gpu *g = &f->gpus.items[i];
		char cc[16];
		snprintf(cc, sizeof cc, "%d.%d", g->cc / 10, g->cc % 10);
		json_array_append_new(all,
				      json_pack("{si so so ss sI sb}", "index", g->index, "name",
						text(g->name), "uuid", text(g->uuid),
						"compute_capability", cc, "memory",
						(json_int_t)g->memory, "visible", g->ordinal >= 0));
	}
	return all;
}

static json_t *nvccs_json(const struct facts *f)
{
	json_t *all = json_array();
	for (size_t i = 0; i < f->n_nvccs; i++) {
		const struct facts_nvcc *n = &f->nvccs[i];
		json_array_append_new(all,
				      json_pack("{so so so sb sb}", "path", text(n->path), "real",
						text(n->real), "release", text(n->release), "shim",
						n->shim, "selected", n->right));
	}
	return all;
}

static json_t *vars_json(const struct facts *f)
{
	json_t *all = json_object();
	for (size_t i = 0; i < f->n_vars; i++) {
		const struct facts_var *v = &f->vars[i];
		json_object_set_new(all, v->name,
				    json_pack("{so so sb}", "value", text(v->value), "release",
					      text(v->release), "selected", v->right));
	}
	return all;
}

static json_t *libs_json(const struct facts *f)
{
	json_t *all = json_array();
	for (size_t i = 0; i < f->n_libs; i++) {
		const struct facts_lib *l = &f->libs[i];
		json_array_append_new(all, json_pack("{ss so so so}", "soname", l->soname,
						     "version", text(l->version), "path",
						     text(l->path), "from", text(l->from)));
	}
	return all;
}

static json_t *frameworks_json(const struct facts *f)
{
	json_t *all = json_array();
	for (size_t i = 0; i < f->n_frameworks; i++) {
		const struct facts_framework *w = &f->frameworks[i];
		json_array_append_new(all, json_pack("{so so so so so}", "name", text(w->name),
						     "version", text(w->version), "cuda",
						     text(w->cuda), "cudnn", text(w->cudnn),
						     "folder", text(w->folder)));
	}
	return all;
}

json_t *doctor_facts_json(const struct facts *f)
{
	char number[VERSION_TEXT] = "";
	if (f->host.cuda)
		facts_cuda_number(f->host.cuda, number);
	return json_pack("{so so so so so so so so so so so so so}", "selected",
			 text(f->resolved ? f->sel.name : NULL), "prefix",
			 text(f->resolved ? f->sel.prefix : NULL), "release", text(f->release),
			 "driver", text(f->host.driver), "driver_cuda", text(number), "fit",
			 text(fit_words(f->fit)), "container", text(f->container), "arch",
			 text(f->host.arch), "gpus", gpus_json(f), "nvcc", nvccs_json(f),
			 "variables", vars_json(f), "libraries", libs_json(f), "frameworks",
			 frameworks_json(f));
}
