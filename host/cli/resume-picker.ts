import { counted, Store, textOf, type ChatMessage } from "@gantry/sdk";
import type { Host } from "@gantry/host";
import { printable, userOfTerminal } from "@gantry/sdk/node";
import type { Terminal } from "./terminal.ts";

const most = 20;
const titleLength = 60;

/**
 * Lists the conversations of this terminal, and returns the id of the one that its person picks;
 * undefined for none.
 */
export async function pickSession(
  host: Host,
  terminal: Terminal,
  signal: AbortSignal,
  present?: string,
): Promise<string | undefined> {
  const sessions = host.get(Store)?.sessions;
  const all = (await sessions?.list(Number.MAX_SAFE_INTEGER)) ?? [];
  const own = all.filter(({ id, owner }) => owner === userOfTerminal() && id !== present).slice(0, most);
  if (!sessions || own.length === 0) return void say("There is no earlier conversation.");
  for (const [i, { id, turns, updated }] of own.entries()) {
    const when = updated.slice(0, 16).replace("T", " ");
    say(`${i + 1}  ${when}  ${titleOf(await sessions.recent(id, 1))} (${counted(turns, "turn")})`);
  }
  const number = await terminal.question("Which one? ", signal);
  const picked = own[Number(number) - 1];
  if (!picked) say("No conversation is resumed.");
  return picked?.id;
}

/** Returns what the person of a turn has said, which stands behind what the service has added. */
function titleOf(turn: readonly ChatMessage[]): string {
  const said = turn.find(({ role }) => role === "user")?.parts.findLast(({ type }) => type === "text");
  const line = textOf(said ? [said] : []).replaceAll(/\s+/g, " ");
  return printable(line.length > titleLength ? `${line.slice(0, titleLength - 1)}…` : line);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
