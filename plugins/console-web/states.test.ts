import { show } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

const lost = "The connection to the service is lost. Trying again…";

inBrowser("WEB-11: a lost connection is told, and the page goes on once it is back", async ({ open }) => {
  const { page, context } = await open({ expected: ["net::ERR"] });
  await show(page, "Health");
  await page.getByText(/Nothing is wrong|Something is wrong/).waitFor();
  await context.setOffline(true);
  await page.getByRole("button", { name: "Run doctor" }).click();
  await page.getByText(lost).waitFor();
  await context.setOffline(false);
  await page.getByRole("button", { name: "Run doctor" }).click();
  await page.getByText(lost).waitFor({ state: "detached" });
});
