// The only C++ file: toml++ has no C interface. No exception leaves it.
#include "ext/tomlfile.h"

#include <exception>
#include <string>
#include <string_view>

#include <toml++/toml.h>

static void report(const std::string &key, const toml::node &node, tomlfile_fn *fn, void *ctx)
{
	if (const toml::table *table = node.as_table()) {
		for (auto &&[name, child] : *table)
			report(key.empty() ? std::string(name.str())
					   : key + "." + std::string(name.str()),
			       child, fn, ctx);
	} else if (const toml::array *array = node.as_array()) {
		for (std::size_t i = 0; i < array->size(); i++)
			report(key + "." + std::to_string(i), (*array)[i], fn, ctx);
	} else if (auto text = node.value_exact<std::string>()) {
		fn(ctx, key.c_str(), text->c_str());
	} else if (auto number = node.value_exact<int64_t>()) {
		fn(ctx, key.c_str(), std::to_string(*number).c_str());
	} else if (auto flag = node.value_exact<bool>()) {
		fn(ctx, key.c_str(), *flag ? "true" : "false");
	}
}

extern "C" bool tomlfile_parse(const char *file, const char *text, size_t len, tomlfile_fn *fn,
			       void *ctx, struct err *err)
{
	try {
		toml::table table = toml::parse(std::string_view(text, len));
		report("", table, fn, ctx);
		return true;
	} catch (const toml::parse_error &e) {
		return err_set(err, ERR_USAGE, "'%s' line %u: %s", file,
			       static_cast<unsigned>(e.source().begin.line), e.what());
	} catch (const std::exception &e) {
		return err_set(err, ERR_FAILED, "cannot read '%s': %s", file, e.what());
	}
}
