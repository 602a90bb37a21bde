import {
  type Agent,
  type Agents,
  type Autonomy,
  type ChatCommand,
  type Command,
  defineTool,
  type InboundMessage,
  type Inbox,
  type Observer,
  type Outbox,
  type PluginHost,
  type PromptOptions,
  type Route,
  type Runtime,
  type Speaker,
  type Store,
  textParts,
  type ToolOrigin,
  type ToolProgress,
  type ToolRun,
  type Turns,
} from "@gantry/sdk";
import { serveConnection } from "@gantry/sdk/channel";
import type { Redactor } from "@gantry/sdk/fill";
import { Type } from "typebox";
import { expect, expectTypeOf, test } from "vitest";

/** Checked by `tsc -b`: a line under `@ts-expect-error` that compiles is an error there. */
const input = Type.Object({});

test("SDK-15: progress is a number with a total and a text, and an older host has none", () => {
  const made = defineTool({
    name: "t",
    description: "t",
    input,
    async run({ progress }) {
      expectTypeOf(progress).toEqualTypeOf<((step: ToolProgress) => void) | undefined>();
      const wrong = (): void => {
        // @ts-expect-error -- may be absent
        progress({ done: 1 });
        // @ts-expect-error -- how far is a number
        progress?.({ done: "half" });
        // @ts-expect-error -- how far is missing
        progress?.({ total: 3 });
      };
      expect(wrong).toBeTypeOf("function");
      return "";
    },
  });
  expect(made.name).toBe("t");
});

const said = async (origin: ToolOrigin | undefined, outbox: Outbox): Promise<void> => {
  // @ts-expect-error -- may be absent
  void origin.channel;
  if (!origin) return;
  await outbox.send({ ...origin, parts: [], key: "k" });
  // @ts-expect-error -- whose chat it is nobody changes
  origin.replyTo = "other";
  // @ts-expect-error -- nothing is said without a key
  await outbox.send({ ...origin, parts: [] });
};

test("SDK-15: an origin fits the outbox as it is, may be absent, and cannot be set", () => {
  expect(said).toBeTypeOf("function");
});

test("SDK-18: ids of turns may be absent, and nobody changes them", () => {
  const observer: Observer = {
    name: "o",
    turnStarted(turn) {
      expectTypeOf(turn.turn).toEqualTypeOf<string | undefined>();
      // @ts-expect-error -- may be absent
      void turn.trace.length;
      // @ts-expect-error -- read only
      turn.turn = "";
    },
    // @ts-expect-error -- counts are numbers
    modelAnswered: ({ cacheWriteTokens }) => cacheWriteTokens?.length,
  };
  expect(observer.name).toBe("o");
});

const call = async (inbox: Inbox, message: InboundMessage, { signal }: AbortController): Promise<void> => {
  // @ts-expect-error -- may be absent
  await inbox.call(message, { tool: "t", args: {}, approvals: "none", signal });
  // @ts-expect-error -- who decides is stated
  await inbox.call?.(message, { tool: "t", args: {}, signal });
  // @ts-expect-error -- arguments are an object, not the text of one
  await inbox.call?.(message, { tool: "t", args: "{}", approvals: "none", signal });
  // @ts-expect-error -- a call has no model
  await inbox.call?.(message, { tool: "t", args: {}, approvals: "none", signal, model: "big" });
};

test("SDK-14: a call outside of turns states its tool, its arguments and who decides, and no model", () => {
  expect(call).toBeTypeOf("function");
});

const wonder = async (ask: ToolRun<object>["ask"]): Promise<void> => {
  // @ts-expect-error -- absent where nobody can be asked
  await ask({ text: "Who?" });
  // @ts-expect-error -- a question has a text
  await ask?.({ url: "https://a.example" });
  // @ts-expect-error -- fields are plain
  await ask?.({ text: "Who?", form: { type: "object", properties: { a: { type: "array" } } } });
  const answer = await ask?.({ text: "Who?", form: Type.Object({ name: Type.String() }) });
  // @ts-expect-error -- who declines says nothing
  void answer?.content;
  if (answer?.action === "accept") void answer.content["name"];
};

test("SDK-15: what a tool asks for and what it is answered are typed", () => {
  expect(wonder).toBeTypeOf("function");
});

const words = (): void => {
  const word = { name: "w", summary: "w" };
  const fine: ChatCommand = { ...word, run: () => ({ prompt: textParts("go"), system: "Be brief." }) };
  void fine;
  // @ts-expect-error -- a prompt is parts
  const text: ChatCommand = { ...word, run: () => ({ prompt: "go" }) };
  // @ts-expect-error -- a turn begins with a prompt
  const none: ChatCommand = { ...word, run: () => ({ system: "Be brief." }) };
  void [text, none];
};

