import { Checks, type CheckRow, type Plugin } from "@gantry/sdk";
import {
  fakeProvider,
  memoryStore,
  startTestHost,
  type TestHost,
  type TestHostOptions,
} from "@gantry/sdk/testing";
import { vi } from "vitest";
import net from "../../plugins/net-undici/index.ts";

export interface ChannelOptions extends Omit<Partial<TestHostOptions>, "plugins"> {
  /** Keys of the channel's own table. */
  readonly table?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Beside channel and network; default a store and a model. */
  readonly plugins?: readonly Plugin[];
  /** True: `env` holds until whoever started it takes it away. */
  readonly keepsEnv?: boolean;
  /** False: nothing is listened to. */
  readonly serves?: boolean;
}

export interface StartedChannel {
  readonly host: TestHost;
  check(name: string): Promise<readonly CheckRow[]>;
}

/** A channel over the real network, on a platform of loopback that `config` leads to. */
export async function startChannel(
  channel: Plugin,
  config: Readonly<Record<string, unknown>>,
  options: ChannelOptions,
): Promise<StartedChannel> {
  const { env = {}, plugins = [memoryStore(), fakeProvider(["hello there"])], serves = true } = options;
  for (const [name, value] of Object.entries({ SERVICE_ALLOW_INSECURE_LOOPBACK: "1", ...env }))
    vi.stubEnv(name, value);
  const host = await startTestHost({
    ...options,
    plugins: [...plugins, net, channel],
    config: { ...config, ...options.config },
  }).finally(() => {
    if (options.keepsEnv !== true) vi.unstubAllEnvs();
  });
  if (serves) await host.serve();
  return { host, check: (name) => host.slot(Checks).get(name)!.run(AbortSignal.timeout(60_000)) };
}
