import { Budget } from "@gantry/sdk/fill";
import {
  Agents,
  ChatCommands,
  Checks,
  Commands,
  defineErrors,
  failed,
  History,
  Media,
  Net,
  Observers,
  Outbox,
  OwnMemory,
  PromptParts,
  refuse,
  ResultFilters,
  Routes,
  type RouteSocket,
  Sandbox,
  Services,
  Speaker,
  Store,
  ToolSources,
  Transcriber,
  Upstream,
  type AnySlot,
  type ChatRequest,
  type FittedHistory,
  type HistoryRequest,
  type OutgoingMessage,
  type Part,
  type Plugin,
} from "@gantry/sdk";
import { createMemoryStore } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { channel, events, mustBeCaught, plugin, provider, tool } from "./helpers/broken.ts";

/** Fills one slot with one value. */
function fills(slot: AnySlot, value: unknown): Plugin {
  return plugin({ provides: [slot] }, (host) => void host.provide(slot, value));
}
/** Reads a part as text, as an author writes it for the first time. */
const textOfOne = (part: Part): string => (part as { readonly text: string }).text.trim();
const never = (): Promise<never> => new Promise(() => {});
const nothing = (): void => {};
const boom = (): never => {
  throw new Error("boom");
};
const rejects = async (): Promise<never> => boom();
const part = (parts: object): Plugin =>
  fills(PromptParts, { name: "part", budget: 100, text: () => "", ...parts });
const fit = (answer: (request: HistoryRequest) => unknown): Plugin => fills(History, { fit: answer });
const source = (parts: object): Plugin => fills(ToolSources, { name: "server", tools: () => [], ...parts });
const listed = { name: "a", description: "A.", input: Type.Object({}), run: async () => "" };
const filter = (answer: () => unknown): Plugin => fills(ResultFilters, { name: "filter", filter: answer });
const route = (reply: () => unknown, parts: object = {}): Plugin =>
  fills(Routes, {
    name: "GET /x",
    method: "GET",
    path: "/x",
    auth: "token",
    may: "read",
    summary: "X.",
    handle: async () => reply(),
    ...parts,
  });
const frames = (...events: readonly unknown[]) =>
  (async function* () {
    yield* events;
  })();
const says = (run: () => unknown): Plugin => fills(ChatCommands, { name: "say", summary: "Says.", run });
const coded = (): Error => defineErrors({ NONE: failed("There is no voice.") }).NONE();
const speaks = (run: () => unknown): Plugin =>
  fills(Commands, { name: "speak", summary: "Speaks.", ownsStdout: true, run });
const memory = (parts: object): Plugin =>
  fills(OwnMemory, { ...createMemoryStore().memory, erase: async () => 0, ...parts });
const nobody = { check: nothing, fetch: nothing, connect: nothing };

const agents = (parts: object): Plugin => fills(Agents, { list: () => [], of: nothing, ...parts });

