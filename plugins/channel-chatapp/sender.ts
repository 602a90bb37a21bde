import { textOf, type Channel, type Sent, type Values } from "@gantry/sdk";
import type { Graph } from "./graph.ts";
import { split } from "./split.ts";

/** The platform's bound for the text of one message. */
const maxLength = 4_096;
const space = "chatapp.parts";
const dayMs = 86_400_000;

/** Sends a reply, in several messages where it is long. How far it came is kept, so that another try sends only what is left. */
export function createSender(graph: Graph, values: () => Values): Channel["send"] {
  return async ({ to, parts, key }, signal) => {
    if (typeof to !== "string") return { status: "refused", reason: `${JSON.stringify(to)} is no number` };
    return sendParts({
      graph,
      values: values(),
      to,
      parts: split(textOf(parts), maxLength),
      key,
      signal,
    }).catch((error: Error): Sent => ({
      status: "retry",
      reason: error.message,
    }));
  };
}

interface Sending {
  readonly graph: Graph;
  readonly values: Values;
  readonly to: string;
  readonly parts: readonly string[];
  /** The message's own, the same for every try. */
  readonly key: string;
  readonly signal: AbortSignal;
}

async function sendParts({ graph, values, to, parts, key, signal }: Sending): Promise<Sent> {
  const [only = ""] = parts;
  if (parts.length === 1) return graph.send(to, only, signal);
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
