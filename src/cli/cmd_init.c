/* init: the hook of a shell, printed, or read by the shell's start-up file from then on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/path.h"
#include "base/toolenv.h"
#include "base/tree.h"
#include "cli/cmd.h"
#include "cli/init.h"
#include "cli/shellsyntax.h"
#include "core/rcfile.h"
#include "core/shimdir.h"

enum { RC_MAX = 1 << 20 };

struct shell {
	const char *name;
	enum shell_syntax syntax;
	/* The start-up file: below the first of these variables that is set. */
	const char *folder_variable, *rc_there, *rc_home;
	const char *text;
};
static const struct shell shells[] = {
	{
		"bash",
		SHELL_SH,
		NULL,
		NULL,
		".bashrc",
#include "hook_bash.inc"
	},
	{
		"zsh",
		SHELL_SH,
		"ZDOTDIR",
		".zshrc",
		".zshrc",
#include "hook_zsh.inc"
	},
	{
		"fish",
		SHELL_FISH,
		"XDG_CONFIG_HOME",
		"fish/config.fish",
		".config/fish/config.fish",
#include "hook_fish.inc"
	},
};

static bool find_shell(const char *name, const struct shell **out, struct err *err)
{
	enum shell_syntax syntax;
	if (!name) {
		err_set(err, ERR_USAGE, "'init' needs the name of a shell: bash, zsh or fish");
		return err_hint(err, "cudaenv init bash --install");
	}
	for (size_t i = 0; i < ARRAY_LEN(shells); i++)
		if (strcmp(shells[i].name, name) == 0) {
			*out = &shells[i];
			return true;
		}
	if (!shell_syntax_parse(name, &syntax, err))
		return false;
	err_set(err, ERR_USAGE, "there is no hook for '%s'", name);
	return err_hint(err,
			"put $CUDAENV_ROOT/shims in front of PATH; "
			"eval \"$(cudaenv env --shell %s)\" sets the variables",
			name);
}

/* The variables of the table: what the launcher's answer depends on. */
static void print_names(FILE *to, enum shell_syntax syntax)
{
	static const struct selection nothing;
	static const struct toolenv_opts no_opts;
	struct toolenv_want wants[TOOLENV_WANTS];
	toolenv_wants(wants, &nothing, &no_opts);
	fputs(syntax == SHELL_FISH ? "set -g __cudaenv_names" : "__cudaenv_names=(", to);
	for (size_t i = 0; i < TOOLENV_WANTS; i++)
		fprintf(to, " %s", wants[i].name);
	fputs(syntax == SHELL_FISH ? "\n" : ")\n", to);
	toolenv_wants_clear(wants);
}

static void print_hook(FILE *to, const struct shell *sh)
{
	autofree char *launcher = shimdir_program();
	fputs(sh->syntax == SHELL_FISH ? "set -g __cudaenv_launcher " : "__cudaenv_launcher=", to);
	shell_quote(to, sh->syntax, launcher);
	fputc('\n', to);
	print_names(to, sh->syntax);
	fputs(sh->text, to);
}

static bool write_hook(const struct shell *sh, const char *path, struct err *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	if (!to)
		return err_sys(err, ERR_FAILED, "no memory for the hook");
	print_hook(to, sh);
	bool ok = fclose(to) == 0 ? atomic_write(path, text, len, 0644, err)
				  : err_sys(err, ERR_FAILED, "no memory for the hook");
	free(text);
	return ok;
}

bool init_refresh(const struct layout *l, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(shells); i++) {
		char name[32], path[PATH_MAX];
		snprintf(name, sizeof name, "hook.%s", shells[i].name);
		if (layout_path(l, path, sizeof path, name) && access(path, F_OK) == 0 &&
		    !write_hook(&shells[i], path, err))
			return false;
	}
	return true;
}

/*
 * The lines for the start-up file. A root that is gone must not end the shell. Another root than the default is named,
 * where the shell does not know one.
 */
static char *rc_lines(const struct shell *sh, const char *hook, const char *root)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	if (!layout_is_default(root)) {
		fputs(sh->syntax == SHELL_FISH
			      ? "set -q CUDAENV_ROOT; or set -gx CUDAENV_ROOT "
			      : "[ -n \"${CUDAENV_ROOT-}\" ] || export CUDAENV_ROOT=",
		      to);
		shell_quote(to, sh->syntax, root);
		fputc('\n', to);
	}
	fputs(sh->syntax == SHELL_FISH ? "if test -r " : "if [ -r ", to);
	shell_quote(to, sh->syntax, hook);
	fputs(sh->syntax == SHELL_FISH ? "; source " : " ]; then . ", to);
	shell_quote(to, sh->syntax, hook);
	fputs(sh->syntax == SHELL_FISH ? "; end\n" : "; fi\n", to);
	fclose(to);
	return text;
}

