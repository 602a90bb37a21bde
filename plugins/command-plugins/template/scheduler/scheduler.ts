import { textParts, type Json, type Outbox, type Service } from "@gantry/sdk";

export interface Reminder {
  /** `09:00`, in the machine's time zone. */
  readonly at: string;
  readonly channel: string;
  /** The channel's own address of whoever is reminded. */
  readonly to: Json;
  readonly text: string;
}

/** Says its text once a day. `look` is called every minute and may be called as often as one likes. */
export function createScheduler(
  reminder: Reminder,
  outbox: Outbox,
  failed: (error: Error) => void,
): { readonly service: Service; readonly look: (now: Date) => Promise<void> } {
  const { at, channel, to, text } = reminder;
  const [hour = 0, minute = 0] = at.split(":").map(Number);
  const look = async (now: Date): Promise<void> => {
    const due = new Date(now);
    due.setHours(hour, minute, 0, 0);
    if (now < due) return;
    // What was said under a key is not said again, whoever asks: a restart or a second node changes nothing.
    const key = `example ${due.toISOString().slice(0, 10)}`;
    const conversation = { id: String(to), kind: "direct" } as const;
    await outbox.send({ channel, conversation, to, parts: textParts(text), key });
  };
  let timer: NodeJS.Timeout | undefined;
  const service: Service = {
    name: "example",
    async start() {
      timer = setInterval(() => void look(new Date()).catch(failed), 60_000);
    },
    stop: async () => clearInterval(timer),
  };
  return { service, look };
}
