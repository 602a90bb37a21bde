import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";
import { pages, startWeb } from "./web.test-kit.ts";

/** Pages that repeat one thing for 2 MiB: whatever takes the square of its length ends no test. */
const endless: Readonly<Record<string, (at: number) => string>> = {
  links: (at) => `<a href=/${at}>last</a>`,
  "elements in a line": () => "last<b>last</b>",
  "elements that never end, and ends of others": () => "<i></b>last",
  "lists in lists": () => "<ul><li>last",
  "items of a list": () => "<li>last",
  "quotes in quotes": () => "<blockquote>last",
  "empty quotes": () => "<blockquote><p>",
  "lines of deep quotes": (at) => (at < 190 ? "<blockquote>" : "last<br>"),
  brackets: () => "last<",
};
test.each(Object.entries(endless))(
  "BR-02: a page of 2 MiB of %s is read, and what cannot be is given as plain text",
  { timeout: 120_000 },
  async (_, piece) => {
    let html = "";
    for (let at = 0; html.length < 2 * 1024 * 1024; at++) html += piece(at);
    await using web = await startWeb(pages({ "/": `${html} last` }));
    await using t = await startTestHost({
      plugins: [web.net, plugin],
      config: { tools: { browser_timeout_seconds: 100 } },
    });
    const { text, code } = await t.call("web_fetch", { url: web.url });
    expect([code, text.includes("last")]).toEqual([undefined, true]);
  },
);
