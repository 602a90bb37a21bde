import { type Syscall, machineOf, syscallNumber } from "./kernel/syscalls.ts";

/** The facts that the attacker knows, and its targets. */
export interface Prey {
  /**
   * A directory beside the workspace with the file `secret` and the sockets `stream` and `datagram`
   * in it.
   */
  readonly outside: string;
  readonly port: number;
  readonly host: number;
  /** The name of an abstract socket. */
  readonly abstract: string;
}

export type Attack = readonly [name: string, command: string];

/** Printed by an attack that got through. */
export const PWNED = ["P", "WNED"].join("");
const won = 'echo P""WNED';

const nr = (name: Syscall): number => syscallNumber(machineOf(process.arch)!, name) ?? 9999;
const perl = (code: string): string => `perl -e '${code} and print "P"."WNED"; print " $!\\n"'`;
const call = (name: Syscall, ...args: readonly (string | number)[]): string =>
  perl(`@a=(${args.join(",")}); ${systemCall(nr(name), args.length)} >= 0`);
/** Returns a system call in Perl, which wants arguments that it may write to. */
const systemCall = (number: number, count: number): string =>
  `syscall(${[number, ...Array.from({ length: count }, (_, i) => `$a[${i}]`)].join(",")})`;

export function attacks({ outside, port, host, abstract }: Prey): readonly Attack[] {
  const secret = `${outside}/secret`;
  const relative = `${"../".repeat(12)}${secret.slice(1)}`;
  return [
    ...named("read", [
      ...[
        "cat",
        "head",
        "tail",
        "tac",
        "nl",
        "od -c",
        "base64",
        "sort",
        "uniq",
        "wc",
        "md5sum",
        "strings",
        "cut -c1-",
      ].map((word) => `${word} ${secret}`),
      `cat ${relative}`,
      `cat /..${secret}`,
      `cat //${secret}`,
      `echo "$(<${secret})"`,
      `mapfile -t x < ${secret}; echo "\${x[@]}"`,
      `exec 3<${secret}; cat <&3`,
      `. ${secret}`,
      `bash ${secret}`,
      `dd if=${secret} status=none`,
      `cp ${secret} taken; cat taken`,
      `cp -r ${outside} taken2; cat taken2/*`,
      `ln -s ${secret} link1; cat link1`,
      `ln -s ${outside} link2; cat link2/secret; ls link2`,
      `ln ${secret} hard; cat hard`,
      `mv ${secret} moved; cat moved`,
      `(cd ${outside} && cat secret)`,
      `ls ${outside}; find ${outside} -type f`,
      `grep -r . ${outside}`,
      `tar cf - ${outside} | strings`,
      `diff ${secret} /dev/null`,
      `awk 1 ${secret}`,
      `sed '' ${secret}`,
      perl(`open(F,"<","${secret}") and print <F>`),
      perl(`use Fcntl; sysopen(F,"${secret}",O_RDWR) and print <F>`),
      `cat /proc/self/root${secret}`,
      `cat /proc/1/root${secret}`,
      `cat /proc/${host}/root${secret}`,
      `cat /proc/${host}/cwd/package.json | head -2 | grep -q name && ${won}`,
      `cat /proc/${host}/environ | tr '\\0' '\\n' | grep -q . && ${won}`,
      `cat /proc/${host}/cmdline | grep -q . && ${won}`,
      `cat /proc/${host}/maps | grep -q . && ${won}`,
      `ls /proc/${host}/fd | grep -q . && ${won}`,
      `readlink /proc/${host}/cwd && ${won}`,
      `readlink /proc/${host}/exe && ${won}`,
      `for p in /proc/[0-9]*; do [ -e $p ] && [ ! $p/ns/pid -ef /proc/self/ns/pid ] && ${won}; done`,
      `ls /proc/sys | grep -q . && ${won}`,
      `cat /proc/kallsyms /proc/kmsg /proc/interrupts /proc/diskstats /proc/partitions | grep -q . && ${won}`,
      `cat /proc/1/cmdline /proc/1/status | grep -q . && ${won}`,
      `cat /proc/self/net/{tcp,udp,unix,route,dev} | grep -v ' lo:' | grep -q '[0-9]:' && ${won}`,
      `echo 7 > /proc/self/oom_score_adj && ${won}`,
      `echo h > /proc/sysrq-trigger && ${won}`,
      `head -c 4 /dev/mem && ${won}`,
      `for d in /dev/[svn]d[a-z] /dev/vda /dev/nvme0n1; do head -c 4 $d 2>&1 >/dev/null || continue; ${won}; done`,
      `dmesg | grep -q . && ${won}`,
      `strings /proc/kcore | head -1 | grep -q . && ${won}`,
    ]),
    ...named("escape", [
      `mkdir -p m; mount --bind ${outside} m && cat m/secret`,
      `unshare -m cat /etc/shadow && ${won}`,
      `unshare -Urm true && ${won}`,
      `unshare -n true && ${won}`,
      `chroot / true && ${won}`,
      `nsenter -t ${host} -m true && ${won}`,
      `sudo -n true && ${won}`,
      `su -c true && ${won}`,
      `mkdir -p suid; cp /usr/bin/id suid/id; chmod 4755 suid/id && ${won}`,
      perl(`use Fcntl; sysopen(F,"suid2",O_CREAT|O_WRONLY,04755) and -u "suid2"`),
      `install -m 6755 /usr/bin/id suid3 && ${won}`,
      `mknod node b 254 0 && ${won}`,
      call("ptrace", 16, host, 0, 0),
      call("ptrace", 0x4206, host, 0, 0),
      perl(
        `$b="\\0"x64; $v=pack("QQ",unpack("Q",pack("P",$b)),8); syscall(${nr("process_vm_readv")},${host},$v,1,$v,1,0) >= 0`,
      ),
      call("open_by_handle_at", -100, '"\\0"x64', 0),
      call("bpf", 0, '"\\0"x128', 128),
      call("io_uring_setup", 4, '"\\0"x128'),
      call("userfaultfd", 0),
      call("perf_event_open", '"\\0"x128', 0, -1, -1, 0),
      call("keyctl", 0, -3, 0),
      call("add_key", '"user"', '"k"', '"v"', 1, -3),
      call("setns", 0, 0),
      call("clone", 0x10000000 | 17, 0, 0, 0, 0),
      call("kexec_load", 0, 0, 0, 0),
      call("finit_module", 0, '""', 0),
      call("shmget", 0, 4096, 0o1600),
      call("fanotify_init", 0, 0),
      perl(
        `$f=syscall(${nr("inotify_init1")},0); $o="${outside}"; syscall(${nr("inotify_add_watch")},$f,$o,0xfff) >= 0`,
      ),
      perl(`$p=syscall(${nr("pidfd_open")},${host},0); syscall(${nr("pidfd_getfd")},$p,0,0) >= 0`),
      call("kcmp", host, host, 0, 0, 0),
      call("settimeofday", '"\\0"x16', 0),
      call("sethostname", '"gone"', 4),
      call("reboot", 0, 0, 0, 0),
      perl(`$x="x"; ioctl(STDIN,0x5412,$x)`),
    ]),
    ...named("write", [
      `echo x > ${outside}/new && ${won}`,
      `echo x >> ${secret} && ${won}`,
      `echo x | tee ${outside}/new && ${won}`,
      `touch ${outside}/new && ${won}`,
      `touch -d 2001-01-01 ${secret} && ${won}`,
      `mkdir ${outside}/new && ${won}`,
      `mkfifo ${outside}/new && ${won}`,
      `rm ${secret} && ${won}`,
      `rm -r ${outside}/* && ${won}`,
      `rmdir ${outside}/empty && ${won}`,
      `mv ${secret} ${outside}/renamed && ${won}`,
      `mv ${outside} gone && ${won}`,
      `echo x > mine; mv mine ${outside}/new && ${won}`,
      `ln -s / ${outside}/new && ${won}`,
      `echo x > mine2; ln mine2 ${outside}/new && ${won}`,
      `truncate -s 0 ${secret} && ${won}`,
      `dd if=/dev/zero of=${secret} count=1 status=none && ${won}`,
      `chmod 777 ${secret} && ${won}`,
      `chmod 000 ${outside} && ${won}`,
      `chmod -R 777 / && ${won}`,
      `chown 1:1 ${secret} && ${won}`,
      `ln -s ${secret} link3; chmod 777 link3 && ${won}`,
      `ln -s ${outside} link4; chmod 777 link4/secret && ${won}`,
      `ln -s ${outside} link5; echo x > link5/new && ${won}`,
      `setfattr -n user.x -v y ${secret} && ${won}`,
      `chattr +i ${secret} && ${won}`,
      call("truncate", `"${secret}"`, 0),
      perl(`open(F,"<","/usr/bin/env") and chmod(0777,*F)`),
      perl(`open(F,"<","/usr/bin/env") and chown(1,1,*F)`),
      perl(`open(F,"<","/usr/bin/env") and utime(1,1,*F)`),
      perl(`rename("${secret}","${outside}/renamed")`),
      perl(`use Socket; socket(S,AF_UNIX,SOCK_STREAM,0) and bind(S,pack_sockaddr_un("${outside}/new"))`),
      `echo x > /etc/gantry-attack && ${won}`,
      `echo x > /var/tmp/gantry-attack-$$ && ${won}`,
      `echo x > /dev/shm/gantry-attack && ${won}`,
      `echo 1 > /proc/${host}/oom_score_adj && ${won}`,
      `echo 1 > /proc/sys/kernel/sysrq && ${won}`,
      `echo $$ > /sys/fs/cgroup/pids/cgroup.procs && ${won}`,
      `echo $$ > /sys/fs/cgroup/cgroup.procs && ${won}`,
      `crontab -l; echo '* * * * * true' | crontab - && ${won}`,
    ]),
    ...named("network", [
      `exec 3<>/dev/tcp/127.0.0.1/${port} && ${won}`,
      `exec 3<>/dev/udp/127.0.0.1/${port} && echo x >&3 && ${won}`,
      `curl -sS -m 2 http://127.0.0.1:${port}/ && ${won}`,
      `WGETRC=/dev/null wget -q -T 2 -t 1 -O- http://127.0.0.1:${port}/ && ${won}`,
      ...[2, 10].flatMap((family) => [1, 2, 3].map((type) => call("socket", family, type, 0))),
      call("socket", 2, 1, 262),
      call("socket", 2, 1, 132),
      ...[16, 17, 29, 31, 38, 40, 44].flatMap((family) => [
        call("socket", family, 2, 0),
        call("socket", family, 3, 0),
      ]),
      call("socket", 1, 2, 0),
      call("socketpair", 1, 2, 0, '"\\0"x8'),
      perl(
        `use Socket; socket(S,AF_UNIX,SOCK_STREAM,0) and connect(S,pack_sockaddr_un("${outside}/stream"))`,
      ),
      `ln -s ${outside} link6; ${perl(`use Socket; socket(S,AF_UNIX,SOCK_STREAM,0) and connect(S,pack_sockaddr_un("link6/stream"))`)}`,
      perl(`use Socket; socket(S,AF_UNIX,SOCK_STREAM,0) and connect(S,pack("Sa*",1,"\\0${abstract}"))`),
      perl(
        `use Socket; socket(S,AF_UNIX,SOCK_SEQPACKET,0) and send(S,"x",0,pack_sockaddr_un("${outside}/stream"))`,
      ),
      perl(
        `use Socket; socket(S,AF_UNIX,SOCK_STREAM,0) and connect(S,pack_sockaddr_un("/var/run/docker.sock"))`,
      ),
      `getent hosts example.com && ${won}`,
      `ping -c 1 -W 1 127.0.0.1 && ${won}`,
    ]),
    ...named("signal", [
      `kill -0 ${host} && ${won}`,
      `kill -9 ${host} && ${won}`,
      `kill -STOP ${host} && ${won}`,
      `[ $PPID != 0 ] && kill -9 $PPID && ${won}`,
      `kill -9 -- -${host} && ${won}`,
      `[ $$ != 1 ] && kill -0 1 && ${won}`,
      `kill -CONT -1; pkill -CONT node; killall -CONT node; kill -0 ${host} && ${won}`,
      call("tkill", host, 0),
      call("tgkill", host, host, 0),
      call("rt_sigqueueinfo", host, 0, '"\\0"x128'),
      perl(`$p=syscall(${nr("pidfd_open")},${host},0); syscall(${nr("pidfd_send_signal")},$p,0,0,0) >= 0`),
      call("prlimit64", host, 7, 'pack("QQ",1,1)', 0),
      call("setpriority", 0, host, 19),
      call("setpriority", 2, 0, 19),
      call("sched_setaffinity", host, 8, '"\\1"."\\0"x7'),
      call("ioprio_set", 1, host, 0),
      perl(`setpgrp(0,${host})`),
    ]),
  ];
}

