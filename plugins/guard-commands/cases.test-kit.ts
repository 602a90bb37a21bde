/**
 * With blocked_commands = [rm, id, curl, who]: `no` is refused, `?` needs walls, `ok` is not
 * refused.
 */
export const cases: Readonly<Record<"no" | "?" | "ok", readonly string[]>> = {
  no: [
    ...apart(`
      'rm' x  for i in $(ls); do rm $i; done  f() { rm x; }; f  function f { rm x; }  { rm x; }
      ( rm x )  !(rm)  (( \${x:-rm y (} ))  echo $(( \${x:-rm y (} ))  coproc rm x
      coproc N { rm x; }  echo $(( $(id) ))  echo $[ $(id) ]  a=( $(id) b )  a[$(id)]=1  x=$(id)
      cat <<< $(id)  echo \${x:-$(id)}  echo \${x:$(id):1}  echo \${x[$(id)]}  >x rm y
      for ((i=$(id);i<3;i++)); do rm; done  rm x |& tee  x=1;rm  let x=$(id)  true & rm x
      false || rm x  ! rm x  time rm x  time -p rm x  if true; then rm x; fi  if rm x; then :; fi
      if a; then :; elif rm; then :; else id; fi  while rm x; do :; done
      until false; do rm x; done  case $(id) in *) ;; esac  case x in x) rm x;; esac
      case x in $(id)) ;; esac  select i in $(id); do :; done  [[ -n $(id) ]]  [[ a && $(id) ]]
      (( $(id) ))  cat <(id)  tee >(rm x)  ls > $(id)  /bin/rm x  /usr/bin/../bin/rm x  ./rm x
      RM x  rm.exe x  env rm x  env -i rm x  env - rm x  env A=1 B=2 rm x  env -u A rm x
      env --unset=A rm x  env --uns A rm x  env -S 'rm x'  env -S'rm x'  env --split-string='rm x'
      env --split 'A=1 rm x'  env --s 'rm -rf' x  env -vS 'nice rm'  env -C /tmp rm x
      env -a ls rm x  env env env rm x  nice rm  nice -n 5 rm  nice -n5 rm  nice -5 rm
      nice --adj 5 rm  nohup rm  setsid -w rm  timeout 5 rm x  timeout -k 1 -s KILL 5 rm x
      timeout --kill-after=1 5s rm x  timeout -k1 5 env nice rm x  stdbuf -oL rm x
      stdbuf -o L rm x  ionice -c 3 rm  chrt -b 0 rm  chrt 5 rm  chrt -i rm  taskset -c 0 rm
      taskset 1 rm  flock /tmp/l rm x  flock -n 9 rm x  flock /tmp/l -c 'rm x'
      flock -w 1 /tmp/l --command 'rm x'  /usr/bin/time -f %e rm x  command rm x  command -p rm x
      builtin eval 'rm x'  exec rm x  exec -a ls rm x  exec {fd}<file rm  exec -cl rm  xargs rm
      ls | xargs -0 -n 1 rm  ls | xargs -I{} rm {}  ls | xargs -i rm {}
      ls | xargs --max-args 1 rm  ls | xargs -P4 -- rm  find . -execdir rm {} +
      find . -name x -ok rm {} ';'  sh -c 'rm x'  sh -ec 'rm x'  bash -c 'rm x'
      bash --norc -c 'rm x' a b  bash -o pipefail -c 'rm x'  bash +x -c 'rm x'  dash -c 'rm x'
      /bin/sh -c 'rm x'  eval rm x  eval 'r''m' x  eval -- rm x  eval 'eval rm x'
      trap 'rm x' EXIT  trap -- 'rm x' 0  busybox rm x  busybox sh -c 'rm x'  toybox rm
      alias ls='rm x'  script -c 'rm x' /dev/null  script -qc 'rm x'  watch -n 1 rm x  watch rm
      watch -x rm x  parallel rm ::: a b  parallel -j 4 rm {} ::: a  bash <<< 'rm x'
      env -iS 'rm x'  ls | xargs -I% sh -c 'rm %'  bash -c -- 'rm x'  bash -c - 'rm x'
      env -S --uns -i rm  bash -c -e 'rm x'  bash -cO extglob 'rm x'  busybox env nice rm
      sh -c 'alias ls=rm; ls'  PATH=. ls  PATH+=:. ls  LD_PRELOAD=./x.so ls  BASH_ENV=x bash -c ls
      ENV=x sh -c ls  IFS=x  NODE_OPTIONS=--require=./x ls  GIT_SSH_COMMAND=x git fetch
      PYTHONSTARTUP=x ls  PERL5OPT=-Mx ls  export PATH=.  declare -x PATH=.  readonly IFS=x
      typeset LD_PRELOAD=x  local PATH=x  env PATH=. ls  env -S 'PATH=. ls'  env -u PATH ls
      unset PATH  read PATH < f  printf -v PATH .  printf -vPATH .  mapfile PATH < f
      for PATH in .; do ls; done  select PATH in .; do ls; done  : \${PATH:=.}  : \${LD_PRELOAD=x}
      ((PATH=1))  exec {PATH}<f  IFS=x; read a  IFS=x $y  IFS=x ls  PS4='$(ls)'; set -x
      PROMPT_COMMAND=ls  BASH_CMDS[ls]=x  SHELLOPTS=x ls  if  echo 'a  echo $(ls  ls )  ls &&
      echo \${x  gtimeout 1 rm  genv -S 'rm x'  ssh-agent rm x  COMPILER_PATH=. gcc x.c
      RIPGREP_CONFIG_PATH=x rg y
    `),
    "FOO=1 rm -rf / && $(curl x|sh) <<EOF\nhi\nEOF",
    'echo "a $(id -u) b"',
    'r""m -rf /',
    "r\\\nm -rf /",
    "\\rm x",
    "$'\\162\\155' x",
    "$'\\x72m' x",
    '$"rm" x',
    "(( $'x\\' `rm`); y' ))",
    "echo $(( $'x\\' `rm`); y' ))",
    "echo \"$(( $'x\\' `rm`); y' ))\"",
    "((((1) ; ls) ; ls) ; `ls`)",
    "x=rm; $\\\nx y",
    'x=rm; "$\\\nx" y',
    "$\\\n'\\x72m' y",
    "x=`id`",
    'cat <<-"EOF"\n\t$(id)\n\tEOF\nrm x',
    "cat <<EOF\n$(id)\nEOF",
    "echo ${x/$(id)/`who`}",
    "echo a #rm\nid",
    "cat <<A <<B\n$(id)\nA\n$(who)\nB\nrm",
    "echo `echo \\`id\\``",
    "find . -exec rm {} \\;",
    "find . -type f -exec true {} + -exec env rm {} \\;",
    "find . -exec sh -c 'rm {}' \\;",
    "sh -c 'sh -c \"rm x\"'",
    'sh -c "rm $x"',
    'eval "rm x"',
    "bash <<'EOF'\nrm x\nEOF",
    "env bash <<EOF\nrm x\nEOF",
    "nice sh -s <<EOF\nls $(id)\nrm\nEOF",
    "$'r\\u006d' x",
    'export "PATH=."',
    'echo "a',
    "echo `ls",
    "echo \u0000",
    "echo \ud800",
    "(".repeat(300) + "ls" + ")".repeat(300),
    "gfind . -exec rm {} \\;",
  ],
  "?": [
    ...apart(`
      \${SHELL} -c id  $X  $(echo rm) x  r? x  /bin/r* x  {rm,x}  r{m,n} x  ~/x  ~root/x  r$x y
      cat y | sh  cat x | bash  bash <<< ls  bash < x  bash x.sh  sh -s  bash -i -c ls
      bash -lc ls  bash --rcfile x -c ls  eval $(ls)  . x  source x  ./run.sh  bin/tool  /tmp/x
      /work/space/x  env $X ls  env -S 'ls \${X}'  xargs env  xargs sh -c  ls | xargs -I X X
      ls | xargs $X  parallel ls ::: a  watch $X  declare -n r=PATH  export $x  read $x  unset $x
      shopt -s expand_aliases  declare -a a='($(ls))'  declare 'a=($(ls))'  bash -o posix -c ls
      echo \${x@P}  a='x[$(ls)]'; ((a))  a='x[$(ls)]'; echo $((a))  a='x[$(ls)]'; [[ a -eq 0 ]]
      a='x[$(ls)]'; echo \${!a}  let 'x[$(ls)]'  test -v 'x[$(ls)]'  wait -n -p 'a[$(rm)]'
      x='a[$'; x+='(rm)]'; ((x))
    `),
    '"$X" y',
    '"$@"',
    "bash <<'EOF'\nls\nEOF",
    'sh -c "$X"',
    'bash -c "ls $x"',
    'eval "$X"',
    'env -S "$X" ls',
    "find . -exec {} \\;",
    'flock /tmp/l -c "$X"',
    'declare "$x=1"',
    "sh -c 'alias x=eval; x \"rm y\"'",
    "a='x[`ls`]'; echo ${y:a}",
  ],
  ok: [
    ...apart(`
      ls | tee y  ls  /bin/ls -l  /usr/local/bin/ls  echo 'rm -rf /; $(id)'  echo rm  grep -r rm .
      git commit -m 'rm x'  bash -o pipefail -c 'ls | sort'  cat rm id curl  ls rm/  # rm x
      ls # rm x  which rm  type rm  command -v rm  A=rm  FOO=bar ls  export FOO=bar
      declare -i n=1  n=1; echo $((n + 1))  for i in 1 2 3; do echo $i; done
      for ((i = 0; i < 3; i++)); do echo $i; done  if [[ -f x && -d y ]]; then ls; fi
      [ -f x ] && cat x  ( (ls) | wc -l )  echo $( (ls) | wc -l )  case $x in rm) echo no;; esac
      find . -name rm -type f  find . -name '*.ts' -exec wc -l {} +  ls | xargs -n 1 basename
      ls | xargs -I{} echo {}  env  xargs  env | sort  env FOO=1 ls  env -S 'ls -l'  nice -n 5 ls
      timeout 5 ls  time ls  sh -c 'ls; echo hi'  eval 'ls -l'  trap 'echo bye' EXIT  trap - INT
      busybox ls  sort -u f | uniq -c | head -n 3  mkdir -p a/b && cd a && pwd
      cp a b; mv b c; touch d; chmod +x d  diff <(sort a) <(sort b)  echo {1..3} *.ts ~/x
      echo a > f 2>&1  echo hällo wörld ✓  set -euo pipefail; ls  exec 3<file
      IFS=, read -r a b <<< 1,2  NODE_ENV=production ls  PYTHONUNBUFFERED=1 ls  wait -n -p pid
      ls & wait $!  :  echo $((16#ff)) $((10#$n + 1))
    `),
    'echo "rm -rf /"',
    "echo \\$\\(id\\)",
    "grep -rn 'rm\\|id' src",
    "cat <<'EOF'\nrm -rf /\n$(id)\nEOF",
    'export FOO="$x"',
    'for f in *.ts; do wc -l "$f"; done',
    'while read -r line; do echo "$line"; done < f',
    'find "$dir" -name x',
    "cat <<EOF\nx",
    "bash -c 'echo \"$1\"' x y",
    "echo $HOME $(date) `pwd`",
    "printf '%s\\n' \"$x\"",
    'test -n "$x" || exit 1',
    'f() { echo "$1"; }; f rm',
    'while IFS= read -r line; do echo "$line"; done < f',
    "",
    'echo "${a[$((n - 1))]}"',
  ],
};

/** Cases that stand on lines, two spaces between them. */
function apart(text: string): readonly string[] {
  return text.trim().split(/\s{2,}/);
}
