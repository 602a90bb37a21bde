import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { hasDriver, numberOf, startBrowser, startDriver, until, without } from "./browser.test-kit.ts";
import { relayDriver } from "./relay.test-kit.ts";
import { startShop } from "./shop.test-kit.ts";

vi.setConfig({ testTimeout: 180_000 });

const left = without("chromedriver", hasDriver);

type Fields = Record<string, any>;
/** Ways in which a driver that says that it took the proxy leaves one around it. */
const around: readonly (readonly [how: string, why: RegExp, change: (asked: Fields) => void])[] = [
  [
    "sends the datagrams of WebRTC",
    /its WebRTC sends datagrams past it/,
    (asked) => delete asked["goog:chromeOptions"].prefs["webrtc.ip_handling_policy"],
  ],
  [
    "keeps the proxy from addresses of this machine",
    /it connects to this machine past it/,
    (asked) => delete asked["proxy"].noProxy,
  ],
  [
    "has switches of its own that set the proxy aside",
    /it connects to this machine past it/,
    (asked) => asked["goog:chromeOptions"].args.push("--no-proxy-server"),
  ],
];

test.runIf(hasDriver).each(around)(
  `BR-07: a driver whose browser %s is refused and leaves no browser${left}`,
  async (_, why, change) => {
    await using driver = await startDriver();
    await using relay = await relayDriver(driver.url, { asks: change });
    await using kit = await startBrowser("webdriver", {
      tools: { ...driver.tools, webdriver_url: relay.url },
    });
    const said = await kit.act({ action: "open", url: "http://shop.example/" });
    expect(said).toMatch(/^BROWSER_NO_PROXY/);
    expect(said).toMatch(why);
    await until(() => driver.browsers().length === 0);
  },
);

test.runIf(hasDriver)(
  `BR-07: a driver whose session does not report the proxy is refused and leaves no browser${left}`,
  async () => {
    await using driver = await startDriver();
    await using relay = await relayDriver(driver.url, { answers: (told) => delete told["proxy"] });
    await using kit = await startBrowser("webdriver", {
      tools: { ...driver.tools, webdriver_url: relay.url },
    });
    const said = await kit.act({ action: "open", url: "http://shop.example/" });
    expect(said).toMatch(/^BROWSER_NO_PROXY.*does not say that it took it/);
    await until(() => driver.browsers().length === 0);
  },
);

test.runIf(hasDriver)(
  `BR-07: through a driver no page sends a datagram, asks for a name or saves a file, and the switches that were configured stay${left}`,
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "gantry-netlog-"));
    const log = path.join(folder, "net.json");
    try {
      await using shop = await startShop();
      await using driver = await startDriver([`--log-net-log=${log}`]);
      await using kit = await startBrowser("webdriver", { tools: driver.tools });
      await kit.act({ action: "open", url: `${shop.url}/hostile` });
      const files = await kit.act({ action: "open", url: `${shop.url}/files` });
      await kit.act({ action: "click", element: numberOf(files, 'link "Price list"') });
      await kit.act({ action: "open", url: `${shop.url}/hostile` });
      expect(await kit.act({ action: "read" })).toContain("nothing got out");
      await kit.act({ action: "close" });
      await until(() => driver.browsers().length === 0);
      const written = readFileSync(log, "utf8");
      expect(written).toContain("lookup.evil.example");
      expect(eventsIn(written, ["DNS_TRANSACTION", "UDP_BYTES_SENT"])).toEqual([]);
      expect(shop.asked).toContain("GET /list.csv");
      expect(shop.asked).not.toContain("UDP");
      expect(existsSync(path.join(driver.folder, "Downloads", "list.csv"))).toBe(false);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

test.runIf(hasDriver)(
  `BR-06: what a killed service left at a driver is ended by the next one, and what a living one uses is not${left}`,
  async () => {
    await using driver = await startDriver();
    await using shop = await startShop();
    const configDir = mkdtempSync(path.join(tmpdir(), "gantry-left-"));
    const program = new URL("./service.test-kit.ts", import.meta.url).pathname;
    const options = JSON.stringify({ backend: "webdriver", tools: driver.tools, configDir });
    const args = ["--conditions=gantry-source", program, `${shop.url}/`, options];
    const service = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(service.stdout, "data");
      {
        await using beside = await startBrowser("webdriver", { tools: driver.tools, configDir });
        await beside.act({ action: "open", url: `${shop.url}/lamp` });
        expect(driver.browsers()).toHaveLength(2);
      }
      expect(driver.browsers()).toHaveLength(1);
      service.kill("SIGKILL");
      await once(service, "exit");
      expect(driver.browsers()).toHaveLength(1);
      await using next = await startBrowser("webdriver", { tools: driver.tools, configDir });
      await until(() => driver.browsers().length === 0);
      expect(await next.act({ action: "open", url: `${shop.url}/lamp` })).toContain("A lamp of brass");
      const kept = readdirSync(path.join(configDir, "state", "browser"));
      expect(kept.filter((name) => name.endsWith(".json"))).toHaveLength(1);
    } finally {
      service.kill("SIGKILL");
      rmSync(configDir, { recursive: true, force: true });
    }
  },
);

test.each(["../../../shutdown#", "..", "../S2/window/new?", "a/b", "%2e%2e"])(
  "BR-08: a page that makes up the reference of an element, such as %s, asks nothing else of the driver",
  async (reference) => {
    const asked: string[] = [];
    const made = { "element-6066-11e4-a52e-4f735466cecf": reference };
    const page = { text: "hello", frames: 0, elements: [{ element: made, value: "" }] };
    const answers: Readonly<Record<string, unknown>> = {
      "/execute/async": "none",
      "/execute/sync": page,
      "/window/handles": ["w"],
      "/url": "http://shop.example/",
    };
    const server = createServer((request, response) => {
      void (async () => {
        const { url = "" } = request;
        asked.push(url);
        const body = await text(request);
        const proxy = url === "/session" && JSON.parse(body).capabilities.alwaysMatch.proxy;
        const value = proxy
          ? { sessionId: "S1", capabilities: { proxy } }
          : answers[url.replace("/session/S1", "")];
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ value: value ?? null }));
      })();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await using kit = await startBrowser("webdriver", {
      tools: { webdriver_url: `http://127.0.0.1:${port}` },
    });
    expect(await kit.act({ action: "open", url: "http://shop.example/" })).toContain("hello");
    expect(await kit.act({ action: "click", element: 1 })).toMatch(/^BROWSER_ELEMENT/);
    await kit.act({ action: "close" });
    const known = /^\/session(\/S1(\/(execute\/(a?sync)|window(\/handles)?|url|title|frame))?)?$/;
    expect(asked.filter((one) => !known.test(one))).toEqual([]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
);

/** The lines of a network log that are events of these types. */
function eventsIn(log: string, types: readonly string[]): readonly string[] {
  const numbers = types.map((type) => Number(new RegExp(`"${type}":(\\d+)`).exec(log)![1]));
  const event = new RegExp(`"type":(?:${numbers.join("|")})[,}]`);
  return log
    .split("\n")
    .slice(1)
    .filter((line) => event.test(line));
}
