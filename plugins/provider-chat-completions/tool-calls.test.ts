import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CallList } from "./call-list.ts";
import {
  callsOf,
  chunk,
  collect,
  DONE,
  failureOf,
  json,
  provider,
  request,
  serve,
  stream,
  textOf,
  tools,
  usage,
} from "./chat.test-kit.ts";

function listOf(...pieces: readonly object[]): CallList {
  const list = new CallList();
  for (const piece of pieces) list.add(piece);
  return list;
}
const call = (name: string | undefined, args: unknown, more: object = {}) => ({
  ...more,
  function: { name, arguments: args },
});

test("PRV-07: calls without an index, with one index for all, or with the name in every piece are told apart", () => {
  const expected = [
    { id: "1", name: "a", args: '{"x":1}' },
    { id: "2", name: "b", args: "{}" },
  ];
  expect(listOf(call("a", '{"x":1}', { id: "1" }), call("b", "{}", { id: "2" })).calls(false)).toEqual(
    expected,
  );
  expect(
    listOf(call("a", '{"x":1}', { id: "1", index: 0 }), call("b", "", { id: "2", index: 0 })).calls(false),
  ).toEqual(expected);
  const repeated = [
    call("a", '{"x"', { id: "1", index: 0 }),
    call("a", ":1}", { id: "1", index: 0 }),
    call("b", "{}", { id: "2", index: 1 }),
  ];
  expect(listOf(...repeated).calls(false)).toEqual(expected);
});

test.each([
  [
    "pieces by id, without an index",
    [
      call("a", "", { id: "1" }),
      call("b", "", { id: "2" }),
      call("", '{"x":1}', { id: "1" }),
      call("", "{}", { id: "2" }),
    ],
  ],
  [
    "whole calls under one index, without an id",
    [call("a", '{"x":1}', { index: 0 }), call("b", "{}", { index: 0 })],
  ],
  [
    "an index that is a text",
    [call("a", '{"x"', { index: "0" }), call("b", "{}", { index: "1" }), call("", ":1}", { index: "0" })],
  ],
])("PRV-07: two calls are told apart: %s", (_, pieces) => {
  const calls = listOf(...pieces).calls(false);
  expect(calls.map(({ name, args }) => [name, args])).toEqual([
    ["a", '{"x":1}'],
    ["b", "{}"],
  ]);
});

test("PRV-07: one tool called twice under one index is two calls, and a name that came in pieces is whole", () => {
  const twice = listOf(call("a", '{"x":1}', { index: 0 }), call("a", '{"x":2}', { index: 0 })).calls(false);
  expect(twice.map(({ args }) => args)).toEqual(['{"x":1}', '{"x":2}']);
  const cut = listOf(
    call("file_", "", { id: "1", index: 0 }),
    call("read", "", { index: 0 }),
    call("", "{}", { index: 0 }),
  ).calls(false);
  expect(cut).toEqual([{ id: "1", name: "file_read", args: "{}" }]);
});

test("PRV-07: a missing id and an id used twice are made up, each one its own", () => {
  const calls = listOf(
    call("a", "{}", { index: 0 }),
    call("b", "{}", { index: 1 }),
    call("c", "{}", { id: "x", index: 2 }),
    call("d", "{}", { id: "x", index: 3 }),
  ).calls(false);
  expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
  expect(calls[2]?.id).toBe("x");
  for (const { id } of calls) expect(id).toMatch(/^\S+$/);
});

test("PRV-07: interleaved pieces of many calls come out whole and in order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.json(), { minLength: 1, maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
      (all, dice) => {
        const left = all.map((args, index) => ({ index, args, begun: false }));
        const list = new CallList();
        while (left.some(({ args, begun }) => args !== "" || !begun)) {
          const open = left.filter(({ args, begun }) => args !== "" || !begun);
          const next = open[dice.next().value % open.length]!;
          const length = 1 + (dice.next().value % 5);
          const first = next.begun ? {} : { id: `id${next.index}` };
          if (next.index > 0 && !left[next.index - 1]?.begun) continue;
          list.add(
            call(next.begun ? undefined : `t${next.index}`, next.args.slice(0, length), {
              index: next.index,
              ...first,
            }),
          );
          next.args = next.args.slice(length);
          next.begun = true;
        }
        expect(list.calls(false)).toEqual(
          all.map((args, i) => ({ id: `id${i}`, name: `t${i}`, args: args.trim() || "{}" })),
        );
      },
    ),
  );
});

test("PRV-07: of an answer that hit its limit, only calls whose arguments are whole are made", async () => {
  const first = { index: 0, id: "1", function: { name: "a", arguments: "{}" } };
  const second = { index: 1, id: "2", function: { name: "a", arguments: '{"path":"/etc' } };
  await using server = await serve((_, response) =>
    stream(response, [chunk({ tool_calls: [first, second] }), chunk({}, "length"), DONE]),
  );
  await using p = provider(`custom:${server.url}`);
  const events = await collect(p, request("x", { tools: tools("a") }));
  expect(callsOf(events).map(({ id }) => id)).toEqual(["1"]);
  expect(events.at(-1)).toEqual({ type: "stop", reason: "MaxTokens" });
});

