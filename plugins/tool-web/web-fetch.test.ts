import { brotliCompressSync, gzipSync } from "node:zlib";
import { fakeProvider, startTestHost, toolContract } from "@gantry/sdk/testing";
import { Tools, type TurnEvent } from "@gantry/sdk";
import { assert, asyncProperty, string } from "fast-check";
import { expect, test } from "vitest";
import guardNetwork from "../guard-network/index.ts";
import plugin from "./index.ts";
import { pages, startWeb } from "./web.test-kit.ts";

const filler = (words: string): string =>
  `<p>${`${words} is told here at some length, with commas, and ends. `.repeat(4)}</p>`;

test("AGT-08: web_fetch gives the article of a page with headings, lists, code and numbered links", async () => {
  await using web = await startWeb(
    pages({
      "/a/page.html": `<!doctype html><html><head><title>On  lamps &amp; light</title><style>p{}</style></head><body>
        <nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul></nav>
        <div class="cookie-banner">We value your privacy, do accept all of our cookies.</div>
        <article><h1>On lamps</h1>${filler("The history of lamps")}
        <p>See <a href="../b.html?x=1#part">the other page</a>, <a href="#top">top</a> and <a href="javascript:x()">this</a>.</p>
        <h2>Kinds</h2><ol><li>Oil<ul><li>whale</li></ul></li><li>Gas</li></ol>
        <pre>if (x) {\n  light();\n}</pre><blockquote><p>Let there be light.</p></blockquote>
        <table><tr><th>Kind</th><th>Lumen</th></tr><tr><td>Oil</td><td>10</td></tr></table>
        <p>An <b>end</b>.<br>Or <code>not</code>. <img src=x alt="a lamp"></p><script>evil()</script></article>
        <aside>${filler("Advertisement")}</aside><footer>Imprint</footer></body></html>`,
    }),
  );
  await using t = await startTestHost({ plugins: [web.net, plugin] });
  const { text, decision } = await t.call("web_fetch", { url: `${web.url}/a/page.html` });
  expect(decision).toBe("allowed");
  const body = text.replace(/The history of lamps.*\n/, "…\n");
  expect(body).toBe(
    [
      "On lamps & light",
      `${web.url}/a/page.html`,
      "",
      "# On lamps",
      "",
      "…",
      "",
      "See the other page[1], top and this.",
      "",
      "## Kinds",
      "",
      "1. Oil",
      "",
      "   - whale",
      "",
      "2. Gas",
      "",
      "```",
      "if (x) {",
      "  light();",
      "}",
      "```",
      "",
      "> Let there be light.",
      "",
      "| Kind | Lumen |",
      "| Oil | 10 |",
      "",
      "An end.",
      "Or `not`. [image: a lamp]",
      "",
      `[1] ${web.url}/b.html?x=1#part`,
    ].join("\n"),
  );
});

test("AGT-08: redirects are judged like the address itself, before anything is asked there", async () => {
  await using web = await startWeb(({ url }, response) => {
    const to = { "/far": "http://169.254.169.254/meta", "/near": "/end", "/local": "http://localhost/x" }[
      url ?? ""
    ];
    response.writeHead(to ? 302 : 200, to ? { location: to } : { "content-type": "text/plain" }).end("plain");
  });
  await using t = await startTestHost({ plugins: [web.net, plugin, guardNetwork] });
  const fetched = (path: string) =>
    t.call("web_fetch", { url: path.startsWith("/") ? web.url + path : path });
  expect((await fetched("/near")).text).toBe(`${web.url}/end\n\nplain`);
  for (const path of [
    "/far",
    "/local",
    "http://10.0.0.1/",
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "nonsense",
  ])
    expect(await fetched(path)).toMatchObject({ code: expect.stringMatching(/^NET_B/) });
  expect(web.asked.every((line) => line.startsWith("GET "))).toBe(true);
  expect(web.asked).toEqual(["GET /near", "GET /end", "GET /far", "GET /local"]);
});

