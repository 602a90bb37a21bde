import { createHash } from "node:crypto";
import { textOf, type Channel, type Logger, type Sent, type Values } from "@gantry/sdk";
import type { Graph } from "./graph.ts";
import { split } from "./split.ts";

/** The platform's bound for the text of one message. */
const maxLength = 4_096;
const space = "chatapp.parts";
const dayMs = 86_400_000;

/** Sends a reply, in several messages where it is long. How far it came is kept, so that another try sends only what is left. */
export function createSender(graph: Graph, values: () => Values, log: Logger): Channel["send"] {
  return async ({ to, parts }, signal) => {
    if (typeof to !== "string") return { status: "refused", reason: `${JSON.stringify(to)} is no number` };
    const sent = await sendParts(graph, values(), to, split(textOf(parts), maxLength), signal).catch(
      (error: Error): Sent => ({
        status: "retry",
        reason: error.message,
      }),
    );
    if (sent.status === "refused") log.error({ to }, sent.reason);
    return sent;
  };
}

async function sendParts(
  graph: Graph,
  values: Values,
  to: string,
  parts: readonly string[],
  signal: AbortSignal,
): Promise<Sent> {
  const [only = ""] = parts;
  if (parts.length === 1) return graph.send(to, only, signal);
  const key = createHash("sha256")
    .update(JSON.stringify([to, parts]))
    .digest("hex");
  const before = (await values.get<number>(space, key)) ?? 0;
  for (const [i, part] of parts.entries()) {
    if (i < before) continue;
    const sent = await graph.send(to, part, signal);
    if (sent.status === "retry") return sent;
    if (sent.status === "refused" || i === parts.length - 1) {
      await values.remove(space, key).catch(() => false);
      return sent;
    }
    await values.put(space, key, i + 1, Date.now() + dayMs);
  }
  return { status: "sent" };
}
