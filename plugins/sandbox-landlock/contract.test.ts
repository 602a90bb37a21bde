import { Sandbox } from "@gantry/sdk";
import { sandboxContract } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { startOpenHost, ways } from "./open.test-kit.ts";
import { linux } from "./sandbox.test-kit.ts";

for (const [how, namespaces] of ways) {
  const open = async () => {
    const t = await startOpenHost(namespaces);
    return { sandbox: t.slot(Sandbox), workspace: t.runtime.workspace, close: () => t.stop() };
  };
  for (const { name, run } of sandboxContract({ open }))
    test.runIf(linux)(`${name}${how}`, async () => {
      await expect(run()).resolves.toBeUndefined();
    });
}
