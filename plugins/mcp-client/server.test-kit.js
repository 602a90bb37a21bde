// A small MCP server over its stdin and stdout. What it lists stands in the file that SERVER_STATE names, if there is one.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const schema = { type: "object", properties: { path: { type: "string" } }, additionalProperties: false };
const tool = (name) => ({ name, description: `It can ${name}.`, inputSchema: schema });
const usual = [
  "peek",
  "learn",
  "leave",
  "paint",
  "walk",
  "wonder",
  "ring",
  "wait",
  "shout",
  "jot",
  "count",
].map(tool);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (words, isError = false) => ({ content: [{ type: "text", text: words }], isError });
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const learnt = [];
let cancelled = 0;

/** Answers that this server waits for, by the id of its request. */
const waiting = new Map();
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `own-${waiting.size}`;
    waiting.set(id, resolve);
    say({ id, method, params });
  });

function state() {
  const file = process.env.SERVER_STATE;
  return file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

function failing(work) {
  try {
    return text(work());
  } catch (error) {
    return text(error.code, true);
  }
}

const run = {
  peek: ({ path }) => failing(() => readFileSync(path, "utf8")),
  jot: ({ path }) => failing(() => writeFileSync(path, "jotted") ?? "jotted"),
  learn() {
    learnt.push(tool("sing"));
    for (let i = 0; i < 5; i += 1) say({ method: "notifications/tools/list_changed" });
    return text("learnt");
  },
  leave: () => process.exit(0),
  paint: () => ({
    content: [
      { type: "image", data: pixel, mimeType: "image/png" },
      { type: "resource", resource: { uri: "file:///report.csv", mimeType: "text/csv", blob: "YSxiCg==" } },
      { type: "resource", resource: { uri: "note:1", text: "a note" } },
    ],
  }),
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
  async wonder({ path }) {
    const requestedSchema = {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
    };
    const params =
      path === undefined
        ? { message: "Whose turn?", requestedSchema }
        : { mode: "url", message: "Log in.", url: path, elicitationId: "1" };
    const { action, content } = (await ask("elicitation/create", params)) ?? {};
    return text(`${action} ${content?.name ?? ""}`);
  },
  ring: ({ path }) =>
    new Promise((resolve) => {
      const [host, port] = path.split(" ");
      connect(Number(port), host)
        .on("connect", () => resolve(text("connected")))
        .on("error", ({ code }) => resolve(text(code, true)));
    }),
  count: () => text(`${cancelled} cancelled`),
  wait: () => new Promise(() => {}),
  shout: () => ({ content: [{ type: "text", text: "x".repeat(30 * 1024 * 1024) }] }),
};

const answer = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
    serverInfo: { name: "small", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [...(state().tools ?? usual), ...learnt] }),
  "prompts/list": () => ({
    prompts: state().prompts ?? [{ name: "greet", description: "Greets.", arguments: [{ name: "whom" }] }],
  }),
  "prompts/get": ({ arguments: { whom = "you" } = {} }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Say hello to ${whom}.` } }],
  }),
  "resources/list": () => ({ resources: [{ uri: "note:1", name: "note" }] }),
  "resources/read": ({ uri }) => ({ contents: [{ uri, text: "what the note says" }] }),
  "tools/call": ({ name, arguments: args = {}, _meta = {} }) =>
    run[name] ? run[name](args, _meta) : text(`${name} ran`),
};

if (process.env.SERVER_NOISY)
  setInterval(() => say({ method: "notifications/tools/list_changed" }), 200).unref();

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result);
  else if (method === "notifications/cancelled") cancelled += 1;
  else if (id === undefined) return;
  else if (method in answer) say({ id, result: await answer[method](params) });
  else say({ id, error: { code: -32601, message: "There is no such method." } });
});
