import type { Awaitable } from "../contract/awaitable.ts";
import { Services } from "../contract/command.ts";
import type { PluginHost } from "../contract/plugin.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";

/**
 * Keeps one {@link Connection} while the host serves: fills `Services` under the channel's name with what opens it, and ends
 * it when the service stops or the plugin is disposed. What `open` throws stops the start.
 */
export function serveConnection(
  host: Pick<PluginHost, "provide" | "onDispose">,
  channel: string,
  open: () => Awaitable<ConnectionOptions>,
): void {
  let connection: Connection | undefined;
  const stop = async (): Promise<void> => {
    await connection?.stop();
    connection = undefined;
  };
  host.provide(Services, {
    name: channel,
    async start() {
      connection = new Connection(await open());
      connection.start();
    },
    stop,
  });
  host.onDispose(stop);
}