const broken: readonly (readonly [what: string, plugin: Plugin, sentence: RegExp])[] = [
  [
    "fills the agents without of()",
    fills(Agents, { list: () => [] }),
    /agents with a value that has no of\(\): give/,
  ],
  ["lists agents as text", agents({ list: () => "a, b" }), /agents answered string in list\(\)/],
  [
    "lists an agent with a name that no prompt takes",
    agents({ list: () => [{ name: "A B" }] }),
    /agents has the name "A B": write small/,
  ],
  [
    "lists two agents of one name",
    agents({ list: () => [{ name: "a" }, { name: "a" }] }),
    /has two agents a: give each/,
  ],
  [
    "lets somebody answer who is not listed",
    agents({ of: () => ({ name: "b" }) }),
    /that is not in it in of\(\): answer one of list/,
  ],
  ["fills the budget without check()", fills(Budget, {}), /budget with a value that has no check\(\): give/],
  [
    "fills the budget with nothing",
    fills(Budget, undefined),
    /budget with a value that has no check\(\): give/,
  ],
  [
    "fills the history without fit()",
    fills(History, () => {}),
    /history with a value that has no fit\(\): give/,
  ],
  ["fills the memory without erase()", memory({ erase: undefined }), /memory with .* has no erase\(\): give/],
  [
    "fills media that cannot be opened",
    fills(Media, { put: rejects }),
    /media with .* has no open\(\): give/,
  ],
  [
    "fills a store without lanes",
    fills(Store, { ...createMemoryStore(), lanes: undefined }),
    /store with a value that has no lanes: give/,
  ],
  [
    "fills a sandbox that opens nothing",
    fills(Sandbox, { run: never, policy: never, files: {} }),
    /sandbox with a value that has no open\(\): give/,
  ],
  [
    "fills a sandbox without files",
    fills(Sandbox, { run: never, policy: never, open: never }),
    /sandbox with a value that has no files: give/,
  ],
  [
    "fills a network that checks nothing",
    fills(Net, { ...nobody, check: 1 }),
    /net with .* has no check\(\)/,
  ],
  ["fills a way up without sockets", fills(Upstream, nobody), /upstream with .* has no webSocket\(\): give/],
  ["fills a transcriber that hears nothing", fills(Transcriber, {}), /has no transcribe\(\): give/],
  [
    "fills the outbox, which is the host's",
    fills(Outbox, { send: never }),
    /fills outbox, which the host already/,
  ],
  [
    "gives a command that runs nothing",
    fills(Commands, { name: "x", summary: "X." }),
    /has no run\(\): give/,
  ],
  ["gives a service that never ends", fills(Services, { name: "x", start: never }), /has no stop\(\): give/],
  ["gives a row of no kind", fills(Checks, { name: "x", run: never }), /does not state its kind: "status"/],
  ["gives a filter that filters nothing", fills(ResultFilters, { name: "x" }), /has no filter\(\): give/],
  [
    "gives an observer of what never happens",
    fills(Observers, { name: "eye", onTurn: nothing }),
    /listens to none of turnStarted, turnEnded/,
  ],
  [
    "gives an observer that is told by a text",
    fills(Observers, { name: "eye", turnEnded: "log" }),
    /gives as turnEnded what is no function: give/,
  ],
  [
    "gives a source that is told of changes by a text",
    source({ onChange: "x" }),
    /gives as onChange what is no/,
  ],
  [
    "gives a tool whose effects are no function",
    tool({ effects: {} }),
    /gives as effects what is no function: give/,
  ],
  ["gives a part with a budget in words", part({ budget: "much" }), /has no budget: give/],
  [
    "gives a chat command that /help cannot show",
    fills(ChatCommands, { name: "a", run: nothing }),
    /no summary for/,
  ],
  [
    "gives a chat command for nobody known",
    fills(ChatCommands, { name: "a", summary: "A.", trust: "admin", run: nothing }),
    /has a trust that is none: give/,
  ],
  [
    "prints beside what its command says as the owner of stdout",
    speaks(async () => (process.stdout.write("ready\n"), 0)),
    /command speak printed "ready\\n" beside its lines: write there by out\(\) alone/,
  ],
  [
    "goes on with a command that owns stdout after its input",
    speaks(() => new Promise(nothing)),
    /command speak ran on for \d+ ms after its input: end when/,
  ],
  [
    "fills a speaker without a bound",
    fills(Speaker, { replies: true, speak: nothing }),
    /speaker with a value that does not bound what it speaks: `maxLength`: give/,
  ],
  [
    "fills a speaker that gives words",
    fills(Speaker, { replies: true, maxLength: 9, speak: async () => ({ bytes: "hi", mime: "text/plain" }) }),
    /The speaker gave what is not audio: give/,
  ],
  [
    "fills a speaker that goes on after its signal",
    fills(Speaker, {
      replies: true,
      maxLength: 9,
      speak: (_: string, signal: AbortSignal) =>
        new Promise((_done, fail) => setImmediate(() => signal.aborted || fail(coded()))),
    }),
    /The speaker went on for \d+ ms after its signal was aborted: hand/,
  ],
  [
    "fills a transcriber that gives no text",
    fills(Transcriber, { transcribe: async () => ({ text: "hi" }) }),
    /The transcriber gave object: give the words as text/,
  ],
  [
    "fills a transcriber that throws without a code",
    fills(Transcriber, { transcribe: boom }),
    /The transcriber threw without a code \(boom\): throw/,
  ],
  [
    "gives a route by a method in small letters",
    route(nothing, { method: "get" }),
    /does not state its method: "GET"/,
  ],
  [
    "gives a part of the prompt that throws",
    part({ text: boom }),
    /part of the prompt threw in text\(\) \(boom\): give/,
  ],
  [
    "gives a part of the prompt that waits",
    part({ text: never }),
    /did not answer in \d+ ms in text\(\): give/,
  ],
  [
    "gives a part of the prompt that is a number",
    part({ text: () => 7 }),
    /answered number in text\(\): give text/,
  ],
  [
    "gives a part with a clock in it",
    part({ text: () => `${performance.now()}` }),
    /else for the same scene: leave out/,
  ],
  ["gives a part whose note is a list", part({ note: () => [] }), /answered a list in note\(\): give text/],
  ["gives a history that throws", fit(boom), /history threw in fit\(\) at request \(boom\): answer/],
  [
    "gives a history that never answers",
    fit(never),
    /did not answer in \d+ ms in fit\(\) at request: answer/,
  ],
  ["gives a history that is one list", fit(({ earlier }) => earlier), /answered a list without both lists/],
  [
    "gives a history that parts a call from its result",
    fit(({ earlier, current }) => ({ earlier: earlier.slice(2), current }) satisfies FittedHistory),
    /gave back a call without its result in fit\(\) at request: leave out both/,
  ],
  [
    "gives a history that forgets the question",
    fit(({ earlier }) => ({ earlier, current: [] })),
    /left out what the person asks in fit\(\) at request: keep the first/,
  ],
  [
    "gives a history that changes what it is handed",
    fit(({ earlier }) => void (earlier as unknown[]).pop()),
    /threw in fit\(\) at request .*: answer/,
  ],
  [
    "gives a budget that says yes",
    fills(Budget, { check: () => true }),
    /answered boolean in check\(\), and there is no/,
  ],
  [
    "gives a budget that throws",
    fills(Budget, { check: rejects }),
    /budget threw in check\(\) \(boom\): answer refuse/,
  ],
  [
    "gives a budget until a date in words",
    fills(Budget, { check: () => ({ ...refuse({ code: "X", message: "spent" }), until: "tomorrow" }) }),
    /answered until: "tomorrow" in check\(\): give Unix time/,
  ],
  [
    "gives a filter that answers text alone",
    filter(() => "clean"),
    /answered string in filter\(\), which withholds/,
  ],
  [
    "gives a filter that throws",
    filter(boom),
    /filter of results threw in filter\(\) \(boom\)|threw in filter\(\) \(boom\)/,
  ],
  [
    "gives an observer that throws",
    fills(Observers, { name: "eye", turnStarted: boom }),
    /threw in turnStarted\(\)/,
  ],
  [
    "gives an observer that never comes back",
    fills(Observers, { name: "eye", modelAnswered: never }),
    /did not answer in \d+ ms in modelAnswered\(\): change nothing/,
  ],
  [
    "lists its tools as an object",
    source({ tools: () => ({ a: listed }) }),
    /answered object in tools\(\): give a list/,
  ],
  ["lists one tool twice", source({ tools: () => [listed, listed] }), /lists the tool a twice: give each/],
  ["lists its tools to nobody", source({ tools: never }), /tools\(\), nor after its signal: pass the signal/],
  [
    "throws at who wants to hear of changes",
    source({ onChange: boom }),
    /threw in onChange\(\) \(boom\): keep/,
  ],
  [
    "answers a chat command with nothing",
    says(nothing),
    /chat command say answered undefined: answer the text/,
  ],
  [
    "fails at a chat command without a code",
    says(boom),
    /chat command say threw without a code \(boom\): answer/,
  ],
  ["waits in a chat command", says(never), /chat command say did not answer in \d+ ms: answer the text/],
  [
    "opens a WebSocket with a status of its own",
    route(() => ({ status: 200, webSocket: async () => {} })),
    /answered a WebSocket with status 200/,
  ],
  ["opens a WebSocket without serving it", route(() => ({ status: 101, webSocket: true })), /as a WebSocket/],
  [
    "fails at a strange message of a WebSocket",
    route(() => ({
      status: 101,
      async webSocket({ messages }: RouteSocket) {
        for await (const message of messages) JSON.parse(String(message));
      },
    })),
    /threw without a code at a strange message .*read `messages` to their end/,
  ],
  [
    "serves a WebSocket whose client has left",
    route(() => ({ status: 101, webSocket: never })),
    /did not end a WebSocket whose client had left/,
  ],
  [
    "ends a WebSocket with a code that only gateways send",
    route(() => ({ status: 101, webSocket: async () => ({ code: 1001, reason: "" }) })),
    /ended a WebSocket with 1001, which is no code of its own/,
  ],
  [
    "answers a route with a text alone",
    route(() => "hello"),
    /answered string with status undefined: answer/,
  ],
  [
    "answers a route with a status alone",
    route(() => ({ status: 200 })),
    /answered nothing but a status: answer/,
  ],
  [
    "answers a route twice at once",
    route(() => ({ status: 200, text: "", body: 1 })),
    /body and text at once: answer/,
  ],
  [
    "answers a route with bytes as text",
    route(() => ({ status: 200, bytes: "x" })),
    /answered string as bytes: answer/,
  ],
  [
    "answers a route with a list of events",
    route(() => ({ status: 200, events: [1] })),
    /a list as events: answer/,
  ],
  [
    "writes a raw frame that does not end",
    route(() => ({ status: 200, events: frames({ raw: "data: 1\n" }) })),
    /a raw frame without the blank line that ends it: answer/,
  ],
  [
    "streams events without data",
    route(() => ({ status: 200, events: frames({ event: "a" }) })),
    /without data: answer/,
  ],
  ["fails in a route without a code", route(boom), /route GET \/x threw without a code \(boom\): answer/],
  [
    "fails in a route at the least body that fits",
    route(boom, { method: "POST", bodySchema: Type.Object({ ask: Type.String() }) }),
    /route GET \/x threw without a code \(boom\): answer/,
  ],
  [
    "answers nothing where a body comes",
    route(nothing, { method: "POST", auth: "own", may: undefined }),
    /route GET \/x answered undefined with status undefined: answer/,
  ],
  ["waits in a route", route(never), /route GET \/x did not answer in \d+ ms: end by its signal/],
  ["rejects when it states its effects", tool({ effects: rejects }), /failed in effects\(\) \(boom\): read/],
  [
    "never says what it touches",
    tool({ effects: never }),
    /did not answer in \d+ ms in effects\(\): answer "unknown"/,
  ],
  [
    "says unknown of a part alone",
    tool({ effects: () => ({ paths: "unknown" }) }),
    /paths that lack path or access/,
  ],
  [
    "never shows what is decided on",
    tool({ preview: never }),
    /did not answer in \d+ ms in preview\(\): show/,
  ],
  [
    "remembers for everybody alike",
    memory({
      recall: (_: string, ...more: [string, number]) => createMemoryStore().memory.recall("all", ...more),
    }),
    /Its memory does not keep to ".*: run memoryContract/,
  ],
  [
    "asks a person and answers nothing",
    channel({ ask: async () => undefined }),
    /answered a question with nothing: answer/,
  ],
  [
    "sends nothing but text",
    channel({
      send: async ({ parts }: OutgoingMessage) => ({ status: parts.map((one) => textOfOne(one)) && "sent" }),
    }),
    /threw in send\(\) \(Cannot read/,
  ],
  [
    "reads nothing but text",
    provider({
      async *chat({ messages }: ChatRequest) {
        const said = messages.flatMap(({ parts }) => parts.map((one) => textOfOne(one))).join("");
        yield* events({ type: "text", text: `${said}!` }, { type: "stop", reason: "EndTurn" });
      },
    }),
    /threw into its stream \(Cannot read/,
  ],
  [
    "shortens nothing but text",
    fit(({ earlier, current }) => ({
      earlier: earlier.filter(({ parts }) => parts.every((one) => textOfOne(one) !== "")),
      current,
    })),
    /threw in fit\(\) at request \(Cannot read/,
  ],
  [
    "goes on working after its signal",
    channel({ working: never }),
    /went on for more than \d+ ms after its signal/,
  ],
];

mustBeCaught(broken);
