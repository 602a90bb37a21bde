import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { ApartBounds } from "@gantry/sdk/node";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { webPlugin } from "./plugin.ts";
import { running } from "./taken-over.test-kit.ts";
import { type Web, pages, startWeb } from "./web.test-kit.ts";

const own = new URL("./index.ts", import.meta.url).href;

function startService(web: Web, base: string, bounds: ApartBounds) {
  return startTestHost({ plugins: [web.net, webPlugin(base, bounds)] });
}

test("BR-02: a page that holds its reader up is told so by a coded sentence, and the service answers meanwhile", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-reader-"));
  try {
    writeFileSync(path.join(folder, "page-worker.js"), 'process.stdout.write("ready\\n"); for (;;);');
    await using web = await startWeb((request, response) => {
      const type = request.url === "/plain" ? "text/plain" : "text/html";
      response.writeHead(200, { "content-type": type }).end("<p>hello");
    });
    const base = pathToFileURL(path.join(folder, "index.js")).href;
    await using t = await startService(web, base, { cpuSeconds: 1, memoryMb: 256 });
    const order: string[] = [];
    const held = t.call("web_fetch", { url: `${web.url}/held` }).finally(() => order.push("held"));
    await expect.poll(() => running(folder).length).toBeGreaterThan(0);
    const plain = await t.call("web_fetch", { url: `${web.url}/plain` }).finally(() => order.push("plain"));
    expect(plain.text).toContain("hello");
    expect(await held).toMatchObject({
      code: "WEB_UNREADABLE",
      text: expect.stringMatching(/\/held takes more than 1 s and 256 MiB to read.*try another/),
    });
    expect(order).toEqual(["plain", "held"]);
    const given = t.call("web_fetch", { url: `${web.url}/held` }, { signal: AbortSignal.timeout(300) });
    await expect(given.then(({ code }) => code, String)).resolves.toBeDefined();
    await expect.poll(() => running(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("BR-02: of a page that eats its reader's memory the words are given, and the next page is read as ever", async () => {
  const items = "<li>item".repeat(400_000);
  await using web = await startWeb(pages({ "/": `${items} the last`, "/next": "<h1>Lamps</h1>" }));
  await using t = await startService(web, own, { cpuSeconds: 60, memoryMb: 96 });
  const { text, code } = await t.call("web_fetch", { url: web.url });
  expect([code, text.slice(0, 400)]).toEqual([
    undefined,
    expect.stringMatching(/\[WEB_UNREADABLE: .* takes more than .* What follows are its words\.\]\n\n item/),
  ]);
  expect((await t.call("web_fetch", { url: `${web.url}/next` })).text).toContain("# Lamps");
});
