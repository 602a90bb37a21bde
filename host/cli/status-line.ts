import { ConfigFile, type ModelRef, type TurnResult } from "@gantry/sdk";
import { StatusParts, type StatusScene } from "@gantry/sdk/fill";
import type { Host } from "@gantry/host";
import { printable } from "@gantry/sdk/node";

/**
 * Returns what a person sees of a conversation behind an answer: the model, what plugins say, the
 * level, tasks.
 */
export async function statusLine(
  host: Host,
  { session, user }: Pick<StatusScene, "session" | "user">,
  { provider, model }: Pick<TurnResult, "provider" | "model">,
): Promise<string> {
  const ref: ModelRef = { provider, model: model ?? undefined };
  const told = await toldBy(host, { session, user, model: ref });
  const level = host.get(ConfigFile)?.get("agent.autonomy_level");
  const tasks = host.turns.running({ user }).filter(({ within }) => within === session).length;
  const background = tasks === 0 ? [] : [`${tasks} in the background`];
  const parts = [model ?? provider, ...told, ...(typeof level === "string" ? [level] : []), ...background];
  return printable(parts.join(" · "), 200);
}

/** Returns what plugins say, in their order. */
async function toldBy(host: Host, scene: StatusScene): Promise<readonly string[]> {
  const parts = [...(host.get(StatusParts)?.values() ?? [])];
  const inOrder = parts.toSorted((a, b) => (a.order ?? 100) - (b.order ?? 100) || (a.name < b.name ? -1 : 1));
  const told = inOrder.map(async (part) => part.words(scene));
  const settled = await Promise.allSettled(told);
  return settled.flatMap((one) => (one.status === "fulfilled" && one.value !== undefined ? [one.value] : []));
}
