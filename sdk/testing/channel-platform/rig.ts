import {
  Channels,
  Checks,
  textOf,
  textParts,
  verbatimParts,
  type ChatRequest,
  type Plugin,
  type Sent,
  type Store,
} from "../../index.ts";
import { fakeProvider, type FakeScript } from "../fake-provider.ts";
import { createMemoryStore, memoryStore } from "../memory-store.ts";
import { wrong } from "../say.ts";
import { startTestHost, type TestHost } from "../test-host.ts";
import type { ChannelPlatformSubject, TestPlatform, Told } from "./platform.ts";

const patienceMs = 30_000;

/** A channel that serves on its platform. */
export interface Rig {
  readonly platform: TestPlatform;
  readonly host: TestHost;
  /** Resolves once so many messages were told. */
  told(count: number): Promise<readonly Told[]>;
  /** As a model's answer, or as a text that is verbatim. */
  send(text: string, key?: string, verbatim?: boolean): Promise<Sent>;
  /** Ends the service and starts another one on the same store and platform. */
  restart(): Promise<TestHost>;
}

export interface RigOptions {
  /** Default: each message is answered with what it says. */
  readonly script?: FakeScript;
  readonly store?: Store;
  readonly plugins?: readonly Plugin[];
  /** Keys of the channel's table. */
  readonly table?: Readonly<Record<string, unknown>>;
  /** Default true. */
  readonly serves?: boolean;
  readonly timeouts?: { readonly approval?: number };
}

/** Returns the tools with which the cases of one channel are written. */
export function rigOf(subject: ChannelPlatformSubject): {
  readonly who: string;
  on(work: (rig: Rig) => Promise<void>, options?: RigOptions): Promise<void>;
  /** Fails the case unless it `holds`. */
  must(holds: boolean, what: string, cure: string): void;
} {
  const who = `The channel ${subject.channel}`;
  return {
    who,
    must(holds, what, cure) {
      if (!holds) throw wrong(who, what, cure);
    },
    on: (work, options = {}) => withRig(subject, who, options, work),
  };
}

async function withRig(
  subject: ChannelPlatformSubject,
  who: string,
  options: RigOptions,
  work: (rig: Rig) => Promise<void>,
): Promise<void> {
  const { script = [lastText], store = createMemoryStore(), plugins = [] } = options;
  const { table, timeouts = {}, serves = true } = options;
  const { platform, plugins: own, config } = await subject.open(table);
  const start = async (): Promise<TestHost> => {
    const all = [...own, memoryStore(store), fakeProvider(script), ...plugins];
    const host = await startTestHost({ plugins: all, config, timeouts });
    if (serves) await host.serve();
    return host;
  };
  const hosts = [await start()];
  try {
    await work({
      platform,
      host: hosts[0] as TestHost,
      async told(count) {
        const until = Date.now() + patienceMs;
        while (platform.told().length < count) {
          if (Date.now() > until)
            throw wrong(
              who,
              `told ${platform.told().length} of ${count} messages`,
              "answer each that is accepted",
            );
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        return platform.told();
      },
      async send(text, key = "contract", verbatim = false) {
        const channel = hosts.at(-1)?.slot(Channels).get(subject.channel);
        if (!channel) throw wrong(who, "is not there", "fill the slot Channels with it");
        const parts = verbatim ? verbatimParts(text) : textParts(text);
        return channel.send({ to: subject.to, parts, key }, AbortSignal.timeout(patienceMs));
      },
      async restart() {
        await hosts.at(-1)?.stop();
        const next = await start();
        hosts.push(next);
        return next;
      },
    });
  } finally {
    await hosts.at(-1)?.stop();
    await platform.close();
  }
}

/** Returns the last message, without the line that names the speaker in a group. */
export function lastText({ messages }: ChatRequest): string {
  return textOf(messages.at(-1)?.parts ?? []).replace(/^\[[^\]]*\]\n/, "");
}

/** All rows of all checks, as one text. */
export async function rowsOf(host: TestHost): Promise<string> {
  const rows = [...host.slot(Checks).values()].map(async (check) =>
    check.run(AbortSignal.timeout(patienceMs)),
  );
  return JSON.stringify(await Promise.all(rows));
}
