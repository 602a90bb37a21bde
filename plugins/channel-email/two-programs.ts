import { randomBytes } from "node:crypto";
import type { CheckRow, Logger, Values } from "@gantry/sdk";
import type { ImapFlow } from "imapflow";
import type { Settings } from "./settings.ts";

const space = "email.program";
const dayMs = 86_400_000;
const what = "email mailbox";
const cure = "end one of them, or give each a mailbox of its own";
/** A mail whose flags change so often meanwhile is answered without a claim. */
const maxTries = 5;

/** The marks of a mail, as the server reports them. */
export interface Marks {
  readonly flags: ReadonlySet<string>;
  /** Counts up at each change; missing if the server does not count (RFC 7162). */
  readonly modseq?: bigint;
}

/**
 * Claims each mail by a keyword of this installation's before it is answered, so that of two that
 * read one mailbox only one answers, and the other says so. Nodes that share a store are one
 * installation.
 */
export class TwoPrograms {
  readonly #mailbox: string;
  readonly #values: () => Values;
  readonly #log: Logger;
  #own: string | undefined;

  constructor({ address }: Settings, values: () => Values, log: Logger) {
    this.#mailbox = address;
    this.#values = values;
    this.#log = log;
  }

  /**
   * Returns false if another installation has claimed it. A server that counts changes lets one of
   * two through; with any other both may answer, and the later one says so. A folder that takes no
   * marks lets everybody through.
   */
  async claim(client: ImapFlow, uid: number, found: Marks): Promise<boolean> {
    const own = await this.#keyword();
    let marks: Marks | undefined = found;
    for (let tries = 0; tries < maxTries && marks !== undefined; tries += 1) {
      const { isOwn, isOther } = whose(marks.flags, own);
      if (isOther) await this.#met();
      if (isOwn || isOther) return isOwn;
      if (!takesMarks(client)) return true;
      if (!(await addMark(client, uid, own, marks.modseq))) return true;
      marks = await marksOf(client, uid);
    }
    return marks !== undefined;
  }

  async rows(): Promise<readonly CheckRow[]> {
    const met = await this.#values().get<number>(space, `met ${this.#mailbox}`);
    if (met === undefined) return [];
    const detail = `${this.#sentence} (seen at ${new Date(met).toISOString()})`;
    return [{ what, state: "fail", detail, cure }];
  }

  get #sentence(): string {
    return `another program answers mail of the mailbox ${this.#mailbox}`;
  }

  /** Logs the other program once a day, and has it shown for a day. */
  async #met(): Promise<void> {
    const key = `met ${this.#mailbox}`;
    const before = await this.#values().get<number>(space, key);
    await this.#values().put(space, key, Date.now(), { forMs: dayMs });
    if (before === undefined) this.#log.error({ channel: "email" }, `${this.#sentence}: ${cure}.`);
  }

  async #keyword(): Promise<string> {
    if (this.#own === undefined) {
      await this.#values().add(space, "keyword", `gantry-${randomBytes(4).toString("hex")}`);
      this.#own = await this.#values().get<string>(space, "keyword");
    }
    return this.#own as string;
  }
}

/** Returns true if another program on this mailbox would be noticed. */
export function takesMarks({ mailbox }: ImapFlow): boolean {
  return mailbox !== false && !mailbox.readOnly && (mailbox.permanentFlags?.has("\\*") ?? true);
}

function whose(
  flags: ReadonlySet<string>,
  own: string,
): { readonly isOwn: boolean; readonly isOther: boolean } {
  const marks = [...flags]
    .map((flag) => flag.toLowerCase())
    .filter((flag) => /^gantry-[0-9a-f]{8}$/.test(flag));
  return { isOwn: marks.includes(own), isOther: marks.some((mark) => mark !== own) };
}

/**
 * A method that the library keeps private. Its own STORE puts the condition behind the flags, where
 * servers ignore it.
 */
interface Executes {
  exec(command: string, attributes: readonly unknown[]): Promise<{ next(): void }>;
}

function atom(value: string): unknown {
  return { type: "ATOM", value };
}

/**
 * Adds a mark only if the mail is still as it was at `modseq`, if that is known. Returns false if
 * the server takes no such mark.
 */
async function addMark(
  client: ImapFlow,
  uid: number,
  mark: string,
  modseq: bigint | undefined,
): Promise<boolean> {
  if (modseq === undefined) return client.messageFlagsAdd(String(uid), [mark], { uid: true, silent: true });
  const unchanged = [atom("UNCHANGEDSINCE"), atom(String(modseq))];
  const flags = [atom("+FLAGS.SILENT"), [atom(mark)]];
  try {
    const { next } = await (client as unknown as Executes).exec("UID STORE", [
      atom(String(uid)),
      unchanged,
      ...flags,
    ]);
    next();
    return true;
  } catch (error) {
    if ((error as { readonly responseStatus?: string }).responseStatus === "NO") return false;
    throw error;
  }
}

/** Returns undefined if the mail is gone. */
async function marksOf(client: ImapFlow, uid: number): Promise<Marks | undefined> {
  const found = await client.fetchOne(String(uid), { flags: true }, { uid: true });
  return found ? { flags: new Set(), ...found } : undefined;
}
