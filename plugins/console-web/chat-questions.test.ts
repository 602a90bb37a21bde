import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  enter,
  hasChromium,
  openTab,
  send,
  startBrowser,
  startConsole,
  without,
} from "./console.test-kit.ts";

let browser: Browser & AsyncDisposable;

beforeAll(async () => {
  if (hasChromium) browser = await startBrowser();
});
afterAll(() => browser?.[Symbol.asyncDispose]());

test.runIf(hasChromium)(`WEB-03: a tool's question for words is answered in the chat${without}`, async () => {
  await using kit = await startConsole();
  await using tab = await openTab(browser, kit.gateway);
  const page = await enter(tab, kit);
  await send(page, "run freely what I say");
  await page.getByLabel("Which <b>colour</b>?").fill("a deep blue");
  expect(await tab.findings()).toEqual([]);
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByText("That is painted.").waitFor();
  const answer = { action: "accept", content: { text: "a deep blue" } };
  expect(kit.ran).toEqual([JSON.stringify(answer), "freely what I say"]);
  expect(tab.faults).toEqual([]);
});

test.runIf(hasChromium)(
  `WEB-03: a tool's form is filled in in the chat, and a decline reaches the tool${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit);
    await send(page, "run freely by a form");
    await page.getByLabel("Colour").selectOption("green");
    await page.getByLabel("Coats").fill("2");
    expect(await page.getByRole("link", { name: "https://paint.example/colours" }).count()).toBe(1);
    expect(await tab.findings()).toEqual([]);
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByText("That is painted.").waitFor();
    await send(page, "run freely by a form");
    await page.getByRole("button", { name: "Decline" }).click();
    await page.getByText("That is painted.").nth(1).waitFor();
    const content = { glossy: false, colour: "green", coats: 2 };
    expect(JSON.parse(kit.ran[0] ?? "")).toEqual({ action: "accept", content });
    expect(kit.ran[2]).toBe(JSON.stringify({ action: "decline" }));
    expect(tab.faults).toEqual([]);
  },
);

test.runIf(hasChromium)(
  `WEB-04: what a tried call did is a diff in Chat and Approvals, and a yes makes it real${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit);
    await send(page, "run a wall <i>blue</i>");
    await page.getByRole("alertdialog").locator(".diff .gone", { hasText: "-as it was" }).waitFor();
    await page.getByRole("link", { name: /^Approvals/ }).click();
    const card = page.getByRole("alertdialog");
    await card.locator(".diff .added", { hasText: "+a wall <i>blue</i>" }).waitFor();
    expect(await tab.findings()).toEqual([]);
    expect(kit.ran).toEqual([]);
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await expect.poll(() => kit.ran).toEqual(["the wall"]);
    expect(tab.faults).toEqual([]);
  },
);
