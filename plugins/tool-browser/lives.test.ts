import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  hasChromium,
  hasDriver,
  isAlive,
  isBelow,
  processesWith,
  startBrowser,
  startDriver,
  until,
  without,
} from "./browser.test-kit.ts";
import { startShop } from "./shop.test-kit.ts";

const left = without("chromium", hasChromium);
/**
 * The browsers that a process started, and of nobody else: another test may have its own at the
 * same time.
 */
const browsersOf = (parent: number): readonly number[] =>
  processesWith("/usr/lib/chromium/chromium\0--headless=new\0--no-sandbox\0--no-zygote").filter((pid) =>
    isBelow(pid, parent),
  );
const mine = (): readonly number[] => browsersOf(process.pid);
/** With what draws and loads for them. */
const everyProcess = (): readonly number[] =>
  processesWith("/usr/lib/chromium/chromium").filter((pid) => isBelow(pid, process.pid));
const isLong = process.env["GANTRY_LONG"] !== undefined;
const conversations = isLong ? 10 : 2;
/** Twice what the README states for a small page; the figure is one of Chromium 156. */
const MAX_MB_EACH = 360;

/** Returns the memory that processes hold, each page counted once. */
const memoryMb = (pids: readonly number[]): number =>
  pids
    .map(
      (pid) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]) / 1024,
    )
    .reduce((sum, mb) => sum + mb, 0);

test.runIf(hasChromium)(
  `BR-06, TOL-04: each conversation has a browser of its own, ended when idle, with its conversation and with the service${left}`,
  { timeout: 300_000 },
  async () => {
    await using shop = await startShop();
    let started: readonly number[] = [];
    {
      await using kit = await startBrowser("chromium");
      const sessions = Array.from({ length: conversations }, (_, i) => `talk-${i}`);
      const said = await Promise.all(
        sessions.map((session, i) => kit.act({ action: "open", url: `${shop.url}/found?q=${i}` }, session)),
      );
      expect(said.map((one) => /You asked for (\d+)/.exec(one)?.[1])).toEqual(
        sessions.map((_, i) => String(i)),
      );
      started = mine();
      expect(started.length).toBeGreaterThanOrEqual(conversations);
      expect(isLong ? memoryMb(everyProcess()) : 0).toBeLessThan(conversations * MAX_MB_EACH);
      expect(await kit.act({ action: "close" }, "talk-0")).toContain("closed");
      expect(await kit.act({ action: "read" }, "talk-0")).toMatch(/^BROWSER_NO_PAGE/);
      expect(await kit.act({ action: "read" }, "talk-1")).toContain("You asked for 1");
    }
    await until(() => !started.some(isAlive));
    await using kit = await startBrowser("chromium", { idleMs: 200 });
    await kit.act({ action: "open", url: `${shop.url}/` });
    await until(() => mine().length === 0);
    expect(await kit.act({ action: "read" })).toMatch(/^BROWSER_NO_PAGE/);
  },
);

test.runIf(hasChromium)(
  `BR-06: a browser that dies is said, and the next page opens a new one${left}`,
  { timeout: 180_000 },
  async () => {
    await using shop = await startShop();
    await using kit = await startBrowser("chromium");
    await kit.act({ action: "open", url: `${shop.url}/` });
    const started = mine();
    for (const pid of started) process.kill(pid, "SIGKILL");
    await until(() => !started.some(isAlive));
    expect(await kit.act({ action: "read" })).toMatch(/^BROWSER_LOST/);
    expect(await kit.act({ action: "open", url: `${shop.url}/lamp` })).toContain("A lamp of brass");
  },
);

test.runIf(hasChromium)(
  `BR-06: kill -9 of the service leaves no browser${left}`,
  { timeout: 180_000 },
  async () => {
    await using shop = await startShop();
    const kit = new URL("./service.test-kit.ts", import.meta.url).pathname;
    const service = spawn(process.execPath, ["--conditions=gantry-source", kit, `${shop.url}/`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(service.stdout, "data");
    const started = browsersOf(service.pid!);
    expect(started.length).toBeGreaterThan(0);
    service.kill("SIGKILL");
    await until(() => !started.some(isAlive));
  },
);

test("BR-05, TOL-02: without a driver the failure says so and names both cures", async () => {
  await using kit = await startBrowser("webdriver", { tools: { webdriver_url: "http://127.0.0.1:1" } });
  const said = await kit.act({ action: "open", url: "http://shop.example/" });
  expect(said).toMatch(/^BROWSER_DRIVER: .*WebDriver connection failed.*start one.*browser_backend to http/);
});

test("BR-12: a driver elsewhere is spoken to by https alone", async () => {
  await using kit = await startBrowser("webdriver", {
    tools: { webdriver_url: "http://driver.example:9515" },
  });
  expect(await kit.act({ action: "open", url: "http://shop.example/" })).toMatch(/^BROWSER_DRIVER_FAR/);
});

test.runIf(hasDriver)(
  `BR-14: what does not answer is given up after its time, and the session lives${without("chromedriver", hasDriver)}`,
  { timeout: 180_000 },
  async () => {
    await using shop = await startShop();
    await using driver = await startDriver();
    await using kit = await startBrowser("webdriver", {
      tools: { ...driver.tools, browser_timeout_seconds: 5 },
    });
    const late = await kit.act({ action: "open", url: `${shop.url}/late` });
    expect(late).toContain("did not finish within 5 s");
    expect(await kit.act({ action: "read" })).not.toMatch(/^BROWSER_(LOST|NO_PAGE)/);
  },
);

test("BR-15: where it is not enabled it is not offered", async () => {
  await using kit = await startBrowser("http", { security: { browser_enabled: false } });
  expect(await kit.act({ action: "open", url: "http://shop.example/" })).toMatch(
    /^TOOL_(UNKNOWN|WITHDRAWN|NOT_OFFERED)/,
  );
});
