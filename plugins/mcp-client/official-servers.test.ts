import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { textOf, type ChatRequest } from "@gantry/sdk";
import { fakeProvider, type FakeAnswer } from "@gantry/sdk/testing";
import { describe, expect, test, vi } from "vitest";
import { accept, folder, linux, offered, startMcp } from "./mcp.test-kit.ts";

const packages = path.join(import.meta.dirname, "../../node_modules");
const mainOf = (name: string): string =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/dist/index.js`);

/** The table of a server of the protocol's own, which reads its program and what it needs. */
const official = (name: string, args: readonly string[], keys: object = {}) => ({
  command: process.execPath,
  args: [mainOf(name), ...args],
  read_paths: [process.execPath, packages],
  ...keys,
});

const call = (name: string, args: object): FakeAnswer => ({ calls: [{ name, args }] });

/** Returns the result of the last call that a request to the model shows. */
const lastResult = ({ messages }: ChatRequest): string => {
  const last = messages.findLast(({ role }) => role === "tool");
  return textOf(last?.parts ?? []);
};

/** Has a scripted model make calls one after the other; returns what it was told of each. */
async function calling(
  servers: Readonly<Record<string, object>>,
  calls: readonly FakeAnswer[],
): Promise<{ readonly results: readonly string[]; readonly decisions: readonly unknown[] }> {
  const model = fakeProvider([...calls, "done"]);
  await using t = await startMcp(servers, { plugins: [model] });
  for (const name of Object.keys(servers)) await accept(t, name);
  for (const name of Object.keys(servers))
    await expect.poll(async () => (await offered(t)).some((tool) => tool.startsWith(`${name}_`))).toBe(true);
  const { tool_calls, reply } = await t.ask("go", { approvals: "yes", session: "one" });
  expect(reply).toBe("done");
  const decisions = tool_calls.map(({ tool, decision }) => [tool, decision]);
  return { results: model.requests.slice(1).map(lastResult), decisions };
}

describe.runIf(linux)("the protocol's own servers", { timeout: 60_000 }, () => {
  test("MCP-02: server-everything answers a scripted model, and sees no variable of the host", async () => {
    vi.stubEnv("GANTRY_CANARY", "canary of the host");
    const everything = official("server-everything", ["stdio"], { env: { SHOWN: "of its own" } });
    const { results, decisions } = await calling({ everything }, [
      call("everything_echo", { message: "hello" }),
      call("everything_get-sum", { a: 2, b: 3 }),
      call("everything_get-env", {}),
      call("everything_get-tiny-image", {}),
      call("everything_trigger-long-running-operation", { duration: 0.2, steps: 2 }),
    ]);
    expect(decisions.map((one) => (one as unknown[])[1])).toEqual(Array(5).fill("approved"));
    const [echo, sum, env, image, long] = results as [string, string, string, string, string];
    expect(echo).toContain("Echo: hello");
    expect(sum).toContain("The sum of 2 and 3 is 5");
    expect([env.includes("of its own"), env.includes("canary")]).toEqual([true, false]);
    expect(image).toContain("image");
    expect(long).toContain("completed");
  });

  test("MCP-02: server-filesystem reads and writes what its walls open, whatever it allows itself", async () => {
    const [open, read, shut] = [folder(), folder(), folder()];
    for (const at of [open, read, shut]) writeFileSync(path.join(at, "note"), `note of ${at}`);
    const files = official("server-filesystem", [open, read, shut], {
      read_paths: [process.execPath, packages, read],
      write_paths: [open],
    });
    const { results } = await calling({ files }, [
      call("files_read_text_file", { path: path.join(read, "note") }),
      call("files_write_file", { path: path.join(open, "new"), content: "written" }),
      call("files_write_file", { path: path.join(read, "new"), content: "written" }),
      call("files_read_text_file", { path: path.join(shut, "note") }),
    ]);
    expect(results[0]).toContain(`note of ${read}`);
    expect(readFileSync(path.join(open, "new"), "utf8")).toBe("written");
    expect([readdirSync(read), readdirSync(shut)]).toEqual([["note"], ["note"]]);
    expect(results[3]).not.toContain(`note of ${shut}`);
  });
});
