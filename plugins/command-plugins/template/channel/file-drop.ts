import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { directMessage, textOf, type Channel, type InboundMessage } from "@gantry/sdk";
import { trustOf, type AllowedPeople } from "@gantry/sdk/channel";

const NAME = /^[a-z0-9-]{1,40}$/;
const SETTLED_MS = 500;

export interface FileDrop {
  readonly channel: Channel;
  /** Hands in what lies there. */
  look(signal: AbortSignal): Promise<void>;
}

export interface FileDropNeeds {
  readonly name: string;
  readonly directory: string;
  readonly people: AllowedPeople;
  /** Resolves once the messages are on disk. */
  receive(messages: readonly InboundMessage[], signal: AbortSignal): Promise<unknown>;
}

/** `<sender>.in` is a message, `<sender>.out` the answer. A message is taken off the disk once the inbox has it on disk. */
export function createFileDrop({ name, directory, people, receive }: FileDropNeeds): FileDrop {
  const look = async (signal: AbortSignal): Promise<void> => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    for (const file of await readdir(directory)) {
      const from = file.endsWith(".in") ? file.slice(0, -".in".length) : "";
      if (!NAME.test(from)) continue;
      const { ino, mtimeMs } = await stat(path.join(directory, file));
      // Somebody may still be writing it.
      if (Date.now() - mtimeMs < SETTLED_MS) continue;
      const text = await readFile(path.join(directory, file), "utf8");
      // The same file has the same id after a crash, so it is one message.
      const id = `${from}-${ino}-${mtimeMs}`;
      // A stranger's goes in too: the guard refuses it, and the audit says so.
      const trust = trustOf(from, people) ?? "guest";
      await receive([directMessage({ channel: name, id, from, text, trust })], signal);
      await rm(path.join(directory, file));
    }
  };
  const channel: Channel = {
    name,
    async send({ to, parts }, signal) {
      if (typeof to !== "string" || !NAME.test(to))
        return { status: "refused", reason: `${JSON.stringify(to)} is no sender of this channel` };
      if (signal.aborted) return { status: "retry", reason: "it was cancelled" };
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeFile(path.join(directory, `${to}.out`), textOf(parts));
        return { status: "sent" };
      } catch (error) {
        return { status: "retry", reason: (error as Error).message };
      }
    },
  };
  return { channel, look };
}
