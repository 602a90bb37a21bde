import { expect } from "vitest";
import { show } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

inBrowser("WEB-02: a code in the address pairs, and is gone from address and history", async ({ open }) => {
  const { page, kit } = await open();
  expect(page.url()).toBe(`${kit.gateway.url}/console`);
  expect(await page.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([1, 0]);
  await show(page, "Health");
  await page.goBack();
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  expect(page.url()).toBe(`${kit.gateway.url}/console`);
});

inBrowser(
  "WEB-02: a remembered device stays paired over a reload, and signing out ends its token",
  async ({ open }) => {
    const { page, kit } = await open({ pairs: false, expected: ["status of 401", "status of 403"] });
    await page.getByLabel("Pairing code").fill((await kit.gateway.word("pair new")).out.trim());
    await page.getByLabel("Remember this device").check();
    await page.getByRole("button", { name: "Pair" }).click();
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    const kept = await page.evaluate(() => localStorage.getItem("gantry.account"));
    const { token } = JSON.parse(kept ?? "") as { token: string };
    expect((await kit.gateway.ask("/api/turns", { token })).status).toBe(200);
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Signed out.").waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    expect((await kit.gateway.ask("/api/turns", { token })).status).toBe(401);
  },
);

inBrowser("WEB-02: a wrong code is told, and the right one pairs after it", async ({ open }) => {
  const { page, kit } = await open({
    pairs: false,
    expected: ["status of 400", "status of 401", "status of 403"],
  });
  await page.getByLabel("Pairing code").fill("000000");
  await page.getByRole("button", { name: "Pair" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Pairing code").fill((await kit.gateway.word("pair new")).out.trim());
  await page.getByRole("button", { name: "Pair" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
});

inBrowser("WEB-11: axe finds nothing on the page that pairs", async ({ open }) => {
  const { page, findings } = await open({ pairs: false, width: 360, dark: true });
  await page.getByLabel("Pairing code").waitFor();
  expect(await findings()).toEqual([]);
});
