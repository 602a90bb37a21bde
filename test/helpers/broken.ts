import {
  Channels,
  definePlugin,
  Tools,
  type Channel,
  type Plugin,
  type PluginHost,
  type Provider,
  type ProviderEvent,
  type Tool,
} from "@gantry/sdk";
import { checkPlugin } from "@gantry/sdk/testing";
import { Type } from "typebox";
import { expect, test } from "vitest";

/** Plugins that are broken on purpose, each made of what is wrong with it. */
export const NAME = "broken";
const base = { name: NAME, summary: "Broken on purpose." };

export function plugin(facts: Partial<Plugin>, setup: (host: PluginHost) => unknown = () => {}): Plugin {
  return definePlugin({ ...base, ...facts, setup } as Parameters<typeof definePlugin>[0]);
}
export function tool(parts: object): Plugin {
  const whole = {
    name: "thing",
    description: "Does a thing.",
    input: Type.Object({}),
    run: async () => "done",
    ...parts,
  };
  return plugin({ provides: [Tools] }, (host) => host.provide(Tools, whole as Tool));
}
export function guard(handler: (call: any) => unknown): Plugin {
  return plugin({ taps: ["beforeToolCall"] }, (host) => host.hooks.beforeToolCall.tap(handler as never));
}
export function channel(parts: object): Plugin {
  const whole = { name: "pigeon", send: async () => ({ status: "sent" }), ...parts };
  return plugin({ provides: [Channels] }, (host) => host.provide(Channels, whole as Channel));
}
export function provider(parts: object): Plugin {
  const whole = {
    name: NAME,
    capabilities: { nativeToolCalling: true, vision: false, streaming: true },
    chat: () => events({ type: "text", text: "hi" }, { type: "stop", reason: "EndTurn" }),
    ...parts,
  } as Provider;
  return plugin({ taps: ["resolveProvider"] }, (host) =>
    host.hooks.resolveProvider.tap(({ provider: id }) => (id === NAME ? whole : undefined)),
  );
}
export async function* events(...list: readonly object[]): AsyncGenerator<ProviderEvent> {
  for (const event of list) yield event as ProviderEvent;
}

/**
 * Each of these is found, and told with the sentence that fits; every sentence begins with the
 * plugin.
 */
export function mustBeCaught(
  broken: readonly (readonly [what: string, plugin: Plugin, sentence: RegExp])[],
): void {
  test.for(broken)(
    "SDK-05: a plugin that %s is caught, with its name and the cure",
    async ([, value, sentence]) => {
      const messages = await foundIn(value, sentence);
      expect(messages.join("\n")).toMatch(sentence);
      expect(messages.filter((message) => !message.startsWith(`The plugin ${value.name}`))).toEqual([]);
    },
  );
}

/**
 * Returns the faults that a check finds in a plugin. Some never answer, so the first look is short;
 * on a loaded machine a patient one follows.
 */
async function foundIn(value: Plugin, expected: RegExp): Promise<readonly string[]> {
  const look = async (patienceMs: number): Promise<readonly string[]> =>
    (await checkPlugin({ plugin: value, patienceMs })).findings.map(({ message }) => message);
  const first = await look(150);
  return expected.test(first.join("\n")) ? first : await look(15_000);
}
