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

/** Messages as they are shown: what others wrote is redacted, and holds nothing that steers a terminal. */
export interface Printer {
  line(kept: KeptMessage): string;
  lines(kept: Read): readonly string[];
  entry(kept: KeptMessage): object;
  whole(kept: Read): object;
}

export function printer(redactors: readonly Redactor[]): Printer {
  const redacted = (text: string): string => {
    try {
      return redactors.reduce((clean, redactor) => redactor.redact(clean), text);
    } catch {
      return "(hidden: it could not be redacted)";
    }
  };
  const oneLine = (text: string): string =>
    stripVTControlCharacters(redacted(text))
      .replace(/[\s\p{C}]+/gu, " ")
      .trim();
  const entry = ({ reason, ...kept }: KeptMessage): object => ({
    ...kept,
    ...(reason !== undefined && { reason: redacted(reason) }),
  });
  return {
    line(kept) {
      const why = kept.reason ?? waits(kept);
      return [
        String(kept.number).padStart(6),
        kept.ended ?? kept.accepted,
        oneLine(`${kept.channel} ${kept.id}`).slice(0, shownId),
        oneLine(why),
      ].join("  ");
    },
    lines(kept) {
      const rows: readonly (readonly [string, string | undefined])[] = [
        ["number", String(kept.number)],
        ["state", kept.state === "dead" ? "put aside" : "waits"],
        ["from", oneLine(userOf(kept.message))],
        ["id", oneLine(kept.id)],
        ["accepted", kept.accepted],
        ["ended", kept.ended],
        ["failures", String(kept.failures)],
        ["waits for", kept.waitsFor],
        ["reason", kept.reason === undefined ? undefined : oneLine(kept.reason)],
        ["text", oneLine(textOf(kept.message.parts))],
        ["answer", kept.reply === undefined ? undefined : oneLine(kept.reply)],
      ];
      return rows.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(10)} ${value}`]));
    },
    entry,
    whole(kept) {
      const { message, reply, ...rest } = kept;
      return {
        ...entry(rest),
        from: userOf(message),
        text: redacted(textOf(message.parts)),
        ...(reply !== undefined && { answer: redacted(reply) }),
      };
    },
  };
}
