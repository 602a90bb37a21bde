import { workApart, type ApartAnswer, type ApartBounds } from "@gantry/sdk/node";
import { Type, type Static, type TSchema } from "typebox";
import { headFacts, headOf, type MailHead } from "./mail-head.ts";

const bounds: ApartBounds = { cpuSeconds: 5, memoryMb: 256 };
const unreadable = Type.Object({ unreadable: Type.String() }, { additionalProperties: false });
/** The words of HTML travel as bytes. */
const nothing = Type.Object({}, { additionalProperties: false });
/** In bytes; of them the mail keeps fewer. */
const maxWords = 8 * 1024 * 1024;
const headAnswer = Type.Union([headFacts, unreadable]);

/** The message to `mail-worker.ts` about the bytes that it is given. */
export type MailToRead =
  | { readonly what: "head" }
  | { readonly what: "html"; readonly charset: string | undefined };

/**
 * Reads what mails hold outside of the service, each in a process of its own: one mail never
 * decides what another says.
 */
export class MailReader {
  readonly #base: string;
  readonly #confining: string | undefined;

  /** `base`: the `import.meta.url` of the index. `confining`: as in `Sandbox`. */
  constructor(base: string, confining: string | undefined) {
    this.#base = base;
    this.#confining = confining;
  }

  /**
   * Returns the header that a mail begins with, or why there is none; undefined if it came to
   * neither. Throws NoReader.
   */
  async head(
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<MailHead | Static<typeof unreadable> | undefined> {
    const head = (await this.#work({ what: "head" }, bytes, headAnswer, signal))?.facts;
    return head === undefined || "unreadable" in head ? head : headOf(head);
  }

  /** Returns the words of HTML; undefined if it came to none. Throws NoReader. */
  async html(
    bytes: Uint8Array,
    charset: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const answer = await this.#work({ what: "html", charset }, bytes, nothing, signal);
    return answer && new TextDecoder().decode(answer.bytes.subarray(0, maxWords));
  }

  async #work<T extends TSchema>(
    facts: MailToRead,
    bytes: Uint8Array,
    answers: T,
    signal: AbortSignal,
  ): Promise<ApartAnswer<T> | undefined> {
    const place = { base: this.#base, name: "mail-worker", confining: this.#confining };
    const work = { ...place, ...bounds, input: { facts, bytes }, answers, signal };
    return workApart(work).catch((error: Error) => {
      throw signal.aborted ? error : new NoReader(error.message);
    });
  }
}

/**
 * Thrown when no process reads, whatever the mail holds: on a machine that is out of memory, say.
 */
export class NoReader extends Error {}
