#!/usr/bin/env bash
# Throw-away external stores for tests: a Postgres cluster and an S3 server (versitygw), on free ports.
#
#   eval "$(bash test/support/external_stores.sh start)"   starts them and sets TEST_DATABASE_URL, TEST_S3_*
#   bash test/support/external_stores.sh stop              stops what TEST_STORES_DIR names, removes its data
#
# Postgres comes from the system's packages and is required. The S3 server is used when `versitygw` is installed or
# `go install` can fetch it; otherwise a line that begins with "skipped:" says so, and TEST_S3_* stay unset.
set -euo pipefail

VERSITYGW=github.com/versity/versitygw/cmd/versitygw@v1.8.0
STATE="${TEST_STORES_DIR:-}"
BIN_CACHE="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/watchpost-tests/bin"
ATTEMPTS=5
START_LIMIT_SEC=30

say() { echo "$*" >&2; }

# Whatever is printed to standard output is run by the caller's `eval`: `false` makes that fail too.
fail() {
  say "error: $*"
  echo false
  exit 1
}

# Postgres refuses to run as root: then its commands run as the user that the package made.
as_postgres() {
  if [ "$(id -u)" -ne 0 ]; then
    "$@"
  elif command -v runuser >/dev/null; then
    runuser -u postgres -- "$@"
  else
    su postgres -s /bin/sh -c "$(printf '%q ' "$@")"
  fi
}

postgres_bin_dir() {
  local newest
  newest=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
  if [ -n "$newest" ] && [ -x "$newest/initdb" ]; then
    echo "$newest"
  elif command -v initdb >/dev/null; then
    dirname "$(command -v initdb)"
  elif command -v pg_config >/dev/null && [ -x "$(pg_config --bindir)/initdb" ]; then
    pg_config --bindir
  else
    return 1
  fi
}

is_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 12000))
    is_open "$port" || { echo "$port"; return; }
  done
}

start_postgres() {
  local bin=$1 port attempt
  local dir="$STATE/postgres"
  mkdir -p "$dir"
  [ "$(id -u)" -ne 0 ] || chown postgres "$dir"
  as_postgres "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 \
    >"$STATE/initdb.log" 2>&1 || return 1
  for attempt in $(seq "$ATTEMPTS"); do
    port=$(free_port)
    if as_postgres "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t "$START_LIMIT_SEC" \
      -o "-p $port -k $dir -c listen_addresses=127.0.0.1 -c max_connections=200" \
      start </dev/null >/dev/null 2>&1; then
      echo "$bin" >"$STATE/postgres.bin"
      echo "export TEST_DATABASE_URL=postgres://postgres@127.0.0.1:$port/postgres"
      return 0
    fi
  done
  return 1
}

find_versitygw() {
  command -v versitygw || {
    [ -x "$BIN_CACHE/versitygw" ] || install_versitygw || return 1
    echo "$BIN_CACHE/versitygw"
  }
}

install_versitygw() {
  command -v go >/dev/null || return 1
  mkdir -p "$BIN_CACHE"
  GOBIN="$BIN_CACHE" timeout 600 go install "$VERSITYGW" >"$STATE/go.log" 2>&1
}

start_s3() {
  local binary=$1 port attempt
  local dir="$STATE/s3" secret
  secret=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
  # Folders below `buckets` are the buckets; what the server knows about objects goes beside, not into file attributes.
  mkdir -p "$dir/buckets/watchpost" "$dir/sidecar"
  for attempt in $(seq "$ATTEMPTS"); do
    port=$(free_port)
    ROOT_ACCESS_KEY=watchpost ROOT_SECRET_KEY="$secret" nohup "$binary" \
      --port "127.0.0.1:$port" --keep-alive --quiet posix --sidecar "$dir/sidecar" "$dir/buckets" \
      </dev/null >"$dir/log" 2>&1 &
    local pid=$!
    if wait_until_open "$port" "$pid"; then
      echo "$pid" >"$STATE/s3.pid"
      cat <<VARIABLES
export TEST_S3_ENDPOINT=http://127.0.0.1:$port
export TEST_S3_REGION=us-east-1
export TEST_S3_BUCKET=watchpost
export TEST_S3_ACCESS_KEY_ID=watchpost
export TEST_S3_SECRET_ACCESS_KEY=$secret
VARIABLES
      return 0
    fi
    kill "$pid" 2>/dev/null || true
  done
  return 1
}

wait_until_open() {
  local port=$1 pid=$2 deadline=$((SECONDS + START_LIMIT_SEC))
  while [ "$SECONDS" -lt "$deadline" ] && kill -0 "$pid" 2>/dev/null; do
    ! is_open "$port" || return 0
    sleep 0.1
  done
  return 1
}

start() {
  local bin binary
  STATE=$(mktemp -d "${TMPDIR:-/tmp}/watchpost-stores-XXXXXX")
  # The user that runs Postgres has to get through.
  chmod 755 "$STATE"
  bin=$(postgres_bin_dir) || fail "Postgres is not installed (Debian: apt-get install postgresql)"
  start_postgres "$bin" || {
    tail -n 20 "$STATE/initdb.log" "$STATE/postgres/log" >&2 || true
    stop
    fail "Postgres in $bin does not start"
  }
  echo "export TEST_STORES_DIR=$STATE"
  if ! binary=$(find_versitygw); then
    say "skipped: S3 server (versitygw is not installed, and 'go install $VERSITYGW' does not work here)"
  elif ! start_s3 "$binary"; then
    say "skipped: S3 server ($binary does not start)"
  fi
}

stop() {
  [ -d "$STATE" ] || { say "nothing to stop: TEST_STORES_DIR is not set"; return 0; }
  if [ -f "$STATE/postgres.bin" ]; then
    as_postgres "$(cat "$STATE/postgres.bin")/pg_ctl" -D "$STATE/postgres/data" -m immediate stop \
      >/dev/null 2>&1 || true
  fi
  if [ -f "$STATE/s3.pid" ]; then
    kill "$(cat "$STATE/s3.pid")" 2>/dev/null || true
  fi
  rm -rf "$STATE"
}

case "${1:-}" in
  start) start ;;
  stop) stop ;;
  *) say "usage: $0 start|stop"; exit 2 ;;
esac
