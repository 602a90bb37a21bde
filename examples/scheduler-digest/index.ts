import { definePlugin, directMessage, Inbox, Outbox, Services, Store, textParts } from "@gantry/sdk";
import { Type } from "typebox";

const two = (number: number): string => String(number).padStart(2, "0");

/** The time of day in the machine's zone, as `08:30`, and its day. */
function clock(now: Date): { readonly time: string; readonly day: string } {
  return {
    time: `${two(now.getHours())}:${two(now.getMinutes())}`,
    day: `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`,
  };
}

export default definePlugin({
  name: "scheduler-digest",
  summary: "Asks the model a question once a day and says the answer in a channel.",
  config: Type.Object({
    at: Type.String({ default: "08:30", pattern: "^([01]\\d|2[0-3]):[0-5]\\d$", description: "When." }),
    question: Type.String({ default: "", description: "What the model is asked; empty: nothing." }),
    channel: Type.String({ default: "", description: "Where the answer is said." }),
    to: Type.String({ default: "", description: "The channel's own address of whoever is told." }),
    every_ms: Type.Integer({
      default: 60_000,
      minimum: 10,
      description: "How often the clock is looked at.",
    }),
  }),
  needs: { inbox: Inbox, outbox: Outbox, store: Store },
  provides: [Services],
  setup(host) {
    const { at, question, channel, to, every_ms } = host.config;
    if (question === "") return;
    const { inbox, outbox, store } = host.needs;
    const look = async (): Promise<void> => {
      const { time, day } = clock(new Date());
      if (time < at) return;
      // One node asks, once a day; if it fails or dies, the next try is free after ten minutes.
      const key = `digest ${day}`;
      if (!(await store.values.add("scheduler-digest", key, 1, { forMs: 600_000 }))) return;
      const message = directMessage({ channel: "scheduler", id: key, from: "digest", text: question });
      const { reply, error } = await inbox.prompt(message, {
        keep: false,
        tools: [],
        approvals: "none",
        signal: host.signal,
      });
      if (error) throw new Error(error.message);
      // The outbox keeps each key once, on disk, until it is sent.
      const conversation = { id: to, kind: "direct" } as const;
      await outbox.send({ channel, conversation, to, parts: textParts(reply), key });
      await store.values.put("scheduler-digest", key, 1, { forMs: 48 * 3_600_000 });
    };
    let timer: NodeJS.Timeout | undefined;
    let running = Promise.resolve();
    const failed = (error: Error): void => host.log.error({}, `The digest failed: ${error.message}`);
    const tick = (): void => void (running = running.then(look).catch(failed));
    host.provide(Services, {
      name: "digest",
      async start() {
        tick();
        timer = setInterval(tick, every_ms);
      },
      async stop() {
        clearInterval(timer);
        await running;
      },
    });
  },
});
