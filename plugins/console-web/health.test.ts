import { chmodSync, statSync } from "node:fs";
import { Checks, definePlugin, type CheckRow } from "@gantry/sdk";
import { Redactors } from "@gantry/sdk/fill";
import { expect, test } from "vitest";
import { pairBy, show } from "./browser.test-kit.ts";
import { startConsole, tokenFor } from "./console.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";
import { serveConsole } from "./served.test-kit.ts";

const close = "Close it to other users";
const modeOf = (folder: string): number => statSync(folder).mode & 0o777;

inBrowser(
  "WEB-10: a safe cure is a button, whose deed is done and audited as the device's",
  async ({ open, start }) => {
    const kit = await start();
    const { configDir, audit } = kit.gateway.host;
    chmodSync(configDir, 0o755);
    const { page, findings } = await open({ kit });
    await show(page, "Health");
    const button = page.getByRole("button", { name: `${close}: config directory` });
    await button.waitFor();
    expect(await findings()).toEqual([]);
    await button.click();
    await button.waitFor({ state: "detached" });
    expect(modeOf(configDir)).toBe(0o700);
    const args = { check: "config directory", fix: close };
    const user = expect.stringMatching(/^http:d/) as string;
    expect(audit).toContainEqual(expect.objectContaining({ args, result: "fixed", user }));
  },
);

inBrowser("WEB-10: a token without manage sees a cure's words and no button", async ({ open, start }) => {
  const kit = await start();
  chmodSync(kit.gateway.host.configDir, 0o755);
  const { page } = await open({ kit, may: "read" });
  await show(page, "Health");
  await page.getByText(/Cure: Run chmod 700/).waitFor();
  expect(await page.getByRole("button", { name: close }).count()).toBe(0);
  expect(await page.getByRole("button", { name: "Follow the log" }).count()).toBe(0);
});

test("WEB-10: a cure that its row offers no more is refused, and nothing is done", async () => {
  await using kit = await startConsole();
  const { token } = await tokenFor(kit, "manage");
  const body = { what: "config directory", fix: close };
  const { configDir, audit } = kit.gateway.host;
  chmodSync(configDir, 0o500);
  const { status, json } = await kit.gateway.ask("/api/doctor/fix", { token, body });
  expect([status, json.error.code]).toEqual([403, "DOCTOR_NO_FIX"]);
  expect(modeOf(configDir)).toBe(0o500);
  chmodSync(configDir, 0o700);
  expect(audit.filter(({ result }) => result === "fixed")).toEqual([]);
});

inBrowser("WEB-10: an alert is shown as it begins, and that it is over", async ({ open }) => {
  const secret = "canary-4711";
  let row: CheckRow = { what: "kiln", state: "fail", detail: `it is cold, ${secret}` };
  const kiln = definePlugin({
    name: "kiln",
    provides: [Checks, Redactors],
    setup(host) {
      host.provide(Checks, { name: "kiln", kind: "ready", run: async () => [row] });
      host.provide(Redactors, {
        name: "kiln",
        redact: (text) => text.replaceAll(secret, "-"),
        holdBack: 0,
      });
    },
  });
  const config = { alerts: { every_seconds: 1, tell_owner: false } };
  const { page } = await open({ plugins: [kiln], config });
  const alert = page.getByRole("listitem").filter({ has: page.getByText("kiln", { exact: true }) });
  const shown = async (words: string): Promise<number> => {
    await page.reload();
    await page.getByRole("heading", { name: "Alerts" }).waitFor();
    return alert.filter({ hasText: words }).count();
  };
  await show(page, "Health");
  await expect.poll(() => shown("goes on")).toBe(1);
  expect(await alert.innerText()).not.toContain(secret);
  row = { what: "kiln", state: "ok", detail: "it is warm" };
  await expect.poll(() => shown("over since")).toBe(1);
});

inBrowser("WEB-10: the log is followed as it is written, in the words of stderr", async ({ tab }) => {
  await using served = await serveConsole();
  const { page, findings } = await tab(served, { expected: ["net::ERR"] });
  await pairBy(page, served.address);
  await show(page, "Health");
  await page.getByRole("button", { name: "Follow the log" }).click();
  await page.getByText("Following…").waitFor();
  const kept = await page.evaluate(() => sessionStorage.getItem("gantry.account"));
  const { token } = JSON.parse(kept ?? "") as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  await fetch(`${served.url}/api/config/reload`, { method: "POST", headers });
  const line = page.getByRole("log", { name: "Log" }).getByRole("paragraph").first();
  await line.waitFor();
  expect(await findings()).toEqual([]);
  const [, words = ""] = /(?:debug|info|warn|error)\s+(.*)$/s.exec(await line.innerText()) ?? [];
  expect(words.length).toBeGreaterThan(10);
  // The name of the plugin stands before its words.
  expect(served.said()).toContain(words.replace(/^[a-z-]+\s+/, "").trim());
});