test("SDK-16: a command answers text or a prompt of parts", () => {
  expect(words).toBeTypeOf("function");
});

test("SDK-17: a level of a turn is one of three words", () => {
  expectTypeOf<PromptOptions["autonomy"]>().toEqualTypeOf<Autonomy | undefined>();
  // @ts-expect-error -- no such level
  const wrong: Autonomy = "free";
  expect(wrong).toBe("free");
});

const run = async (): Promise<string> => "";

test("SDK-19: a tool that stands for others reads its own arguments and names a call", () => {
  const named = { name: "t", description: "t", input: Type.Object({ tool: Type.String() }) };
  const fine = defineTool({ ...named, run, standsFor: ({ tool }) => ({ tool, args: {} }) });
  // @ts-expect-error -- it has no such argument
  defineTool({ ...named, run, standsFor: ({ name }) => ({ tool: name, args: {} }) });
  // @ts-expect-error -- a call has arguments
  defineTool({ ...named, run, standsFor: ({ tool }) => ({ tool }) });
  // @ts-expect-error -- it is said at once
  defineTool({ ...named, run, standsFor: async ({ tool }) => ({ tool, args: {} }) });
  // @ts-expect-error -- yes or no
  defineTool({ ...named, run, deferred: "yes" });
  expect(fine.standsFor?.({ tool: "x" })).toEqual({ tool: "x", args: {} });
});

const placing = async (inbox: Inbox, message: InboundMessage, options: PromptOptions): Promise<void> => {
  expectTypeOf(options.workspace).toEqualTypeOf<string | undefined>();
  await inbox.prompt(message, { ...options, workspace: "a" });
  // @ts-expect-error -- a turn works in one folder
  await inbox.prompt(message, { ...options, workspace: ["a", "b"] });
  await inbox.call?.(message, { ...options, tool: "t", args: {}, workspace: "a" });
  // @ts-expect-error -- a folder, not a host
  await inbox.call?.(message, { ...options, tool: "t", args: {}, workspace: new URL("file:///a") });
};

test("SDK-17: a turn and a call work in one folder, named by its path", () => {
  expect(placing).toBeTypeOf("function");
});

const standing = (runtime: Runtime): void => {
  // @ts-expect-error -- absent in older hosts
  runtime.workspaceNow();
  // @ts-expect-error -- nobody else is asked for
  runtime.workspaceNow?.("other session");
};

test("SDK-17: the workspace of now may be untold, and is that of whoever asks", () => {
  expect(standing).toBeTypeOf("function");
});

const stopping = (turns: Turns): void => {
  // @ts-expect-error -- by whom
  void turns.stop("s");
  // @ts-expect-error -- until when
  turns.watch("s");
  // @ts-expect-error -- a name is not a decider
  turns.running("cli:ada");
};

test("SDK-18: who stops a turn is named, and whoever watches can stop watching", () => {
  expect(stopping).toBeTypeOf("function");
});

const redactors = (): void => {
  const one = { name: "r", holdBack: 0 };
  const fine: Redactor[] = [
    { ...one, redact: (text) => text },
    { ...one, redact: async (text) => text },
  ];
  // @ts-expect-error -- text, or text later
  const wrong: Redactor = { ...one, redact: async () => 7 };
  // @ts-expect-error -- it may be a promise
  const said: string = fine[0]!.redact("");
  void [wrong, said];
};

test("SDK-21: a redactor answers text at once or later, and who asks it awaits it", () => {
  expect(redactors).toBeTypeOf("function");
});

async function* bytes(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array();
}

async function* texts(): AsyncGenerator<string> {
  yield "text";
}

const streaming = async () => ({ status: 200, stream: bytes() });

const routes = (): void => {
  const at = { name: "r", path: "/r", auth: "token", may: "read", summary: "r" } as const;
  const fine: Route = { ...at, method: "PATCH", handle: streaming };
  // @ts-expect-error -- no method of routes
  const method: Route = { ...at, method: "TRACE", handle: streaming };
  // @ts-expect-error -- a stream is bytes
  const text: Route = { ...at, method: "GET", handle: async () => ({ status: 200, stream: texts() }) };
  void [fine, method, text];
};

test("SDK-20: a route may be PATCH, and its stream is bytes", () => {
  expect(routes).toBeTypeOf("function");
});

