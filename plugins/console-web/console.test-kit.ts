import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { ask, definePlugin, textOf } from "@gantry/sdk";
import type { Plugin, Provider, ProviderEvent, Tried, WordsWanted } from "@gantry/sdk";
import { fakeChannel, type FakeChannel } from "@gantry/sdk/testing";
import axe from "axe-core";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { findProgram } from "../../.ci/programs.ts";
import { said, startGantry, tempDir } from "../../test/helpers/cli.ts";
import { guard, tool } from "../../test/helpers/plugins.ts";
import agents from "../agent-routes/index.ts";
import askWords from "../ask-words/index.ts";
import audit from "../audit-file/index.ts";
import doctor from "../command-doctor/index.ts";
import plugins from "../command-plugins/index.ts";
import sessions from "../command-sessions/index.ts";
import { startGateway, type TestGateway } from "../gateway-http/gateway.test-kit.ts";
import jobs from "../scheduled-jobs/index.ts";
import store from "../store-sqlite/index.ts";
import usage from "../usage-ledger/index.ts";
import consoleWeb from "./index.ts";

/** A model whose words a test says piece by piece, after the message `slowly`. */
export class ToldModel {
  readonly #pieces: (string | undefined)[] = [];
  #wake: () => void = () => {};
  readonly begun: Promise<void>;
  #begin: () => void = () => {};

