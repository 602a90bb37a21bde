import { textOf } from "@gantry/sdk";
import type { ToolSpec } from "@gantry/sdk";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { fail, routed, run, scripted, stop, text, words } from "./scripted.test-kit.ts";

const tools: readonly ToolSpec[] = [{ name: "shell", description: "Runs.", input: Type.Object({}) }];
const table = (more: object): object => ({
  a: { max_retries: 0, retry_backoff_ms: 1, timeout_seconds: 5, send_temperature: true, ...more },
});
const refused = (message: string, status = 400) => [
  fail(status, { code: "PROVIDER_REQUEST", retry: false, message }),
];

test.each([
  [400, "a did not accept the request (HTTP 400): llama2 does not support tools"],
  [404, "a answered HTTP 404: No endpoints found that support tool use"],
  [400, "a did not accept the request (HTTP 400): Extra inputs are not permitted: tools"],
])(
  "PRV-16: a server that says it knows no tools (HTTP %s, %s) is offered them as text, with one line, and from then on",
  async (status, message) => {
    const a = scripted("a", [refused(message, status), [text("hello"), stop]]);
    const { router, logs } = routed({ providers: table({}) });
    expect(words(await run(router, [a.provider], { tools }))).toBe("hello");
    expect(words(await run(router, [a.provider], { tools }))).toBe("hello");
    expect(a.asked.map((request) => request.tools.length)).toEqual([1, 0, 0]);
    expect(textOf(a.asked[1]!.messages[0]!.parts)).toContain("- shell: Runs.");
    expect(logs.filter(({ message: line }) => line.includes("knows no tools for m"))).toHaveLength(1);
    await run(router, [a.provider], { tools, model: "another" });
    expect(a.asked[3]?.tools).toHaveLength(1);
  },
);

test("PRV-16: a refusal that is not about tools is none, and with tools = native the server's word stands", async () => {
  for (const [message, more] of [
    ["a did not accept the request: temperature is not supported", {}],
    ["a did not accept the request: this model does not support tools", { tools: "native" }],
  ] as const) {
    const a = scripted("a", [refused(message), [text("hello"), stop]]);
    const events = await run(routed({ providers: table(more) }).router, [a.provider], { tools });
    expect(events.at(-1)).toMatchObject({ type: "error", failure: { message } });
    expect(a.asked).toHaveLength(1);
  }
});

test.each([
  ["native", 1],
  ["text", 0],
  ["none", 0],
] as const)("PRV-16: tools = %s in [providers.<id>] offers %s tools natively", async (mode, native) => {
  const a = scripted("a", [[text("hello"), stop]]);
  await run(routed({ providers: table({ tools: mode }) }).router, [a.provider], { tools });
  expect(a.asked[0]?.tools).toHaveLength(native);
  const said = a.asked[0]!.messages.map(({ parts }) => textOf(parts)).join("\n");
  expect(said.includes("- shell: Runs.")).toBe(mode === "text");
  expect(said.endsWith("hi")).toBe(true);
});

test("PRV-16: a fallback is asked for the model that its own table names, and the primary one where none is configured", async () => {
  const b = scripted("b", [[text("hello"), stop]]);
  const { router } = routed({
    providers: { ...table({}), b: { ...(table({}) as { a: object }).a, model: "b-large" } },
    fallbacks: ["b"],
  });
  const events = await run(router, [scripted("a", [[fail(404)]]).provider, b.provider]);
  expect(events.filter(({ type }) => type === "served")).toEqual([
    { type: "served", provider: "a", model: "m" },
    { type: "served", provider: "b", model: "b-large" },
  ]);
  expect(b.asked[0]?.model).toBe("b-large");
  const request = { ...b.asked[0]!, signal: new AbortController().signal };
  const want = { provider: "b", model: undefined };
  for await (const _ of router.chat(want, request, async () => b.provider));
  for await (const _ of router.chat({ ...want, model: "m" }, request, async () => b.provider));
  expect(b.asked.map(({ model }) => model)).toEqual(["b-large", "b-large", "m"]);
});
