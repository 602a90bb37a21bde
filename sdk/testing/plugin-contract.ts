import type { TSchema } from "typebox";
import { EARLIER_LEVEL } from "../fill.ts";
import { SDK_LEVEL, type HookName, type Hooks, type Plugin, type PluginHost, type Taps } from "../index.ts";
import { heard } from "./heard.ts";
import { heldNow, leftOver, mustYield } from "./leaks.ts";
import { cases, messageOf, watched, wrong } from "./say.ts";
import type { ContractCase } from "./contract-case.ts";
import { startTestHost, type TestHost, type TestHostOptions } from "./test-host.ts";

export interface PluginSubject {
  readonly plugin: Plugin;
  /** Plugins that fill what it needs. */
  readonly with?: readonly Plugin[];
  /** The time in ms that anything may take in this test; default 5,000. */
  readonly patienceMs?: number;
  /** The values that would stand in config.toml. */
  readonly config?: TestHostOptions["config"];
}

/** The plugin, with every handler that it taps kept by hook. */
export function tapsOf(plugin: Plugin): {
  readonly plugin: Plugin;
  handlers<K extends HookName>(hook: K): readonly Hooks[K][];
} {
  const kept = new Map<HookName, unknown[]>();
  const spied: Plugin = Object.freeze({
    ...plugin,
    setup(host: PluginHost<never>) {
      const hooks = Object.fromEntries(
        Object.entries(host.hooks).map(([hook, { tap }]) => [
          hook,
          {
            tap: (handler: never, options?: never) => {
              tap(handler, options);
              kept.set(hook as HookName, [...(kept.get(hook as HookName) ?? []), handler]);
            },
          },
        ]),
      );
      return plugin.setup(Object.freeze({ ...host, hooks: hooks as unknown as Taps }));
    },
  });
  return { plugin: spied, handlers: <K extends HookName>(hook: K) => (kept.get(hook) ?? []) as Hooks[K][] };
}

/**
 * Returns the duties of every plugin in a host. Needs @gantry/host beside the sdk. Register each
 * case with any test runner: `test(name, run)`.
 */
export function pluginContract(subject: PluginSubject): readonly ContractCase[] {
  const { plugin, config, patienceMs = 5_000 } = subject;
  const who = `The plugin ${plugin?.name}`;
  const options = (ready: boolean): TestHostOptions => ({
    plugins: [plugin, ...(subject.with ?? [])],
    ready,
    timeouts: { plugin: patienceMs },
    ...(config && { config }),
  });
  const started = async (ready: boolean): Promise<TestHost> => {
    try {
      return await startTestHost(options(ready));
    } catch (error) {
      throw wrong(
        who,
        `does not start (${messageOf(error).replace(/\.$/, "")})`,
        "mend what the sentence names",
      );
    }
  };
  return cases({
    "a plugin states its facts": async () => {
      if (plugin.sdk !== SDK_LEVEL && plugin.sdk !== EARLIER_LEVEL)
        throw wrong(
          who,
          `was written for sdk level ${plugin.sdk}`,
          `build it with definePlugin() of level ${SDK_LEVEL}`,
        );
      if (!plugin.summary)
        throw wrong(who, "has no summary", "say in one line what it gives, for `plugins list`");
      const silent = keysWithoutWords(plugin.config);
      if (silent.length > 0)
        throw wrong(
          who,
          `has configuration keys without a description (${silent.join(", ")})`,
          "give each key a description",
        );
    },
    "a plugin starts quickly and lets others run meanwhile": async () => {
      // The host's own imports on its first start are not the plugin's doing.
      await (await startTestHost({ plugins: [] })).stop();
      const { answer: t, blockedMs } = await watched(() => started(false));
      await t.stop();
      const cure = "do heavy work on first use, and import heavy packages there";
      mustYield(who, blockedMs, cure, " in setup");
    },
    "a plugin gives back all that it took, however often it starts": async () => {
      const before = heldNow();
      const errors = await heard(async () => {
        for (const ready of [false, true, true]) {
          const t = await started(ready);
          await t.stop();
          const stayed = t.registrations().filter((entry) => entry.startsWith(`${plugin.name}: `));
          if (stayed.length > 0)
            throw wrong(who, `left ${stayed.join(", ")} behind`, "register through the host alone");
          const bad = t.logs.find(
            ({ level, detail }) =>
              level === "error" && (detail["plugin"] === plugin.name || detail["plugin"] === undefined),
          );
          if (bad)
            throw wrong(
              who,
              `failed while it ran or stopped (${bad.message.replace(/\.$/, "")}${causeOf(bad.detail)})`,
              "mend what the sentence names",
            );
        }
      });
      const left = await leftOver(before, patienceMs);
      if (errors[0])
        throw wrong(
          who,
          `threw where nobody waited for it (${errors[0].message})`,
          "catch what its timers and events throw",
        );
      if (left.length > 0)
        throw wrong(
          who,
          `left ${left.join(", ")} running after it was disposed`,
          "stop them in onDispose, or pass host.signal to them",
        );
    },
  });
}

function causeOf({ err }: Readonly<Record<string, unknown>>): string {
  const message = (err as { message?: unknown } | undefined)?.message;
  return typeof message === "string" ? ` ${message}` : "";
}

function keysWithoutWords(schema: TSchema | undefined, at: string = ""): string[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Readonly<Record<string, TSchema>> };
  return Object.entries(properties).flatMap(([key, child]) => {
    const {
      description,
      properties: inner,
      patternProperties,
    } = child as { description?: string; properties?: object; patternProperties?: object };
    if (inner) return keysWithoutWords(child, `${at}${key}.`);
    return description || patternProperties ? [] : [`${at}${key}`];
  });
}
