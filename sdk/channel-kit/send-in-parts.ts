import type { Sent } from "../messages/channel.ts";
import type { Values } from "../store/store.ts";

const dayMs = 86_400_000;

export interface PartedMessage<Part> {
  readonly values: Values;
  /** Where progress is kept, the channel's own: `mail.parts`. */
  readonly space: string;
  /** {@link OutgoingMessage.key}: the same for every try. */
  readonly key: string;
  readonly parts: readonly Part[];
  send(part: Part, index: number): Promise<Sent>;
}

/**
 * Sends the parts of one message in order. How far it came is kept, so that another try, also of another process, sends
 * only what is left. Never throws.
 */
export async function sendInParts<Part>(message: PartedMessage<Part>): Promise<Sent> {
  const { parts } = message;
  if (parts.length === 0) return { status: "sent" };
  try {
    if (parts.length === 1) return await message.send(parts[0] as Part, 0);
    return await sendRest(message);
  } catch (error) {
    return { status: "retry", reason: error instanceof Error ? error.message : String(error) };
  }
}

async function sendRest<Part>({ values, space, key, parts, send }: PartedMessage<Part>): Promise<Sent> {
  const before = (await values.get<number>(space, key)) ?? 0;
  let last: Sent = { status: "sent" };
  for (const [i, part] of parts.entries()) {
    if (i < before) continue;
    last = await send(part, i);
    if (last.status === "retry") return last;
    if (last.status === "refused") break;
    if (i < parts.length - 1) await values.put(space, key, i + 1, { forMs: dayMs });
  }
  await values.remove(space, key).catch(() => false);
  return last;
}