/**
 * Makes the same attacks against threads by their numbers, which a run may guess: a number that is
 * not the pid of a process is a thread's.
 */
export function taskAttacks({
  tasks,
  descriptors,
  apart = false,
}: {
  readonly tasks: string;
  /** The highest one that is tried. */
  readonly descriptors: number;
  /**
   * True if runs have process ids of their own, so that a number may name a process of the run
   * itself.
   */
  readonly apart?: boolean;
}): readonly Attack[] {
  const own = apart ? "[ /proc/$t/ns/pid -ef /proc/self/ns/pid ] && continue; " : "";
  const skip = apart ? 'next if (stat "/proc/$t/ns/pid")[1] == (stat "/proc/self/ns/pid")[1]; ' : "";
  const each = (command: string): string => `for t in ${tasks}; do ${own}${command}; done 2>/dev/null`;
  const onEach = (code: string): string =>
    `perl -e 'use Fcntl; for my $t (@ARGV) { ${skip}${code} and print "P"."WNED" }' ${tasks} 2>/dev/null`;
  const fds = `map { "fd/$_" } 0..${descriptors}`;
  return named("task", [
    each(`kill -0 $t && ${won}`),
    each(`kill -USR1 $t && ${won}`),
    each(`kill -0 -- -$t && ${won}`),
    ...(["tkill", "rt_sigqueueinfo"] as const).map((name) =>
      onEach(`$s = 0; $i = "\\0" x 128; syscall(${nr(name)}, $t + 0, $s, $i) >= 0`),
    ),
    onEach(`$s = 0; syscall(${nr("tgkill")}, $t + 0, $t + 0, $s) >= 0`),
    onEach(
      `$s = 0; $f = 0x80; $p = syscall(${nr("pidfd_open")}, $t + 0, $f); syscall(${nr("pidfd_send_signal")}, $p, $s, 0, $s) >= 0`,
    ),
    onEach(`pipe(R, W); fcntl(R, 15, pack("ii", 0, $t))`),
    onEach(`pipe(R, W); fcntl(R, 8, $t + 0)`),
    onEach(`pipe(R, W); $o = pack("i", $t); ioctl(R, 0x8901, $o)`),
    onEach(`$z = 0; syscall(${nr("ptrace")}, 0x4206, $t + 0, $z, $z) >= 0`),
    onEach(`grep { sysopen(F, "/proc/$t/$_", 0) && sysread(F, $b, 1) } qw(environ maps mem auxv pagemap)`),
    onEach(`grep { readlink "/proc/$t/$_" } qw(cwd root exe), ${fds}`),
    onEach(`grep { sysopen(F, "/proc/$t/$_", O_RDONLY | O_NONBLOCK) } ${fds}`),
    onEach(`grep { sysopen(F, "/proc/$t/$_", O_WRONLY | O_APPEND | O_NONBLOCK) } ${fds}`),
    onEach(`grep { sysopen(F, "/proc/$t/$_", O_RDONLY) } map { s/fd/fdinfo/r } ${fds}`),
  ]);
}

function named(kind: string, commands: readonly string[]): readonly Attack[] {
  return commands.map((command) => [`${kind}: ${command}`, command]);
}
