import {
  ChatCommands,
  definePlugin,
  defineTool,
  Tools,
  type ChatCommand,
  type Hooks,
  type Plugin,
  type Tool,
} from "@gantry/sdk";
import { Redactors, type TapOptions } from "@gantry/sdk/fill";
import { Type } from "typebox";

/** A plugin with one guard for tool calls. */
export function guard(name: string, decide: Hooks["beforeToolCall"], options?: TapOptions): Plugin {
  return definePlugin({
    name: `guard-${name}`,
    taps: ["beforeToolCall"],
    setup: (host) => host.hooks.beforeToolCall.tap(decide, options),
  });
}

/** A plugin with one tool that takes any object. */
export function tool(name: string, run: Tool["run"], more: Partial<Tool> = {}): Plugin {
  const value = defineTool({
    name,
    description: `The tool ${name}.`,
    input: Type.Object({}, { additionalProperties: true }),
    run,
    ...more,
  });
  return definePlugin({
    name: `tool-${name.replaceAll("_", "-")}`,
    provides: [Tools],
    setup: (host) => host.provide(Tools, value),
  });
}

/** A plugin with one word behind a slash. */
export function chatCommand(name: string, run: ChatCommand["run"]): Plugin {
  return definePlugin({
    name: `words-${name}`,
    provides: [ChatCommands],
    setup: (host) => host.provide(ChatCommands, { name, summary: `The word ${name}.`, run }),
  });
}

/**
 * A plugin that hides whatever `pattern` matches; matches are at most `holdBack` characters long.
 */
export function redactor(pattern: RegExp, holdBack: number = 40): Plugin {
  return definePlugin({
    name: "redact-test",
    provides: [Redactors],
    setup: (host) =>
      host.provide(Redactors, {
        name: "test",
        holdBack,
        redact: (text) => text.replace(pattern, "[hidden]"),
      }),
  });
}

/** A promise and the function that resolves it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}
