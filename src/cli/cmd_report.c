/* report: results of `verify` side by side, as a table or as an HTML page. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/io.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "cli/report_html.h"
#include "cli/table.h"
#include "core/results.h"
#include "core/toolkits.h"
#include "core/verdict.h"

static const struct opt options[] = {
	{0, "html", "FILE", "write one HTML page with charts that needs nothing else"},
	{0},
};

static bool read_stdin(struct buf *text, struct err *err)
{
	char part[1 << 16];
	ssize_t n;
	while ((n = read(STDIN_FILENO, part, sizeof part)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot read standard input");
		if (!buf_add(text, part, (size_t)n))
			return err_set(err, ERR_USAGE, "standard input has more than %d bytes",
				       RESULTS_TEXT_MAX);
	}
	return true;
}

static bool add_file(struct results *r, const char *path, struct err *err)
{
	autobuf struct buf text = BUF_INIT(RESULTS_TEXT_MAX);
	if (!strcmp(path, "-") ? !read_stdin(&text, err) : !io_read_file(path, &text, err))
		return false;
	return results_add(r, buf_str(&text), text.len, err) || err_prefix(err, "'%s'", path);
}

static bool add_installed(struct results *r, struct app *app, struct err *err)
{
	autotoolkits struct toolkits t = {0};
	char host[256] = "";
	gethostname(host, sizeof host - 1);
	if (!toolkits_read(&t, &app->layout, err))
		return false;
	for (size_t i = 0; i < t.n; i++) {
		autoverdict struct verdict v = {0};
		if (!t.items[i].dangling && verdict_read(t.items[i].prefix, &v) &&
		    !results_add_verdict(r, host, t.items[i].name, &v, err))
			return false;
	}
	if (r->n)
		return true;
	err_set(err, ERR_FAILED, "no installed version has a verdict");
	return err_hint(err,
			"run 'cudaenv verify --all --level bandwidth', or name files with what "
			"'cudaenv verify --json' printed");
}

static void rate_cell(const struct result *r, const char *kind, double gbps, char out[32])
{
	out[0] = '\0';
	if (gbps > 0)
		snprintf(out, 32, "%.1f%s", gbps, result_marked(r, kind) ? "!" : "");
}

static void print_table(const struct results *r)
{
	autotable struct table t = TABLE_INIT(8);
	t.right = 1u << 4 | 1u << 5 | 1u << 6;
	table_row(&t, (const char *const[]){"HOST", "VERSION", "VERDICT", "GPU", "TO", "FROM", "ON",
					    "REMARK"});
	for (size_t i = 0; i < r->n; i++) {
		const struct result *x = &r->items[i];
		char to[32], from[32], on[32], remark[1024];
		rate_cell(x, "h2d", x->h2d, to);
		rate_cell(x, "d2h", x->d2h, from);
		rate_cell(x, "d2d", x->d2d, on);
		table_row(&t,
			  (const char *const[]){x->host, x->version, x->verdict, x->gpu, to, from,
						on, result_remark(x, remark, sizeof remark)});
	}
	table_print(&t, stdout);
}

static json_t *odd_json(const struct result *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->n; i++) {
		const struct rate *x = &r->rates[i];
		if (x->off != 0)
			json_array_append_new(list, json_pack("{ss ss ss sI sf sf si}", "kind",
							      x->kind, "memory", x->memory,
							      "method", x->method, "bytes",
							      (json_int_t)x->bytes, "gbps", x->gbps,
							      "off", x->off, "device", x->device));
	}
	return list;
}

static void print_list(const struct results *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->n; i++) {
		const struct result *x = &r->items[i];
		json_array_append_new(list, json_pack("{so so so so so so sf sf sf sb so}", "host",
						      print_json_text(x->host), "version",
						      print_json_text(x->version), "verdict",
						      print_json_text(x->verdict), "gpu",
						      print_json_text(x->gpu), "driver",
						      print_json_text(x->driver), "detail",
						      print_json_text(x->detail), "h2d", x->h2d,
						      "d2h", x->d2h, "d2d", x->d2d, "slow",
						      (int)x->slow, "outliers", odd_json(x)));
	}
	print_json(stdout, list);
}

static void tell_lines(struct app *app, const struct results *r)
{
	if (r->damaged)
		event_warn(&app->events, "was the output cut?",
			   "%zu line%s look%s like a result and cannot be read", r->damaged,
			   r->damaged == 1 ? "" : "s", r->damaged == 1 ? "s" : "");
	if (r->noise)
		event_note(&app->events, "%zu other line%s passed over", r->noise,
			   r->noise == 1 ? "" : "s");
	if (r->replaced)
		event_note(&app->events,
			   "%zu result%s of the same host and version: the latest counts",
			   r->replaced, r->replaced == 1 ? "" : "s");
}

static bool write_page(const struct results *r, const char *path, struct err *err)
{
	autobuf struct buf page = BUF_INIT(HTML_MAX);
	char now[32] = "";
	time_t t = time(NULL);
	struct tm tm;
	if (gmtime_r(&t, &tm))
		strftime(now, sizeof now, "%Y-%m-%d %H:%M UTC", &tm);
	if (!html_page(&page, r, now))
		return err_set(err, ERR_FAILED, "the page would be larger than %d bytes", HTML_MAX);
	if (strcmp(path, "-"))
		return atomic_write(path, buf_str(&page), page.len, 0644, err);
	fwrite(buf_str(&page), 1, page.len, stdout);
	return true;
}

static bool report(struct app *app, const struct args *a, struct results *r, struct err *err)
{
	const char *html = opt_value(a, "html");
	for (int i = 0; i < a->n; i++)
		if (!add_file(r, a->pos[i], err))
			return false;
	if (a->n == 0 && !add_installed(r, app, err))
		return false;
	tell_lines(app, r);
	if (!r->n) {
		err_set(err, ERR_FAILED, "there is no result of 'verify --json' in what was named");
		return false;
	}
	results_finish(r);
	if (html && !write_page(r, html, err))
		return false;
	if (html)
		return true;
	if (app->json)
		print_list(r);
	else
		print_table(r);
	return true;
}

static bool run(struct app *app, const struct args *a, struct err *err)
{
	autoresults struct results r = {0};
	return report(app, a, &r, err);
}

const struct command cmd_report = {
	.name = "report",
	.args = "[FILE...]",
	.summary = "compare results of `verify` from versions or hosts",
	.about = "FILE has what `cudaenv verify --json` printed on any number of hosts, as srun, "
		 "Ansible or kubectl collected it; - is standard input. Without FILE it takes the "
		 "stored verdicts of the installed versions. What is far from the others of its "
		 "kind is marked.",
	.options = options,
	.min_args = 0,
	.max_args = -1,
	.run = run,
};
