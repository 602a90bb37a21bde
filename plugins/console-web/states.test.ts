import type { Page } from "playwright-core";
import { expect } from "vitest";
import { show } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

/** Each page: the route of what it shows, and the scope that this needs. */
const pages = [
  { name: "Chat", route: "/api/sessions", scope: "talk" },
  { name: "Approvals", route: "/api/approvals/events", scope: "decide" },
  { name: "Sessions", route: "/api/sessions", scope: "talk" },
  { name: "Jobs", route: "/api/jobs", scope: "read" },
  { name: "Agents", route: "/api/agents", scope: "read" },
  { name: "Extensions", route: "/api/openapi.json", scope: "read" },
  { name: "Usage", route: "/api/usage", scope: "read" },
  { name: "Audit", route: "/api/audit", scope: "read" },
  { name: "Health", route: "/api/status", scope: "read" },
  { name: "Plugins", route: "/api/plugins", scope: "read" },
  { name: "Configuration", route: "/api/config", scope: "manage" },
  { name: "Devices", route: "/api/devices", scope: "manage" },
] as const;

const lost = "The connection to the service is lost. Trying again…";

/** Goes to a page whose heading may not come. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
}

/** Tells of each page what it did not show. */
async function missedBy<T extends { readonly name: string }>(
  all: readonly T[],
  seen: (one: T) => Promise<void>,
): Promise<readonly string[]> {
  const missed: string[] = [];
  for (const one of all)
    await seen(one).catch((error: Error) => missed.push(`${one.name}: ${error.message}`));
  return missed;
}

/** Presses each button that tries again. */
async function tryAgain(page: Page): Promise<void> {
  const buttons = page.getByRole("button", { name: "Try again" });
  while ((await buttons.count()) > 0) {
    await buttons
      .first()
      .click({ timeout: 1_000 })
      .catch(() => {});
    await page.locator(".busy").first().waitFor({ state: "detached" });
  }
}

inBrowser("WEB-11: each page says that it loads, shows an error, and tries again", async ({ open }) => {
  const { page } = await open({ expected: ["status of 500"] });
  page.setDefaultTimeout(5_000);
  const missed = await missedBy(pages, async ({ name, route }) => {
    const at = (url: URL): boolean => url.pathname === route;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const error = { code: "STORE_FAILED", message: "The kiln is <b>cold</b>." };
    await page.route(at, async (asked) => {
      await held;
      await asked.fulfill({ status: 500, json: { error } });
    });
    await page.reload();
    await goTo(page, name);
    await page.getByRole("main").locator(".busy").first().waitFor();
    release();
    await page.getByText("This did not work: The kiln is <b>cold</b>.").first().waitFor();
    await page.unroute(at);
    await tryAgain(page);
    await page.getByText("This did not work").first().waitFor({ state: "detached" });
  });
  expect(missed).toEqual([]);
});

inBrowser("WEB-11: each page names the scope that its token lacks, and how to get it", async ({ open }) => {
  const { page: talker, kit } = await open({ may: "talk", expected: ["status of 403"] });
  const { page: reader } = await open({ kit, may: "read", expected: ["status of 403"] });
  const missed = await missedBy(pages, async ({ name, scope }) => {
    const page = scope === "talk" ? reader : talker;
    page.setDefaultTimeout(5_000);
    await goTo(page, name);
    await page.getByText(`This page needs a token with the scope “${scope}”.`).waitFor();
    await page.getByText(`gantry pair new --may ${scope}`).waitFor();
  });
  expect(missed).toEqual([]);
});

