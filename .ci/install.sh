#!/bin/sh
# Installs, upgrades or removes Gantry from a release that `npm run release` made. Where that lies is said on
# the command line; nothing is looked for. It writes the program alone, so the configuration stays as it is.
set -eu

usage() {
  cat <<'USAGE'
sh install.sh FROM [--into DIR]      install or upgrade the program for this machine
sh install.sh FROM --package         the npm package instead, which needs Node 22.19 or newer
sh install.sh --remove [--into DIR]  remove the program
sh install.sh --remove --package     remove the npm package

FROM             a directory, or an address that begins with https://, which holds SHA256SUMS and what it names
--into DIR       where the program is put: /usr/local/bin for root, else ~/.local/bin
--signed-by KEY  the file of the public key of ssh that must have signed SHA256SUMS, as SHA256SUMS.sig says
--sha256 SUM     what the file adds up to by another source: SHA256SUMS alone only shows that it is whole
USAGE
}

stop() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

# Of Gantry's own error about unpacking itself, so no other program is taken for it.
is_gantry() { [ ! -L "$1" ] && grep -aq EXECUTABLE_UNPACK "$1"; }

# fetch NAME TO
fetch() {
  case $from in
  https://*) curl -gfsSL --proto '=https' --connect-timeout 30 -o "$2" "$from/$1" ||
    stop "$from/$1 cannot be had: check the address." ;;
  http://*) curl -gfsS --noproxy '*' --proto '=http' -o "$2" "$from/$1" ||
    stop "$from/$1 cannot be had: check the address." ;;
  *) [ -f "$from/$1" ] || stop "$from/$1 is not there: name the directory that holds the release."
    cp "$from/$1" "$2" || stop "$2 cannot be written: check the space and your rights." ;;
  esac
}

sum_of() {
  if command -v sha256sum >/dev/null; then sha256sum <"$1"
  elif command -v shasum >/dev/null; then shasum -a 256 <"$1"
  else openssl dgst -sha256 -r <"$1" || stop "Nothing here makes SHA-256: install coreutils or openssl."
  fi | cut -c 1-64
}

# Refuses a file that is not, byte for byte, what SHA256SUMS and --sha256 say.
verify() { # NAME FILE
  said=$(awk -v name="$1" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
  case $said in
  '') stop "SHA256SUMS of $from does not name $1: this release is not for this machine." ;;
  *[!0-9a-f]*) stop "SHA256SUMS of $from does not name $1 once: take another copy of the release." ;;
  esac
  found=$(sum_of "$2")
  [ "$found" = "$said" ] ||
    stop "$1 of $from is not what SHA256SUMS says ($found): nothing was installed, take another copy."
  [ -z "$expected" ] || [ "$found" = "$expected" ] ||
    stop "$1 of $from is not what --sha256 says ($found): nothing was installed, ask where you have the sum."
}

# Refuses a SHA256SUMS that the key of --signed-by did not sign.
verify_signature() {
  command -v ssh-keygen >/dev/null || stop "ssh-keygen is not here: install OpenSSH, or give --sha256 instead."
  [ -f "$signer" ] || stop "$signer is not there: name the file of the public key."
  fetch SHA256SUMS.sig "$work/SHA256SUMS.sig"
  awk '{ print "gantry namespaces=\"gantry\"", $1, $2 }' "$signer" >"$work/signers"
  ssh-keygen -q -Y verify -f "$work/signers" -I gantry -n gantry -s "$work/SHA256SUMS.sig" \
    <"$work/SHA256SUMS" >/dev/null 2>&1 ||
    stop "SHA256SUMS of $from is not signed by $signer: nothing was installed, ask where you have the key."
}

check_source() {
  case $from in
  *@*://* | *://*@*) stop "The address $from holds a name or a password: leave it out." ;;
  https://*) ;;
  http://localhost[:/]* | http://127.0.0.1[:/]* | http://\[::1\][:/]*) ;;
  *://*) stop "$from can be changed on its way: take an address that begins with https://." ;;
  *) [ -d "$from" ] || stop "$from is no directory: name the one that holds the release." ;;
  esac
  case $from in
  *://*) command -v curl >/dev/null || stop "curl is not here: install it, or name a directory." ;;
  esac
}