test("AGT-08: every charset and packing is read, and what is no text is said to be none", async () => {
  const answers: Readonly<Record<string, readonly [object, Uint8Array]>> = {
    "/latin": [{ "content-type": "text/plain; charset=iso-8859-1" }, Buffer.from("gr\u00fc\u00df", "latin1")],
    "/meta": [
      { "content-type": "text/html" },
      Buffer.from('<meta charset="windows-1252"><p>\u0080\u00fc', "latin1"),
    ],
    "/utf16": [{ "content-type": "text/plain" }, Buffer.from("\ufeffgr\u00fc", "utf16le")],
    "/unsaid": [{}, Buffer.from("gr\u00fc")],
    "/broken": [{ "content-type": "text/plain; charset=klingon" }, Buffer.from("ok")],
    "/gzip": [{ "content-type": "text/plain", "content-encoding": "gzip" }, gzipSync("packed")],
    "/json": [{ "content-type": "application/ld+json" }, Buffer.from("{}")],
    "/bomb": [
      { "content-type": "text/plain", "content-encoding": "gzip" },
      gzipSync(Buffer.alloc(64 * 1024 * 1024)),
    ],
    "/lies": [{ "content-type": "text/plain", "content-encoding": "gzip" }, Buffer.from("not packed")],
    "/image": [{ "content-type": "image/png" }, Buffer.from([0x89, 0x50])],
    "/bytes": [{ "content-type": "application/octet-stream" }, Buffer.from([0, 1])],
    "/empty": [{ "content-type": "text/html" }, Buffer.alloc(0)],
  };
  await using web = await startWeb(({ url = "" }, response) => {
    const [headers, data] = answers[url]!;
    response.writeHead(200, headers as Record<string, string>).end(data);
  });
  await using t = await startTestHost({ plugins: [web.net, plugin] });
  const said: Record<string, string> = {};
  for (const path of Object.keys(answers)) {
    const { text, code } = await t.call("web_fetch", { url: web.url + path });
    said[path] = code ?? text.replace(`${web.url}${path}\n`, "").trim();
  }
  expect(said).toEqual({
    "/latin": "gr\u00fc\u00df",
    "/meta": "\u20ac\u00fc",
    "/utf16": "gr\u00fc",
    "/unsaid": "gr\u00fc",
    "/broken": "ok",
    "/gzip": "packed",
    "/json": "{}",
    "/bomb": "WEB_GARBLED",
    "/lies": "WEB_GARBLED",
    "/image": "WEB_NOT_TEXT",
    "/bytes": "WEB_NOT_TEXT",
    "/empty": "[there is no text]",
  });
});

test("FLR-01: web_fetch asks for gzip alone", async () => {
  const asked: unknown[] = [];
  await using web = await startWeb(({ headers }, response) => {
    asked.push(headers["accept-encoding"]);
    response.writeHead(200, { "content-type": "text/plain" }).end("plain");
  });
  await using t = await startTestHost({ plugins: [web.net, plugin] });
  await t.call("web_fetch", { url: web.url });
  expect(asked).toEqual(["gzip"]);
});

test.each(["br", "BR", "gzip, br", "x-br", "zstd"])(
  "FLR-01: a body packed as `%s` is refused, and the sentence says why",
  async (encoding) => {
    await using web = await startWeb((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": encoding });
      response.end(brotliCompressSync("words inside"));
    });
    await using t = await startTestHost({ plugins: [web.net, plugin] });
    const { text, code } = await t.call("web_fetch", { url: web.url });
    expect(code).toBe("WEB_GARBLED");
    expect(text).toContain(
      `(it is packed as ${encoding.toLowerCase()}, which was not asked for and is not decoded)`,
    );
    expect(text).not.toContain("words inside");
  },
);

test("AGT-08: a long page is given a part at a time, each saying where to go on; an endless one is cut", async () => {
  const words = Array.from({ length: 20_000 }, (_, i) => `word${i}`).join(" ");
  await using web = await startWeb(({ url }, response) => {
    response.writeHead(200, { "content-type": "text/plain" });
    if (url === "/long") return void response.end(words);
    const more = (): void =>
      void (response.destroyed || response.write("x".repeat(65_536), () => setImmediate(more)));
    more();
  });
  await using t = await startTestHost({ plugins: [web.net, plugin] });
  let read = "";
  for (let offset: number | undefined = 1; offset !== undefined;) {
    const { text } = await t.call("web_fetch", { url: `${web.url}/long`, offset });
    const [, part, next] = /^\S+\n\n([^\n]*)\n\[characters[^\]]*?(?:offset (\d+))?\]$/.exec(text)!;
    read += part;
    offset = next === undefined ? undefined : Number(next);
  }
  expect(read).toBe(words);
  const { text } = await t.call("web_fetch", { url: `${web.url}/endless`, offset: 4_194_000 });
  expect(text).toContain("the page is longer than what was read");
  expect((await t.call("web_fetch", { url: `${web.url}/long`, offset: 9_999_999 })).text).toContain(
    "has only",
  );
});

