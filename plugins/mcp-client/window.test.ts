import type { ChatRequest } from "@gantry/sdk";
import { bundledPlugin, fakeProvider } from "@gantry/sdk/testing";
import { describe, expect, test } from "vitest";
import { accept, linux, startMcp, stateFile, stated } from "./mcp.test-kit.ts";

const windowTokens = 32_768;
/** Characters that one token has at least, in JSON and English. */
const charactersPerToken = 3;
const servers = ["files", "issues", "mail", "maps", "music"];

/** A tool as servers of today describe theirs. */
const toolOf = (server: string, at: number) => ({
  name: `work_${at}`,
  description: `Does the work ${at} of ${server}. ${"It takes care of what the person asks. ".repeat(8)}`,
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string", description: "The place that it works on, from the root of all." },
      limit: { type: "integer", minimum: 1, maximum: 100, description: "How many at most." },
    },
    required: ["path"],
    additionalProperties: false,
  },
});

const call = (name: string, args: object) => ({ calls: [{ name, args }] });
const sizeOf = ({ messages, tools }: ChatRequest): number => JSON.stringify([messages, tools]).length;

describe.runIf(linux)("200 tools of 5 servers", { timeout: 120_000 }, () => {
  test("MCP-05: take a tenth of a 32k window at most, and each request begins with the one before", async () => {
    const model = fakeProvider([
      call("tool_search", { query: "the work 7 of mail" }),
      call("tool_call", { tool: "mail_work_7", args: { path: "/" } }),
      "done",
      "again",
    ]);
    const tables = servers.map((server) => {
      const state = stateFile();
      state.list(Array.from({ length: 40 }, (_, at) => toolOf(server, at)));
      return [server, stated(state.file)] as const;
    });
    const plugins = [model, await bundledPlugin("tool-index")];
    await using t = await startMcp(Object.fromEntries(tables), { plugins });
    for (const server of servers) await accept(t, server);
    const { tool_calls } = await t.ask("go", { approvals: "yes", session: "one" });
    expect(tool_calls.map(({ tool }) => tool)).toEqual(["tool_search", "mail_work_7"]);
    await t.ask("and on", { approvals: "yes", session: "one" });
    const [first] = model.requests as [ChatRequest];
    expect(sizeOf(first) / charactersPerToken).toBeLessThanOrEqual(windowTokens / 10);
    for (const [at, later] of model.requests.slice(1).entries()) {
      const earlier = model.requests[at] as ChatRequest;
      expect(later.tools).toEqual(earlier.tools);
      expect(later.messages.slice(0, earlier.messages.length)).toEqual(earlier.messages);
    }
    expect(model.requests).toHaveLength(4);
  });
});
