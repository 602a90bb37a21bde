import { directMessage, Inbox, Sandbox } from "@gantry/sdk";
import { sandboxContract } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { tool } from "../../test/helpers/plugins.ts";
import { startOpenHost, ways } from "./open.test-kit.ts";
import { linux } from "./sandbox.test-kit.ts";

let work: () => Promise<void>;
const working = tool("work", async () => {
  await work();
  return "done";
});

for (const [how, namespaces] of ways) {
  const open = async () => {
    const t = await startOpenHost(namespaces, [working]);
    const within = async (workspace: string, given: () => Promise<void>): Promise<void> => {
      work = given;
      const message = directMessage({ channel: "cli", id: workspace, from: "test", text: "" });
      const call = { tool: "work", args: {}, approvals: "yes", workspace } as const;
      const { signal } = new AbortController();
      const outcome = await t.slot(Inbox).call?.({ ...message, trust: "owner" }, { ...call, signal });
      expect(outcome).toMatchObject({ text: "done" });
    };
    return { sandbox: t.slot(Sandbox), workspace: t.runtime.workspace, within, close: () => t.stop() };
  };
  for (const { name, run } of sandboxContract({ open }))
    test.runIf(linux)(`${name}${how}`, async () => {
      await expect(run()).resolves.toBeUndefined();
    });
}