static bool rc_path(const struct shell *sh, char *out, size_t cap, struct err *err)
{
	const char *folder = sh->folder_variable ? getenv(sh->folder_variable) : NULL;
	const char *home = getenv("HOME");
	bool there = folder && folder[0] == '/';
	if (!there && (!home || home[0] != '/'))
		return err_set(err, ERR_USAGE, "HOME is not set, so there is no start-up file");
	return path_join(out, cap, there ? folder : home, there ? sh->rc_there : sh->rc_home) ||
	       err_set(err, ERR_USAGE, "the path of the start-up file is too long");
}

struct places {
	char rc[PATH_MAX], hook[PATH_MAX], folder[PATH_MAX];
};

static bool find_places(const struct shell *sh, struct places *p, struct err *err)
{
	struct layout l;
	char name[32];
	snprintf(name, sizeof name, "hook.%s", sh->name);
	if (!layout_init(&l, err) || !rc_path(sh, p->rc, sizeof p->rc, err))
		return false;
	memcpy(p->folder, p->rc, sizeof p->rc);
	*strrchr(p->folder, '/') = '\0';
	return layout_path(&l, p->hook, sizeof p->hook, name) ||
	       err_set(err, ERR_USAGE, "the path of the root is too long");
}

/* A login shell of bash, as tmux and ssh start, reads the first of these, which may read .bashrc or not. */
static void look_at_login(struct app *app, const struct places *p)
{
	static const char *const names[] = {".bash_profile", ".bash_login", ".profile"};
	autobuf struct buf text = BUF_INIT(RC_MAX);
	char file[PATH_MAX];
	struct err ignored;
	size_t i = 0;
	for (; i < ARRAY_LEN(names); i++)
		if (path_join(file, sizeof file, p->folder, names[i]) && access(file, F_OK) == 0)
			break;
	if (i < ARRAY_LEN(names) &&
	    (!io_read_file(file, &text, &ignored) || strstr(buf_str(&text), "bashrc")))
		return;
	autofree char *why = i < ARRAY_LEN(names)
				     ? xasprintf("'%s' does not name it", file)
				     : xstrdup("there is no .bash_profile or .profile");
	autofree char *hint = xasprintf("put the line '. ~/.bashrc' at the end of ~/%s",
					i < ARRAY_LEN(names) ? names[i] : names[0]);
	event_warn(&app->events, hint, "login shells (ssh, tmux) do not read '%s': %s", p->rc, why);
}

static bool install(struct app *app, const struct shell *sh, struct err *err)
{
	struct places p;
	bool changed;
	if (!find_places(sh, &p, err))
		return false;
	autofree char *root = xstrdup(p.hook);
	*strrchr(root, '/') = '\0';
	autofree char *lines = rc_lines(sh, p.hook, root);
	if (!tree_mkdirs(root, err) || !write_hook(sh, p.hook, err) ||
	    !tree_mkdirs(p.folder, err) || !rcfile_block(p.rc, lines, &changed, err))
		return false;
	event_note(&app->events,
		   changed ? "'%s' reads the hook now; open a new shell"
			   : "'%s' reads the hook already",
		   p.rc);
	if (!strcmp(sh->name, "bash"))
		look_at_login(app, &p);
	return true;
}

static bool uninstall(struct app *app, const struct shell *sh, struct err *err)
{
	struct places p;
	bool changed;
	if (!find_places(sh, &p, err) || !rcfile_block(p.rc, NULL, &changed, err))
		return false;
	if (unlink(p.hook) < 0 && errno != ENOENT)
		return err_sys(err, ERR_FILESYSTEM, "cannot remove '%s'", p.hook);
	event_note(&app->events, changed ? "'%s' is as it was" : "'%s' has no hook of ours", p.rc);
	return true;
}

static bool run(struct app *app, const struct args *args, struct err *err)
{
	const struct shell *sh = NULL;
	bool in = opt_flag(args, "install"), out = opt_flag(args, "uninstall");
	if (!find_shell(args->pos[0], &sh, err))
		return false;
	if (in && out)
		return err_set(err, ERR_USAGE, "'--install' and '--uninstall' are opposites");
	if (in)
		return install(app, sh, err);
	if (out)
		return uninstall(app, sh, err);
	print_hook(stdout, sh);
	return true;
}

static const struct opt options[] = {
	{0, "install", NULL, "let the shell's start-up file read the hook"},
	{0, "uninstall", NULL, "take it out again"},
	{0},
};

const struct command cmd_init = {
	.name = "init",
	.args = "SHELL",
	.summary = "print or install the hook of a shell: bash, zsh or fish",
	.about = "The hook puts the shims in front of PATH, makes 'cudaenv shell' work, and gives "
		 "PATH, CUDA_HOME and the others what the folder asks for. With --install a new "
		 "shell "
		 "reads it from a file and starts no process for it. Without, it is printed: eval "
		 "\"$(cudaenv init bash)\" (zsh the same), or cudaenv init fish | source.",
	.options = options,
	.max_args = 1,
	.needs = NEED_NOTHING,
	.run = run,
};
