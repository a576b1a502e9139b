#!/usr/bin/env bash
# The KV server that several instances share, for tests: `denokv`, of the version that compose.external.yaml names.
#
#   bash test/support/denokv.sh find    prints where it is, or fails
#   bash test/support/denokv.sh build   the same; builds it before where it is missing and cargo can fetch it (some minutes)
#   bash test/support/denokv.sh test    builds it, and runs the tests of several instances
set -euo pipefail
cd "$(dirname "$0")/../.."

VERSION=$(sed -n 's|.*denoland/denokv:\([0-9.]*\)$|\1|p' compose.external.yaml)
ROOT="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/watchpost-tests/denokv-$VERSION"

run_tests() {
  eval "$(bash test/support/external_stores.sh start)"
  trap 'bash test/support/external_stores.sh stop' EXIT
  deno test -A --no-check --sanitize-ops --sanitize-resources \
    test/e2e/{several_instances,rolling_upgrade,backup_of_several,chaos}_test.ts
}

find_denokv() {
  command -v denokv || { [ -x "$ROOT/bin/denokv" ] && echo "$ROOT/bin/denokv"; }
}

case "${1:-}" in
  find) find_denokv ;;
  build)
    if find_denokv; then exit; fi
    command -v cargo >/dev/null || { echo "skipped: denokv (cargo is not installed)" >&2; exit 1; }
    # Its own folder: a build that was cut short is no program.
    nice cargo install --quiet denokv --version "$VERSION" --locked --root "$ROOT" >&2 ||
      { echo "skipped: denokv ('cargo install denokv --version $VERSION' does not work here)" >&2; exit 1; }
    find_denokv
    ;;
  test) bash test/support/denokv.sh build && run_tests ;;
  *) echo "usage: $0 find|build|test" >&2; exit 2 ;;
esac
