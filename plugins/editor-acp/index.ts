import {
  agentKeys,
  Approvals,
  ChatCommands,
  Commands,
  definePlugin,
  Inbox,
  Media,
  Observers,
  optional,
  Runtime,
  Store,
  ToolQuestions,
} from "@gantry/sdk";
import { Type } from "typebox";
import { StartedCalls } from "./started-calls.ts";
import { errors } from "./errors.ts";

export default definePlugin({
  name: "editor-acp",
  summary: "The word `acp`: answers an editor by the Agent Client Protocol on stdin and stdout.",
  table: "",
  config: Type.Object({
    agent: Type.Object({ autonomy_level: agentKeys.autonomy_level }),
    acp: Type.Object({
      preview: Type.Boolean({
        default: false,
        description:
          "Speak version 2 of the Agent Client Protocol, a preview, with an editor that asks for it.",
      }),
    }),
  }),
  needs: {
    approvals: Approvals,
    inbox: Inbox,
    media: optional(Media),
    questions: optional(ToolQuestions),
    runtime: Runtime,
    store: Store,
    words: ChatCommands,
  },
  provides: [Commands, Observers],
  errors,
  setup(host) {
    const { needs, log, config } = host;
    const started = new StartedCalls();
    host.provide(Observers, { name: host.name, toolStarted: ({ call }) => started.tell(call) });
    host.provide(Commands, {
      name: "acp",
      summary: "answer an editor by the Agent Client Protocol on stdin and stdout",
      options: [
        {
          flags: "-C <folder>",
          summary: "the folder that holds what the editor opens, in place of the workspace",
        },
      ],
      ownsStdout: true,
      async run(run) {
        const { serve } = await import("./serve.ts");
        const { agent, acp } = config;
        return serve(run, { ...needs, ...acp, started, log, level: agent.autonomy_level });
      },
    });
  },
});
