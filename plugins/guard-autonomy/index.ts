import { Type } from "typebox";
import { agentKeys, Checks, definePlugin, securityKeys, ToolCatalog, type CheckRow } from "@gantry/sdk";
import { decide } from "./decide.ts";
import { errors } from "./errors.ts";

const autoApproved = [
  "file_read",
  "file_list",
  "file_search",
  "file_find",
  "memory_recall",
  "tool_search",
  "send_file",
  "skill",
  "goal_verdict",
];
const asking = ["shell", "file_write", "file_edit", "browser"];
const forGuests = ["memory_recall", "memory_store", "memory_forget"];

export default definePlugin({
  name: "guard-autonomy",
  summary: "Which tool calls run, which ask a person, which are off.",
  table: "",
  config: Type.Object({
    agent: Type.Object({
      autonomy_level: agentKeys.autonomy_level,
    }),
    security: Type.Object({
      auto_approve_tools: Type.Array(Type.String(), {
        default: autoApproved,
        description: "Tools that run without asking where autonomy_level is semi-autonomous.",
      }),
      require_approval_tools: Type.Array(Type.String(), {
        default: asking,
        description:
          "Tools that ask each time where autonomy_level is semi-autonomous; wins over auto_approve_tools.",
      }),
      guest_tools: Type.Array(Type.String(), {
        default: forGuests,
        description:
          'Tools that a turn of a guest may use: somebody whom "*" of a channel lets in. Memories are each person\'s own.',
      }),
      shell_enabled: securityKeys.shell_enabled,
      file_write_enabled: securityKeys.file_write_enabled,
      browser_enabled: securityKeys.browser_enabled,
    }),
  }),
  needs: { tools: ToolCatalog },
  provides: [Checks],
  taps: ["beforeToolCall"],
  enforces: [
    "agent.autonomy_level",
    "security.auto_approve_tools",
    "security.require_approval_tools",
    "security.guest_tools",
    "security.shell_enabled",
    "security.file_write_enabled",
    "security.browser_enabled",
  ],
  errors,
  setup(host) {
    host.hooks.beforeToolCall.tap((call) => decide(call, host.config));
    const unknown = async (): Promise<readonly CheckRow[]> => {
      const { unknownNames } = await import("./check-names.ts");
      const { auto_approve_tools, require_approval_tools, guest_tools } = host.config.security;
      const lists = { auto_approve_tools, require_approval_tools, guest_tools };
      const tools = (await host.needs.tools.list()).map(({ name }) => name);
      return unknownNames(lists, [...autoApproved, ...asking, ...forGuests], tools);
    };
    host.provide(Checks, { name: "approval-lists", kind: "status", run: unknown });
    const warn = ({ detail, cure }: CheckRow): void => host.log.warn({}, `${detail}: ${cure}.`);
    // A source of tools may take its time, and nobody waits for it here.
    host.onServe(
      () =>
        void unknown()
          .then((rows) => rows.forEach(warn))
          .catch(() => {}),
    );
  },
});
