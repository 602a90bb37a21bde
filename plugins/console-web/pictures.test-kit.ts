import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Store } from "@gantry/sdk";
import { bundledPlugin } from "@gantry/sdk/testing";
import type { Page } from "playwright-core";
import skills from "../agent-skills/index.ts";
import { mcpClient } from "../mcp-client/plugin.ts";
import { enter, openTab, pairBy, send, startBrowser } from "./browser.test-kit.ts";
import { startConsole, type ConsoleKit } from "./console.test-kit.ts";
import { serveConsole } from "./served.test-kit.ts";

/**
 * Takes pictures of every view of the console, with something in it, into the folder that is named.
 */
const folder = path.resolve(process.argv[2] ?? "dist/pictures");
/** The pictures that README.md shows, and the folder where they stand. */
const best = Object.entries({
  chat: "light",
  approvals: "dark",
  config: "light",
  usage: "dark",
  audit: "light",
  plugins: "dark",
});
const pages = path.join(import.meta.dirname, "pictures");
const views = "chat sessions approvals jobs agents extensions usage audit health plugins devices".split(" ");

const answer = `Here is what I found in the **workspace**:

1. \`report.md\` names three open points
2. the tests pass, but for one:

\`\`\`ts
expect(total(rows)).toBe(42);
\`\`\`

| file | lines | state |
|---|---|---|
| report.md | 120 | new |
| totals.ts | 48 | changed |

> Nothing was written. See [the notes](https://example.org/notes).`;

const jobs = {
  digest: { cron: "0 8 * * 1-5", prompt: "Sum up what came in by mail since yesterday, in five lines." },
  backup: { every: "6h", prompt: "Check that the last backup is younger than a day." },
};

const agents = {
  painter: { model: "told-2", tools: ["paint"], effort: "high" },
  clerk: { model: "told-1", memory: "own" },
};
const routes = [
  { channel: "telegram", agent: "painter" },
  { channel: "telegram", person: 42, agent: "clerk" },
];

const home = mkdtempSync(path.join(tmpdir(), "gantry-pictures-"));
process.env["HOME"] = home;
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
const skill = path.join(home, ".agents", "skills", "release-notes");
mkdirSync(skill, { recursive: true });
writeSkill("Name each change in one line, the newest first.");

const server = path.join(import.meta.dirname, "../mcp-client/server.test-kit.js");
const mcp = {
  servers: {
    notes: { command: process.execPath, args: [server], read_paths: [process.execPath, server] },
  },
};
await using kit = await startConsole({
  answers: { report: answer },
  config: { agents, jobs, mcp, routes },
  plugins: [skills, mcpClient(), await bundledPlugin("sandbox-landlock")],
});
chmodSync(kit.gateway.host.configDir, 0o755);
await using browser = await startBrowser();
mkdirSync(folder, { recursive: true });
await fill(kit);
await using tab = await openTab(browser, kit.gateway);
const looks = [1280, 360].flatMap((width) => (["light", "dark"] as const).map((look) => ({ width, look })));

await tab.page.goto(`${kit.gateway.url}/console`);
await tab.page.getByRole("heading", { level: 1 }).waitFor();
await take(tab.page, "pair");
await talk(await enter(tab, kit, { name: "mine" }));
for (const view of views) {
  if (view !== "chat") await tab.page.goto(`${kit.gateway.url}/console/${view}`);
  await tab.page.getByRole("heading", { level: 1 }).first().waitFor();
  await tab.page.locator(".view .busy").first().waitFor({ state: "detached" });
  if (view === "approvals") await tab.page.getByRole("alertdialog").waitFor();
  if (view === "extensions") await changeSkill(tab.page);
  await take(tab.page, view);
}

await using served = await serveConsole();
await using owner = await openTab(browser, served);
await pairBy(owner.page, served.address);
await owner.page.getByRole("link", { name: "Configuration" }).click();
await owner.page.getByRole("searchbox").fill("memory");
await owner.page.getByRole("spinbutton").first().fill("45");
await owner.page.keyboard.press("Tab");
await owner.page.getByRole("button", { name: "Try" }).click();
await owner.page.getByRole("button", { name: "Save" }).waitFor();
await take(owner.page, "config");
for (const [name, look] of best)
  copyFileSync(path.join(folder, `${name}-1280-${look}.png`), path.join(pages, `${name}.png`));

/** Takes four pictures of what is shown. */
async function take(page: Page, what: string): Promise<void> {
  for (const { width, look } of looks) {
    await page.emulateMedia({ colorScheme: look });
    await page.setViewportSize({ width, height: 800 });
    await page.locator('[aria-disabled="true"]').first().waitFor({ state: "detached" });
    await page.screenshot({ path: path.join(folder, `${what}-${width}-${look}.png`) });
  }
}

/** Conversations of several doors, and what requests have taken on several days. */
async function fill({ gateway, telegram }: ConsoleKit): Promise<void> {
  const { usage } = gateway.host.slot(Store);
  for (let day = 0; day < 21; day += 1) {
    const row = { user: "telegram:42", session: "telegram:42", purpose: "turn", provider: "told", ms: 900 };
    const share = 1 + ((day * 7) % 5);
    const tokens = { input: 21_000 * share, output: 4_200 * share, cached: 0, micros: 120_000 * share };
    const model = ["large-2", "small-2"][day % 2] as string;
    await usage.add({ ...row, ...tokens, model, at: Date.now() - day * 86_400_000, outcome: "ok" });
  }
  for (const [at, text] of ["What is due today?", "Write the report", "Remind me at five"].entries())
    await telegram.receive({ text, from: at === 1 ? "42" : `77${at}` });
  await telegram.sentCount(3);
  await telegram.receive({ text: "run the blue brush over a wall", from: "42" });
}

async function talk(page: Page): Promise<void> {
  await send(page, "run freely over the old sign");
  await page.getByText("That is painted.").waitFor();
  await send(page, "Where does the report stand?");
  await page.getByText("Nothing was written.").waitFor();
  await page.getByRole("textbox", { name: "Message" }).blur();
}

function writeSkill(instructions: string): void {
  const head = "---\nname: release-notes\ndescription: How to write the notes of a release.\n---\n";
  writeFileSync(path.join(skill, "SKILL.md"), `${head}\n${instructions}\n`);
}

/** Accepts a skill, changes it, and looks at what changed. */
async function changeSkill(page: Page): Promise<void> {
  const look = page.getByRole("button", { name: "Look release-notes" });
  await look.click();
  await page.getByRole("button", { name: "Accept release-notes" }).click();
  await page.getByText("accepted", { exact: true }).waitFor();
  writeSkill("Name each change in one line, the oldest first.\nThank who has reported it.");
  await page.reload();
  await look.click();
  await page.getByRole("region", { name: /^What changed/ }).waitFor();
}