test("AGT-08: an error of the server, a missing server and a server that does not answer are told as such", async () => {
  await using web = await startWeb(({ url }, response) => {
    if (url === "/wait") return;
    response.writeHead(503, { "content-type": "text/html" }).end("<p>Down for a while.</p>");
  });
  await using t = await startTestHost({
    plugins: [web.net, plugin],
    config: { tools: { browser_timeout_seconds: 5 } },
  });
  expect((await t.call("web_fetch", { url: web.url })).text).toBe(
    `HTTP 503\n${web.url}/\n\nDown for a while.`,
  );
  expect(await t.call("web_fetch", { url: `${web.url}/wait` })).toMatchObject({ code: "TOOL_TIMEOUT" });
  expect(await t.call("web_fetch", { url: "http://127.0.0.1:1/" })).toMatchObject({ code: "NET_REFUSED" });
});

test("AGT-08: without a way out web_fetch is not offered", async () => {
  await using t = await startTestHost({ plugins: [plugin] });
  expect(t.slot(Tools).get("web_fetch")!.offered!()).toBe(false);
});

test("BR-02, AGT-08: no page holds up the service or breaks the reading, however it is nested or broken", async () => {
  const html: Record<string, string> = {
    "/deep": `${"<div>".repeat(20_000)}deep${"</div>".repeat(20_000)}`,
    "/open": `${"<b><i><p>".repeat(10_000)}open`,
    "/attributes": `<p ${"a=1 ".repeat(100_000)}>attributes`,
    "/stars": `<p>${"*".repeat(1_000_000)}`,
    "/list": `${"<ul><li>".repeat(5_000)}list`,
  };
  await using web = await startWeb(pages(html));
  await using t = await startTestHost({ plugins: [web.net, plugin] });
  for (const path of Object.keys(html)) {
    const { text } = await t.call("web_fetch", { url: web.url + path });
    expect([path, text.includes(path === "/stars" ? "***" : path.slice(1))]).toEqual([path, true]);
  }
  const { pageTree } = await import("./page-tree.ts");
  const { articleOf } = await import("./article.ts");
  const { PageText } = await import("./page-text.ts");
  await assert(
    asyncProperty(string({ unit: "grapheme" }), async (junk) => {
      const tree = pageTree(`<p>kept</p><div ${junk}>${junk}</div><${junk}`);
      expect(PageText.of(articleOf(tree.body), "http://a/").text).toContain("kept");
    }),
  );
});

test("SDK-05: web_fetch keeps the contract of a tool", async () => {
  await using web = await startWeb(pages({ "/": "<p>Hello.</p>" }));
  await using t = await startTestHost({ plugins: [web.net, plugin] });
  const tool = t.slot(Tools).get("web_fetch")!;
  for (const { run } of toolContract({ tool, args: { url: web.url } }))
    await expect(run()).resolves.toBeUndefined();
});

test("SDK-15: web_fetch tells how many bytes of a page have come, and of how many", async () => {
  const html = `<h1>Lamps</h1>${filler("Light")}`;
  await using web = await startWeb((_, response) => {
    response.writeHead(200, { "content-type": "text/html", "content-length": Buffer.byteLength(html) });
    response.end(html);
  });
  const model = fakeProvider([{ calls: [{ name: "web_fetch", args: { url: web.url } }] }, "done"]);
  await using t = await startTestHost({ plugins: [web.net, plugin, model] });
  const steps: TurnEvent[] = [];
  await t.ask("read", {
    onEvent: (event) => void (event.type === "tool_progress" && steps.push(event)),
  });
  const bytes = Buffer.byteLength(html);
  expect(steps[0]).toMatchObject({ tool: "web_fetch", total: bytes, text: "bytes" });
});
