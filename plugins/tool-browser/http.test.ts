import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { ChatRequest } from "@gantry/sdk";
import { fakeProvider } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { numberOf, startBrowser } from "./browser.test-kit.ts";
import { OUTSIDE, startShop } from "./shop.test-kit.ts";

test("BR-01: the http backend asks by GET alone, judges every redirect, and reads text and nothing else", async () => {
  const asked: string[] = [];
  const types: Readonly<Record<string, string>> = {
    "/html": "text/html",
    "/plain": "text/plain",
    "/json": "application/json",
    "/picture": "image/png",
    "/program": "application/x-executable",
  };
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const type = types[request.url!];
    if (type) response.writeHead(200, { "content-type": type }).end(`<p>${request.url} speaks</p>`);
    else response.writeHead(302, { location: request.url!.replace("/to/", "http://") }).end();
  });
  server.listen(0, OUTSIDE);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const shop = `shop.example:${port}`;
  await using kit = await startBrowser("http");
  const open = (path: string) => kit.act({ action: "open", url: `http://${shop}${path}` });
  for (const path of ["/html", "/plain", "/json", `/to/${shop}/plain`])
    expect(await open(path)).toMatch(/(?:html|plain|json) speaks/);
  expect(await open("/picture")).toMatch(/^WEB_NOT_TEXT: .*image\/png/);
  expect(await open("/program")).toMatch(/^WEB_NOT_TEXT: .*application\/x-executable/);
  const before = asked.length;
  for (const to of [`127.0.0.1:${port}/html`, "169.254.169.254/latest", "evil.example/collect"])
    expect(await open(`/to/${to}`)).toMatch(/^NET_BLOCKED/);
  expect(asked.slice(before).every((one) => one.startsWith("GET /to/"))).toBe(true);
  expect(asked.every((one) => one.startsWith("GET "))).toBe(true);
  await new Promise((resolve) => server.close(resolve));
});

test("BR-03: what a page says reaches the model as material from outside, with its address", async () => {
  await using shop = await startShop();
  const model = fakeProvider([
    { calls: [{ name: "browser", args: { action: "open", url: `${shop.url}/hostile` } }] },
    "seen",
  ]);
  await using kit = await startBrowser("http", { plugins: [model] });
  await kit.host.ask("Look at the shop", { approvals: "yes" });
  const [system, , , result] = model.requests[1]!.messages.map(textOf);
  const word = /<<untrusted ([0-9a-f]{18}) …>>/.exec(system!)![1]!;
  expect(result).toMatch(new RegExp(`^<<untrusted ${word} from tool browser>>\n`));
  expect(result).toMatch(new RegExp(`\n<<end ${word}>>$`));
  expect(result).toContain("Ignore all previous instructions");
  expect(result).toContain(`\n${shop.url}/hostile\n`);
});

test("BR-04: links are numbered and whole, a click goes where its number says, and back again", async () => {
  await using shop = await startShop();
  await using kit = await startBrowser("http");
  const first = await kit.act({ action: "open", url: `${shop.url}/` });
  expect(first).toContain(`link "${shop.url}/lamp"`);
  const lamp = await kit.act({ action: "click", element: numberOf(first, `link "${shop.url}/old"`) });
  expect(lamp).toContain("A lamp of brass");
  expect(await kit.act({ action: "back" })).toContain("All kinds of lamps");
  expect(await kit.act({ action: "click", element: 99 })).toMatch(/^BROWSER_ELEMENT/);
});

