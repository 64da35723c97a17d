#!/usr/bin/env bash
# nginx with a configuration of its own, as any user, on a free port of 127.0.0.1, until it is killed.
# usage: nginx.sh MIRROR FOLDER
# FOLDER gets port (once it listens) and access.log: "STATUS BYTES START-END|- PATH" of each answer.
#
# The mirror is at /ANYTHING/cuda/redist/, so that each test finds its own lines in the log, at any number of
# bytes a second a connection at /ANYTHING/rate/N/cuda/redist/, and without /cuda/redist at /ANYTHING/flat/.
set -eu

mirror=$1 dir=$2
nginx=$(PATH=$PATH:/usr/sbin command -v nginx)

configure() {
	cat <<-EOF
		daemon off;
		master_process off;
		pid "$dir/nginx.pid";
		error_log "$dir/error.log";
		events { worker_connections 512; }
		http {
			log_format line '\$status \$body_bytes_sent \$wanted \$request_uri';
			map \$http_range \$wanted { default \$http_range; "" "-"; }
			access_log "$dir/access.log" line;
			client_body_temp_path "$dir/tmp/1";
			proxy_temp_path "$dir/tmp/2";
			fastcgi_temp_path "$dir/tmp/3";
			uwsgi_temp_path "$dir/tmp/4";
			scgi_temp_path "$dir/tmp/5";
			types { application/json json; }
			default_type application/octet-stream;
			sendfile on;
			autoindex on;
			absolute_redirect off;
			server {
				listen 127.0.0.1:$1;
				root "$mirror";
				location ~ ^/[^/]+/rate/(?<rate>[0-9]+)/(?<rest>cuda/.*)\$ {
					limit_rate \$rate;
					rewrite ^ /\$rest break;
				}
				location ~ ^/[^/]+/flat/(?<rest>.*)\$ { rewrite ^ /cuda/redist/\$rest break; }
				location ~ ^/[^/]+/(?<rest>cuda/.*)\$ { rewrite ^ /\$rest break; }
				location / { return 404; }
			}
		}
	EOF
}

mkdir -p "$dir/tmp"
for _ in 1 2 3 4 5; do
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	configure "$port" >"$dir/nginx.conf"
	timeout 3600 "$nginx" -p "$dir" -c "$dir/nginx.conf" 2>>"$dir/nginx.err" &
	pid=$!
	trap 'kill $pid' TERM INT
	for _ in {1..100}; do
		kill -0 $pid 2>/dev/null || break
		if (: </dev/tcp/127.0.0.1/"$port") 2>/dev/null; then
			echo "$port" >"$dir/port.new"
			mv "$dir/port.new" "$dir/port"
			wait $pid || :
			exit
		fi
		sleep 0.05
	done
done
cat "$dir/nginx.err" "$dir/error.log" >&2
exit 1
