import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { send, show } from "./browser.test-kit.ts";
import { tokenFor, type ConsoleKit } from "./console.test-kit.ts";
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
    await page.locator("button[aria-disabled=false]").first().waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page
      .getByText(/^Allowed/)
      .first()
      .waitFor();
    await expect.poll(() => kit.ran).toEqual(["over the fence"]);
  },
);

inBrowser(
  "WEB-04: a question shows all that is asked, and how many lines, before its buttons",
  async ({ open }) => {
    const { page, kit } = await open();
    const { token } = await tokenFor(kit, "talk,decide");
    await show(page, "Approvals");
    const body = { message: `run a fence${"\n".repeat(42)}and the neighbour's` };
    await kit.gateway.ask("/api/turns", { token, body });
    const asked = page.getByRole("alertdialog", { name: "May paint run this?" });
    await asked.getByText("43 lines").waitFor();
    const hidden = await asked.locator("pre").evaluate((box) => box.scrollHeight - box.clientHeight);
    expect(hidden).toBe(0);
  },
);

/** Returns the button that allows the question with these words. */
function allows(page: Page, words: string): Locator {
  const asked = page.getByRole("alertdialog").filter({ hasText: words });
  return asked.getByRole("button", { name: "Allow", exact: true });
}

/** Begins turns that ask, one after the other, and returns once the page shows their questions. */
async function askInTurn(page: Page, kit: ConsoleKit, all: readonly string[]): Promise<void> {
  const { token } = await tokenFor(kit, "talk,decide");
  await show(page, "Approvals");
  for (const words of all) {
    await kit.gateway.ask("/api/turns", { token, body: { message: `run ${words}` } });
    await page.getByText(`paint ${words}`).waitFor();
  }
}

/** Returns the middle of what stands still. */
async function middleOf(button: Locator): Promise<readonly [number, number]> {
  await button.and(button.page().locator("[aria-disabled=false]")).waitFor();
  const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return [x + width / 2, y + height / 2];
}

inBrowser("WEB-04: a press on a question that is just over decides no other", async ({ open }) => {
  const { page, kit } = await open();
  const { page: other } = await open({ kit });
  await askInTurn(page, kit, ["first", "second"]);
  await other.getByRole("link", { name: /^Approvals/ }).click();
  await page.mouse.move(...(await middleOf(allows(page, "paint first"))));
  await other.getByRole("button", { name: "Deny" }).first().click();
  await page.getByText(/^Denied/).waitFor();
  await page.mouse.down();
  await page.mouse.up();
  await page.getByRole("button", { name: "Deny" }).click();
  await page
    .getByText(/^Denied/)
    .nth(1)
    .waitFor();
  expect(await page.locator(".preview").allInnerTexts()).toEqual(["paint first", "paint second"]);
  expect(kit.ran).toEqual([]);
});

inBrowser("WEB-04: buttons that have just come under the pointer take no press", async ({ open }) => {
  const { page, kit } = await open();
  await page.setViewportSize({ width: 1280, height: 500 });
  await askInTurn(page, kit, ["first", "second", "third"]);
  const second = allows(page, "paint second");
  const [x, y] = await middleOf(allows(page, "paint first"));
  const [, below] = await middleOf(second);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, below - y);
  const top = async () => Math.round((await second.boundingBox())?.y ?? 0);
  await expect.poll(top).toBeLessThan(y);
  await page.mouse.down();
  await page.mouse.up();
  await middleOf(second);
  expect(kit.ran).toEqual([]);
  await page.mouse.down();
  await page.mouse.up();
  await expect.poll(() => kit.ran).toEqual(["second"]);
});

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
