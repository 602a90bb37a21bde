import {
  textParts,
  type ApprovalRequest,
  type Channel,
  type Json,
  type Part,
  type Sent,
  type TurnEvent,
} from "../index.ts";
import { heldNow, mustClear, mustYield } from "./leaks.ts";
import { strangeParts } from "./strange-parts.ts";
import { answerOf, cases, endsSoon, messageOf, watched, wrong } from "./say.ts";
import type { ContractCase } from "./contract-case.ts";

export interface ChannelSubject {
  readonly channel: Channel;
  /** A recipient whom the test's platform knows. */
  readonly to: Json;
  /** The time in ms that a sending may take in this test; default 5,000. */
  readonly patienceMs?: number;
  /** The outcome of a sending to them; default `sent`. `any`: no platform answers in this test. */
  readonly status?: Sent["status"] | "any";
}

const answers = 'answer { status: "sent" }, or "retry" or "refused" with a reason';
const question: ApprovalRequest = Object.freeze({
  id: "0123456789abcdef",
  session: "test",
  user: "test:nobody",
  tool: "shell",
  args: Object.freeze({ command: "ls" }),
  preview: "ls",
  lines: 1,
  commands: 1,
  reasons: Object.freeze(["a shell"]),
  warnings: Object.freeze([]),
  expires: "2100-01-01T00:00:00.000Z",
});

/**
 * Returns the duties of every channel, with a platform that answers. Register each case with any
 * test runner: `test(name, run)`.
 */
export function channelContract({
  channel,
  to,
  status = "sent",
  patienceMs = 5_000,
}: ChannelSubject): readonly ContractCase[] {
  const who = `The channel ${channel?.name}`;
  let tries = 0;
  const send = (recipient: Json, text: string, signal: AbortSignal): Promise<Sent> =>
    sendParts(recipient, textParts(text), signal);
  const sendParts = async (recipient: Json, parts: readonly Part[], signal: AbortSignal): Promise<Sent> => {
    const late = wrong(
      who,
      `did not answer in ${patienceMs} ms after a sending`,
      "end it by its signal and by a time limit of its own",
    );
    const message = { to: recipient, parts, key: `contract-${(tries += 1)}` };
    const cure = 'answer { status: "retry" or "refused", reason } instead';
    const sent = await answerOf<unknown>(
      patienceMs,
      late,
      () => channel.send(message, signal),
      (error) => wrong(who, `threw in send() (${error})`, cure),
    );
    if (isSent(sent)) return sent;
    throw wrong(who, `answered a sending with ${JSON.stringify(sent) ?? "nothing"}`, answers);
  };
  const never = new AbortController().signal;
  return cases({
    "a channel has a name and send()": async () => {
      if (!/^[a-z][a-z0-9-]*$/.test(channel.name ?? ""))
        throw wrong(
          who,
          "has a name with other signs than lower-case letters, digits and -",
          "the name is the first part of <channel>:<id>",
        );
      if (typeof channel.send !== "function") throw wrong(who, "has no send()", "send one reply from it");
    },
    "a channel sends a reply, short, long or strange, and leaves nothing running": async () => {
      const before = heldNow();
      for (const text of [
        "hello",
        "line one\nline two",
        "x".repeat(20_000),
        "\u0000 \u202e 👩‍👩‍👧 <b>&amp;</b> [a](b)",
      ]) {
        const { answer, blockedMs } = await watched(() => send(to, text, never));
        if (text === "hello" && status !== "any" && answer.status !== status)
          throw wrong(
            who,
            `answered ${answer.status} for a plain reply`,
            `let the test's platform take it, or state status: "${answer.status}"`,
          );
        mustYield(who, blockedMs);
      }
      const due = { after: "sending", cure: "clear its timers when send() ends" };
      await mustClear(who, before, patienceMs, due);
    },
    "a channel answers for a picture whose bytes are gone, and for a piece that it does not know":
      async () => {
        for (const parts of [strangeParts, [...textParts("hello"), ...strangeParts]])
          await sendParts(to, parts, never);
      },
    "a channel answers for a recipient that cannot be": async () => {
      for (const nobody of ["", "nobody at all", "../../etc/passwd", "+0", null, 7, { to: "nobody" }])
        await send(nobody, "hello", never);
    },
    "a channel that edits puts another text in place of what it sent": async () => {
      if (!channel.edit || status === "any") return;
      const sent = await send(to, "hello", never);
      if (sent.status === "sent" && sent.id === undefined)
        throw wrong(
          who,
          "edits, and names no message that it sent",
          'answer { status: "sent", id } in send()',
        );
      for (const id of [...(sent.status === "sent" ? [sent.id ?? ""] : []), "", "none such", "../1"]) {
        const edited: unknown = await channel
          .edit({ to, id, parts: textParts(`now <b>&amp;</b> @all ${"x".repeat(20_000)}`) }, never)
          .catch((error: unknown) => error);
        if (!isSent(edited))
          throw wrong(who, `answered an edit of ${JSON.stringify(id)} with ${messageOf(edited)}`, answers);
        if (sent.status === "sent" && id === sent.id && edited.status !== "sent")
          throw wrong(
            who,
            `does not edit what it sent (${edited.reason})`,
            "take the id that send() gave, and cut what is too long",
          );
      }
    },
    "a channel that asks answers as it does for a sending, whoever is asked": async () => {
      if (!channel.ask) return;
      for (const recipient of status === "any" ? ["nobody"] : [to, "nobody"]) {
        const late = wrong(
          who,
          `did not answer in ${patienceMs} ms after a question`,
          "end it by its signal",
        );
        const asked = await answerOf<unknown>(
          patienceMs,
          late,
          () => channel.ask?.(question, recipient, never),
          (error) => wrong(who, `threw in ask() (${error})`, answers),
        );
        if (!isSent(asked))
          throw wrong(who, `answered a question with ${JSON.stringify(asked) ?? "nothing"}`, answers);
      }
    },
    "a channel that shows that it works stops soon after its signal": async () => {
      const late = wrong(
        who,
        `went on for more than ${patienceMs} ms after its signal in working()`,
        "pass the signal to whatever it waits for",
      );
      const stop = new AbortController();
      // A platform that does not take it is not a fault.
      const work = endsSoon(patienceMs, late, () => channel.working?.(to, stop.signal));
      stop.abort();
      await work;
    },
    "a channel that is told of turns ignores what it does not know": async () => {
      for (const event of [{ type: "thinking" }, { type: "of another release", more: [] }]) {
        try {
          channel.onTurnEvent?.(event as TurnEvent, to);
        } catch (error) {
          throw wrong(
            who,
            `threw at the turn event ${JSON.stringify(event.type)} (${messageOf(error)})`,
            "ignore the events that it does not know",
          );
        }
      }
    },
    "a channel whose sending is cancelled answers soon": async () => {
      await send(to, "hello", AbortSignal.abort());
      const stop = new AbortController();
      setImmediate(() => stop.abort());
      await send(to, "hello", stop.signal);
    },
  });
}

function isSent(value: unknown): value is Sent {
  const { status, reason } = (value ?? {}) as Partial<{ status: unknown; reason: unknown }>;
  if (status === "sent") return true;
  return (status === "retry" || status === "refused") && typeof reason === "string" && reason !== "";
}
