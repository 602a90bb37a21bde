import { randomBytes } from "node:crypto";
import type { CheckRow, Logger, Values } from "@gantry/sdk";
import type { ImapFlow } from "imapflow";
import type { Settings } from "./settings.ts";

const space = "email.program";
const dayMs = 86_400_000;
const what = "email mailbox";
const cure = "end one of them, or give each a mailbox of its own";

/**
 * Marks each mail that was taken with a keyword of this installation's, so that two that read one mailbox find out and do
 * not both answer. Nodes that share a store are one installation.
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

  /** True if another installation has taken a mail with these flags. */
  async hasTaken(flags: ReadonlySet<string>): Promise<boolean> {
    const own = await this.#keyword();
    const other = [...flags].find((flag) => /^gantry-[0-9a-f]{8}$/i.test(flag) && flag.toLowerCase() !== own);
    if (other === undefined) return false;
    const isNew = await this.#values().add(space, `met ${this.#mailbox}`, Date.now(), Date.now() + dayMs);
    if (isNew) this.#log.error({ channel: "email" }, `${this.#sentence}: ${cure}.`);
    return true;
  }

  /** What a mail program shows as read, and what other installations look for. A folder that takes no marks is left as it is. */
  async mark(client: ImapFlow, uid: number): Promise<void> {
    const { mailbox } = client;
    if (mailbox === false || mailbox.readOnly) return;
    const takesKeywords = mailbox.permanentFlags?.has("\\*") ?? true;
    const flags = ["\\Seen", ...(takesKeywords ? [await this.#keyword()] : [])];
    await client.messageFlagsAdd(String(uid), flags, { uid: true });
  }

  async rows(): Promise<readonly CheckRow[]> {
    const met = await this.#values().get<number>(space, `met ${this.#mailbox}`);
    return met === undefined ? [] : [{ what, state: "fail", detail: this.#sentence, cure }];
  }

  get #sentence(): string {
    return `another program answers mail of the mailbox ${this.#mailbox}`;
  }

  async #keyword(): Promise<string> {
    if (this.#own === undefined) {
      await this.#values().add(space, "keyword", `gantry-${randomBytes(4).toString("hex")}`);
      this.#own = await this.#values().get<string>(space, "keyword");
    }
    return this.#own as string;
  }
}
