#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 300
# nginx and redis, as Debian ships them, in one trace: clients whose connections nginx passes on to redis. Which
# process waited for which connection, and which was at its other end, by port or inode, compared with ss and redis's
# CLIENT LIST.
. "$(dirname "$0")/lib.sh"

modules=/usr/lib/nginx/modules

answers() { redis-cli -p "$1" PING 2>/dev/null | grep -q PONG; }

start_servers() {
	make_private
	read -r redis_port nginx_port unix_port < <(free_ports 3)
	start_nobody redis-server --bind 127.0.0.1 --port "$redis_port" --unixsocket "$private/redis" --save '' --appendonly no --dir "$private" >"$scratch/redis.log"
	wait_for 30 answers "$redis_port" || die "$(tail -3 "$scratch/redis.log")"
	cat >"$private/nginx.conf" <<-END
		load_module $modules/ngx_stream_module.so;
		daemon off;
		master_process off;
		pid $private/nginx.pid;
		error_log $private/error.log;
		events { worker_connections 64; }
		stream {
			server { listen 127.0.0.1:$nginx_port; proxy_pass 127.0.0.1:$redis_port; }
			server { listen 127.0.0.1:$unix_port; proxy_pass unix:$private/redis; }
		}
	END
	start_nobody nginx -p "$private" -e "$private/error.log" -c "$private/nginx.conf"
	wait_for 30 answers "$nginx_port" || die "$(tail -3 "$private/error.log")"
}

need_offcpu
PATH=$PATH:/usr/sbin
need_field redis-server redis-cli nginx ss
[ -e "$modules/ngx_stream_module.so" ] || skip "nginx has no stream module"
start_servers
staged proxy '--offcpu 0' python3 -B "$field/nginx_load.py" "$nginx_port" "$redis_port" "$unix_port"
judged python3 -B "$field/nginx_check.py" "$report" "$scratch/proxy.rwk" "$scratch/proxy.truth"
finish
