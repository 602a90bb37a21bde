import { startChatService } from "./chat-service.ts";
import { memory } from "./processes.ts";
import { atMost, type Row } from "./row.ts";

const people = 500;

/** Many people write at the same moment, on a model that takes a second. */
export async function conversationRows(): Promise<readonly Row[]> {
  const { seconds, mib } = await conversations();
  return [
    atMost(`${people} conversations at once on a model that takes 1 s`, seconds, 1.9, " s"),
    atMost("memory of the service meanwhile, at its highest", mib, 130, " MiB"),
  ];
}

/**
 * Resolves to the seconds from the first delivery to the last answer, and the most memory that the
 * service held.
 */
export async function conversations(): Promise<{ seconds: number; mib: number }> {
  await using service = await startChatService(1_000);
  const { platform, pid } = service;
  const began = performance.now();
  await Promise.all(Array.from({ length: people }, (_, i) => service.deliver(`49${i}`, `${i}`)));
  await platform.until(() => platform.replies.length === people + 1);
  return { seconds: (performance.now() - began) / 1_000, mib: memory(pid, "VmHWM") };
}
