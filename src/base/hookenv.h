#pragma once
/*
 * What a shell's hook changes in the environment, and how it was before. CUDAENV_HOOK, exported,
 * holds both, so that a shell started inside a project can leave it too:
 *
 *   NAME|what we set|what was there;...      %XX for '%', '|', ';' and control characters
 *
 * For a list "what we set" is our element, or our two. "What was there" is "-" for unset, "=TEXT", or empty for
 * a list that is right again without the element. A variable that somebody else changed meanwhile has, besides,
 *
 *   +NAME|what we had set|what was there before that;
 *
 * since direnv and its like put back what they found, which was ours, and often after we have left.
 */
#include "base/toolenv.h"

/*
 * The changes that bring this process's environment to selection s; NULL or `system`: to what it
 * was. A value that is no longer what we set is somebody else's: it is left alone when we leave,
 * and kept for later when another version takes its place. A list keeps its order: our element
 * stands where the former one stood, else first. An element of a version that no CUDA_HOME names is
 * what another tool put back after us; it goes. The caller ends *changes with toolenv_clear.
 *
 * *left: what CUDAENV_HOOK must be when the shell asks again at its next prompt, when the others had their turn;
 * NULL where nobody changed a variable of ours. The caller frees it.
 */
void hookenv_switch(struct toolenv *changes, const struct layout *l, const struct selection *s,
		    const struct toolenv_opts *o, char **left);
