import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { enter, hasChromium, openTab, show, startBrowser } from "./console.test-kit.ts";
import { startConsole, without } from "./console.test-kit.ts";

let browser: Browser & AsyncDisposable;

beforeAll(async () => {
  if (hasChromium) browser = await startBrowser();
});
afterAll(() => browser?.[Symbol.asyncDispose]());

const config = {
  agents: { painter: { model: "told-2", tools: ["paint"] }, clerk: {} },
  routes: [
    { channel: "telegram", agent: "painter" },
    { channel: "telegram", person: 42, agent: "clerk" },
  ],
};

test("AGT-14: /api/agents and its explanation want the scope read", async () => {
  await using kit = await startConsole({ config });
  const tokenFor = async (may: string): Promise<string> => {
    const { out } = await kit.gateway.word("pair token", [may], { may, json: true });
    return (JSON.parse(out) as { token: string }).token;
  };
  const [talk, read] = [await tokenFor("talk"), await tokenFor("read")];
  const path = "/api/agents/explain?user=telegram:42";
  expect((await kit.gateway.ask("/api/agents", { token: talk })).status).toBe(403);
  expect((await kit.gateway.ask(path, { token: talk })).status).toBe(403);
  const { json } = await kit.gateway.ask(path, { token: read });
  expect(json).toMatchObject({ agent: "clerk", fits: [2, 1] });
  const { status, json: bad } = await kit.gateway.ask("/api/agents/explain?user=", { token: read });
  expect([status, bad.error.code]).toEqual([400, "ROUTE_USER"]);
});

test.runIf(hasChromium)(
  `AGT-14: the console shows agents and routes, and explains who answers somebody${without}`,
  async () => {
    await using kit = await startConsole({ config });
    await using tab = await openTab(browser, kit.gateway, { width: 360 });
    const page = await enter(tab, kit);
    await show(page, "Agents");
    await page.getByRole("heading", { name: "painter" }).waitFor();
    await page.getByLabel("Person at a channel").fill("telegram:42");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("telegram:42 is answered by the agent clerk").waitFor();
    expect(await tab.findings()).toEqual([]);
    expect(tab.faults).toEqual([]);
  },
);
