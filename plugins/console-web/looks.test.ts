import { expect } from "vitest";
import { send, show } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

const views =
  "Sessions Approvals Jobs Agents Extensions Usage Audit Health Plugins Configuration Devices".split(" ");

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
      }
      expect(found).toEqual([]);
    },
  );
