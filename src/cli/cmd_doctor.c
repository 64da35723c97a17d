/* doctor: what is wrong here, each with a code and one remedy. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cmd.h"
#include "cli/doctor_print.h"
#include "cli/print.h"
#include "core/doctor.h"

static const struct opt options[] = {
	{0, "network", NULL, "ask the mirrors as well"},
	{0},
};

static void print_findings(const struct doctor *d)
{
	puts(d->n ? "" : "\nNothing is wrong.");
	for (size_t i = 0; i < d->n; i++) {
		const struct doctor_finding *x = &d->items[i];
		printf("%-8s %s: %s\n", doctor_severity_name(x->severity), x->code, x->what);
		if (x->remedy)
			printf("         %s\n", x->remedy);
	}
}

static void print_all_json(const struct facts *f, const struct doctor *d)
{
	json_t *o = doctor_facts_json(f), *findings = json_array();
	for (size_t i = 0; i < d->n; i++)
		json_array_append_new(
			findings, json_pack("{ss ss so so}", "code", d->items[i].code, "severity",
					    doctor_severity_name(d->items[i].severity), "what",
					    print_json_text(d->items[i].what), "remedy",
					    print_json_text(d->items[i].remedy)));
	json_object_set_new(o, "findings", findings);
	print_json(stdout, o);
}

static bool run(struct app *app, const struct args *args, struct err *err)
{
	struct facts *f = xcalloc(1, sizeof *f);
	struct doctor d;
	struct err ignored;
	/* A broken catalog is no reason to say nothing. */
	bool catalog = catalog_load(&app->catalog, NULL, &ignored);
	facts_gather(f, &(struct facts_places){.root = ""}, &app->layout, &app->config,
		     catalog ? &app->catalog : NULL);
	bool ok = !opt_flag(args, "network") || facts_ask_mirrors(f, err);
	if (ok) {
		doctor_examine(&d, f);
		if (app->json) {
			print_all_json(f, &d);
		} else {
			doctor_print_facts(f);
			print_findings(&d);
		}
		app->exit_status = doctor_has_errors(&d) ? ERR_FAILED : 0;
		doctor_clear(&d);
	}
	facts_clear(f);
	free(f);
	return ok;
}

const struct command cmd_doctor = {
	.name = "doctor",
	.args = "",
	.summary = "look for what is wrong with CUDA on this machine",
	.about = "Prints what is selected, the driver, the GPUs, every nvcc on PATH, the variables "
		 "and the libraries "
		 "that programs would get, then each finding with its code and one remedy. Exit "
		 "status 1 where one "
		 "of them is an error.",
	.options = options,
	.run = run,
};
