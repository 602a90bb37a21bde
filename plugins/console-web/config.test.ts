import { readFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  hasChromium,
  openTab,
  serveConsole,
  show,
  startBrowser,
  startConsole,
  without,
} from "./console.test-kit.ts";

let browser: Browser & AsyncDisposable;

beforeAll(async () => {
  if (hasChromium) browser = await startBrowser();
});
afterAll(() => browser?.[Symbol.asyncDispose]());

/** The service answers nobody for a moment while it applies its file. */
const isFault = (fault: string): boolean => !fault.includes("net::ERR");

test.runIf(hasChromium)(
  `WEB-08: configuration is changed by a form: a trial and what differs come before it is written${without}`,
  async () => {
    await using served = await serveConsole("# mine\n");
    await using tab = await openTab(browser, served);
    const { page } = tab;
    await page.goto(served.address);
    await show(page, "Configuration");
    await page.getByRole("searchbox", { name: "Find a key" }).fill("autonomy_level");
    await page.getByRole("combobox", { name: "agent.autonomy_level" }).selectOption("autonomous");
    await page.getByRole("button", { name: "Try and show changes" }).click();
    await page.getByRole("deletion").waitFor();
    expect(await tab.findings()).toEqual([]);
    expect(readFileSync(served.file, "utf8")).not.toContain("autonomous");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved and applied.").waitFor();
    expect(readFileSync(served.file, "utf8")).toMatch(/# mine[^]*autonomy_level = "autonomous"/);
    expect(tab.faults.filter(isFault)).toEqual([]);
  },
);

test.runIf(hasChromium)(`WEB-08: saving names the keys that count after a restart${without}`, async () => {
  await using served = await serveConsole();
  await using tab = await openTab(browser, served);
  const { page } = tab;
  await page.goto(served.address);
  await show(page, "Configuration");
  await page.getByRole("searchbox", { name: "Find a key" }).fill("service.max_open_files");
  await page.getByRole("spinbutton", { name: "service.max_open_files" }).fill("4096");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Try and show changes" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. These keys count after a restart: service.max_open_files.").waitFor();
  expect(await tab.findings()).toEqual([]);
  expect(tab.faults.filter(isFault)).toEqual([]);
});

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

test.runIf(hasChromium)(`WEB-11: axe finds nothing on the page that pairs${without}`, async () => {
  await using kit = await startConsole();
  await using tab = await openTab(browser, kit.gateway, { width: 360, dark: true });
  await tab.page.goto(`${kit.gateway.url}/console`);
  await tab.page.getByLabel("Pairing code").waitFor();
  expect(await tab.findings()).toEqual([]);
  expect(tab.faults).toEqual([]);
});
