import {
  Channels,
  ChatCommands,
  definePlugin,
  History,
  PromptParts,
  ProviderOffers,
  Routes,
  ToolCatalog,
  Tools,
  ToolSources,
  type AnySlot,
  type Plugin,
} from "@gantry/sdk";
import { Type } from "typebox";
import { channel, events, mustBeCaught, guard, NAME, plugin, provider, tool } from "./helpers/broken.ts";

const said = { type: "text", text: "hi" };
const done = { type: "stop", reason: "EndTurn" };
const route = {
  name: "GET /x",
  method: "GET",
  path: "/x",
  auth: "token",
  summary: "X.",
  handle: async () => ({}),
};

/** Fills one slot with one value. */
function fills(slot: AnySlot, value: unknown): Plugin {
  return plugin({ provides: [slot] }, (host) => void host.provide(slot, value));
}
/** A tool that states these effects. */
function stating(effects: unknown): Plugin {
  return tool({ effects: () => effects });
}
/** A plugin as plain JavaScript may write it. */
function written(facts: object): Plugin {
  return definePlugin({ name: NAME, summary: "Broken on purpose.", setup() {}, ...facts } as never);
}

const broken: readonly (readonly [what: string, plugin: Plugin, sentence: RegExp])[] = [
  ["states its level as a text", written({ sdk: "2" }), /written for sdk level 2: build it/],
  ["has no setup", written({ setup: undefined }), /no default export made by definePlugin\(\): add one/],
  ["needs what is no slot", written({ needs: { net: "net" } }), /needs and provides must hold slots/],
  [
    "needs what it failed to import",
    written({ needs: { net: undefined } }),
    /needs and provides must hold slots/,
  ],
  [
    "says that it fills what is no slot",
    written({ provides: ["tools"] }),
    /needs and provides must hold slots/,
  ],
  ["says what it fills without a list", written({ provides: Tools }), /provides and taps must be lists/],
  [
    "says what it taps without a list",
    written({ taps: "beforeToolCall" }),
    /provides and taps must be lists/,
  ],
  ["has no name", written({ name: undefined }), /its name must be lower-case letters/],
  [
    "needs the tools of others",
    written({ needs: { tools: Tools } }),
    /needs tools, which only the host may read/,
  ],
  [
    "needs the channels of others",
    written({ needs: { channels: Channels } }),
    /needs channels, which only the host may read/,
  ],
  [
    "needs the tool sources of others",
    written({ needs: { sources: ToolSources } }),
    /needs tool-sources, which only the host may read/,
  ],
  [
    "fills the catalogue of tools",
    fills(ToolCatalog, { list: async () => [] }),
    /fills tool-catalog, which the host already fills: keep one/,
  ],
  [
    "gives a source of tools that lists none",
    fills(ToolSources, { name: "server" }),
    /has no tools\(\): give it/,
  ],
  [
    "gives a source of tools without a name",
    fills(ToolSources, { tools: async () => [] }),
    /has no name: give it/,
  ],
  [
    "gives a part of the prompt without a text",
    fills(PromptParts, { name: "part", budget: 9 }),
    /has no text\(\): give it/,
  ],
  [
    "gives a part of the prompt without a budget",
    fills(PromptParts, { name: "part", text: () => "" }),
    /has no budget: give it/,
  ],
  [
    "gives a chat command with a slash",
    fills(ChatCommands, { name: "/new", run: () => "" }),
    /a name with other signs than a-z/,
  ],
  [
    "offers a provider of which nobody learns where it answers",
    fills(ProviderOffers, { name: "acme" }),
    /says neither where it answers \(`address`\), nor how that is asked .*: give it/,
  ],
  [
    "offers a provider by a name that holds an address",
    fills(ProviderOffers, { name: "custom:https://x", address: "https://x" }),
    /a name with other signs than a-z, 0-9/,
  ],
  [
    "gives a channel that tells nobody of turns",
    fills(Channels, { name: "rooms", send: async () => ({ status: "sent" }), onTurnEvent: {} }),
    /gives as onTurnEvent what is no function: give it/,
  ],
  ["gives a channel that sends nothing", fills(Channels, { name: "rooms" }), /has no send\(\): give it/],
  ["gives a chat command that runs nothing", fills(ChatCommands, { name: "new" }), /has no run\(\): give it/],
  [
    "gives a route with a path from nowhere",
    fills(Routes, { ...route, path: "x" }),
    /no path that begins with \//,
  ],
  [
    "gives a route with a query in its path",
    fills(Routes, { ...route, path: "/x?y=1" }),
    /no path that begins with \//,
  ],
  [
    "gives a route that handles nothing",
    fills(Routes, { ...route, handle: undefined }),
    /has no handle\(\): give it/,
  ],
  [
    "gives a route with an auth of its own making",
    fills(Routes, { ...route, auth: "maybe" }),
    /does not state its auth: .*give it/,
  ],
  [
    "gives a route with a scope that does not exist",
    fills(Routes, { ...route, may: "admin" }),
    /states by `may` what is no scope: .*give it/,
  ],
  [
    "gives a route with a scope where it asks for no token",
    fills(Routes, { ...route, auth: "none", may: "read" }),
    /states a scope and asks for no token: .*give it/,
  ],
  [
    "gives a route that also needs a scope that does not exist",
    fills(Routes, { ...route, may: "read", alsoMay: ["admin"] }),
    /states by `alsoMay` what is no list of scopes: .*give it/,
  ],
  [
    "gives a tool with a scope that does not exist",
    tool({ may: "admin" }),
    /states by `may` what is no scope: .*give it/,
  ],
  [
    "gives a chat command with a scope that does not exist",
    fills(ChatCommands, { name: "new", summary: "New.", may: "admin", run: () => "" }),
    /states by `may` what is no scope: .*give it/,
  ],
  [
    "gives a tool with a blank in its name",
    tool({ name: "my thing" }),
    /a name with other signs than letters/,
  ],
  ["gives a tool without a description", tool({ description: "" }), /no description for the model: give it/],
  [
    "gives a tool with a page of description",
    tool({ description: "x".repeat(1_001) }),
    /more than 1,000 characters: one or two sentences/,
  ],
  ["gives a tool that cannot run", tool({ run: undefined }), /has no run\(\): give it/],
  ["gives a tool without an input", tool({ input: undefined }), /no Type\.Object\(\) as its input: give it/],
  [
    "gives a tool whose input is a list",
    tool({ input: Type.Array(Type.String()) }),
    /no Type\.Object\(\) as its input: give it/,
  ],
  ["states effects under a name that is none", stating({ path: "a" }), /with `path`, which is none: give/],
  ["states a path as a text", stating({ paths: ["a"] }), /with paths that lack path or access: give/],
  [
    "states an access that is none",
    stating({ paths: [{ path: "a", access: "Read" }] }),
    /with paths that lack path or access: give/,
  ],
  [
    "states a command as a text",
    stating({ commands: "ls" }),
    /with commands that are no list of texts: give/,
  ],
  [
    "states addresses as objects",
    stating({ urls: [new URL("http://x.test")] }),
    /with urls that are no list of texts: give/,
  ],
  [
    "states recipients as one text",
    stating({ recipients: "ada" }),
    /with recipients that are no list of texts: give/,
  ],
  [
    "states sources that are none",
    stating({ brings: { pages: ["x"] } }),
    /with brings\.pages, which is no list of texts.*: give/,
  ],
  ["states no effects by a word of its own", stating("none"), /that are no object: give/],
  [
    "throws when it states its effects",
    tool({
      effects: () => {
        throw new Error("no path");
      },
    }),
    /failed in effects\(\) \(no path\): read the arguments only/,
  ],
  ["gives the same tool twice", doubled(), /fills tools\.thing, which broken already fills: keep one/],
  ["fills the history twice", twice(), /fills history, which broken already fills: keep one/],
  ["guards by yes", guard(() => true), /answered boolean .*: answer refuse/],
  ["guards by a text", guard(() => "no"), /answered string .*: answer refuse/],
  [
    "guards by a verdict that is none",
    guard(() => ({ verdict: "allow", code: "X", reason: "x" })),
    /answered object .*: answer refuse/,
  ],
  [
    "answers a status that is none",
    channel({ send: async () => ({ status: "ok" }) }),
    /\{"status":"ok"\}: answer/,
  ],
  [
    "answers a retry without a reason",
    channel({ send: async () => ({ status: "retry" }) }),
    /\{"status":"retry"\}: answer/,
  ],
  [
    "ends its answer twice",
    provider({ chat: () => events(said, done, done) }),
    /ended its answer 2 times: give exactly one/,
  ],
  [
    "goes on after its end",
    provider({ chat: () => events(done, said) }),
    /went on after its stop: give nothing/,
  ],
  [
    "never gives a reason to stop",
    provider({ chat: () => events(said) }),
    /ended its answer 0 times: give exactly one/,
  ],
];

function doubled(): Plugin {
  const thing = { name: "thing", description: "Does.", input: Type.Object({}), run: async () => "" };
  return plugin({ provides: [Tools] }, (host) => {
    host.provide(Tools, thing);
    host.provide(Tools, thing);
  });
}
function twice(): Plugin {
  return plugin({ provides: [History] }, (host) => {
    host.provide(History, { fit: () => undefined });
    host.provide(History, { fit: () => undefined });
  });
}

mustBeCaught(broken);