inBrowser("WEB-11: on each page a token that ended leads to pairing, with the reason", async ({ open }) => {
  const { page, kit } = await open({ expected: ["status of 401"] });
  page.setDefaultTimeout(5_000);
  const kept = await page.evaluate(() => sessionStorage.getItem("gantry.account") ?? "");
  const { device } = JSON.parse(kept) as { device: string };
  await kit.gateway.word("pair revoke", [device]);
  const missed = await missedBy(pages, async ({ name }) => {
    await page.evaluate((account) => sessionStorage.setItem("gantry.account", account), kept);
    await page.goto(`${kit.gateway.url}/console/${name.toLowerCase().slice(0, 6)}`);
    await page.getByText("does not count any more").waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
  expect(missed).toEqual([]);
});

inBrowser("WEB-11: on each page a lost connection is told, and is over once it is back", async ({ open }) => {
  const { page, context } = await open({ expected: ["net::ERR"] });
  page.setDefaultTimeout(5_000);
  for (const { name } of pages) await goTo(page, name);
  const missed = await missedBy(pages, async ({ name }) => {
    await goTo(page, name === "Jobs" ? "Agents" : "Jobs");
    await context.setOffline(true);
    await goTo(page, name);
    await page.getByText(lost).waitFor();
    await context.setOffline(false);
    await page.getByText(lost).waitFor({ state: "detached" });
  });
  expect(missed).toEqual([]);
});

inBrowser("WEB-11: a page that has nothing to show says so in words", async ({ open }) => {
  const { page } = await open();
  const missed = await missedBy(
    [
      { name: "Chat", words: "What can be done for you?" },
      { name: "Approvals", words: "Nothing waits for a decision." },
      { name: "Sessions", words: "No conversations." },
      { name: "Jobs", words: "There are no jobs." },
      { name: "Agents", words: "There is one assistant, and no agent beside it." },
      { name: "Extensions", words: "Nothing that needs your acceptance is loaded." },
      { name: "Usage", words: "No request to a model in these days." },
      { name: "Health", words: "No alert since the service started." },
    ],
    async ({ name, words }) => {
      page.setDefaultTimeout(5_000);
      await show(page, name);
      await page.getByText(words).waitFor();
    },
  );
  expect(missed).toEqual([]);
});

inBrowser(
  "WEB-11: what a service that stops has refused is asked again, and no code is shown",
  async ({ open }) => {
    const { page } = await open({ expected: ["status of 503"] });
    await show(page, "Devices");
    await page.getByText("this browser").waitFor();
    const left = { codes: 2 };
    const error = { code: "GATEWAY_STOPPING", message: "The gateway is stopping." };
    await page.route("**/api/devices/codes", async (asked) => {
      left.codes -= 1;
      return left.codes < 0 ? asked.continue() : asked.fulfill({ status: 503, json: { error } });
    });
    await page.getByRole("button", { name: "Make a code" }).click();
    await page.getByText(/One use, until/).waitFor();
    expect(left.codes).toBe(-1);
    expect(await page.getByRole("alert").count()).toBe(0);
  },
);

inBrowser("WEB-11: a page whose file does not come says so in words, and comes later", async ({ open }) => {
  const { page } = await open({ expected: ["net::ERR"] });
  const file = "**/console/audit-*.js";
  await page.route(file, (asked) => asked.abort());
  await goTo(page, "Audit");
  await page.getByText("This did not work: the service cannot be reached").waitFor();
  await page.unroute(file);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
});

const now = "2030-01-01T00:00:00Z";
const acceptance = "/api/acceptance/skills";

/** A row of each page by its name, and how the route answers that gives all at once. */
const lists = [
  { name: "Sessions", row: (id: string) => ({ id, turns: 1, updated: now }) },
  { name: "Chat", row: (title: string) => ({ id: title.replace(" ", "-"), title, updated: now }) },
  { name: "Jobs", row: (name: string) => ({ name, schedule: "1h", next: now, prompt: "", by: "me" }) },
  {
    name: "Usage",
    row: (key: string) => ({ key, requests: 1, input: 1, output: 1, usd: 0 }),
    answer: (rows: object[]) => ({ rows }),
  },
  {
    name: "Audit",
    row: (tool: string) => ({ seq: tool, timestamp: now, tool, result: "done", session_id: "", args: {} }),
  },
  {
    name: "Health",
    row: (what: string) => ({ what, state: "ok", detail: "" }),
    answer: (rows: object[]) => ({ rows, ok: true }),
  },
  { name: "Devices", row: (name: string) => ({ device_id: name, name, may: ["talk"], paired: now }) },
  {
    name: "Agents",
    row: (name: string) => ({ name }),
    answer: (agents: object[]) => ({ agents, routes: [] }),
  },
  {
    name: "Plugins",
    row: (name: string) => ({ name, state: "running", needs: [], provides: ["x"], taps: [] }),
    answer: (plugins: object[]) => ({ plugins, absent: [] }),
  },
  {
    name: "Configuration",
    row: (key: string) => [key, { type: "string" }] as const,
    answer: (keys: readonly (readonly [string, object])[]) => ({
      schema: { properties: Object.fromEntries(keys) },
      values: {},
    }),
  },
  {
    name: "Extensions",
    route: acceptance,
    row: (name: string) => ({ id: name, name, state: "accepted", detail: "" }),
  },
] as const;

inBrowser("WEB-11: each page shows 5,000 rows, by the page or at once", async ({ open }) => {
  const { page } = await open();
  page.setDefaultTimeout(30_000);
  const described = { paths: { [acceptance]: { get: { summary: "Skills: all" } } } };
  await page.route("**/api/openapi.json", (asked) => asked.fulfill({ json: described }));
  const missed = await missedBy(lists, async ({ name, row, ...more }) => {
    const path = "route" in more ? more.route : pages.find((one) => one.name === name)?.route;
    const at = (url: URL): boolean => url.pathname === path;
    const all = Array.from({ length: 5_000 }, (_, number) => row(`row ${number}`));
    await page.route(at, (asked) => {
      if ("answer" in more) return asked.fulfill({ json: more.answer(all as never) });
      const first = Number(new URL(asked.request().url()).searchParams.get("after") ?? 0);
      const next = first + 200 < all.length && { next: `${first + 200}` };
      return asked.fulfill({ json: { rows: all.slice(first, first + 200), ...next } });
    });
    await goTo(page, "Approvals");
    await goTo(page, name);
    const last = "answer" in more ? 4_999 : 399;
    if (last === 399) await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText(`row ${last}`).first().waitFor({ state: "attached" });
    await page.unroute(at);
  });
  expect(missed).toEqual([]);
});
