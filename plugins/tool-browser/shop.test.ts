import { Runtime, Tools, definePlugin, defineTool } from "@gantry/sdk";
import { Type } from "typebox";
import { expect, test, vi } from "vitest";
import { existsSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { hasChromium, numberOf, startBrowser, until, without } from "./browser.test-kit.ts";
import { engines } from "./engines.test-kit.ts";
import { startShop } from "./shop.test-kit.ts";

vi.setConfig({ testTimeout: 180_000 });

const chromium = without("chromium", hasChromium);

for (const [name, can, left, run] of engines) {
  test.runIf(can)(
    `BR-08, TOL-02: a visitor buys a lamp by the numbers of what the page offers, ${name}${left}`,
    () =>
      run(async (kit, shop) => {
        const first = await kit.act({ action: "open", url: `${shop.url}/` });
        expect(first).toContain("Lamp shop\n");
        const lamp = await kit.act({ action: "click", element: numberOf(first, 'link "Desk lamp"') });
        expect(lamp).toContain("A lamp of brass");
        const order = await kit.act({ action: "click", element: numberOf(lamp, 'link "Order it"') });
        const element = numberOf(order, 'textbox "Name" = "old"');
        expect(await kit.act({ action: "type", element, text: "Ada" })).toContain('textbox "Name" = "Ada"');
        const colour = numberOf(order, 'combobox "Colour"');
        expect(await kit.act({ action: "select", element: colour, value: "Blue" })).toContain(
          "Blue of: Red, Blue",
        );
        expect(await kit.act({ action: "select", element: colour, value: "Pink" })).toContain(
          "BROWSER_INERT",
        );
        await kit.act({ action: "click", element: numberOf(order, 'checkbox "Gift"') });
        const thanks = await kit.act({ action: "click", element: numberOf(order, 'button "Buy now"') });
        expect(thanks).toContain("Your order: name=Ada&colour=b&gift=yes");
        expect(shop.asked.slice(-2)).toEqual(["POST /ordered", "name=Ada&colour=b&gift=yes"]);
        const search = await kit.act({ action: "open", url: `${shop.url}/search` });
        const words = numberOf(search, 'textbox "Words"');
        expect(await kit.act({ action: "type", element: words, text: "brass" })).toContain(
          "looking for brass",
        );
        const found = await kit.act({ action: "type", element: words, text: "oak", submit: true });
        expect(found).toContain("You asked for oak");
        expect(await kit.act({ action: "back" })).toContain("Search\n");
        expect(await kit.act({ action: "click", element: 99 })).toMatch(/^BROWSER_ELEMENT/);
        expect(await kit.act({ action: "close" })).toContain("closed");
        expect(await kit.act({ action: "read" })).toMatch(/^BROWSER_NO_PAGE/);
      }),
  );

  test.runIf(can)(
    `BR-11, BR-14: frames, dialogs, other windows and late pages are met as a person would, ${name}${left}`,
    () =>
      run(async (kit, shop) => {
        const frames = await kit.act({ action: "open", url: `${shop.url}/frames` });
        expect(frames).toContain("within the frame");
        const pressed = await kit.act({ action: "click", element: numberOf(frames, 'button "Press"') });
        expect(pressed).toContain("pressed in the frame");
        await kit.act({ action: "open", url: `${shop.url}/dialog` });
        const dialog = await kit.act({ action: "read" });
        expect(dialog).toContain("after the dialog");
        const shopPage = await kit.act({ action: "open", url: `${shop.url}/` });
        const terms = await kit.act({ action: "click", element: numberOf(shopPage, 'link "Terms"') });
        expect(terms).toContain("Lamps that break");
        expect(await kit.act({ action: "open", url: `${shop.url}/round` })).toMatch(/REDIRECT|too many/i);
        expect(await kit.act({ action: "scroll" })).not.toMatch(/^BROWSER_LOST/);
      }),
  );

  test.runIf(can)(
    `BR-10, SEC-07: a page that leads outside is closed, and it is written down, ${name}${left}`,
    () =>
      run(async (kit, shop) => {
        expect(await kit.act({ action: "open", url: `${shop.url}/away` })).toMatch(
          /^BROWSER_LEFT.*evil\.example/,
        );
        expect(await kit.act({ action: "read" })).toContain("[a blank page]");
        for (const link of ["A gift for you", "Secret"]) {
          const leave = await kit.act({ action: "open", url: `${shop.url}/leave` });
          const gone = await kit.act({ action: "click", element: numberOf(leave, `link "${link}"`) });
          expect(gone).toMatch(/^BROWSER_LEFT/);
        }
        const audit = kit.host.audit.filter(
          ({ tool, event_type }) => tool === "browser" && event_type === "security_refusal",
        );
        expect(JSON.stringify(audit)).toContain("http://evil.example/collect");
        expect(shop.asked).not.toContain("GET /collect");
        expect(shop.asked).not.toContain("GET /secret");
      }),
  );

  test.runIf(can)(
    `BR-07, TOL-04: a hostile page reaches nothing by requests, sockets and datagrams: loopback, metadata, other domains, files, ${name}${left}`,
    () =>
      run(async (kit, shop) => {
        await kit.act({ action: "open", url: `${shop.url}/hostile` });
        const said = await kit.act({ action: "read" });
        expect(said).toContain("nothing got out");
        expect(said).not.toMatch(/REACHED|root:/);
        expect(shop.asked.filter((one) => !/hostile|favicon/.test(one))).toEqual([]);
        const recorded = JSON.stringify(
          kit.host.audit.filter(({ event_type }) => event_type === "security_refusal"),
        );
        for (const address of [`127.0.0.1:${shop.port}`, "169.254.169.254:80", "evil.example:80"])
          expect(recorded).toContain(address);
      }),
  );
}

test("BR-09: addresses that are no pages are refused in every backend before a browser is started", async () => {
  await using kit = await startBrowser("chromium", { tools: { chromium_path: "/no/such/program" } });
  for (const url of [
    "file:///etc/passwd",
    "chrome://version",
    "data:text/html,x",
    "javascript:1",
    "view-source:http://shop.example/",
    "http://127.0.0.1/",
  ])
    expect(await kit.act({ action: "open", url })).toMatch(/^BROWSER_REFUSED/);
  expect(await kit.act({ action: "open", url: "http://shop.example/" })).toMatch(/^BROWSER_MISSING/);
  expect(await kit.act({ action: "open" })).toMatch(/^BROWSER_ARGUMENT/);
});

test.runIf(hasChromium)(
  `BR-13, SEC-21: a download goes to the folder of the workspace that is named, and nowhere else; whoever reads it later holds material${chromium}`,
  async () => {
    await using shop = await startShop();
    const held: unknown[] = [];
    const looking = definePlugin({
      name: "tool-looking",
      provides: [Tools],
      taps: ["beforeToolCall"],
      setup(host) {
        const path = "downloads/list.csv";
        host.provide(
          Tools,
          defineTool({
            name: "look",
            description: "Looks.",
            input: Type.Object({}),
            effects: () => ({ paths: [{ path, access: "read" }] }),
            run: async () => "seen",
          }),
        );
        host.hooks.beforeToolCall.tap(({ tool, sources }) => {
          if (tool === "look") held.push(sources?.material);
        });
      },
    });
    const tools = { browser_downloads: "downloads" };
    await using kit = await startBrowser("chromium", { tools, plugins: [looking] });
    const { workspace } = kit.host.slot(Runtime);
    const files = await kit.act({ action: "open", url: `${shop.url}/files` });
    const said = await kit.act({ action: "click", element: numberOf(files, 'link "Price list"') });
    expect(said).toContain('"list.csv" is downloaded to');
    const file = path.join(workspace, "downloads", "list.csv");
    await until(() => existsSync(file) && readFileSync(file, "utf8").includes("lamp"));
    expect(readdirSync(workspace)).toEqual(["downloads"]);
    await kit.host.call("look", {}, { session: "later" });
    await kit.host.call("look", {}, { session: "later" });
    expect(held).toEqual([[], ["what a browser downloaded"]]);
    await using whole = await startBrowser("chromium", { tools: { browser_downloads: "./" } });
    expect(await whole.act({ action: "open", url: `${shop.url}/files` })).toMatch(/^BROWSER_DOWNLOADS/);
    await using led = await startBrowser("chromium", { tools: { browser_downloads: "out" } });
    symlinkSync("/tmp", path.join(led.host.slot(Runtime).workspace, "out"));
    expect(await led.act({ action: "open", url: `${shop.url}/files` })).toMatch(/^BROWSER_DOWNLOADS/);
  },
);

test.runIf(hasChromium)(
  `BR-13: downloads are refused and said where no folder is named, and a long page is cut${chromium}`,
  async () => {
    await using shop = await startShop();
    await using kit = await startBrowser("chromium");
    const files = await kit.act({ action: "open", url: `${shop.url}/files` });
    const refused = await kit.act({ action: "click", element: numberOf(files, 'link "Price list"') });
    expect(refused).toContain('the download of "list.csv" was refused');
    await using other = await startBrowser("chromium", { tools: { max_output_bytes: 1_024 } });
    const cut = await other.act({ action: "open", url: `${shop.url}/long` });
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1_024 + 200);
    expect(cut).toContain("[cut: tools.max_output_bytes]");
  },
);
