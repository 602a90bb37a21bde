import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Store, textParts } from "@gantry/sdk";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  enter,
  hasChromium,
  openTab,
  send,
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

const hostile = [
  `<img src=x onerror="document.title='owned'"> <script>document.title="owned"</script>`,
  "[go](javascript:document.title='owned') ![p](https://evil.example/p.png) [d](data:text/html,x)",
].join("\n\n");

const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==";

test.runIf(hasChromium)(
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
    await page.getByText(/Nothing is wrong|Something is wrong/).waitFor();
    expect(tab.faults).toEqual([]);
  },
);

test.runIf(hasChromium)(
  `WEB-02: a code in the address pairs, and is gone from address and history${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit);
    expect(page.url()).toBe(`${kit.gateway.url}/console`);
    expect(await page.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([1, 0]);
    await show(page, "Health");
    await page.goBack();
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    expect(page.url()).toBe(`${kit.gateway.url}/console`);
    expect(tab.faults).toEqual([]);
  },
);

test.runIf(hasChromium)(
  `WEB-02: a wrong code is told, a remembered device stays, signing out ends its token${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway, { refusals: [400, 401, 403] });
    const { page } = tab;
    await page.goto(`${kit.gateway.url}/console`);
    await page.getByLabel("Pairing code").fill("000000");
    await page.getByRole("button", { name: "Pair" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Pairing code").fill((await kit.gateway.word("pair new")).out.trim());
    await page.getByLabel("Remember this device").check();
    await page.getByRole("button", { name: "Pair" }).click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    const kept = await page.evaluate(() => localStorage.getItem("gantry.account"));
    const { token } = JSON.parse(kept ?? "") as { token: string };
    expect((await kit.gateway.ask("/api/turns", { token })).status).toBe(200);
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Signed out.").waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    expect((await kit.gateway.ask("/api/turns", { token })).status).toBe(401);
    expect(tab.faults).toEqual([]);
  },
);

test.runIf(hasChromium)(`WEB-03: a reload in the middle of a turn loses no character${without}`, async () => {
  await using kit = await startConsole();
  await using tab = await openTab(browser, kit.gateway);
  const page = await enter(tab, kit);
  await send(page, "tell me slowly");
  await kit.model.begun;
  kit.model.say("one ", "two ");
  await page.getByText("one two").waitFor();
  await page.reload();
  kit.model.say("three ");
  await page.getByText("one two three").waitFor();
  kit.model.say("**four**");
  kit.model.end();
  await page.getByText("four", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  const answer = page.getByRole("article", { name: "Gantry" });
  expect(await answer.allInnerTexts()).toEqual(["one two three four"]);
  expect(tab.faults).toEqual([]);
});

test.runIf(hasChromium)(
  `WEB-03: a turn goes on while another conversation is shown, and Stop ends it${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit);
    await send(page, "tell me slowly");
    await kit.model.begun;
    const first = page.url();
    await page.getByRole("button", { name: "New conversation" }).click();
    await send(page, "hello");
    await page.getByText("Heard.").waitFor();
    kit.model.say("meanwhile ");
    await page.goto(first);
    await page.getByText("meanwhile").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Send" }).waitFor();
    expect(tab.faults).toEqual([]);
  },
);

test.runIf(hasChromium)(
  `WEB-03: what a model and a person say is text, and loads nothing${without}`,
  async () => {
    await using kit = await startConsole({ answers: { poison: hostile } });
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit);
    await send(page, `poison ${hostile}`);
    await page.getByRole("link", { name: "p", exact: true }).waitFor();
    const chat = page.getByRole("log");
    expect(await chat.locator("img, script, iframe").count()).toBe(0);
    const links = await chat.locator("a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
    expect(links).toEqual(["https://evil.example/p.png"]);
    await show(page, "Sessions");
    await page.getByRole("link", { name: /<img src=x/ }).waitFor();
    expect(await page.title()).not.toContain("owned");
    expect(tab.faults).toEqual([]);
  },
);

test.runIf(hasChromium)(
  `WEB-03: a pasted picture is sent with the message, and shown after a reload${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit);
    await page.getByRole("textbox", { name: "Message" }).evaluate((field, data) => {
      const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
      const { ClipboardEvent, DataTransfer } = globalThis as any;
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], "dot.png", { type: "image/png" }));
      field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, dot);
    await page.getByText("dot.png").waitFor();
    await send(page, "what is this?");
    await page.getByText("Heard.").waitFor();
    await page.reload();
    const picture = page.getByRole("img", { name: "dot.png" });
    await picture.waitFor();
    expect(await picture.getAttribute("src")).toMatch(/^data:image\/png;base64,/);
    expect(tab.faults).toEqual([]);
  },
);

