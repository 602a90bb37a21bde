import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { directMessage, textOf, type Channel, type InboundMessage, type Service } from "@gantry/sdk";

const NAME = /^[a-z0-9-]{1,40}$/;
const SETTLED_MS = 500;

/** `<sender>.in` is a message, `<sender>.out` the answer. A message is taken off the disk once the inbox has it on disk. */
export function createFileDrop(
  name: string,
  directory: string,
  receive: (messages: readonly InboundMessage[]) => Promise<unknown>,
  failed: (error: Error) => void,
): { readonly channel: Channel; readonly service: Service; readonly look: () => Promise<void> } {
  const stop = new AbortController();
  const look = async (): Promise<void> => {
    for (const file of await readdir(directory)) {
      const sender = file.endsWith(".in") ? file.slice(0, -".in".length) : "";
      if (!NAME.test(sender)) continue;
      const { ino, mtimeMs } = await stat(path.join(directory, file));
      // Somebody may still be writing it.
      if (Date.now() - mtimeMs < SETTLED_MS) continue;
      const text = await readFile(path.join(directory, file), "utf8");
      // The same file has the same id after a crash, so it is one message.
      const id = `${sender}-${ino}-${mtimeMs}`;
      await receive([directMessage({ channel: name, id, from: sender, text })]);
      await rm(path.join(directory, file));
    }
  };
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await look().catch(failed);
      await delay(1_000, undefined, { signal: stop.signal }).catch(() => {});
    }
  };
  const channel: Channel = {
    name,
    async send({ to, parts }, signal) {
      if (typeof to !== "string" || !NAME.test(to))
        return { status: "refused", reason: `${JSON.stringify(to)} is no sender of this channel` };
      if (signal.aborted) return { status: "retry", reason: "it was cancelled" };
      try {
        await mkdir(directory, { recursive: true });
        await writeFile(path.join(directory, `${to}.out`), textOf(parts));
        return { status: "sent" };
      } catch (error) {
        return { status: "retry", reason: (error as Error).message };
      }
    },
  };
  let running: Promise<void> | undefined;
  const service: Service = {
    name,
    async start() {
      await mkdir(directory, { recursive: true });
      running = loop();
    },
    async stop() {
      stop.abort();
      await running;
    },
  };
  return { channel, service, look };
}
