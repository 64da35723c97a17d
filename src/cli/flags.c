#include "cli/flags.h"

#include <stdio.h>
#include <string.h>

/* The setting that an option is called after; false: there is none. */
static bool find_setting(const char *option, enum config_key *key)
{
	for (int k = 0; k < CONFIG_KEYS; k++) {
		const char *name = config_info((enum config_key)k)->name;
		size_t i = 0;
		while (option[i] && option[i] == (name[i] == '_' ? '-' : name[i]))
			i++;
		if (option[i] || name[i])
			continue;
		*key = (enum config_key)k;
		return true;
	}
	return false;
}

bool flags_override(struct app *app, const struct args *a, struct err *err)
{
	for (size_t i = 0; a->options[i].name; i++) {
		const struct opt *o = &a->options[i];
		enum config_key key;
		char flag[32];
		if (!a->values[i] || !find_setting(o->name, &key))
			continue;
		snprintf(flag, sizeof flag, "--%s", o->name);
		if (!config_override(&app->config, key, o->arg ? a->values[i] : "yes", flag, err))
			return false;
	}
	return true;
}
