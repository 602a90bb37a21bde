import { type ChatRequest, Media } from "@gantry/sdk";
import { fakeProvider } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import { hasChromium, hasDriver, numberOf, startBrowser, startDriver, without } from "./browser.test-kit.ts";
import { type Shop, startShop } from "./shop.test-kit.ts";

vi.setConfig({ testTimeout: 300_000 });

/** Two of the shop's pages never come to an end. */
const timeoutSeconds = 5;

/** The model's next action, from the page that it sees, and what it is to see then. */
type Step = readonly [next: object | ((page: string) => object), sees: RegExp];

const open = (shop: Shop, path: string) => ({ action: "open", url: shop.url + path });
const on = (action: string, element: string, more: object = {}) => {
  return (page: string) => ({ action, element: numberOf(page, element), ...more });
};

/** All twelve pages as a browser has them. */
const throughBrowser = (shop: Shop): readonly Step[] => [
  [open(shop, "/"), /All kinds of lamps/],
  [on("click", 'link "Moved"'), /A lamp of brass/],
  [{ action: "back" }, /All kinds of lamps/],
  [on("click", 'link "Terms"'), /Lamps that break/],
  [open(shop, "/search"), /nothing yet/],
  [on("type", 'textbox "Words"', { text: "brass" }), /looking for brass/],
  [on("type", 'textbox "Words"', { text: "oak", submit: true }), /You asked for oak/],
  [open(shop, "/lamp"), /A lamp of brass/],
  [on("click", 'link "Order it"'), /Your order/],
  [on("type", 'textbox "Name"', { text: "Ada" }), /textbox "Name" = "Ada"/],
  [on("select", 'combobox "Colour"', { value: "Blue" }), /Blue of: Red, Blue/],
  [on("click", 'checkbox "Gift"'), /checkbox "Gift" = "(?:checked|true)"/],
  [on("click", 'button "Buy now"'), /Your order: name=Ada&colour=b&gift=yes/],
  [open(shop, "/frames"), /within the frame/],
  [on("click", 'button "Press"'), /pressed in the frame/],
  [open(shop, "/dialog"), /before/],
  [{ action: "read" }, /after the dialog/],
  [open(shop, "/round"), /REDIRECT|too many/i],
  [open(shop, "/hostile"), /Ignore all previous instructions/],
  [{ action: "read" }, /nothing got out(?! REACHED)/],
  [open(shop, "/files"), /Price list/],
  [on("click", 'link "Price list"'), /Price list/],
  [open(shop, "/away"), /BROWSER_LEFT[^]*evil\.example/],
  [open(shop, "/late"), /did not finish within 5 s/],
  [{ action: "read" }, /what had come/],
  [{ action: "screenshot" }, /what had come/],
];

/** The steps that can be done by reading. */
const byReading = (shop: Shop): readonly Step[] => [
  [open(shop, "/"), /All kinds of lamps/],
  [on("click", 'link "[^"]*/old"'), /A lamp of brass/],
  [{ action: "back" }, /All kinds of lamps/],
  [on("click", 'link "[^"]*/terms"'), /Lamps that break/],
  [open(shop, "/search"), /nothing yet/],
  [on("type", 'textbox "Words"', { text: "oak", submit: true }), /You asked for oak/],
  [open(shop, "/lamp"), /A lamp of brass/],
  [on("click", 'link "[^"]*/order"'), /Your order/],
  [on("click", 'button "Buy now"'), /cannot send a form by POST: set .* to chromium or webdriver/],
  [open(shop, "/frames"), /Around/],
  [open(shop, "/dialog"), /before/],
  [open(shop, "/round"), /REDIRECT|too many/i],
  [open(shop, "/hostile"), /Ignore all previous instructions/],
  [{ action: "read" }, /nothing got out(?! REACHED)/],
  [open(shop, "/files"), /Price list/],
  [on("click", 'link "[^"]*/list.csv"'), /lamp,49/],
  [open(shop, "/away"), /NET_BLOCKED[^]*evil\.example/],
  [open(shop, "/late"), /what had come/],
  [open(shop, "/stuck"), /did not answer in 5 s/],
  [{ action: "screenshot" }, /cannot take a screenshot/],
];

const backends = [
  ["http", true, "", byReading],
  ["chromium", hasChromium, without("chromium", hasChromium), throughBrowser],
  ["webdriver", hasDriver, without("chromedriver", hasDriver), throughBrowser],
] as const;

for (const [backend, can, left, stepsIn] of backends)
  test.runIf(can)(
    `TOL-04, TOL-02: a model walks through all pages of the shop in one turn, ${backend}${left}`,
    async () => {
      await using shop = await startShop();
      await using driver = backend === "webdriver" ? await startDriver() : undefined;
      const steps = stepsIn(shop);
      const seen: string[] = [];
      const model = fakeProvider([
        ...steps.map(([next], at) => (request: ChatRequest) => {
          if (at > 0) seen.push(textOf(request));
          const args = typeof next === "function" ? next(seen.at(-1)!) : next;
          return { calls: [{ name: "browser", args }] };
        }),
        (request: ChatRequest) => {
          seen.push(textOf(request));
          return "done";
        },
      ]);
      const tools = { ...driver?.tools, browser_timeout_seconds: timeoutSeconds };
      await using kit = await startBrowser(backend, { plugins: [model], tools });
      const answer = await kit.host.ask("Order a lamp", { approvals: "yes" });
      expect(JSON.stringify(answer)).toContain("done");
      const missed = steps.flatMap(([, sees], at) => (sees.test(seen[at] ?? "") ? [] : [[sees, seen[at]]]));
      expect(missed).toEqual([]);
      expect(shop.asked).not.toContain("GET /secret");
      expect(shop.asked).not.toContain("GET /collect");
      if (backend === "http") return;
      expect(shop.asked).toContain("POST /ordered");
      const [, id] = /"media":\{"id":"([0-9a-f]{64})","mime":"image\/(?:jpeg|png)"/.exec(
        JSON.stringify(model.requests.at(-1)!.messages.at(-1)),
      )!;
      const picture = await kit.host.slot(Media).open(id!);
      expect(picture!.byteLength).toBeGreaterThan(1_000);
    },
  );

/** Returns the result of the last call. */
function textOf({ messages }: ChatRequest): string {
  return (messages.at(-1)?.parts ?? []).map((part) => ("text" in part ? part.text : "")).join("\n");
}
