import { Audit, Checks, definePlugin } from "@gantry/sdk";
import { MessageWorker } from "@gantry/sdk/fill";
import { Type } from "typebox";
import type { LaneWorkers } from "./lane-workers.ts";

const hourMs = 3_600_000;
const load = (): Promise<typeof import("./lane-workers.ts")> => import("./lane-workers.ts");

export default definePlugin({
  name: "inbox-worker",
  summary: "Works off the messages of channels, one at a time for each conversation, until each is answered.",
  table: "",
  config: Type.Object({
    agent: Type.Object({
      progress_seconds: Type.Number({
        default: 10,
        minimum: 0,
        maximum: 3_600,
        description:
          "After how many seconds a channel that can edit its messages shows what a turn does, by the names of its tools; 0: never.",
      }),
    }),
    memory: Type.Object({
      keep_undelivered_hours: Type.Number({
        default: 72,
        exclusiveMinimum: 0,
        maximum: 8_760,
        description:
          "How long a channel's message is kept while it cannot be answered, or its answer cannot be sent; then it becomes a dead letter.",
      }),
    }),
  }),
  needs: { audit: Audit },
  provides: [Checks, MessageWorker],
  setup({ config, log, needs, onServe, provide }) {
    let running: LaneWorkers | undefined;
    onServe(async () => void (await load()));
    provide(MessageWorker, {
      async start(messages) {
        const { LaneWorkers } = await load();
        const workers = new LaneWorkers({
          messages,
          log,
          audit: needs.audit,
          keepMs: config.memory.keep_undelivered_hours * hourMs,
          progressMs: config.agent.progress_seconds * 1_000,
        });
        try {
          await workers.start();
        } catch (error) {
          await workers.stop(AbortSignal.abort());
          throw error;
        }
        running = workers;
        return workers;
      },
    });
    provide(Checks, {
      name: "messages-wait",
      kind: "ready",
      run: async () => running?.readyRows() ?? [],
    });
  },
});
