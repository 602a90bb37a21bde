import { refuse, type Refusal } from "@gantry/sdk";
import { findBlocked, type Blocked } from "./blocked.ts";
import { errors } from "./errors.ts";
import { morePlain } from "./plain-programs.ts";
import type { Reading } from "./reading.ts";
import { baseName, shown } from "./syntax/words.ts";

/** Commands that could change the policy from inside a tool. */
const OWN = new Set(["gantry", "gantry.js", "gantry.cmd"]);

/**
 * Returns the refusal of what a shell text runs, whatever holds it; undefined if nothing of it is
 * blocked.
 */
export function refusalOf(reading: Reading, blocked: Blocked): Refusal | undefined {
  for (const argv of reading.commands) {
    const program = argv[0]?.guess ?? "";
    const name = baseName(program);
    if (OWN.has(name)) return refuse(errors.COMMAND_OWN(shown(program)));
    const entry = findBlocked(name, argv, blocked);
    if (entry !== undefined) return refuse(errors.COMMAND_BLOCKED(entry));
  }
  const [steered] = reading.steered;
  if (steered !== undefined) return refuse(errors.COMMAND_VARIABLE(steered));
  const [unreadable] = reading.unreadable;
  return unreadable === undefined ? undefined : refuse(errors.COMMAND_UNREADABLE(unreadable));
}

/**
 * Returns why a shell text needs walls, its first three reasons; undefined if it is plain programs
 * alone.
 */
export function doubtOf({ uncertain, commands }: Reading): string | undefined {
  const doubts = new Set(uncertain);
  for (const argv of commands) {
    const doubt = doubts.size < 3 ? morePlain(argv) : undefined;
    if (doubt !== undefined) doubts.add(doubt);
  }
  return doubts.size === 0 ? undefined : [...doubts].join("; ");
}
