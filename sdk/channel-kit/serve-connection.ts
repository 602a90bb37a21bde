import type { Awaitable } from "../contract/awaitable.ts";
import { Services } from "../contract/command.ts";
import type { PluginHost } from "../contract/plugin.ts";
import type { Store } from "../store/store.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { LeasedConnection } from "./leased-connection.ts";

/** Options for how a connection is served. */
export interface ServeOptions {
  /**
   * One of all nodes on the store has it; the others wait, and one takes it over when that node
   * stops or dies.
   */
  readonly alone: true;
}

/**
 * Keeps one {@link Connection} while the host serves: fills `Services` under the channel's name
 * with what opens it, and ends it when the service stops or the plugin is disposed. What `open`
 * throws stops the start. With `alone`, the plugin needs the store as `store`; `open` is called
 * each time that this node gets the connection, and a later failure of it is tried again.
 */
export function serveConnection(
  host: Pick<PluginHost, "provide" | "onDispose">,
  channel: string,
  open: () => Awaitable<ConnectionOptions>,
): void;
export function serveConnection(
  host: Pick<PluginHost, "provide" | "onDispose" | "log"> & { readonly needs: { readonly store: Store } },
  channel: string,
  open: () => Awaitable<ConnectionOptions>,
  options: ServeOptions,
): void;
export function serveConnection(
  host: Pick<PluginHost, "provide" | "onDispose"> &
    Partial<Pick<PluginHost, "log">> & { readonly needs?: { readonly store: Store } },
  channel: string,
  open: () => Awaitable<ConnectionOptions>,
  options?: ServeOptions,
): void {
  let connection: Connection | LeasedConnection | undefined;
  const stop = async (): Promise<void> => {
    await connection?.stop();
    connection = undefined;
  };
  const opened = async (): Promise<Connection | LeasedConnection> => {
    const { needs, log } = host;
    if (!options?.alone || !needs || !log) return new Connection(await open());
    return new LeasedConnection({ channel, lanes: () => needs.store.lanes, log, open });
  };
  host.provide(Services, {
    name: channel,
    async start() {
      connection = await opened();
      await connection.start();
    },
    stop,
  });
  host.onDispose(stop);
}
