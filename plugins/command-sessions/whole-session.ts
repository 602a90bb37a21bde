import type { ChatMessage, Store } from "@gantry/sdk";
import { errors } from "./errors.ts";

/** Returns a whole conversation: whose it is, and every message. Throws SESSION_UNKNOWN. */
export async function exportOf(store: Store, id: string): Promise<object> {
  const messages = await messagesOf(store, id);
  const { owner = null, sharedWith = [] } = (await store.sessions.access(id)) ?? {};
  const { generation, base } = await store.sessions.view(id, 1);
  return { id, owner, shared_with: sharedWith, compacted: generation, base, messages };
}

/** Returns every message of a conversation. Throws SESSION_UNKNOWN. */
export async function messagesOf({ sessions }: Store, id: string): Promise<readonly ChatMessage[]> {
  const messages = await sessions.recent(id, Number.MAX_SAFE_INTEGER);
  if (messages.length === 0) throw errors.SESSION_UNKNOWN(id);
  return messages;
}
