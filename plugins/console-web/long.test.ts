import { Store, textParts } from "@gantry/sdk";
import { expect } from "vitest";
import { send } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

const turns = 2_500;
const mostShown = 200;
const answer = (text: string) => ({ role: "assistant", parts: textParts(text), toolCalls: [] }) as const;

inBrowser("WEB-11: of 5,000 messages the page holds 200, and each can be read", async ({ open }) => {
  const { page, kit } = await open();
  const account = await page.evaluate(() => sessionStorage.getItem("gantry.account"));
  const { device } = JSON.parse(account ?? "") as { device: string };
  const { sessions } = kit.gateway.host.slot(Store);
  await sessions.open("long", `http:${device}`);
  for (let turn = 0; turn < turns; turn += 1)
    await sessions.append("long", [
      { role: "user", parts: textParts(`question ${turn}.`) },
      { role: "assistant", parts: textParts(`answer ${turn}.`), toolCalls: [] },
    ]);
  await page.goto(`${kit.gateway.url}/console/chat?session=long`);
  const said = page.getByRole("article");
  const text = (words: string) => said.getByText(words, { exact: true });
  await text(`answer ${turns - 1}.`).waitFor();
  const earlier = page.getByRole("button", { name: "Earlier messages" });
  let seen = await said.allTextContents();
  while ((await earlier.count()) > 0) {
    const first = await said.first().textContent();
    await earlier.click();
    await expect.poll(() => said.first().textContent()).not.toBe(first);
    const shown = await said.allTextContents();
    expect(shown.length).toBeLessThanOrEqual(mostShown);
    // The text that was read stays where it was, and no message lies between two steps unseen.
    expect(shown).toContain(first);
    const box = await text(first ?? "").boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(800);
    seen = [...new Set([...seen, ...shown])];
  }
  await text("question 0.").waitFor();
  expect(seen.length).toBe(2 * turns);
  expect(await page.locator("*").count()).toBeLessThan(2_000);
  await page.getByRole("button", { name: "Later messages" }).click();
  await text("question 0.").waitFor({ state: "detached" });
  await send(page, "hello");
  await page.getByText("Heard.").waitFor();
  await expect.poll(() => said.count()).toBeLessThanOrEqual(mostShown);
});

inBrowser("WEB-11: a conversation of 450 answers opens, those of 60,000 characters too", async ({ open }) => {
  const { page, kit } = await open();
  const account = await page.evaluate(() => sessionStorage.getItem("gantry.account"));
  const { device } = JSON.parse(account ?? "") as { device: string };
  const { sessions } = kit.gateway.host.slot(Store);
  await sessions.open("calls", `http:${device}`);
  const long = "![".repeat(30_000);
  await sessions.append("calls", [
    { role: "user", parts: textParts("go") },
    ...Array.from({ length: 449 }, (_, at) => answer(at % 40 === 0 ? long : `answer *${at}*.`)),
    answer("the *last* one."),
  ]);
  await page.goto(`${kit.gateway.url}/console/chat?session=calls`);
  await page.getByRole("article").getByText("the last one.", { exact: true }).waitFor();
});
