import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { bundledPlugin } from "@gantry/sdk/testing";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import skills from "../agent-skills/index.ts";
import { place, useHome, work, write } from "../agent-skills/skills.test-kit.ts";
import { linux, offered, stated, stateFile } from "../mcp-client/mcp.test-kit.ts";
import { mcpClient } from "../mcp-client/plugin.ts";
import { show } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

useHome();

const withSkills = () => ({
  plugins: [skills],
  config: { security: { workspace_path: work() } },
});

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

inBrowser("AGT-13: in the console a skill is read, accepted, and withdrawn", async ({ open }) => {
  await write(place(), "rhyme", "Say it in <b>rhymes</b>.");
  const { page, findings } = await open(withSkills());
  await show(page, "Extensions");
  await button(page, "Look rhyme").click();
  await page.getByText("Say it in <b>rhymes</b>.").waitFor();
  expect(await findings()).toEqual([]);
  await button(page, "Accept rhyme").click();
  await page.getByText("rhyme is accepted, until it changes.").waitFor();
  await button(page, "Withdraw rhyme").click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Withdraw" }).click();
  await page.getByText("not accepted", { exact: true }).waitFor();
});

inBrowser("AGT-13: in the console a changed skill is compared with what was accepted", async ({ open }) => {
  const folder = await write(place(), "rhyme");
  const { page, findings } = await open({ ...withSkills(), width: 360, dark: true });
  await show(page, "Extensions");
  await button(page, "Look rhyme").click();
  await button(page, "Accept rhyme").click();
  await page.getByText("rhyme is accepted, until it changes.").waitFor();
  const file = path.join(folder, "SKILL.md");
  await writeFile(file, (await readFile(file, "utf8")).replace("rhymes", "prose"));
  await page.reload();
  await page.getByText("changed", { exact: true }).waitFor();
  await button(page, "Look rhyme").click();
  const changes = page.getByRole("region", { name: "What changed since it was accepted: rhyme" });
  await changes.locator(".gone", { hasText: "Say it in rhymes." }).waitFor();
  await changes.locator(".added", { hasText: "Say it in prose." }).waitFor();
  expect(await findings()).toEqual([]);
  await button(page, "Accept rhyme").click();
  await page.getByText("accepted", { exact: true }).waitFor();
});

inBrowser(
  "AGT-13: a skill that changes after the look is refused, and is looked at again",
  async ({ open }) => {
    const folder = await write(place(), "rhyme");
    const { page } = await open({ ...withSkills(), expected: ["status of 403"] });
    await show(page, "Extensions");
    await button(page, "Look rhyme").click();
    await button(page, "Accept rhyme").waitFor();
    await writeFile(path.join(folder, "more.txt"), "more");
    await button(page, "Accept rhyme").click();
    await page.getByRole("alert").getByText("has changed since it was shown").waitFor();
    expect(await button(page, "Accept rhyme").count()).toBe(0);
  },
);

inBrowser(
  "AGT-13: a token that may only read sees states, and no button that changes them",
  async ({ open }) => {
    await write(place(), "rhyme");
    const { page } = await open({ ...withSkills(), may: "read" });
    await show(page, "Extensions");
    await page.getByText("not accepted", { exact: true }).waitFor();
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
  },
);

inBrowser("WEB-07: without a plugin whose things need acceptance, Extensions says so", async ({ open }) => {
  const { page } = await open();
  await show(page, "Extensions");
  await page.getByText("Nothing that needs your acceptance is loaded.").waitFor();
});

if (linux)
  inBrowser(
    "MCP-06: in the console a server is accepted, and what it changed is a diff",
    async ({ open }) => {
      const state = stateFile();
      const tool = { name: "sing", description: "It can sing.", inputSchema: { type: "object" } };
      state.list([tool]);
      const plugins = [mcpClient(), await bundledPlugin("sandbox-landlock")];
      const config = { mcp: { servers: { small: stated(state.file) } } };
      const { page, kit, findings } = await open({ plugins, config });
      await show(page, "Extensions");
      await button(page, "Look small").click();
      await page.getByText("From the MCP server small: It can sing.").waitFor();
      await button(page, "Accept small").click();
      await page.getByText("small is accepted, until it changes.").waitFor();
      expect(await offered(kit.gateway.host)).toContain("small_sing");
      state.list([{ ...tool, description: "It can hum." }]);
      await button(page, "Look small").click();
      const changes = page.getByRole("region", { name: "What changed since it was accepted: small" });
      await changes.locator(".added", { hasText: "It can hum." }).waitFor();
      expect(await findings()).toEqual([]);
    },
  );
