import { refuse, type Refusal } from "@gantry/sdk";
import { findBlocked, type Blocked } from "./blocked.ts";
import { errors } from "./errors.ts";
import type { Reading } from "./reading.ts";
import { baseName, shown } from "./syntax/words.ts";

// What could change the policy from inside a tool.
const OWN = new Set(["gantry", "gantry.js", "gantry.cmd"]);

/** What the policy says of a shell text: a refusal, or why it cannot be told what it runs. */
export interface Judgement {
  readonly refusal?: Refusal;
  readonly doubt?: string;
}

/** The policy's word on what a shell text runs: the plainest no first, then the first doubts. */
export function judge(reading: Reading, blocked: Blocked): Judgement {
  let maybe: string | undefined;
  for (const argv of reading.commands) {
    if (OWN.has(baseName(argv[0]?.guess ?? "")))
      return { refusal: refuse(errors.COMMAND_OWN(shown(argv[0]?.guess ?? ""))) };
    const found = findBlocked(argv, blocked);
    if (found?.sure) return { refusal: refuse(errors.COMMAND_BLOCKED(found.entry)) };
    maybe ??= found && `\`${shown(argv.map((arg) => arg.guess).join(" "))}\` may be \`${found.entry}\``;
  }
  const [steered] = reading.steered;
  if (steered !== undefined) return { refusal: refuse(errors.COMMAND_VARIABLE(steered)) };
  const [unreadable] = reading.unreadable;
  if (unreadable !== undefined) return { refusal: refuse(errors.COMMAND_UNREADABLE(unreadable)) };
  const doubts = [...reading.uncertain, ...(maybe === undefined ? [] : [maybe])];
  return doubts.length === 0 ? {} : { doubt: doubts.slice(0, 3).join("; ") };
}
