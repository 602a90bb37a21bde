import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import axe from "axe-core";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { findProgram } from "../../.ci/programs.ts";
import type { ConsoleKit } from "./console.test-kit.ts";

const program = findProgram("chromium");
export const hasChromium: boolean = program !== undefined;

/** Starts the machine's Chromium, which reaches this machine alone. */
export async function startBrowser(): Promise<Browser & AsyncDisposable> {
  const home = mkdtempSync(path.join(tmpdir(), "gantry-browser-"));
  const browser = await chromium.launch({
    executablePath: program ?? "",
    args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
    env: { ...process.env, HOME: home } as Record<string, string>,
  });
  const stop = async (): Promise<void> => {
    await browser.close();
    rmSync(home, { recursive: true, force: true });
  };
  return Object.assign(browser, { [Symbol.asyncDispose]: stop });
}

/** A tab of a browser of its own, and all that a page must not do there. */
export interface Tab extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Reports of the policy, lines of the console, requests to others. */
  readonly faults: readonly string[];
  /** Returns the findings of axe in the page that is shown. */
  findings(): Promise<readonly string[]>;
}

export interface TabOptions {
  readonly width?: number;
  readonly dark?: boolean;
  /** Words of expected lines: a browser writes one for each refused or lost request. */
  readonly expected?: readonly string[];
}

export async function openTab(
  browser: Browser,
  { url }: { readonly url: string },
  { width = 1280, dark = false, expected = [] }: TabOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    bypassCSP: false,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  watch(page, url, faults, expected);
  return {
    page,
    context,
    faults,
    findings: () => findings(page),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

function watch(page: Page, url: string, faults: string[], expected: readonly string[]): void {
  page.on("console", (line) => {
    if (expected.some((words) => line.text().includes(words))) return;
    faults.push(`console ${line.type()}: ${line.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith(url) && !/^(?:data|blob):/.test(address)) faults.push(`request: ${address}`);
  });
}

/** The policy of the page lets no script be added, so the debugger brings axe in. */
async function findings(page: Page): Promise<readonly string[]> {
  const debug = await page.context().newCDPSession(page);
  await debug.send("Runtime.evaluate", { expression: axe.source });
  const { result, exceptionDetails } = await debug.send("Runtime.evaluate", {
    expression: "axe.run(document, { resultTypes: ['violations'] })",
    awaitPromise: true,
    returnByValue: true,
  });
  await debug.detach();
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  const { violations } = result.value as axe.AxeResults;
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
  );
}

/** Pairs a tab by an address as the gateway prints it, and waits for the page. */
export async function enter(
  { page }: Tab,
  { gateway }: ConsoleKit,
  options: { readonly may?: string; readonly name?: string } = {},
): Promise<Page> {
  const code = (await gateway.word("pair new", [], options)).out.trim();
  await pairBy(page, `${gateway.url}/console#code=${code}`);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  return page;
}

/** Opens an address with a code, and presses Pair. */
export async function pairBy(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole("button", { name: "Pair" }).click();
}

/** Goes to a view by its link. */
export async function show(page: Page, name: string): Promise<void> {
  await page.getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
}

/** Sends a message in the chat. */
export async function send(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("textbox", { name: "Message" }).press("Enter");
}
