import { bundledPlugin } from "@gantry/sdk/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { heartbeatMs } from "../gateway-http/timeouts.ts";
import { gate } from "../../test/helpers/plugins.ts";
import { start } from "./openai.test-kit.ts";

test("GW-02: the goal of a device that is revoked ends, with the turn that runs", async () => {
  const [begun, end] = [gate(), gate()];
  const slow = () => {
    begun.open();
    return { text: "One step.", after: end.opened };
  };
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const goal = await bundledPlugin("goal-turns");
  await using g = await start([slow, "Never said."], {}, [goal]);
  const body = { model: "gantry", messages: [{ role: "user", content: "/goal green" }] };
  const asked = g.ask("/v1/chat/completions", {
    body,
    token: g.token,
    headers: { "X-Gantry-Session": "s1" },
  });
  await begun.opened;
  const [id = ""] = /d[0-9a-f]{12}/.exec((await g.word("pair list")).out) ?? [];
  await g.word("pair revoke", [id]);
  vi.advanceTimersByTime(heartbeatMs);
  expect((await asked).status).toBeGreaterThanOrEqual(400);
  end.open();
  expect(g.model.requests).toHaveLength(1);
});
