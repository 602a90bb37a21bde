import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Store, textParts } from "@gantry/sdk";
import { expect } from "vitest";
import { pairBy, send, show } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

inBrowser(
  "WEB-05: sessions of every channel are paged, searched, read, exported and erased",
  async ({ open, start }) => {
    const kit = await start();
    const { sessions } = kit.gateway.host.slot(Store);
    for (let at = 0; at < 60; at += 1)
      await sessions.append(`telegram:${at}`, [{ role: "user", parts: textParts(`kettle ${at}`) }]);
    const { page } = await open({ kit });
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
    const exported = JSON.parse(readFileSync(await saved.path(), "utf8"));
    expect(exported).toMatchObject({ id: "telegram:17" });
    await page.getByRole("button", { name: "Erase" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Erase" }).click();
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    expect(await sessions.access("telegram:17")).toBeUndefined();
  },
);

inBrowser(
  "WEB-06: the audit is filtered, and its verification names the first changed line",
  async ({ open }) => {
    const { page, kit } = await open();
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
  },
);

inBrowser("WEB-06: the row of a refusal in the audit says why, in a sentence", async ({ open }) => {
  const { page } = await open();
  await send(page, "run red");
  await page.getByRole("alertdialog").getByRole("button", { name: "Deny" }).click();
  await page.getByText("That is painted.").waitFor();
  await show(page, "Audit");
  const refusal = page.getByRole("row").filter({ hasText: "security_refusal" });
  await refusal
    .getByRole("paragraph")
    .filter({ hasText: /[a-z] .*\.$/ })
    .waitFor();
});

inBrowser("WEB-07: the plugins view tells who fills a slot and who needs it", async ({ open }) => {
  const { page } = await open();
  await show(page, "Plugins");
  await page.getByRole("searchbox").fill("audit-sinks");
  await page.getByText("Slots (").click();
  const named = page.getByText("audit-sinks", { exact: true });
  const slot = page.getByRole("listitem").filter({ has: named });
  await slot.filter({ hasText: "filled by audit-file" }).first().waitFor();
  const shown = () => page.getByRole("heading", { level: 3 }).allInnerTexts();
  await expect.poll(shown).toEqual(["audit-file"]);
});

inBrowser("WEB-09: usage is shown by day, model and person", async ({ open }) => {
  const { page, kit } = await open();
  await send(page, "hello");
  await page.getByText("Heard.").waitFor();
  const { usage } = kit.gateway.host.slot(Store);
  const row = { user: "telegram:42", session: "s", purpose: "turn", provider: "told", model: "old", ms: 1 };
  const tokens = { input: 1, output: 1, cached: 0, micros: 0, outcome: "ok" } as const;
  await usage.add({ ...row, ...tokens, at: Date.now() - 10 * 86_400_000 });
  await show(page, "Usage");
  await page.getByRole("img", { name: /: 1,540 tokens$/ }).waitFor();
  await page.getByRole("combobox", { name: "By" }).selectOption("user");
  await page.getByRole("rowheader", { name: "telegram:42" }).waitFor();
  await page.getByRole("combobox", { name: "Days" }).selectOption("Last 7 days (UTC)");
  await page.getByRole("rowheader", { name: "telegram:42" }).waitFor({ state: "detached" });
  await page.getByRole("rowheader", { name: /^http:d/ }).waitFor();
});

inBrowser("WEB-10: a code is made with some scopes, and a device is revoked", async ({ open, tab }) => {
  const { page, kit } = await open();
  await show(page, "Devices");
  for (const scope of ["manage", "decide", "read"]) await page.getByLabel(new RegExp(`^${scope}:`)).uncheck();
  await page.getByRole("button", { name: "Make a code" }).click();
  const code = (await page.locator("strong.code").innerText()).trim();
  const other = await tab(kit.gateway, { expected: ["status of 401", "status of 403"] });
  await pairBy(other.page, `${kit.gateway.url}/console/audit#code=${code}`);
  await other.page.getByText("This page needs a token with the scope “read”.").waitFor();
  await page.reload();
  const others = page.getByRole("row").filter({ hasNotText: "this browser" });
  await others.last().getByRole("button").click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  await other.page.reload();
  await other.page.getByText("does not count any more").waitFor();
});
