#!/usr/bin/env bats
# report: results side by side, as a table, as JSON and as a page in a browser.

load lib

setup() { setup_root; }
teardown() { teardown_root; }

results() { python3 "$SOURCE_ROOT/tests/cli/results.py" "$@"; }

@test "a table: one line for each host and version, what stands out is marked" {
	results 5 12.4.1,13.0.2 >all.jsonl
	cudaenv report all.jsonl
	assert_status 0
	[ "$(wc -l <<<"$out")" -eq 11 ]
	[[ $(sed -n 1p <<<"$out") == HOST\ *VERSION\ *VERDICT\ *GPU\ *REMARK ]]
	[ "$(grep -c '!' <<<"$out")" -eq 2 ]
	assert_stdout_has "from the GPU, pinned, "
	grep '!' <<<"$out" | grep -qv '^h3 ' && fail "not h3 alone"
	assert_stderr ""
}

@test "what was collected in other ways: hosts in front, noise between, some of it damaged" {
	results 3 13.0.2 >own
	{
		echo "srun: job 12 queued and waiting for resources"
		sed 's/^/node-1: /' own | head -n 1
		echo "[pod/gpu-7] warning: something"
		sed -n '2s,^,[pod/gpu-7] ,p' own
		printf 'ansible-3 | CHANGED | rc=0 | (stdout) %s\\n\n' "$(sed -n 3p own)"
		sed -n 1p own | cut -c 1-2000
	} >collected
	cudaenv report collected
	assert_status 0
	[ "$(awk 'NR > 1 { print $1 }' <<<"$out" | sort | xargs)" = "ansible-3 gpu-7 node-1" ] || fail "hosts"
	assert_stderr_has "1 line looks like a result and cannot be read"
	assert_stderr_has "2 other lines passed over"
	capture sh -c '"$CUDAENV" report - <collected'
	assert_stdout_has ansible-3
}

@test "as JSON" {
	results 4 13.0.2 >all
	cudaenv report --json all
	assert_status 0
	python3 - "$T/stdout" <<-'P'
		import json, sys
		rows = json.load(open(sys.argv[1]))
		assert [r["host"] for r in rows] == ["h0", "h1", "h2", "h3"], rows
		assert not rows[0]["outliers"] and len(rows[3]["outliers"]) == 6, rows
		assert all(o["kind"] == "d2h" and o["off"] < -0.5 for o in rows[3]["outliers"])
	P
}

@test "what cannot be: no result, no file, a folder, no verdict" {
	echo nothing >none
	cudaenv report none
	assert_status 1
	assert_stderr_has "no result of 'verify --json'"
	cudaenv report missing
	assert_status 7
	assert_stderr_has "'missing'"
	cudaenv report .
	assert_status 7
	cudaenv report
	assert_status 1
	assert_stderr_has "no installed version has a verdict"
	assert_stderr_has "verify --all"
	results 1 13.0.2 >all
	cudaenv report --html no/such/folder.html all
	assert_status 7
	assert_stderr_has "no/such"
}

@test "without a file: the stored verdicts" {
	fake_toolkit 12.4.1
	echo '{"format": 1, "verdict": "ptx-too-new", "on": {"gpu": "NVIDIA Test", "h2d": 5e10}}' \
		>"$prefix/.cudaenv/verdict.json"
	fake_toolkit 13.0.2
	cudaenv report
	assert_status 0
	[ "$(wc -l <<<"$out")" -eq 2 ]
	[[ $out == *12.4.1*ptx-too-new*"NVIDIA Test"*50.0* ]]
}

