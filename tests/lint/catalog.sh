#!/usr/bin/env bash
# share/versions.ini is what tools/gen-versions.py makes of tools/data, and one command adds a release.
set -eu
cd "${SOURCE_ROOT:-.}"
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
python3 tools/gen-versions.py --output - | diff -u share/versions.ini - || {
	echo "share/versions.ini is not what the facts say: run tools/gen-versions.py" >&2
	exit 1
}

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r tools share "$copy"
echo 'Available versions: 99.1.0, 13.5.0, 13.5.1rc1, 0.0.0a0' | python3 "$copy/tools/gen-versions.py" wheels
python3 "$copy/tools/gen-versions.py" add 99.1.1 date=2099-01-02 driver_min=999.1 platforms=x86_64,sbsa
diff <(diff share/versions.ini "$copy/share/versions.ini" | grep '^[<>]') - <<'EOF'
> 
> [99.1.0]
> wheels = 99.1.0
> 
> [99.1.1]
> date = 2099-01-02
> platforms = linux-x86_64 linux-sbsa
> driver_min = 999.1
EOF

# The same of share/products.tsv.
python3 "$copy/tools/gen-products.py"
diff -u share/products.tsv "$copy/share/products.tsv" || {
	echo "share/products.tsv is not what tools/data/products.tsv says: run tools/gen-products.py" >&2
	exit 1
}
python3 "$copy/tools/gen-products.py" wheels nvidia-cudnn-cu13 99.1.0.2 99.1.0.2rc1
[ "$(diff share/products.tsv "$copy/share/products.tsv" | grep '^[<>]')" = $'> cudnn\t99.1.0\t99.1.0.2\t13\twheels\t-' ]
