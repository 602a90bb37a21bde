import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { directMessage, Inbox, Sandbox } from "@gantry/sdk";
import { expect, test } from "vitest";
import { tool } from "../../test/helpers/plugins.ts";
import { startOpenHost, ways } from "./open.test-kit.ts";
import { linux } from "./sandbox.test-kit.ts";

const { signal } = new AbortController();
const large = Buffer.alloc(3 * 1024 * 1024, 1);

test.runIf(linux).for(ways)(
  "SDK-17: a folder that holds more than max_workspace_mb takes nothing more%s",
  async ([, namespaces]) => {
    let work: (() => Promise<unknown>) | undefined;
    const write = tool("write", async () => JSON.stringify(await work?.()));
    await using t = await startOpenHost(namespaces, [write], { runtime: { max_workspace_mb: 1 } });
    const workspace = path.join(t.runtime.workspace, "a");
    mkdirSync(workspace);
    work = () => t.slot(Sandbox).files.write(path.join(workspace, "new"), "x", signal);
    const message = directMessage({ channel: "cli", id: "1", from: "test", text: "" });
    const call = { tool: "write", args: {}, approvals: "yes", signal, workspace } as const;
    const decision = async () => (await t.slot(Inbox).call?.({ ...message, trust: "owner" }, call))?.decision;
    expect(await decision()).toBe("allowed");
    writeFileSync(path.join(workspace, "large"), large);
    await expect.poll(decision).toBe("failed");
  },
);
