import {
  definePlugin,
  defineTool,
  listAll,
  Outbox,
  Services,
  Store,
  textParts,
  Tools,
  type Tool,
  type ToolOrigin,
} from "@gantry/sdk";
import { Type } from "typebox";

const space = "tool-remind";

interface Reminder {
  /** The chat that the reminder was asked for in. */
  readonly origin: ToolOrigin;
  readonly text: string;
  /** Unix ms. */
  readonly due: number;
}

/**
 * Keeps a text until it is due; it is said in the chat that the call came up in, whoever's turn it
 * was called from.
 */
export function remind(store: Store): Tool {
  return defineTool({
    name: "remind",
    description: "Says a text in this chat after so many minutes.",
    input: Type.Object({
      minutes: Type.Number({ minimum: 0, maximum: 525_600, examples: [10] }),
      text: Type.String({ minLength: 1, maxLength: 2_000, examples: ["The cake is done."] }),
    }),
    effects: () => ({}),
    async run({ args: { minutes, text }, origin }) {
      if (!origin) return { text: "There is no chat here that a reminder could be sent to.", failed: true };
      const reminder: Reminder = { origin, text, due: Date.now() + minutes * 60_000 };
      await store.values.put(space, crypto.randomUUID(), reminder);
      return `It will be said here at ${new Date(reminder.due).toISOString()}.`;
    },
  });
}

export default definePlugin({
  name: "tool-remind",
  summary: "remind: says a text later, in the chat that it was asked for in.",
  config: Type.Object({
    every_ms: Type.Integer({
      default: 10_000,
      minimum: 10,
      description: "How often the clock is looked at.",
    }),
  }),
  needs: { outbox: Outbox, store: Store },
  provides: [Services, Tools],
  setup(host) {
    const { outbox, store } = host.needs;
    const look = async (): Promise<void> => {
      for (const { key, value } of await listAll<Reminder>(store.values, space)) {
        if (value.due > Date.now()) continue;
        // Said once under its key, also if this process dies before the reminder is removed.
        await outbox.send({ ...value.origin, parts: textParts(value.text), key: `remind ${key}` });
        await store.values.remove(space, key);
      }
    };
    let timer: NodeJS.Timeout | undefined;
    let running: Promise<void> | undefined;
    const failed = (error: Error): void => host.log.error({}, `A reminder waits: ${error.message}`);
    const tick = (): void => {
      running ??= look()
        .catch(failed)
        .finally(() => (running = undefined));
    };
    host.provide(Tools, remind(store));
    host.provide(Services, {
      name: "reminders",
      async start() {
        tick();
        timer = setInterval(tick, host.config.every_ms);
      },
      async stop() {
        clearInterval(timer);
        await running;
      },
    });
  },
});
