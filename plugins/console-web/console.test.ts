import { expect } from "vitest";
import { pairBy, send, show } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

inBrowser(
  "GW-09: in a browser: pair, chat with a tool, approve, read audit, plugins and status",
  async ({ open }) => {
    const { page, kit } = await open();
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
  },
);

inBrowser("WEB-12: the first load is at most 40 KB compressed", async ({ start, tab }) => {
  const kit = await start();
  const { page } = await tab(kit.gateway);
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (request.url().includes("/console"))
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  const code = (await kit.gateway.word("pair new")).out.trim();
  await pairBy(page, `${kit.gateway.url}/console#code=${code}`);
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  const bytes = (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
  expect(sizes.length).toBeGreaterThan(2);
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThanOrEqual(40 * 1024);
});
