import type { Values } from "@gantry/sdk";
import type { MailHead } from "./mail-head.ts";
import { digest } from "./message-id.ts";
import { bareSubject, isReply } from "./subject.ts";

const space = "email.threads";
const keptMs = 90 * 86_400_000;
/** A mail that names no thread belongs to the last one of its subject for this long. */
const subjectMs = 14 * 86_400_000;

/** Which conversation a mail belongs to. */
export interface Thread {
  /** The id of its first mail, or what stands for it. */
  readonly root: string;
  /** True if the mail that it answers is the agent's. */
  readonly isAnswer: boolean;
}

/**
 * Finds the thread of a mail: by the mails it names, of which the first is the root, and by those
 * that are known, as some programs name only the last one. A reply that names none goes by its
 * subject, but only if its sender was vouched for: otherwise a forged mail could get into a
 * conversation by guessing its subject.
 */
export class Threads {
  readonly #values: () => Values;

  constructor(values: () => Values) {
    this.#values = values;
  }

  async of(head: MailHead, isVouchedFor: boolean): Promise<Thread> {
    const sender = head.from?.address ?? "";
    const own = head.id ?? `<${digest(`${sender} ${head.subject}`)}>`;
    for (const id of head.references) {
      const known = await this.#values().get<{ readonly root: string; readonly sent: boolean }>(
        space,
        keyOf(sender, id),
      );
      const parent = head.references.at(-1) ?? id;
      if (known !== undefined) return { root: known.root, isAnswer: await this.#wasSent(sender, parent) };
    }
    const [first] = head.references;
    if (first !== undefined) return { root: first, isAnswer: false };
    if (!isReply(head.subject) || !isVouchedFor) return { root: own, isAnswer: false };
    const root = await this.#values().get<string>(space, subjectKey(sender, head.subject));
    return { root: root ?? own, isAnswer: root !== undefined };
  }

  /** Remembers that a mail to or from this person belongs to a thread. */
  async keep(sender: string, id: string, root: string, sent: boolean, subject: string): Promise<void> {
    await this.#values().put(space, keyOf(sender, id), { root, sent }, { forMs: keptMs });
    await this.#values().put(space, subjectKey(sender, subject), root, { forMs: subjectMs });
  }

  async #wasSent(sender: string, id: string): Promise<boolean> {
    const known = await this.#values().get<{ readonly sent: boolean }>(space, keyOf(sender, id));
    return known?.sent ?? false;
  }
}

function keyOf(sender: string, id: string): string {
  return digest(`id ${sender} ${id}`);
}

function subjectKey(sender: string, subject: string): string {
  return digest(`subject ${sender} ${bareSubject(subject).toLowerCase()}`);
}
