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

inBrowser("WEB-02: a code in the address waits for a press", async ({ open }) => {
  const { page, kit } = await open({ pairs: false });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  for (const code of ["000001", "000002"]) {
    await page.goto(`${kit.gateway.url}/console#code=${code}`);
    await expect.poll(() => page.getByLabel("Pairing code").inputValue()).toBe(code);
    await page.reload();
    await page.getByLabel("Pairing code").waitFor();
  }
  expect(asked).toContain("/health");
  expect(asked).not.toContain("/pair");
});

inBrowser(
  "WEB-02: signing out forgets the token also if the service fails, and says so",
  async ({ open }) => {
    const { page } = await open({ expected: ["status of 500"] });
    const error = { code: "STORE_FAILED", message: "The kiln is cold." };
    await page.route("**/api/sign-out", (asked) => asked.fulfill({ status: 500, json: { error } }));
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("the service did not end it: The kiln is cold.").waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  },
);

inBrowser("WEB-02: signing out a tab leaves the remembered token of another device", async ({ open }) => {
  const { page } = await open();
  const other = JSON.stringify({ token: "of-another", device: "other", may: ["talk"] });
  await page.evaluate((text) => localStorage.setItem("gantry.account", text), other);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByText("Signed out.").waitFor();
  expect(await page.evaluate(() => localStorage.getItem("gantry.account"))).toBe(other);
});

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
