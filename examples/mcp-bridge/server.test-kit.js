// A small MCP server over its stdin and stdout: two tools, of which one teaches it a third.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const schema = { type: "object", properties: { path: { type: "string" } }, additionalProperties: false };
const tool = (name) => ({ name, description: `It can ${name}.`, inputSchema: schema });
const tools = [tool("peek"), tool("learn"), tool("leave")];
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (words, isError = false) => ({ content: [{ type: "text", text: words }], isError });

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
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") say({ id, result: { capabilities: { tools: { listChanged: true } } } });
  if (method === "tools/list") say({ id, result: { tools } });
  if (method === "tools/call") say({ id, result: run[params.name](params.arguments ?? {}) });
});
