#!/bin/sh
# countersign VERB ...   the command line: plain Node, since the app's own Electron is locked down and needs a display
# countersign [FLAGS]    the app
here=$(dirname "$(readlink -f "$0")")
case "${1:-}" in
  --help | -h | --version | [!-]*) exec /usr/bin/node "$here/cli.mjs" "$@" ;;
esac
if [ -z "${DISPLAY:-}" ] && [ -z "${WAYLAND_DISPLAY:-}" ]; then
  echo 'countersign: There is no display to show windows on. "countersign --help" lists what works without one.' >&2
  exit 2
fi
exec "$here/../countersign" "$@"
