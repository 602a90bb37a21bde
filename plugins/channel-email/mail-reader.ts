import { workApart, type ApartBounds } from "@gantry/sdk/node";
import { Type, type Static, type TSchema } from "typebox";
import { headFacts, headOf, type MailHead } from "./mail-head.ts";

const bounds: ApartBounds = { cpuSeconds: 5, memoryMb: 256 };
const unreadable = Type.Object({ unreadable: Type.String() }, { additionalProperties: false });
const headAnswer = Type.Union([headFacts, unreadable]);

/** What `mail-worker.ts` is told of the bytes that it is given. */
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
    const head = await this.#work({ what: "head" }, bytes, headAnswer, signal);
    return head === undefined || "unreadable" in head ? head : headOf(head);
  }

  /** Returns the words of HTML; undefined if it came to none. Throws NoReader. */
  html(bytes: Uint8Array, charset: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    return this.#work({ what: "html", charset }, bytes, Type.String(), signal);
  }

  async #work<T extends TSchema>(
    facts: MailToRead,
    bytes: Uint8Array,
    answers: T,
    signal: AbortSignal,
  ): Promise<Static<T> | undefined> {
    const place = { base: this.#base, name: "mail-worker", confining: this.#confining };
    const work = { ...place, ...bounds, input: { facts, bytes }, answers, signal };
    const answer = await workApart(work).catch((error: Error) => {
      throw signal.aborted ? error : new NoReader(error.message);
    });
    return answer?.facts;
  }
}

/** Thrown when no process reads, whatever the mail holds: on a machine that is out of memory, say. */
export class NoReader extends Error {}
