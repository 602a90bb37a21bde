import { expect, test } from "vitest";
import { checkPlugin, fakeNet, startTestHost, toolContract } from "@gantry/sdk/testing";
import plugin, { weatherTool } from "./index.ts";

const url = /^https:\/\/api\.open-meteo\.com\/v1\/forecast\?latitude=48\.1&longitude=11\.6/;
const munich = { latitude: 48.1, longitude: 11.6 };

test("SDK-05: the weather tool answers in a host, and says what the service said where it does not know", async () => {
  const net = fakeNet([
    { url, replies: [{ json: { current: { temperature_2m: 21.5, wind_speed_10m: 7 } } }, { status: 503 }] },
  ]);
  await using t = await startTestHost({ plugins: [plugin, net] });
  expect(await t.call("weather", munich)).toEqual({ decision: "allowed", text: "21.5 °C, wind 7 km/h" });
  expect(await t.call("weather", munich)).toMatchObject({
    decision: "failed",
    text: expect.stringContaining("HTTP 503") as string,
  });
  expect(net.requests[0]?.domains).toEqual(["api.open-meteo.com"]);
  expect(await t.call("weather", { latitude: 91, longitude: 0 })).toMatchObject({ code: "TOOL_BAD_ARGS" });
});

test("SDK-05: the weather tool keeps the contract of a tool", async () => {
  const net = fakeNet([{ url, replies: [{ json: { current: { temperature_2m: 1 } } }] }]);
  await using t = await startTestHost({ plugins: [plugin, net] });
  expect(t.registrations()).toContain("tool-weather: tools weather");
  const fetching = {
    check: async () => undefined,
    connect: () => Promise.reject(new Error("no")),
    fetch: () => Promise.reject(new Error("no")),
  };
  for (const { run } of toolContract({
    tool: weatherTool(fetching, "https://api.open-meteo.com"),
    args: munich,
    runs: false,
  }))
    await run();
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
