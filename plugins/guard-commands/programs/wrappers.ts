import type { Options } from "./options.ts";

/** A program that starts the command named by its operands. */
export interface Wrapper extends Options {
  /** Operands before the command; -1: one number, where the first operand is one. */
  readonly operands?: number;
  /** NAME=value words may stand before the command. */
  readonly assigns?: boolean;
  /** Given one of these, it starts nothing. */
  readonly none?: string;
}

/** Programs that start another program as it stands on their own command line. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  builtin: {},
  command: { flag: "pvV", none: "v V" },
  exec: { value: "a", flag: "cl" },
  nohup: { long: "help version" },
  nice: { value: "n", long: "adjustment= help version", number: true },
  time: { value: "fo", flag: "apqvV", long: "format= output= append portability quiet verbose help version" },
  timeout: {
    value: "ks",
    flag: "fpv",
    long: "kill-after= signal= foreground preserve-status verbose help version",
    operands: 1,
  },
  stdbuf: { value: "ioe", long: "input= output= error= help version" },
  setsid: { flag: "cfwhV", long: "ctty fork wait help version" },
  ionice: {
    value: "cnpPu",
    flag: "thV",
    long: "class= classdata= pid= pgid= uid= ignore help version",
    none: "p P u pid pgid uid",
  },
  chrt: {
    value: "TPD",
    flag: "abdefimoprRvhV",
    long: "sched-runtime= sched-period= sched-deadline= all-tasks batch deadline ext fifo idle max other pid rr reset-on-fork verbose help version",
    operands: -1,
    none: "p pid m max",
  },
  taskset: { flag: "acphV", long: "all-tasks cpu-list pid help version", operands: 1, none: "p pid" },
  "ssh-agent": { value: "aEOPt", flag: "cDdks" },
  sudo: {
    value: "CDghpRrtTUu",
    flag: "ABbEeHKklnPSVv",
    long: "close-from= chdir= group= host= prompt= chroot= role= type= command-timeout= other-user= user= askpass bell background preserve-env? set-home remove-timestamp reset-timestamp list non-interactive preserve-groups stdin version validate",
    none: "l list v validate k K",
    assigns: true,
  },
  doas: { value: "Cu", flag: "Lns" },
};
