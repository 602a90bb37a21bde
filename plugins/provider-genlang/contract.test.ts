import { LLMock } from "@copilotkit/aimock";
import { expect, test } from "vitest";
import { providerContract, startTestHost } from "@gantry/sdk/testing";
import net from "../net-undici/index.ts";
import plugin from "./index.ts";

test("SDK-05: genlang keeps the contract of a provider against a real server", async () => {
  const mock = await LLMock.create({ port: 0 });
  mock.onMessage("hello", { content: "Hi there, how are you?" }, { chunkSize: 3 });
  const api_key = "AIza-contract-canary";
  const config = {
    default_provider: "genlang",
    providers: { genlang: { api_key } },
    endpoints: { genlang_url: `${mock.url}/v1beta` },
  };
  {
    await using t = await startTestHost({ plugins: [net, plugin], config });
    const provider = await t.resolveProvider({ provider: "genlang", model: "gemini-2.5-flash" });
    const cases = providerContract({ provider, model: "gemini-2.5-flash", secrets: [api_key] });
    for (const { run } of cases) await expect(run()).resolves.toBeUndefined();
  }
  await mock.stop();
});
