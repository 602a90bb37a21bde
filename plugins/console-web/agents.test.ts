import { expect, test } from "vitest";
import { show } from "./browser.test-kit.ts";
import { startConsole, tokenFor } from "./console.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

const config = {
  agents: { painter: { model: "told-2", tools: ["paint"] }, clerk: {} },
  routes: [
    { channel: "telegram", agent: "painter" },
    { channel: "telegram", person: 42, agent: "clerk" },
  ],
};

test("AGT-14: /api/agents and its explanation want the scope read", async () => {
  await using kit = await startConsole({ config });
  const [{ token: talk }, { token: read }] = [await tokenFor(kit, "talk"), await tokenFor(kit, "read")];
  const path = "/api/agents/explain?user=telegram:42";
  expect((await kit.gateway.ask("/api/agents", { token: talk })).status).toBe(403);
  expect((await kit.gateway.ask(path, { token: talk })).status).toBe(403);
  const { json } = await kit.gateway.ask(path, { token: read });
  expect(json).toMatchObject({ agent: "clerk", fits: [2, 1] });
  const { status, json: bad } = await kit.gateway.ask("/api/agents/explain?user=", { token: read });
  expect([status, bad.error.code]).toEqual([400, "ROUTE_USER"]);
});

inBrowser(
  "AGT-14: the console shows agents and routes, and explains who answers somebody",
  async ({ open }) => {
    const { page, findings } = await open({ config, width: 360 });
    await show(page, "Agents");
    await page.getByRole("heading", { name: "painter" }).waitFor();
    await page.getByLabel("Person at a channel").fill("telegram:42");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("telegram:42 is answered by the agent clerk").waitFor();
    expect(await findings()).toEqual([]);
  },
);
