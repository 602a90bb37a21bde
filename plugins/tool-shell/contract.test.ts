import { expect, test } from "vitest";
import { Tools } from "@gantry/sdk";
import { startTestHost, toolContract } from "@gantry/sdk/testing";
import sandbox from "../sandbox-landlock/index.ts";
import plugin from "./index.ts";

test("SDK-05: shell keeps the contract of a tool behind real walls", async () => {
  await using t = await startTestHost({ plugins: [sandbox, plugin] });
  const tool = t.slot(Tools).get("shell");
  if (!tool) throw new Error("there is no shell");
  const args = { command: "echo hello" };
  await t.call("shell", args, { approvals: "yes" });
  for (const { run } of toolContract({ tool, args, cwd: t.runtime.workspace }))
    await expect(run()).resolves.toBeUndefined();
});