test("SDK-20: a command's input may be absent, and nobody writes into it", () => {
  const command: Command = {
    name: "c",
    summary: "c",
    // @ts-expect-error -- a command owns stdout or does not
    ownsStdout: "yes",
    async run({ input }) {
      // @ts-expect-error -- may be absent
      void input.lines;
      // @ts-expect-error -- read by the line, not by the number
      void input?.lines(80);
      // @ts-expect-error -- bytes have no lines to bound
      void input?.bytes({ maxLength: 80 });
      for await (const line of input?.lines({ maxLength: 80 }) ?? [])
        expectTypeOf(line).toEqualTypeOf<string>();
      for await (const piece of input?.bytes() ?? []) expectTypeOf(piece).toEqualTypeOf<Uint8Array>();
      return 0;
    },
  };
  expect(command.name).toBe("c");
});

test("VOI-01: a speaker says whether answers are spoken, bounds its words, and gives bytes with a type", () => {
  const speech = { bytes: new Uint8Array(), mime: "audio/ogg" };
  const right: Speaker = { replies: false, maxLength: 9, speak: async () => speech };
  // @ts-expect-error -- whether answers are spoken is missing
  const silent: Speaker = { maxLength: 9, speak: async () => speech };
  // @ts-expect-error -- the bound is missing
  const unbounded: Speaker = { replies: true, speak: async () => speech };
  // @ts-expect-error -- speech has a type
  const untyped: Speaker = { ...right, speak: async () => ({ bytes: new Uint8Array() }) };
  // @ts-expect-error -- speech is bytes
  const text: Speaker = { ...right, speak: async () => ({ bytes: "hi", mime: "audio/ogg" }) };
  expect([right, silent, unbounded, untyped, text]).toHaveLength(5);
});

const agents = async (slot: Agents, run: ToolRun<object>): Promise<void> => {
  const narrow: Agent = { name: "a", tools: ["look"], autonomy: "supervised", budget: { tokens: 9 } };
  // @ts-expect-error -- nobody is without a name
  const unnamed: Agent = { tools: [] };
  // @ts-expect-error -- no level of autonomy
  const wide: Agent = { name: "a", autonomy: "boundless" };
  // @ts-expect-error -- an agent brings no way to approve
  const approving: Agent = { name: "a", approvals: "yes" };
  const found = await slot.of({ message: {} as InboundMessage, session: "s" });
  // @ts-expect-error -- may be nobody
  void found.name;
  // @ts-expect-error -- what the host keeps of it nobody changes
  if (found) found.tools = [];
  // @ts-expect-error -- a turn may work under no name
  const name: string = run.agent;
  void [narrow, unnamed, wide, approving, name];
};

test("AGT-14: an agent states bounds alone, and may be absent", () => {
  expect(agents).toBeTypeOf("function");
});

const opening: Route["handle"] = async () => ({
  status: 101,
  async webSocket({ messages, send }) {
    for await (const message of messages) {
      expectTypeOf(message).toEqualTypeOf<string | Uint8Array>();
      // @ts-expect-error -- a message may be bytes
      void message.trim();
      await send(message);
      // @ts-expect-error -- a message is text or bytes
      await send({ text: "hi" });
    }
    return { code: 4_000, reason: "done" };
  },
});
// @ts-expect-error -- a WebSocket switches protocols
const kept: Route["handle"] = async () => ({ status: 200, webSocket: async () => {} });
// @ts-expect-error -- nothing is switched to
const empty: Route["handle"] = async () => ({ status: 101, headers: {} });
// @ts-expect-error -- an end has a code
const codeless: Route["handle"] = async () => ({ status: 101, webSocket: async () => ({ reason: "done" }) });

test("SDK-20: a WebSocket has the status 101, messages of text and bytes, and an end with a code", () => {
  for (const handle of [opening, kept, empty, codeless]) expect(handle).toBeTypeOf("function");
});

const open = (): never => {
  throw new Error("not opened");
};

test("SCL-04: a connection of one node alone needs the store", () => {
  type Host = Pick<PluginHost, "provide" | "onDispose" | "log">;
  const serve = (host: Host, withStore: Host & { readonly needs: { readonly store: Store } }): void => {
    serveConnection(host, "mail", open);
    serveConnection(withStore, "mail", open, { alone: true });
    // @ts-expect-error -- the lease is the store's
    serveConnection(host, "mail", open, { alone: true });
    // @ts-expect-error -- left out, every node has a connection of its own
    serveConnection(withStore, "mail", open, { alone: false });
  };
  expect(serve).toBeTypeOf("function");
});
