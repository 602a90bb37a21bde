import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  enter,
  hasChromium,
  openTab,
  send,
  serveConsole,
  show,
  startBrowser,
  startConsole,
  without,
} from "./console.test-kit.ts";

const shown = test.runIf(hasChromium);
let browser: Browser & AsyncDisposable;

beforeAll(async () => {
  if (hasChromium) browser = await startBrowser();
});
afterAll(() => browser?.[Symbol.asyncDispose]());

shown(
  `GW-09: in a browser: pair, chat with a tool, approve, read audit, plugins and status${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit);
    await send(page, "please run blue");
    await page.getByRole("alertdialog").getByRole("button", { name: "Allow", exact: true }).click();
    await page.getByText("That is painted.").waitFor();
    expect(kit.ran).toEqual(["blue"]);
    await show(page, "Audit");
    await page.getByRole("cell", { name: "approved" }).first().waitFor();
    await show(page, "Plugins");
    await page.getByRole("heading", { name: "store-sqlite" }).waitFor();
    await show(page, "Health");
    await page.getByText("All is well.").or(page.getByText("Something is wrong.")).waitFor();
    expect(tab.faults).toEqual([]);
  },
);

shown(
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
    expect(readFileSync(served.file, "utf8")).not.toContain("autonomous");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved and applied.").waitFor();
    expect(readFileSync(served.file, "utf8")).toMatch(/# mine[^]*autonomy_level = "autonomous"/);
    expect(tab.faults).toEqual([]);
  },
);