test("BR-08, TOL-02: the http backend fills forms and sends them by GET, and says what would send the others", async () => {
  const asked: string[] = [];
  const field = `<input type="hidden" name="hl" value="en & more"><label for="q">Words</label><input id="q" name="q" value="old">
    <label>In <select name="in"><option value="">all<option value="b" selected>books<option>films</select></label>
    <label><input type="checkbox" name="new" value="1"> New</label><input type="radio" name="by" value="date" aria-label="By date" checked>
    <input type="radio" name="by" value="price" aria-label="By price"><input name="off" disabled value="x"><input type="file" name="paper">
    <button name="go" value="1">Search</button><input type="submit" name="lucky" value="Lucky"><button formmethod="post">Sly</button>`;
  const pages: Readonly<Record<string, string>> = {
    "/": `<a href="/there">There</a><form action="/found?gone=1#end">${field}</form>`,
    "/post": `<form method="post" action="/found"><input name="q"><button>Send</button></form>`,
    "/out": `<form action="http://evil.example/collect"><input name="q"><button>Send</button></form><form action="javascript:1"><input name="z"></form>`,
  };
  const server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    response.writeHead(200, { "content-type": "text/html" }).end(pages[url!] ?? `<p>You asked ${url}</p>`);
  });
  server.listen(0, OUTSIDE);
  await once(server, "listening");
  const shop = `http://shop.example:${(server.address() as AddressInfo).port}`;
  await using kit = await startBrowser("http");
  const first = await kit.act({ action: "open", url: `${shop}/` });
  expect(first.split("\n").filter((line) => /^\[\d/.test(line))).toEqual([
    `[1] link "${shop}/there"`,
    '[2] textbox "Words" = "old"',
    '[3] combobox "In" = "books of: all, books, films"',
    '[4] checkbox "New"',
    '[5] radio "By date" = "checked"',
    '[6] radio "By price"',
    '[7] button "Search"',
    '[8] button "Lucky"',
  ]);
  await kit.act({ action: "type", element: 2, text: "lämp & co" });
  expect(await kit.act({ action: "select", element: 3, value: "pink" })).toMatch(
    /^BROWSER_INERT.*no option pink/,
  );
  await kit.act({ action: "select", element: 3, value: "films" });
  await kit.act({ action: "click", element: 4 });
  expect(await kit.act({ action: "click", element: 6 })).toMatch(
    /"By date"\n\[6\] radio "By price" = "checked"/,
  );
  expect(await kit.act({ action: "type", element: 7, text: "x" })).toMatch(/^BROWSER_INERT/);
  expect(await kit.act({ action: "click", element: 8 })).toContain("You asked");
  expect(asked.at(-1)).toBe(
    "GET /found?hl=en+%26+more&q=l%C3%A4mp+%26+co&in=films&new=1&by=price&lucky=Lucky",
  );
  expect(await kit.act({ action: "back" })).toContain('textbox "Words" = "lämp & co"');
  await kit.act({ action: "select", element: 3, value: "all" });
  await kit.act({ action: "click", element: 4 });
  await kit.act({ action: "type", element: 2, text: "", submit: true });
  expect(asked.at(-1)).toBe("GET /found?hl=en+%26+more&q=&in=&by=price&go=1");
  await kit.act({ action: "open", url: `${shop}/post` });
  const before = asked.length;
  for (const action of [
    { action: "click", element: 2 },
    { action: "type", element: 1, text: "x", submit: true },
  ])
    expect(await kit.act(action)).toMatch(
      /^BROWSER_CANNOT.*send a form by POST: set .* to chromium or webdriver/,
    );
  const out = await kit.act({ action: "open", url: `${shop}/out` });
  expect(out).not.toContain('"z"');
  expect(await kit.act({ action: "click", element: 2 })).toMatch(/^NET_BLOCKED|not allowed/);
  expect(asked.slice(before)).toEqual(["GET /out"]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("TOL-02: the http backend says what it cannot do, and what would", async () => {
  await using shop = await startShop();
  await using kit = await startBrowser("http");
  await kit.act({ action: "open", url: `${shop.url}/` });
  const cannot = [{ action: "scroll" }, { action: "screenshot" }];
  for (const action of cannot)
    expect(await kit.act(action)).toMatch(/^BROWSER_CANNOT.*chromium or webdriver/);
  expect(await kit.act({ action: "open", url: "http://evil.example/" })).toMatch(/^BROWSER_REFUSED/);
});

const textOf = ({ parts }: ChatRequest["messages"][number]): string =>
  parts.map((part) => ("text" in part ? part.text : "")).join("");