processor() {
  [ "$(uname -s)" = Linux ] || stop "The program is made for Linux: add --package, which needs Node."
  case $(uname -m) in
  x86_64 | amd64) echo x64 ;;
  aarch64 | arm64) echo arm64 ;;
  *) stop "There is no program for $(uname -m): add --package, which needs Node." ;;
  esac
}

place_for_work() {
  work=$(mktemp -d "$1/.gantry-install.XXXXXX") || stop "$1 cannot be written: name another, or be root."
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM HUP
  fetch SHA256SUMS "$work/SHA256SUMS"
  [ -z "$signer" ] || verify_signature
}

install_program() {
  name=gantry-linux-$(processor)
  mkdir -p "$into" || stop "$into cannot be made: take another --into, or be root."
  program=$into/gantry
  if [ -e "$program" ] || [ -L "$program" ]; then
    is_gantry "$program" || stop "$program was not put there by this script: remove it, or name another --into."
    before=$("$program" --version 2>/dev/null || echo unknown)
  fi
  # In the same directory, so that putting it in place is one step; who runs the earlier one keeps that.
  place_for_work "$into"
  fetch "$name" "$work/gantry"
  verify "$name" "$work/gantry"
  chmod 755 "$work/gantry"
  now=$("$work/gantry" --version) || stop "$name does not run on this machine: nothing was installed."
  mv -f "$work/gantry" "$program" || stop "$program cannot be written: nothing was installed."
  if [ -z "${before-}" ]; then echo "Gantry $now is installed as $program. Begin with: gantry onboard"
  else echo "Gantry $now took the place of $before. What runs goes on as it was until: gantry service restart"
  fi
  case :$PATH: in
  *:"$into":*) ;;
  *) echo "$into is not on your PATH: add it." ;;
  esac
}

install_package() {
  command -v npm >/dev/null || stop "npm is not here: leave --package out, or install Node."
  place_for_work "${TMPDIR:-/tmp}"
  name=$(awk '$2 ~ /^gantry-[0-9][0-9A-Za-z.+-]*\.tgz$/ { print $2 }' "$work/SHA256SUMS")
  [ "$(printf '%s\n' "$name" | wc -w)" -eq 1 ] ||
    stop "SHA256SUMS of $from does not name one package: leave --package out, or take another copy."
  fetch "$name" "$work/$name"
  verify "$name" "$work/$name"
  npm install --global --offline --ignore-scripts "$work/$name" ||
    stop "npm could not install $name: see what it said."
}

remove_program() {
  program=$into/gantry
  [ -e "$program" ] || [ -L "$program" ] || stop "$program is not there: name with --into where it is."
  is_gantry "$program" || stop "$program was not put there by this script: it stays."
  own=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
  for unit in /etc/systemd/system/gantry.service "$own/gantry.service"; do
    if grep -qF "ExecStart=\"$program\"" "$unit" 2>/dev/null; then
      stop "$unit starts $program: run \`gantry service uninstall\` first (with --system for the machine's)."
    fi
  done
  rm -f "$program" || stop "$program cannot be removed: be who installed it."
  echo "$program is removed. Your configuration directory stays; it is yours to keep or to remove."
}

main() {
  from='' into='' expected='' signer='' package='' remove=''
  while [ $# -gt 0 ]; do
    case $1 in
    --into | --sha256 | --signed-by)
      [ $# -gt 1 ] || stop "$1 wants a value: see --help."
      case $1 in
      --into) into=$2 ;;
      --sha256) expected=$(printf %s "$2" | tr A-F a-f) ;;
      --signed-by) signer=$2 ;;
      esac
      shift
      ;;
    --package) package=yes ;;
    --remove) remove=yes ;;
    -h | --help) usage && exit 0 ;;
    -*) stop "$1 is no option: see --help." ;;
    *)
      [ -z "$from" ] || stop "$1 is one place too many: see --help."
      from=${1%/}
      ;;
    esac
    shift
  done
  if [ -z "$into" ] && [ "$(id -u)" = 0 ]; then into=/usr/local/bin; fi
  into=${into:-$HOME/.local/bin}
  case $into in /*) ;; *) into=$PWD/$into ;; esac
  if [ -n "$remove" ] && [ -n "$package" ]; then npm uninstall --global gantry
  elif [ -n "$remove" ]; then remove_program
  elif [ -z "$from" ]; then usage >&2 && exit 1
  else
    check_source
    if [ -n "$package" ]; then install_package; else install_program; fi
  fi
}

# At the end, so that a script that arrives cut off does nothing.
main "$@"
