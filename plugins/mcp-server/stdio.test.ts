import { createInterface } from "node:readline";
import { Approvals } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, onTestFinished, test } from "vitest";
import storeSqlite from "../store-sqlite/index.ts";
import { startGantry, tempDir } from "../../test/helpers/cli.ts";

interface Message {
  readonly id?: number;
  readonly jsonrpc?: string;
  readonly method?: string;
  readonly result?: any;
  readonly error?: { readonly code: number };
}

/** `gantry mcp serve` with these words more; `ask` sends a request and waits for its answer. */
function serve(words: readonly string[] = [], more: string = "") {
  const home = tempDir(`${more}[mcp.serve]\ntools = ["file_list", "nothing"]\n`);
  onTestFinished(() => home[Symbol.dispose]());
  const { dir } = home;
  const { child, ended } = startGantry(["mcp", "serve", ...words], { dir, input: null });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  createInterface({ input: child.stdout! }).on("line", (line) => {
    lines.push(line);
    const message = JSON.parse(line) as Message;
    if (message.id !== undefined && message.method === undefined) waiting.get(message.id)?.(message);
  });
  const write = (text: string): void => void child.stdin!.write(text);
  const send = (message: object): void => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let last = 0;
  const ask = (method: string, params: object): Promise<Message> =>
    new Promise((resolve) => {
      last += 1;
      waiting.set(last, resolve);
      send({ id: last, method, params });
    });
  const end = async () => {
    child.stdin!.end();
    return ended;
  };
  return { ask, send, write, lines, end, dir };
}

const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
};
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

test.each([[""], ["--debug"]])("MCP-11: on stdout of mcp serve %s stand messages alone", async (word) => {
  const { ask, send, write, lines, end } = serve(word === "" ? [] : [word]);
  expect(await ask("initialize", hello)).toMatchObject({ result: { serverInfo: { name: "gantry" } } });
  send({ method: "notifications/initialized" });
  write("this is not JSON\n\n[1]\n");
  const { result } = await ask("tools/list", {});
  expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(["ask", "recall", "file_list"]);
  const asked = await ask("tools/call", { name: "ask", arguments: { message: "hello" } });
  expect(asked.result.content[0].text).not.toBe("");
  const { code, err } = await end();
  expect(code).toBe(0);
  expect(err).toContain("mcp.serve.tools names `nothing`");
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

test("MCP-11: mcp serve speaks the revision 2026-07-28 to a program that does", async () => {
  const { ask, end } = serve();
  expect(await ask("server/discover", { _meta: meta })).toMatchObject({
    result: { supportedVersions: ["2026-07-28"] },
  });
  const called = await ask("tools/call", {
    name: "file_list",
    arguments: { path: "." },
    _meta: meta,
  });
  expect(called).toMatchObject({ result: { content: [{ type: "text" }] } });
  expect((await end()).code).toBe(0);
});

test("MCP-11: a question of mcp serve is seen and decided in another process", async () => {
  const { ask, dir, end } = serve([], '[security]\nrequire_approval_tools = ["file_list"]\n');
  await ask("initialize", hello);
  const called = ask("tools/call", { name: "file_list", arguments: { path: "." } });
  const plugins = [storeSqlite];
  await using other = await startTestHost({ plugins, configDir: dir });
  const approvals = other.slot(Approvals);
  await expect.poll(async () => (await approvals.pending()).length, { timeout: 20_000 }).toBe(1);
  const by = { user: "http:phone", caller: { device: "phone", may: ["decide"] } } as const;
  const [question] = await approvals.pending();
  expect(question).toMatchObject({ tool: "file_list", user: "mcp:stdio" });
  expect(await approvals.decide(question!.id, "allow", by)).toBe("done");
  const { result } = await called;
  expect(result.isError).toBeUndefined();
  expect((await end()).code).toBe(0);
});
