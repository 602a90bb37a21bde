import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Net, type Plugin, Upstream, definePlugin } from "@gantry/sdk";
import { type TestHost, startTestHost } from "@gantry/sdk/testing";
import { addressCheck } from "../net-undici/addresses.ts";
import { domainCheck } from "../net-undici/domains.ts";
import { createNet } from "../net-undici/net.ts";
import { createUpstream } from "../net-undici/upstream.ts";
import sandbox from "../sandbox-landlock/index.ts";
import store from "../store-sqlite/index.ts";
import web from "../tool-web/index.ts";
import { browserPlugin } from "./plugin.ts";
import { OUTSIDE } from "./shop.test-kit.ts";

const CHROMIUM = "/usr/lib/chromium/chromium";
const DRIVER = "/usr/bin/chromedriver";
export const hasChromium = process.platform === "linux" && existsSync(CHROMIUM);
/** For the title of a test that is left out. */
export const without = (program: string, has: boolean): string =>
  has ? "" : ` (left out: ${program} is not installed)`;
export const hasDriver = hasChromium && existsSync(DRIVER);

/** The real ways out, where every name leads to one address of loopback that counts as outside. */
function network() {
  const special = addressCheck([]);
  return definePlugin({
    name: "net-test",
    provides: [Net, Upstream],
    setup(host) {
      const rules = {
        domains: domainCheck(["shop.example"]),
        addresses: (address: string) => (address === OUTSIDE ? undefined : special(address)),
        lookup: async () => [OUTSIDE],
      };
      const upstream = createUpstream();
      host.provide(Net, createNet(rules));
      host.provide(Upstream, upstream);
      host.onDispose(() => upstream.close());
    },
  });
}

export interface BrowserKit extends AsyncDisposable {
  readonly host: TestHost;
  /** One action in a conversation; what the model is told, or the code of the refusal. */
  act(args: Readonly<Record<string, unknown>>, session?: string): Promise<string>;
}

export interface KitOptions {
  readonly tools?: Readonly<Record<string, unknown>>;
  readonly idleMs?: number;
  /** Over what the kit has there. */
  readonly security?: Readonly<Record<string, unknown>>;
  readonly configDir?: string;
  readonly plugins?: readonly Plugin[];
}

export async function startBrowser(
  backend: string,
  { tools = {}, idleMs, security = {}, configDir, plugins = [] }: KitOptions = {},
): Promise<BrowserKit> {
  const host = await startTestHost({
    plugins: [network(), sandbox, store, web, browserPlugin(idleMs), ...plugins],
    config: {
      agent: { max_tool_iterations: 60 },
      security: { browser_enabled: true, allowed_domains: ["shop.example"], ...security },
      tools: { browser_backend: backend, browser_timeout_seconds: 60, ...tools },
    },
    ...(configDir !== undefined && { configDir }),
  });
  return {
    host,
    async act(args, session = "one") {
      const { text, code } = await host.call("browser", args, { session, approvals: "yes" });
      return code === undefined ? text : `${code}: ${text}`;
    },
    [Symbol.asyncDispose]: () => host.stop(),
  };
}

/** The number before an element in an answer. */
export function numberOf(answer: string, element: string): number {
  const found = new RegExp(`^\\[(\\d+)\\] ${element}`, "m").exec(answer);
  if (!found) throw new Error(`no ${element} in:\n${answer}`);
  return Number(found[1]);
}

/** Processes whose command line holds the one word and not the other. */
export function processesWith(word: string, not?: string): readonly number[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const line = /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
      return line.includes(word) && !(not && line.includes(not)) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

/** Returns true if a process is there and has not ended. */
export function isAlive(pid: number): boolean {
  const [state] = fieldsOf(pid);
  return state !== undefined && state !== "Z";
}

/** Returns true if a process was started by another, or by one that it started. */
export function isBelow(pid: number, above: number): boolean {
  const parent = Number(fieldsOf(pid)[1] ?? 0);
  return parent === above || (parent > 1 && isBelow(parent, above));
}

/**
 * Returns the kernel's fields of a process after its name: state, parent…; nothing if it is gone.
 */
function fieldsOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** Resolves once the condition holds; throws after a minute. */
export async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + 60_000; !condition();) {
    if (performance.now() > end) throw new Error("it did not come about");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface Driver extends AsyncDisposable {
  readonly url: string;
  readonly tools: Readonly<Record<string, unknown>>;
  /** Its home: what it and its browsers write. */
  readonly folder: string;
  /** The browsers that it has now. */
  browsers(): readonly number[];
}

/**
 * A real ChromeDriver, in a group of its own, which is ended whole. `more`: switches of its
 * browsers besides.
 */
export async function startDriver(more: readonly string[] = []): Promise<Driver> {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-driver-"));
  const driver = spawn(DRIVER, ["--port=0"], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder },
  });
  const port = await new Promise<string>((resolve, reject) => {
    let said = "";
    driver.stdout.on("data", (piece: Buffer) => {
      const found = /successfully on port (\d+)/.exec((said += piece.toString()));
      if (found) resolve(found[1]!);
    });
    driver.once("exit", () => reject(new Error(`the driver ended: ${said}`)));
  });
  const args = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-dev-shm-usage",
    ...more,
  ];
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    tools: {
      webdriver_url: url,
      webdriver_capabilities: { browserName: "chrome", "goog:chromeOptions": { args } },
    },
    folder,
    browsers: () => processesWith(`--user-data-dir=${folder}`, "--type="),
    async [Symbol.asyncDispose]() {
      const gone = new Promise((resolve) => driver.once("exit", resolve));
      process.kill(-driver.pid!, "SIGKILL");
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
