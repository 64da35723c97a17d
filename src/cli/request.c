#include "cli/request.h"

#include <string.h>

void request_components(struct strlist *out, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ", ");
		autofree char *name = xstrndup(list, n);
		if (n)
			strlist_add(out, name);
		list += n;
		list += strspn(list, ", ");
	}
}

bool request_make(struct app *app, const struct args *a, const char *profile,
		  const char *components, const struct host *host, struct request *rq,
		  struct err *err)
{
	const char *list = opt_value(a, "components");
	if (opt_value(a, "profile") || !profile[0])
		profile = config_get(&app->config, CONFIG_PROFILE);
	*rq = (struct request){.arch = opt_value(a, "arch")};
	if (!rq->arch)
		rq->arch = host->arch;
	if (!host_arch_known(rq->arch))
		return err_set(err, ERR_USAGE, "there is no CUDA for architecture '%s'", rq->arch);
	if (!profile_parse(profile, &rq->profile)) {
		err_set(err, ERR_USAGE, "there is no profile '%s'", profile);
		return err_hint(err, "profiles are minimal, default and full");
	}
	request_components(&rq->components, list ? list : components);
	return true;
}