test.runIf(hasChromium)(
  `WEB-04: a question of another channel is asked with the host's words, the focus on Deny${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit, { name: "mine" });
    await kit.telegram.receive({ text: "run over the fence", from: "42" });
    await page.getByRole("link", { name: "1 question waits" }).click();
    const asked = page.getByRole("alertdialog", { name: "May paint run this?" });
    await asked.getByText("Paint cannot be taken back.").waitFor();
    const focused = () => page.locator(":focus").textContent();
    await expect.poll(focused).toBe("Deny");
    expect(await tab.findings()).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page
      .getByText(/^Allowed/)
      .first()
      .waitFor();
    await expect.poll(() => kit.ran).toEqual(["over the fence"]);
    expect(tab.faults).toEqual([]);
  },
);

test.runIf(hasChromium)(
  `WEB-04: what another tab decides is greyed here, with who decided it${without}`,
  async () => {
    await using kit = await startConsole();
    await using one = await openTab(browser, kit.gateway);
    await using other = await openTab(browser, kit.gateway);
    const [here, there] = [await enter(one, kit), await enter(other, kit)];
    await show(here, "Approvals");
    await send(there, "run red");
    await here.getByRole("alertdialog").waitFor();
    await there.getByRole("alertdialog").getByRole("button", { name: "Deny" }).click();
    await here.getByText(/^Denied by http:d/).waitFor();
    expect(await here.getByRole("button", { name: "Allow", exact: true }).count()).toBe(0);
    expect(kit.ran).toEqual([]);
    expect([...one.faults, ...other.faults]).toEqual([]);
  },
);

test.runIf(hasChromium)(
  `WEB-05: sessions of every channel are paged, searched, read, exported and erased${without}`,
  async () => {
    await using kit = await startConsole();
    const { sessions } = kit.gateway.host.slot(Store);
    for (let at = 0; at < 60; at += 1)
      await sessions.append(`telegram:${at}`, [{ role: "user", parts: textParts(`kettle ${at}`) }]);
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit);
    await show(page, "Sessions");
    const rows = page.getByRole("link", { name: /^kettle/ });
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => rows.count()).toBe(60);
    await page.getByRole("searchbox").fill("KETTLE 17");
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole("link", { name: "kettle 17" }).click();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export" }).click(),
    ]);
    expect(JSON.parse(readFileSync(await saved.path(), "utf8"))).toMatchObject({ id: "telegram:17" });
    await page.getByRole("button", { name: "Erase" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Erase" }).click();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    expect(await sessions.access("telegram:17")).toBeUndefined();
    expect(tab.faults).toEqual([]);
  },
);

test.runIf(hasChromium)(
  `WEB-06: the audit is filtered, and its verification names the first changed line${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit);
    await send(page, "run freely");
    await page.getByText("That is painted.").waitFor();
    await show(page, "Audit");
    await page.getByRole("combobox", { name: "Type" }).selectOption("tool_result");
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    await page.getByRole("button", { name: "Verify the chain" }).click();
    await page.getByText(/^The chain holds: \d+ records\.$/).waitFor();
    const file = path.join(kit.gateway.host.configDir, "audit.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace('"code made"', '"code mode"'));
    await page.getByRole("button", { name: "Verify the chain" }).click();
    await page.getByText(/^Broken at line 1 of /).waitFor();
    expect(tab.faults).toEqual([]);
  },
);