  constructor() {
    this.begun = new Promise((resolve) => (this.#begin = resolve));
  }

  say(...pieces: readonly string[]): void {
    this.#pieces.push(...pieces);
    this.#wake();
  }

  end(): void {
    this.#pieces.push(undefined);
    this.#wake();
  }

  async *told(signal: AbortSignal): AsyncGenerator<string> {
    this.#begin();
    for (;;) {
      const piece = this.#pieces.length > 0 ? this.#pieces.shift() : null;
      if (piece === undefined) return;
      if (piece !== null) {
        yield piece;
        continue;
      }
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }
}

/** Answers that a message asks for by name, beside `slowly` and `run WORDS`. */
export type Answers = Readonly<Record<string, string>>;

function provider(model: ToldModel, answers: Answers): Plugin {
  const value: Provider = {
    name: "told",
    capabilities: { nativeToolCalling: true, vision: true, streaming: true },
    async *chat({ messages, signal }): AsyncGenerator<ProviderEvent> {
      const last = messages.at(-1);
      const said = textOf(last?.parts ?? []);
      const [, words] = last?.role === "user" ? (/\brun (.*)/.exec(said) ?? []) : [];
      if (last?.role === "user" && said.includes("slowly"))
        for await (const text of model.told(signal)) yield { type: "text", text };
      else if (words !== undefined) {
        const call = { id: `call-${messages.length}`, name: "paint", args: JSON.stringify({ words }) };
        yield { type: "tool_call", call };
      } else {
        const name = Object.keys(answers).find((one) => said.includes(one));
        const text = last?.role === "tool" ? "That is **painted**." : ((name && answers[name]) ?? "Heard.");
        for (const piece of text.match(/[^]{1,40}/g) ?? []) yield { type: "text", text: piece };
      }
      yield { type: "usage", inputTokens: 1_200, outputTokens: 340 };
      yield { type: "stop", reason: words === undefined ? "EndTurn" : "ToolUse" };
    },
    models: async () => ["told-1"],
  };
  return definePlugin({
    name: "provider-told",
    taps: ["resolveProvider"],
    setup: (host) => host.hooks.resolveProvider.tap(() => value),
  });
}

/** What the tool asks its person for, by the words that it is to paint. */
const questions: Readonly<Record<string, WordsWanted>> = {
  "freely what I say": { text: "Which <b>colour</b>?" },
  "freely by a form": {
    text: "How should it be?",
    form: {
      type: "object",
      properties: {
        colour: { type: "string", description: "Colour", enum: ["red", "green"] },
        coats: { type: "integer", description: "Coats" },
        glossy: { type: "boolean", description: "Glossy" },
      },
      required: ["colour", "coats"],
    },
    url: "https://paint.example/colours",
  },
};

/** A run that was tried: nobody sees the wall before a yes. */
function triedWall(ran: string[], words: string): Tried {
  const diff = `--- wall.txt\n+++ wall.txt\n@@ -1 +1 @@\n-as it was\n+${words}`;
  return {
    preview: { text: "Tried first: it changed wall.txt.", diff },
    async take() {
      ran.push("the wall");
      return "painted the wall";
    },
    drop: async () => void ran.push("no wall"),
  };
}

export interface ConsoleKit extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly model: ToldModel;
  readonly telegram: FakeChannel;
  readonly ran: string[];
}

/** A gateway with the console, a store on disk, a model, a tool that asks, and a channel. */
export async function startConsole({
  answers = {},
  config = {},
}: { readonly answers?: Answers; readonly config?: object } = {}): Promise<ConsoleKit> {
  const model = new ToldModel();
  const telegram = fakeChannel("telegram", { owners: ["42"] });
  const ran: string[] = [];
  const paint = tool(
    "paint",
    async ({ args, progress, ask: question }) => {
      progress?.({ done: 1, total: 2, text: "mixing" });
      const wanted = questions[String(args["words"])];
      if (wanted) ran.push(JSON.stringify(await question?.(wanted)));
      ran.push(String(args["words"]));
      return `painted ${String(args["words"])}`;
    },
    {
      preview: ({ words }) => `paint ${String(words)}`,
      tryFirst: async ({ args: { words } }) =>
        String(words).includes("a wall") ? triedWall(ran, String(words)) : undefined,
    },
  );
  const asking = guard("asking", ({ args }) =>
    String(args["words"]).includes("freely")
      ? undefined
      : ask({ code: "PAINT_ASKS", message: "Paint cannot be taken back." }),
  );
  const gateway = await startGateway({
    plugins: [
      agents,
      askWords,
      audit,
      consoleWeb,
      doctor,
      jobs,
      plugins,
      sessions,
      store,
      usage,
      telegram,
      provider(model, answers),
      paint,
      asking,
    ],
    gateway: { requests_per_minute: 100_000 },
    config: { people: { me: { role: "owner", telegram: ["42"], devices: ["mine"] } }, ...config },
  });
  return {
    gateway,
    model,
    telegram,
    ran,
    [Symbol.asyncDispose]: () => gateway.stop(),
  };
}

export interface Served extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  /** As it was printed: the console, with a code. */
  readonly address: string;
  readonly file: string;
  /** What it has written to stderr so far. */
  said(): string;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The built service as a process of its own; its file has `above` before its first table, `toml` behind. */
export async function serveConsole(toml: string = "", above: string = ""): Promise<Served> {
  // A port of its own, which stays the same when the file is read again.
  const home = tempDir(`${above}\n[gateway]\nport = ${await freePort()}\n${toml}`);
  const { child, ended } = startGantry(["gateway"], { dir: home.dir, input: null });
  let text = "";
  child.stderr?.on("data", (piece: string) => (text += piece));
  const printed = await said(child, "stderr", /^Console: \S+$/m);
  const [, address = ""] = /^Console: (\S+)$/m.exec(printed) ?? [];
  return {
    url: new URL(address).origin,
    address,
    file: home.file,
    said: () => text,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
      home[Symbol.dispose]();
    },
  };
}

const program = findProgram("chromium");
export const hasChromium: boolean = program !== undefined;
export const without: string = hasChromium ? "" : " (left out: chromium is not installed)";

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
  /** Findings of axe in what is shown. */
  findings(): Promise<readonly string[]>;
}

export interface TabOptions {
  readonly width?: number;
  readonly dark?: boolean;
  /** Statuses whose refusals are expected: a browser writes a line for each. */
  readonly refusals?: readonly number[];
}

export async function openTab(
  browser: Browser,
  { url }: Pick<TestGateway, "url">,
  { width = 1280, dark = false, refusals = [] }: TabOptions = {},
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
  watch(page, url, faults, refusals);
  return {
    page,
    context,
    faults,
    findings: () => findings(page),
    [Symbol.asyncDispose]: () => context.close(),
  };
}

function watch(page: Page, url: string, faults: string[], refusals: readonly number[]): void {
  page.on("console", (line) => {
    const isExpected = refusals.some((status) => line.text().includes(`status of ${status}`));
    if (!isExpected) faults.push(`console ${line.type()}: ${line.text()}`);
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

/** Pairs a tab by the address that the gateway prints. */
export async function enter(
  tab: Tab,
  { gateway }: ConsoleKit,
  options: { readonly may?: string; readonly name?: string } = {},
): Promise<Page> {
  const code = (await gateway.word("pair new", [], options)).out.trim();
  await tab.page.goto(`${gateway.url}/console#code=${code}`);
  await tab.page.getByRole("navigation", { name: "Pages" }).waitFor();
  return tab.page;
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
