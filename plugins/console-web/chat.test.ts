import { expect } from "vitest";
import { send, show } from "./browser.test-kit.ts";
import { inBrowser } from "./paired.test-kit.ts";

const hostile = [
  `<img src=x onerror="document.title='owned'"> <script>document.title="owned"</script>`,
  "[go](javascript:document.title='owned') ![p](https://evil.example/p.png) [d](data:text/html,x)",
].join("\n\n");

const dot =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==";

inBrowser("WEB-03: a step with a line end of another script reaches the page", async ({ open }) => {
  const { page, kit } = await open();
  await send(page, "tell me slowly");
  await kit.model.begun;
  kit.model.say("one\u2028two\u2029", "three");
  await page.getByText(/one.two.three/s).waitFor();
  kit.model.end();
  await page.getByRole("button", { name: "Send" }).waitFor();
});

inBrowser("WEB-03: a reload in the middle of a turn loses no character", async ({ open }) => {
  const { page, kit } = await open();
  await send(page, "tell me slowly");
  await kit.model.begun;
  kit.model.say("one ", "two ");
  await page.getByText("one two").waitFor();
  await page.reload();
  kit.model.say("three ");
  await page.getByText("one two three").waitFor();
  kit.model.say("**four**");
  kit.model.end();
  await page.getByText("four", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  const answer = page.getByRole("article", { name: "Gantry" });
  expect(await answer.allInnerTexts()).toEqual(["one two three four"]);
});

inBrowser(
  "WEB-03: a turn goes on while another conversation is shown, and Stop ends it",
  async ({ open }) => {
    const { page, kit } = await open();
    await send(page, "tell me slowly");
    await kit.model.begun;
    const first = page.url();
    await page.getByRole("button", { name: "New conversation" }).click();
    await send(page, "hello");
    await page.getByText("Heard.").waitFor();
    kit.model.say("meanwhile ");
    await page.goto(first);
    await page.getByText("meanwhile").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Send" }).waitFor();
  },
);

inBrowser("WEB-03: what a model and a person say is text, and loads nothing", async ({ open }) => {
  const { page } = await open({ answers: { poison: hostile } });
  await send(page, `poison ${hostile}`);
  await page.getByRole("link", { name: "p", exact: true }).waitFor();
  const chat = page.getByRole("log");
  expect(await chat.locator("img, script, iframe").count()).toBe(0);
  const links = await chat.locator("a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  expect(links).toEqual(["https://evil.example/p.png"]);
  await show(page, "Sessions");
  await page.getByRole("link", { name: /<img src=x/ }).waitFor();
  expect(await page.title()).not.toContain("owned");
});

inBrowser("WEB-03: a pasted picture is sent with the message, and shown after a reload", async ({ open }) => {
  const { page } = await open();
  await page.getByRole("textbox", { name: "Message" }).evaluate((field, data) => {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
    const { ClipboardEvent, DataTransfer } = globalThis as any;
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], "dot.png", { type: "image/png" }));
    field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, dot);
  await page.getByText("dot.png").waitFor();
  await send(page, "what is this?");
  await page.getByText("Heard.").waitFor();
  await page.reload();
  const picture = page.getByRole("img", { name: "dot.png" });
  await picture.waitFor();
  expect(await picture.getAttribute("src")).toMatch(/^data:image\/png;base64,/);
});

inBrowser("WEB-03: a tool's question for words is answered in the chat", async ({ open }) => {
  const { page, kit, findings } = await open();
  await send(page, "run freely what I say");
  await page.getByLabel("Which <b>colour</b>?").fill("a deep blue");
  expect(await findings()).toEqual([]);
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByText("That is painted.").waitFor();
  const answer = { action: "accept", content: { text: "a deep blue" } };
  expect(kit.ran).toEqual([JSON.stringify(answer), "freely what I say"]);
});

inBrowser(
  "WEB-03: a tool's form is filled in in the chat, and a decline reaches the tool",
  async ({ open }) => {
    const { page, kit, findings } = await open();
    await send(page, "run freely by a form");
    await page.getByLabel("Colour").selectOption("green");
    await page.getByLabel("Coats").fill("2");
    expect(await page.getByRole("link", { name: "https://paint.example/colours" }).count()).toBe(1);
    expect(await findings()).toEqual([]);
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByText("That is painted.").waitFor();
    await send(page, "run freely by a form");
    await page.getByRole("button", { name: "Decline" }).click();
    await page.getByText("That is painted.").nth(1).waitFor();
    const content = { glossy: false, colour: "green", coats: 2 };
    expect(JSON.parse(kit.ran[0] ?? "")).toEqual({ action: "accept", content });
    expect(kit.ran[2]).toBe(JSON.stringify({ action: "decline" }));
  },
);

inBrowser("WEB-03: a call that was refused is told as refused, also after a reload", async ({ open }) => {
  const { page } = await open();
  await send(page, "run red");
  await page.getByRole("alertdialog").getByRole("button", { name: "Deny" }).click();
  await page.getByText("That is painted.").waitFor();
  const badge = page.getByRole("article", { name: "Gantry" }).locator("summary .badge");
  await page.getByRole("button", { name: "Send" }).waitFor();
  await page.reload();
  await expect.poll(() => badge.allTextContents()).toEqual(["refused"]);
});
