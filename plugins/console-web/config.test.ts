import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { show } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";
import { serveConsole } from "./served.test-kit.ts";

/** The service answers nobody for a moment while it applies its file. */
const expected = ["net::ERR"];

inBrowser("WEB-08: a change by a form is tried and shown before it is written", async ({ tab }) => {
  await using served = await serveConsole("# mine\n");
  const { page, findings } = await tab(served, { expected });
  await page.goto(served.address);
  await show(page, "Configuration");
  await page.getByRole("searchbox", { name: "Find a key" }).fill("autonomy_level");
  await page.getByRole("combobox", { name: "agent.autonomy_level" }).selectOption("autonomous");
  await page.getByRole("button", { name: "Try and show changes" }).click();
  await page.getByRole("deletion").waitFor();
  expect(await findings()).toEqual([]);
  expect(readFileSync(served.file, "utf8")).not.toContain("autonomous");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved and applied.").waitFor();
  expect(readFileSync(served.file, "utf8")).toMatch(/# mine[^]*autonomy_level = "autonomous"/);
});

inBrowser("WEB-08: saving names the keys that count after a restart", async ({ tab }) => {
  await using served = await serveConsole();
  const { page, findings } = await tab(served, { expected });
  await page.goto(served.address);
  await show(page, "Configuration");
  await page.getByRole("searchbox", { name: "Find a key" }).fill("service.max_open_files");
  await page.getByRole("spinbutton", { name: "service.max_open_files" }).fill("4096");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Try and show changes" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. These keys count after a restart: service.max_open_files.").waitFor();
  expect(await findings()).toEqual([]);
});

inBrowser(
  "WEB-09: from Usage a budget is set in the configuration, and shown there then",
  async ({ tab }) => {
    await using served = await serveConsole();
    const { page, findings } = await tab(served, { expected });
    await page.goto(served.address);
    await show(page, "Usage");
    await page.getByText("No budget is set.").waitFor();
    await page.getByRole("link", { name: "Set a budget" }).click();
    await page.getByRole("spinbutton", { name: "budget.tokens_per_day" }).fill("500000");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Try and show changes" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/^Saved/).waitFor();
    expect(await findings()).toEqual([]);
    await show(page, "Usage");
    await page.getByText("budget.tokens_per_day").waitFor();
  },
);

test("WEB-08: a change of the configuration is audited as the device that made it", async () => {
  await using served = await serveConsole();
  const [, code = ""] = served.address.split("#code=");
  const json = { "content-type": "application/json" };
  const paired = await fetch(`${served.url}/pair`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ code }),
  });
  const { token, device_id } = (await paired.json()) as { token: string; device_id: string };
  const changed = await fetch(`${served.url}/api/config`, {
    method: "PATCH",
    headers: { ...json, authorization: `Bearer ${token}` },
    body: JSON.stringify({ changes: { "agent.autonomy_level": "autonomous" } }),
  });
  expect(await changed.json()).toEqual({ written: ["agent.autonomy_level"] });
  const lines = readFileSync(path.join(path.dirname(served.file), "audit.jsonl"), "utf8");
  const records = lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const written = records.find(({ result }) => result === "written");
  expect(written).toMatchObject({ event_type: "config_change", user: `http:${device_id}` });
});
