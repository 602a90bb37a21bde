import { LLMock } from "@copilotkit/aimock";
import { expect, test } from "vitest";
import { providerContract, startTestHost } from "@gantry/sdk/testing";
import net from "../net-undici/index.ts";
import plugin from "./index.ts";

test("SDK-05: custom: keeps the contract of a provider against a real server", async () => {
  const mock = await LLMock.create({ port: 0 });
  mock.onMessage("hello", { content: "Hi there, how are you?" }, { chunkSize: 3 });
  const api_key = "sk-contract-canary";
  const id = `custom:${mock.url}/v1`;
  {
    await using t = await startTestHost({
      plugins: [net, plugin],
      config: { default_provider: id, api_key },
    });
    const provider = await t.resolveProvider({ provider: id, model: "gpt-4o" });
    for (const { run } of providerContract({ provider, model: "gpt-4o", secrets: [api_key] }))
      await expect(run()).resolves.toBeUndefined();
  }
  await mock.stop();
});
