#!/usr/bin/env bash
# A throw-away Citus for tests: a coordinator and workers, on free ports of this machine.
#
#   eval "$(bash test/support/citus.sh start [workers])"   starts them (two workers) and sets TEST_DATABASE_URL, TEST_CITUS_WORKERS
#   bash test/support/citus.sh run <command …>             starts them, runs the command, and stops them
#   bash test/support/citus.sh kill <n>                    ends a worker as a crash would: kill -9
#   bash test/support/citus.sh restart <n>                 starts it again
#   bash test/support/citus.sh stop                        stops what TEST_CITUS_DIR names, removes its data
#   CITUS_SOURCE=<folder> bash test/support/citus.sh build builds and installs the extension, when the Postgres here has none
#
# The source is https://github.com/citusdata/citus, of a release that the installed Postgres works with (13.2.2 was tried
# with Postgres 15). Its headers are needed: postgresql-server-dev-15, liblz4-dev, libzstd-dev, libssl-dev, libicu-dev,
# libxml2-dev, libpam0g-dev, libkrb5-dev, libselinux1-dev, libxslt1-dev, libreadline-dev, flex, bison of Debian.
set -euo pipefail

STATE="${TEST_CITUS_DIR:-}"
START_LIMIT_SEC=30

say() { echo "$*" >&2; }

# Whatever is printed to standard output is run by the caller's `eval`: `false` makes that fail too.
fail() {
  say "error: $*"
  echo false
  exit 1
}

as_postgres() {
  if [ "$(id -u)" -ne 0 ]; then "$@"; else runuser -u postgres -- "$@"; fi
}

bin_dir() { pg_config --bindir; }

is_installed() { [ -f "$(pg_config --pkglibdir)/citus.so" ]; }

build() {
  ! is_installed || { say "Citus is installed already"; return 0; }
  [ -d "${CITUS_SOURCE:-}" ] || { say "error: CITUS_SOURCE names no folder"; exit 1; }
  cd "$CITUS_SOURCE"
  # Newer minor releases of Postgres 15 have this function themselves.
  if grep -q have_createdb_privilege "$(pg_config --includedir-server)/commands/dbcommands.h"; then
    perl -0pi -e 's/static inline bool\nhave_createdb_privilege\(void\)\n\{.*?\n\}\n//s' src/include/pg_version_compat.h
  fi
  ./configure --without-libcurl
  make -j2 with_llvm=no
  make install with_llvm=no
}

free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 40000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}

# What a crash of the machine would lose is of no interest here; what a crash of Postgres would is kept. Few shards: each
# test has a database of its own. Locks: making one distributes many tables.
start_node() {
  local dir="$STATE/$1" port
  port=$(free_port)
  mkdir -p "$dir"
  [ "$(id -u)" -ne 0 ] || chown postgres "$dir"
  as_postgres "$(bin_dir)/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 >/dev/null
  cat >>"$dir/data/postgresql.conf" <<SETTINGS
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$dir'
shared_preload_libraries = 'citus'
max_connections = 300
max_prepared_transactions = 300
max_locks_per_transaction = 1024
max_worker_processes = 64
wal_level = logical
fsync = off
log_line_prefix = '%e %d '
citus.shard_count = 4
citus.max_background_task_executors = 1
citus.max_maintenance_shared_pool_size = 2
citus.defer_shard_delete_interval = -1
SETTINGS
  as_postgres "$(bin_dir)/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t "$START_LIMIT_SEC" start >/dev/null 2>&1 ||
    { tail -n 20 "$dir/log" >&2; return 1; }
  echo "$port"
}

start() {
  local count="${1:-2}" coordinator workers="" number
  command -v pg_config >/dev/null && is_installed || fail "Citus is not installed here, see $0"
  STATE=$(mktemp -d "${TMPDIR:-/tmp}/watchpost-citus-XXXXXX")
  # The user that runs Postgres has to get through.
  chmod 755 "$STATE"
  echo "export TEST_CITUS_DIR=$STATE"
  coordinator=$(start_node coordinator) || fail "the coordinator does not start"
  for number in $(seq "$count"); do
    workers="$workers $(start_node "worker$number")" || fail "a worker does not start"
  done
  echo "export TEST_DATABASE_URL=postgres://postgres@127.0.0.1:$coordinator/postgres"
  echo "export TEST_CITUS_WORKERS='${workers# }'"
}

stop() {
  [ -d "$STATE" ] || { say "nothing to stop: TEST_CITUS_DIR is not set"; return 0; }
  local data
  for data in "$STATE"/*/data; do
    as_postgres "$(bin_dir)/pg_ctl" -D "$data" -m immediate stop >/dev/null 2>&1 || true
  done
  rm -rf "$STATE"
}

# Without Citus it says so and runs nothing.
run() {
  command -v pg_config >/dev/null && is_installed || { say "skipped: Citus is not installed here, see $0"; return 0; }
  local code=0
  eval "$(start 2)"
  export TEST_CITUS_DIR TEST_DATABASE_URL TEST_CITUS_WORKERS
  "$@" || code=$?
  STATE="$TEST_CITUS_DIR" stop
  return "$code"
}

kill_worker() {
  kill -9 "$(head -n 1 "$STATE/worker$1/data/postmaster.pid")"
}

restart_worker() {
  local deadline=$((SECONDS + START_LIMIT_SEC))
  # What it had started ends a moment after it.
  until as_postgres "$(bin_dir)/pg_ctl" -D "$STATE/worker$1/data" -l "$STATE/worker$1/log" -w start >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || { tail -n 20 "$STATE/worker$1/log" >&2; return 1; }
    sleep 0.2
  done
}

case "${1:-}" in
  start) start "${2:-}" ;;
  stop) stop ;;
  run) shift; run "$@" ;;
  kill) kill_worker "$2" ;;
  restart) restart_worker "$2" ;;
  build) build ;;
  *) say "usage: $0 start [workers] | stop | run <command> | kill <n> | restart <n> | build"; exit 2 ;;
esac