test("PRV-10: a thought, a piece of a call and a comment are signs of life and no part of the answer", async () => {
  const part = { index: 0, id: "1", function: { name: "a", arguments: "{" } };
  const pieces = [chunk({ reasoning_content: "hm" }), chunk({ tool_calls: [part] }), ": still at work\n\n"];
  await using server = await serve((_, response) => stream(response, pieces, false));
  await using p = provider(`custom:${server.url}`);
  const answer = p.chat(request("x", { tools: tools("a") }))[Symbol.asyncIterator]();
  expect((await answer.next()).value).toEqual({ type: "thought", text: "hm" });
  for (let i = 0; i < 2; i += 1) expect((await answer.next()).value).toEqual({ type: "text", text: "" });
  await answer.return?.();
});

test("PRV-07: calls that a server ends with `stop` are calls all the same", async () => {
  const one = { index: 0, id: "1", function: { name: "a", arguments: "{}" } };
  await using server = await serve((_, response) =>
    stream(response, [chunk({ tool_calls: [one] }), chunk({}, "stop"), usage, DONE]),
  );
  await using p = provider(`custom:${server.url}`);
  expect((await collect(p, request("x", { tools: tools("a") }))).at(-1)).toEqual({
    type: "stop",
    reason: "ToolUse",
  });
});

const raw = [
  '<tool_call>\n{"name": "file_list", "arguments": {"path": "."}}\n</tool_call>',
  '[TOOL_CALLS][{"name": "file_list", "arguments": {"path": "."}}]',
  '[TOOL_CALLS]file_list[ARGS]{"path": "."}',
  '<|python_tag|>{"name": "file_list", "parameters": {"path": "."}}',
  '<function=file_list>{"path": "."}</function>',
  "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>file_list\n```json\n{}\n```",
  '<|channel|>commentary to=functions.file_list <|constrain|>json<|message|>{"path":"."}',
];

test.each(raw)(
  "PRV-08: local-b that writes %j was started without a tool-call parser, and is told so",
  async (text) => {
    const split = [...text].map((sign) => chunk({ content: sign }));
    await using server = await serve((_, response) =>
      stream(response, [...split, chunk({}, "stop"), usage, DONE]),
    );
    await using p = provider("local-b", { api_url: server.url });
    const events = await collect(p, request("list the files", { tools: tools("file_list", "shell") }));
    expect(failureOf(events)).toMatchObject({ code: "CHAT_TOOLS_AS_TEXT", retry: false });
    expect(failureOf(events).message).toMatch(
      /^local-b wrote a tool call as plain text.*start it with --tool-call-parser/,
    );
    expect(textOf(events)).toBe("");
  },
);

test("PRV-08: words before the raw call are shown, the call is not", async () => {
  const pieces = ["I will look.\n<to", "ol_call>", '{"name":"shell","arguments":{}}', "</tool_call>"];
  await using server = await serve((_, response) =>
    stream(response, [...pieces.map((content) => chunk({ content })), chunk({}, "stop"), DONE]),
  );
  await using p = provider("local-b", { api_url: server.url });
  const events = await collect(p, request("x", { tools: tools("shell") }));
  expect(textOf(events)).toBe("I will look.\n");
  expect(failureOf(events).code).toBe("CHAT_TOOLS_AS_TEXT");
});

test.each([
  "Models write <tool_call> around their calls, as in <tool_call>{...}</tool_call>.",
  "if a < b and b[0] > [TOO few] then <tool",
  '<tool_call>{"name":"unknown_tool","arguments":{}}</tool_call>',
])("PRV-08: text that only looks like it (%j) is an answer, letter for letter", async (text) => {
  const split = text.match(/.{1,3}/gs) ?? [];
  await using server = await serve((_, response) =>
    stream(response, [...split.map((content) => chunk({ content })), chunk({}, "stop"), DONE]),
  );
  await using p = provider("local-b", { api_url: server.url });
  const events = await collect(p, request("x", { tools: tools("shell") }));
  expect(textOf(events)).toBe(text);
  expect(events.at(-1)).toEqual({ type: "stop", reason: "EndTurn" });
});

test("PRV-08: without offered tools nothing is held back or refused", async () => {
  await using server = await serve((_, response) =>
    stream(response, [chunk({ content: raw[0] }, "stop"), DONE]),
  );
  await using p = provider("local-b", { api_url: server.url });
  expect(textOf(await collect(p, request("x")))).toBe(raw[0]);
});

test.each([
  ["local-b", 400, "tool choice requires --tool-call-parser to be set", "--tool-call-parser"],
  [
    "local-c",
    400,
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "--enable-auto-tool-choice and --tool-call-parser",
  ],
  ["local-a", 500, "tools param requires --jinja flag", "--jinja"],
])("PRV-08: %s that answers HTTP %s (%s) lacks the option it names", async (id, status, message, option) => {
  await using server = await serve((_, response) =>
    json(response, status, { error: { message, code: status } }),
  );
  await using p = provider(id, { api_url: server.url });
  const failure = failureOf(await collect(p, request("x", { tools: tools("shell") })));
  expect(failure).toMatchObject({ code: "CHAT_TOOLS_OPTION", status, retry: false });
  expect(failure.message).toContain(`start it with ${option}.`);
  expect(server.asked).toHaveLength(1);
});

test("OAI-12: a request that must call requires it of a server of chat completions, if it has tools", async () => {
  await using server = await serve((_, response) => stream(response, [chunk({}, "stop"), DONE]));
  await using p = provider(`custom:${server.url}`);
  await collect(p, request("x", { tools: tools("a"), mustCall: true }));
  await collect(p, request("x", { mustCall: true }));
  expect(server.asked.map(({ body }) => body.tool_choice)).toEqual(["required", undefined]);
});
