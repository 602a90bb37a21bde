import { expect } from "vitest";
import { send, show } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

inBrowser(
  "WEB-04: a question of another channel is asked with the host's words, the focus on Deny",
  async ({ open }) => {
    const { page, kit, findings } = await open({ name: "mine" });
    await kit.telegram.receive({ text: "run over the fence", from: "42" });
    await page.getByRole("link", { name: "1 question waits" }).click();
    const asked = page.getByRole("alertdialog", { name: "May paint run this?" });
    await asked.getByText("Paint cannot be taken back.").waitFor();
    await expect.poll(() => page.locator(":focus").textContent()).toBe("Deny");
    expect(await findings()).toEqual([]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page
      .getByText(/^Allowed/)
      .first()
      .waitFor();
    await expect.poll(() => kit.ran).toEqual(["over the fence"]);
  },
);

inBrowser("WEB-04: what another tab decides is greyed here, with who decided it", async ({ open }) => {
  const { page: here, kit } = await open();
  const { page: there } = await open({ kit });
  await show(here, "Approvals");
  await send(there, "run red");
  await here.getByRole("alertdialog").waitFor();
  await there.getByRole("alertdialog").getByRole("button", { name: "Deny" }).click();
  await here.getByText(/^Denied by http:d/).waitFor();
  expect(await here.getByRole("button", { name: "Allow", exact: true }).count()).toBe(0);
  expect(kit.ran).toEqual([]);
});

inBrowser(
  "WEB-04: what a tried call did is a diff in Chat and Approvals, and a yes makes it real",
  async ({ open }) => {
    const { page, kit, findings } = await open();
    await send(page, "run a wall <i>blue</i>");
    const gone = page.getByRole("alertdialog").locator(".diff .gone");
    await gone.filter({ hasText: "-as it was" }).waitFor();
    await page.getByRole("link", { name: /^Approvals/ }).click();
    const card = page.getByRole("alertdialog");
    await card.locator(".diff .added", { hasText: "+a wall <i>blue</i>" }).waitFor();
    expect(await findings()).toEqual([]);
    expect(kit.ran).toEqual([]);
    await card.getByRole("button", { name: "Allow", exact: true }).click();
    await expect.poll(() => kit.ran).toEqual(["the wall"]);
  },
);
