#!/bin/sh
# countersign VERB ...   the command line: plain Node, since the app's own Electron is locked down and needs a display
# countersign [FLAGS]    the app
here=$(dirname "$(readlink -f "$0")")
cli() { exec /usr/bin/node "$here/cli.mjs" "$@"; }
case "${1:-}" in --help | -h | --version) cli "$@" ;; esac
# The app takes no words: one that is neither a flag nor the value of a flag is a verb, wherever it stands.
value=
for word in "$@"; do
  if [ -n "$value" ]; then value= && continue; fi
  case "$word" in
    --data-dir | --port | --config | --preflight | -p) value=next ;;
    -*) ;;
    *) cli "$@" ;;
  esac
done
if [ -z "${DISPLAY:-}" ] && [ -z "${WAYLAND_DISPLAY:-}" ]; then
  echo 'countersign: There is no display to show windows on. "countersign --help" lists what works without one.' >&2
  exit 2
fi
exec "$here/../countersign" "$@"
