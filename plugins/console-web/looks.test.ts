import type { Page } from "playwright-core";
import { expect } from "vitest";
import { send, show } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

const views =
  "Sessions Approvals Jobs Agents Extensions Usage Audit Health Plugins Configuration Devices".split(" ");

/** Returns the tables of a page that are cut off, and the words of checks that have no room. */
async function cutOff(page: Page): Promise<readonly string[]> {
  const wide = await page
    .locator(".wide")
    .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.outerHTML));
  const narrow = await page
    .locator(".checks li > :not(.badge)")
    .evaluateAll((all) =>
      all.filter((one) => one.getBoundingClientRect().width < 100).map((one) => one.outerHTML),
    );
  return [...wide, ...narrow].map((html) => html.slice(0, 200));
}

for (const look of [
  { width: 1280, dark: false },
  { width: 360, dark: true },
])
  inBrowser(
    `WEB-11: axe finds nothing on any page at ${look.width} px, dark: ${look.dark}`,
    async ({ open }) => {
      const jobs = { tea: { every: "6h", prompt: "Make tea." } };
      const { page, findings } = await open({ ...look, config: { jobs } });
      await send(page, "run freely");
      await page.getByText("That is painted.").waitFor();
      const found = [...(await findings())];
      for (const name of views) {
        await show(page, name);
        await page.locator(".view .busy").first().waitFor({ state: "detached" });
        found.push(...(await findings()).map((one) => `${name}: ${one}`));
        const wider = await page.locator("html").evaluate((root) => root.scrollWidth - root.clientWidth);
        if (wider > 0) found.push(`${name} is ${wider} px too wide`);
        found.push(...(await cutOff(page)).map((one) => `${name}: ${one}`));
      }
      expect(found).toEqual([]);
    },
  );
