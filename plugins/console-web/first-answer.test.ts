import { expect } from "vitest";
import { startModel } from "../../test/helpers/model.ts";
import { pairBy } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";
import { serveConsole } from "./served.test-kit.ts";

inBrowser("GW-09: without a provider the page leads to one, and to a first answer", async ({ tab }) => {
  await using model = await startModel("Hello. I am here.");
  await using served = await serveConsole();
  const began = performance.now();
  const { page, findings } = await tab(served, { expected: ["net::ERR"] });
  await pairBy(page, served.address);
  await page.getByText("or run “gantry onboard” in a terminal").waitFor();
  expect(await findings()).toEqual([]);
  await page.getByRole("link", { name: "Set up a model" }).click();
  await page.getByRole("textbox", { name: "default_provider" }).fill(model.provider);
  await page.getByRole("textbox", { name: "default_model" }).fill("local-1");
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Try and show changes" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved and applied.").waitFor();
  await page.getByRole("link", { name: "Chat" }).click();
  await page.getByText("What can be done for you?").waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("hi");
  await page.keyboard.press("Enter");
  await page.getByText("Hello. I am here.").waitFor();
  console.log(`From the printed address to the first answer: ${Math.round(performance.now() - began)} ms.`);
});

inBrowser("GW-09: who may not manage reads why nothing answers, and gets no link", async ({ tab }) => {
  await using served = await serveConsole();
  const { page } = await tab(served);
  await pairBy(page, served.address);
  await page.getByRole("link", { name: "Set up a model" }).waitFor();
  await page.evaluate(() => {
    const account = JSON.parse(sessionStorage.getItem("gantry.account") ?? "{}") as object;
    sessionStorage.setItem("gantry.account", JSON.stringify({ ...account, may: ["talk"] }));
  });
  await page.reload();
  await page.getByText("No model is set up yet.").waitFor();
  expect(await page.getByRole("link", { name: "Set up a model" }).count()).toBe(0);
});
