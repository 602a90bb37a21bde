import { stripVTControlCharacters } from "node:util";
import { textOf, type InboundMessage } from "@gantry/sdk";
import { userOf, type KeptMessage, type Redactor } from "@gantry/sdk/fill";

/** Why it was not answered yet, where nothing was told of it. */
function waits({ begun }: KeptMessage): string {
  if (begun <= 1) return "it waits for its turn";
  return `the service ended ${begun} times while it was worked on, so it is tried with care`;
}

type Read = KeptMessage & { readonly message: InboundMessage; readonly reply?: string };

const shownId = 40;

/**
 * Messages as they are shown: what others wrote is redacted, and holds nothing that steers a
 * terminal.
 */
export interface Printer {
  line(kept: KeptMessage): Promise<string>;
  lines(kept: Read): Promise<readonly string[]>;
  entry(kept: KeptMessage): Promise<object>;
  whole(kept: Read): Promise<object>;
}

export function printer(redactors: readonly Redactor[]): Printer {
  const redacted = async (text: string): Promise<string> => {
    try {
      let clean = text;
      for (const redactor of redactors) clean = await redactor.redact(clean);
      return clean;
    } catch {
      return "(hidden: it could not be redacted)";
    }
  };
  const oneLine = async (text: string): Promise<string> =>
    stripVTControlCharacters(await redacted(text))
      .replace(/[\s\p{C}]+/gu, " ")
      .trim();
  const entry = async ({ reason, ...kept }: KeptMessage): Promise<object> => ({
    ...kept,
    ...(reason !== undefined && { reason: await redacted(reason) }),
  });
  return {
    async line(kept) {
      const why = kept.reason ?? waits(kept);
      return [
        String(kept.number).padStart(6),
        kept.ended ?? kept.accepted,
        (await oneLine(`${kept.channel} ${kept.id}`)).slice(0, shownId),
        await oneLine(why),
      ].join("  ");
    },
    async lines(kept) {
      const rows: readonly (readonly [string, string | undefined])[] = [
        ["number", String(kept.number)],
        ["state", kept.state === "dead" ? "dead letter" : "waits"],
        ["from", await oneLine(userOf(kept.message))],
        ["id", await oneLine(kept.id)],
        ["accepted", kept.accepted],
        ["ended", kept.ended],
        ["failures", String(kept.failures)],
        ["waits for", kept.waitsFor],
        ["reason", kept.reason === undefined ? undefined : await oneLine(kept.reason)],
        ["text", await oneLine(textOf(kept.message.parts))],
        ["answer", kept.reply === undefined ? undefined : await oneLine(kept.reply)],
      ];
      return rows.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(10)} ${value}`]));
    },
    entry,
    async whole(kept) {
      const { message, reply, ...rest } = kept;
      return {
        ...(await entry(rest)),
        from: userOf(message),
        text: await redacted(textOf(message.parts)),
        ...(reply !== undefined && { answer: await redacted(reply) }),
      };
    },
  };
}
