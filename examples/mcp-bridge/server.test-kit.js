// A small MCP server over its stdin and stdout. One of its tools teaches it another.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const schema = { type: "object", properties: { path: { type: "string" } }, additionalProperties: false };
const tool = (name) => ({ name, description: `It can ${name}.`, inputSchema: schema });
const tools = ["peek", "learn", "leave", "paint", "walk", "wonder"].map(tool);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (words, isError = false) => ({ content: [{ type: "text", text: words }], isError });
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** Answers that this server waits for, by the id of its request. */
const waiting = new Map();
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `own-${waiting.size}`;
    waiting.set(id, resolve);
    say({ id, method, params });
  });

const run = {
  peek({ path }) {
    try {
      return text(readFileSync(path, "utf8"));
    } catch (error) {
      return text(error.code, true);
    }
  },
  learn() {
    tools.push(tool("sing"));
    say({ method: "notifications/tools/list_changed" });
    return text("learnt");
  },
  sing: () => text("la"),
  leave: () => process.exit(0),
  paint: () => ({ content: [{ type: "image", data: pixel, mimeType: "image/png" }] }),
  async walk(_args, { progressToken }) {
    for (const progress of [1, 2])
      say({
        method: "notifications/progress",
        params: { progressToken, progress, total: 2, message: `mile ${progress}` },
      });
    // An answer to this shows that the client has read the steps.
    await ask("ping", {});
    return text("there");
  },
  async wonder() {
    const requestedSchema = {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
    };
    const { action, content } = await ask("elicitation/create", { message: "Whose turn?", requestedSchema });
    return text(`${action} ${content?.name ?? ""}`);
  },
};

const answer = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "small", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: args = {}, _meta = {} }) => run[name](args, _meta),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result);
  else if (id === undefined) return;
  else if (method in answer) say({ id, result: await answer[method](params) });
  else say({ id, error: { code: -32601, message: "There is no such method." } });
});
