#!/usr/bin/env bash
# Includes go down only: cli -> core -> ext -> base, shims -> base; inside a layer a file may use those
# listed above it in the layer's meson.build (its own header, and that of the module it is part of, aside).
# An external library is known to one module of ext alone, jansson to core and cli as well.
set -eu
cd "${SOURCE_ROOT:-.}"

includes() {
	grep -rnE '^[[:space:]]*#[[:space:]]*include' src shims --include='*.[ch]' --include='*.cpp'
}
order() {
	for layer in base ext core cli; do
		sed -En "s#^ *'([a-z0-9_]+)\.(c|cpp)',\$#$layer/\1#p" "src/$layer/meson.build"
	done
}

{
	order
	includes
} | awk '
	function complain(text) { print text; bad = 1 }
	function known_to(library, pattern, where) {
		if (quoted || header !~ "^(" pattern ")")
			return
		if (path !~ where)
			complain(path " uses " library ": that belongs to another layer")
		module = path
		gsub(/.*\/|[._].*/, "", module)
		if (library != "jansson" && library in user && user[library] != module)
			complain(library " is known to two modules: " user[library] " and " module)
		user[library] = module
	}
	BEGIN { level["base"] = 0; level["ext"] = 1; level["core"] = 2; level["cli"] = 3 }
	!/:/ { place[$0] = ++n; next }
	{
		path = $0; sub(/:.*/, "", path)
		quoted = /"/
		header = $0; gsub(/^[^<"]*[<"]|[>"].*/, "", header)
		split(path, part, "/")
		layer = part[1] == "shims" ? "base" : part[2]
		me = path; sub(/^src\//, "", me); sub(/\.[a-z]*$/, "", me)
		other = header; sub(/\.h$/, "", other)
		theirs = header; sub(/\/.*/, "", theirs)
		if (quoted && theirs in level) {
			if (level[theirs] > level[layer])
				complain(path " includes \"" header "\": that is a layer above")
			else if (theirs == layer && path !~ /\.h$/ && index(me, other) != 1 &&
				 place[other] > place[me] && place[me])
				complain(path " includes \"" header "\": listed below it")
		}
		known_to("curl", "curl/", "^src/ext/")
		known_to("openssl", "openssl/", "^src/ext/")
		known_to("libarchive", "archive", "^src/ext/")
		known_to("lzma", "lzma\\.h", "^src/ext/")
		known_to("inih", "ini\\.h", "^src/ext/")
		known_to("deflate", "libdeflate|isa-l|igzip", "^src/ext/")
		known_to("zlib", "zlib\\.h", "^src/ext/")
		known_to("libxml", "libxml", "^src/ext/")
		known_to("toml", "toml", "^src/ext/")
		known_to("jansson", "jansson", "^src/(ext|core|cli)/")
	}
	END { exit bad }'