test.runIf(hasChromium)(
  `WEB-07: the plugins view tells who fills a slot and who needs it${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit);
    await show(page, "Plugins");
    await page.getByRole("searchbox").fill("audit-sinks");
    await page.getByText("Slots (").click();
    const slot = page.getByRole("listitem").filter({ has: page.getByText("audit-sinks", { exact: true }) });
    await slot.filter({ hasText: "filled by audit-file" }).first().waitFor();
    await expect.poll(() => page.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual(["audit-file"]);
    expect(tab.faults).toEqual([]);
  },
);

test.runIf(hasChromium)(`WEB-09: usage is shown by day, model and person${without}`, async () => {
  await using kit = await startConsole();
  await using tab = await openTab(browser, kit.gateway);
  const page = await enter(tab, kit);
  await send(page, "hello");
  await page.getByText("Heard.").waitFor();
  await show(page, "Usage");
  await page.getByRole("img", { name: /: 1,540 tokens$/ }).waitFor();
  await page.getByRole("combobox").selectOption("user");
  await page.getByRole("rowheader", { name: /^http:d/ }).waitFor();
  expect(tab.faults).toEqual([]);
});

test.runIf(hasChromium)(
  `WEB-10: a code is made with some scopes, and a device is revoked${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway);
    await using other = await openTab(browser, kit.gateway, { refusals: [401, 403] });
    const page = await enter(tab, kit);
    await show(page, "Devices");
    for (const scope of ["manage", "decide", "read"])
      await page.getByLabel(new RegExp(`^${scope}:`)).uncheck();
    await page.getByRole("button", { name: "Make a code" }).click();
    const code = (await page.locator("strong.code").innerText()).trim();
    await other.page.goto(`${kit.gateway.url}/console/audit#code=${code}`);
    await other.page.getByText("This page needs a token with the scope “read”.").waitFor();
    await page.reload();
    await page.getByRole("row").filter({ hasNotText: "this browser" }).last().getByRole("button").click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    await other.page.reload();
    await other.page.getByText("does not count any more").waitFor();
    expect([...tab.faults, ...other.faults]).toEqual([]);
  },
);

const listedViews = [
  "Sessions",
  "Approvals",
  "Jobs",
  "Agents",
  "Usage",
  "Audit",
  "Health",
  "Plugins",
  "Devices",
];

test.runIf(hasChromium).each([
  { width: 1280, dark: false },
  { width: 360, dark: true },
])(`WEB-11: axe finds nothing on any page at $width px, dark: $dark${without}`, async (look) => {
  const jobs = { tea: { every: "6h", prompt: "Make tea." } };
  await using kit = await startConsole({ config: { jobs } });
  await using tab = await openTab(browser, kit.gateway, look);
  const page = await enter(tab, kit);
  await send(page, "run freely");
  await page.getByText("That is painted.").waitFor();
  const found = [...(await tab.findings())];
  for (const name of listedViews) {
    await show(page, name);
    await page.locator(".view .busy").first().waitFor({ state: "detached" });
    found.push(...(await tab.findings()).map((one) => `${name}: ${one}`));
    const wider = await page.locator("html").evaluate((root) => root.scrollWidth - root.clientWidth);
    if (wider > 0) found.push(`${name} is ${wider} px too wide`);
  }
  expect([...found, ...tab.faults]).toEqual([]);
});

test.runIf(hasChromium)(
  `WEB-11: a lost connection is told, and the page goes on once it is back${without}`,
  async () => {
    await using kit = await startConsole();
    await using tab = await openTab(browser, kit.gateway);
    const page = await enter(tab, kit);
    await show(page, "Health");
    await page.getByText(/Nothing is wrong|Something is wrong/).waitFor();
    await tab.context.setOffline(true);
    await page.getByRole("button", { name: "Run doctor" }).click();
    await page.getByText("The connection to the service is lost. Trying again…").waitFor();
    await tab.context.setOffline(false);
    await page.getByRole("button", { name: "Run doctor" }).click();
    await page
      .getByText("The connection to the service is lost. Trying again…")
      .waitFor({ state: "detached" });
    expect(tab.faults.filter((one) => !one.includes("net::ERR"))).toEqual([]);
  },
);

test.runIf(hasChromium)(`WEB-12: the first load is at most 40 KB compressed${without}`, async () => {
  await using kit = await startConsole();
  await using tab = await openTab(browser, kit.gateway);
  const sizes: Promise<number>[] = [];
  tab.page.on("requestfinished", (request) => {
    if (request.url().includes("/console"))
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  const page = await enter(tab, kit);
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  const bytes = (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
  expect(sizes.length).toBeGreaterThan(2);
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThanOrEqual(40 * 1024);
});