@test "the page needs nothing else, and escapes what it shows" {
	results 3 13.0.2 >all
	echo '{"version": "<i>1", "host": "a&b", "verdict": "\"x\"", "detail": "</table><script>alert(1)</script>"}' >>all
	cudaenv report --html page.html all
	assert_status 0
	assert_stdout ""
	! grep -iE '<script|<link|<img|<iframe|url\(|@import|https?:|<i>1|javascript' page.html || fail "not of its own"
	grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' page.html
	grep -q 'a&amp;b' page.html
	python3 - <<-'P'
		import html.parser
		class Page(html.parser.HTMLParser):
		    open = []
		    def handle_starttag(self, tag, attrs):
		        if tag not in ("meta",):
		            self.open.append(tag)
		    def handle_startendtag(self, tag, attrs):
		        pass
		    def handle_endtag(self, tag):
		        assert self.open.pop() == tag, (tag, self.open)
		page = Page()
		page.feed(open("page.html").read())
		assert not page.open, page.open
	P
	cudaenv report --html - all
	[ "$(head -n 1 <<<"$out")" = "<!DOCTYPE html>" ]
}

# What a browser makes of the page: frame.html holds it and writes down what it sees there.
browser() {
	local program
	for program in chromium chromium-browser google-chrome; do
		command -v $program >/dev/null && break
		program=
	done
	[ -n "$program" ] || skip "no Chromium"
	cat >frame.html <<-EOF
		<!DOCTYPE html><body style="margin:0"><iframe id=f src=page.html style="border:0;width:$1px;height:4000px"></iframe><pre id=o></pre><script>
		onload = () => {
			const d = f.contentDocument, w = f.contentWindow, root = d.documentElement
			const all = q => [...d.querySelectorAll(q)]
			const color = e => w.getComputedStyle(e).color, fill = e => w.getComputedStyle(e).fill
			const say = (k, v) => o.append(k + '=' + v + '\n')
			say('overflow', root.scrollWidth > root.clientWidth)
			say('background', w.getComputedStyle(d.body).backgroundColor)
			say('text', color(d.body))
			say('rows', all('tbody tr').length)
			say('charts', all('svg').filter(e => e.getBoundingClientRect().height > 20).length)
			say('inside', all('svg text').every(e => { const t = e.getBoundingClientRect(), s = e.ownerSVGElement.getBoundingClientRect(); return t.left >= s.left - 1 && t.right <= s.right + 1 }))
			say('smallest', Math.min(...all('svg text').map(e => e.getBoundingClientRect().height)) >= 9)
			say('odd', all('td.n.odd').map(e => e.parentNode.cells[0].innerText).join())
			say('points', all('circle.odd').length)
			say('titles', all('circle.odd title')[0].textContent)
			say('headings', all('h2').map(e => e.innerText).join())
			say('limits', all('line.limit').length)
			say('marked', fill(all('circle.odd')[0]) != color(d.body))
		}
		</script>
	EOF
	timeout 60 "$program" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --allow-file-access-from-files \
		--user-data-dir="$T/browser" --window-size="$1,900" --blink-settings=preferredColorScheme="$2" \
		--virtual-time-budget=5000 --dump-dom "file://$PWD/frame.html" >dom 2>browser.log ||
		skip "Chromium does not run here: $(tail -n 1 browser.log)"
	sed -n '/<pre id="o">/,/<\/pre>/p' dom | sed 's/.*<pre id="o">//; s/<\/pre>.*//' >seen
	[ -s seen ] || fail "the page shows nothing" "$(cat browser.log)"
}

seen() { grep -qxF "$1" seen || fail "wanted: $1" "$(cat seen)"; }

@test "in a browser: wide, light" {
	results 8 12.4.1,13.0.2 >all
	cudaenv report --html page.html all
	browser 1300 1
	seen "overflow=false"
	seen "background=rgb(255, 255, 255)"
	seen "rows=16"
	seen "charts=13"
	seen "inside=true"
	seen "odd=h3,h3"
	seen "headings=Verdicts,By version,By host,By size"
	seen "marked=true"
	seen "limits=6"
	grep -q '^titles=h3, 13.0.2: .* GB/s, -6[0-9]% of the median' seen || fail "$(cat seen)"
}

@test "in a browser: a phone, dark" {
	results 8 12.4.1,13.0.2 >all
	cudaenv report --html page.html all
	browser 360 0
	seen "overflow=false"
	seen "background=rgb(13, 17, 23)"
	seen "text=rgb(230, 237, 243)"
	seen "inside=true"
	seen "smallest=true"
	seen "charts=13"
}
