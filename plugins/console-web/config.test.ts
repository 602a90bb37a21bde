import { readFileSync } from "node:fs";
import path from "node:path";
import type { Audit, ConfigFile, RouteRequest } from "@gantry/sdk";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { configWork } from "./config-work.ts";
import { pairBy, show } from "./browser.test-kit.ts";
import { startConsole, tokenFor } from "./console.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";
import { serveConsole, type Served } from "./served.test-kit.ts";

/** The service answers nobody for a moment while it applies its file. */
const expected = ["net::ERR"];

inBrowser("WEB-08: a change by a form is tried and shown before it is written", async ({ tab }) => {
  await using served = await serveConsole("# mine\n");
  const { page, findings } = await tab(served, { expected });
  await pairBy(page, served.address);
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
  await pairBy(page, served.address);
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
    await pairBy(page, served.address);
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

/** Pairs a device by the address that the service has printed. */
async function ownerOf(served: Served) {
  const [, code = ""] = served.address.split("#code=");
  const json = { "content-type": "application/json" };
  const paired = await fetch(`${served.url}/pair`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ code }),
  });
  const { token, device_id } = (await paired.json()) as { token: string; device_id: string };
  const ask = async (method: string, at: string, changes: object): Promise<unknown> => {
    const headers = { ...json, authorization: `Bearer ${token}` };
    const asked = await fetch(`${served.url}${at}`, { method, headers, body: JSON.stringify({ changes }) });
    return asked.json();
  };
  const changes = (): readonly Record<string, unknown>[] => {
    const lines = readFileSync(path.join(path.dirname(served.file), "audit.jsonl"), "utf8");
    const records = lines.trim().split("\n");
    return records
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ event_type }) => event_type === "config_change");
  };
  return { user: `http:${device_id}`, ask, changes };
}

test("WEB-08: a change and its trial are audited with values, as the device that made them", async () => {
  await using served = await serveConsole();
  const { user, ask, changes } = await ownerOf(served);
  const values = { "agent.autonomy_level": "autonomous" };
  expect(await ask("POST", "/api/config/trial", values)).toEqual({ ok: true });
  expect(await ask("PATCH", "/api/config", values)).toEqual({ written: ["agent.autonomy_level"] });
  expect(changes()).toMatchObject([
    { user, result: "trial", args: { values } },
    { user, result: "written", args: { values } },
  ]);
});

test("WEB-08: a trial that fails stands in the audit all the same", async () => {
  await using served = await serveConsole();
  const { ask, changes } = await ownerOf(served);
  await ask("POST", "/api/config/trial", { extra_plugins: ["./nobody.js"] });
  expect(changes()).toMatchObject([
    { result: "trial", args: { values: { extra_plugins: ["./nobody.js"] } } },
  ]);
});

test("WEB-08: no trial, change or reload by a token without each scope", async () => {
  await using kit = await startConsole();
  const body = { changes: { extra_plugins: ["./nobody.js"] } };
  for (const missing of ["talk", "read", "decide", "manage"]) {
    const may = ["talk", "read", "decide", "manage"].filter((one) => one !== missing).join();
    const { token } = await tokenFor(kit, may);
    const asked = await Promise.all([
      kit.gateway.ask("/api/config/trial", { token, body }),
      kit.gateway.ask("/api/config", { token, body, method: "PATCH" }),
      kit.gateway.ask("/api/config/reload", { token, method: "POST" }),
    ]);
    const told = asked.map(({ status, json }) => [status, json.error.code, json.error.message]);
    const one = [403, "SCOPE_MISSING", expect.stringContaining("--may manage,talk,read,decide")];
    expect([missing, told]).toEqual([missing, [one, one, one]]);
  }
});

inBrowser("WEB-08: a token without each scope sees the configuration, and why it stays", async ({ open }) => {
  const { page, findings } = await open({ may: "manage", expected: ["status of 403"] });
  await page.route("**/api/config", (asked) =>
    asked.fulfill({ json: { schema: numberOnly, values: { kiln: 5 } } }),
  );
  await show(page, "Configuration");
  await page.getByText("A change needs a token with all scopes: talk, read, decide, manage.").waitFor();
  await page.getByRole("searchbox", { name: "Find a key" }).fill("kiln");
  expect(await page.getByRole("spinbutton", { name: "kiln" }).isDisabled()).toBe(true);
  expect(await findings()).toEqual([]);
});

const numberOnly = { type: "object", properties: { kiln: { type: "integer", description: "Its heat." } } };

const part = fc.stringMatching(/^[a-z]{1,8}$/);
const secret = fc.constantFrom("api_key", "botToken", "PGPASSWORD", "SOME_TOKEN", "cookie");
const spelled = fc.constantFrom<(part: string) => string>(
  (name) => name,
  (name) => `"${name}"`,
  (name) => `'${name}'`,
  (name) => `"\\${name}"`,
);

test("WEB-08: no spelling of a key, and no depth of a value, takes a secret", async () => {
  const file = { trial: async () => {}, set: async () => {} } as unknown as ConfigFile;
  const { tryConfig, writeConfig } = configWork(file, { record: async () => {} } as unknown as Audit);
  const each = fc.asyncProperty(
    fc.array(part, { maxLength: 3 }),
    secret,
    spelled,
    fc.nat(3),
    async (above, name, spell, deep) => {
      const path = [...above, name];
      const keys = path
        .slice(0, Math.max(1, path.length - deep))
        .map(spell)
        .join(".");
      const inner = path.slice(Math.max(1, path.length - deep));
      const value = inner.reduceRight<unknown>((at, key) => ({ [key]: [at] }), "hunter2");
      const asked = { body: { changes: { [keys]: value } } } as RouteRequest;
      await expect(tryConfig(asked)).rejects.toMatchObject({ code: "CONSOLE_SECRET_KEY" });
      await expect(writeConfig(asked)).rejects.toMatchObject({ code: "CONSOLE_SECRET_KEY" });
    },
  );
  await fc.assert(each);
});

test("WEB-08: what only looks like a secret is taken", async () => {
  const taken: unknown[] = [];
  const set = async (changes: unknown) => void taken.push(changes);
  const { writeConfig } = configWork({ set } as unknown as ConfigFile, {} as Audit);
  const changes = { "jobs.x": { prompt: "hi", every: "1m" }, "budget.tokens_per_day": 5 };
  await writeConfig({ body: { changes } } as unknown as RouteRequest);
  expect(taken).toEqual([changes]);
});
