import { textParts, type Channel, type Json, type Sent } from "../index.ts";
import { heldNow, leftOver } from "./leaks.ts";
import { BLOCKED_MS, cases, messageOf, watched, within, wrong } from "./say.ts";
import type { ContractCase } from "./contract-case.ts";

export interface ChannelSubject {
  readonly channel: Channel;
  /** A recipient whom the test's platform knows. */
  readonly to: Json;
  /** How long a sending may take in this test, in ms; default 5,000. */
  readonly patienceMs?: number;
  /** What a sending to them comes to; default `sent`. `any`: no platform answers in this test. */
  readonly status?: Sent["status"] | "any";
}

/** What every channel must do, with a platform that answers. Register each case with any test runner: `test(name, run)`. */
export function channelContract({
  channel,
  to,
  status = "sent",
  patienceMs = 5_000,
}: ChannelSubject): readonly ContractCase[] {
  const who = `The channel ${channel?.name}`;
  let tries = 0;
  const send = async (recipient: Json, text: string, signal: AbortSignal): Promise<Sent> => {
    const late = wrong(
      who,
      `did not answer in ${patienceMs} ms after a sending`,
      "end it by its signal and by a time limit of its own",
    );
    const sent: unknown = await within(patienceMs, late, async () =>
      channel.send({ to: recipient, parts: textParts(text), key: `contract-${(tries += 1)}` }, signal),
    ).catch((error: unknown) => {
      throw error === late
        ? late
        : wrong(
            who,
            `threw in send() (${messageOf(error)})`,
            'answer { status: "retry" or "refused", reason } instead',
          );
    });
    const { status: came, reason } = (sent ?? {}) as Partial<{ status: unknown; reason: unknown }>;
    if (
      came === "sent" ||
      ((came === "retry" || came === "refused") && typeof reason === "string" && reason !== "")
    )
      return sent as Sent;
    throw wrong(
      who,
      `answered a sending with ${JSON.stringify(sent) ?? "nothing"}`,
      'answer { status: "sent" }, or "retry" or "refused" with a reason',
    );
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
        if (blockedMs > BLOCKED_MS)
          throw wrong(who, `let nothing else run for ${Math.round(blockedMs)} ms`, "wait with await");
      }
      const left = await leftOver(before, patienceMs);
      if (left.some((kind) => kind.endsWith("Timeout")))
        throw wrong(who, `left ${left.join(", ")} behind after sending`, "clear its timers when send() ends");
    },
    "a channel answers for a recipient that cannot be": async () => {
      for (const nobody of ["", "nobody at all", "../../etc/passwd", "+0", null, 7, { to: "nobody" }])
        await send(nobody, "hello", never);
    },
    "a channel whose sending is cancelled answers soon": async () => {
      await send(to, "hello", AbortSignal.abort());
      const stop = new AbortController();
      setImmediate(() => stop.abort());
      await send(to, "hello", stop.signal);
    },
  });
}
