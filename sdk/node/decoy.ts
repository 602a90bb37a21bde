import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/**
 * Two ports of loopback that nothing may come to, so that what comes shows a way around a proxy.
 */
export interface Decoy {
  readonly tcpPort: number;
  readonly udpPort: number;
  /** The number of connections that were made to it so far. */
  readonly connections: number;
  /** The number of datagrams that came so far. */
  readonly datagrams: number;
  close(): Promise<void>;
}

export async function openDecoy(): Promise<Decoy> {
  let [connections, datagrams] = [0, 0];
  const server = createServer((socket) => {
    connections++;
    socket.on("error", () => undefined).destroy();
  });
  const socket = createSocket("udp4", () => datagrams++);
  server.listen(0, "127.0.0.1");
  socket.bind(0, "127.0.0.1");
  await Promise.all([once(server, "listening"), once(socket, "listening")]);
  server.unref();
  socket.unref();
  return {
    tcpPort: (server.address() as AddressInfo).port,
    udpPort: socket.address().port,
    get connections() {
      return connections;
    },
    get datagrams() {
      return datagrams;
    },
    async close() {
      await Promise.all([
        new Promise<void>((resolve) => server.close(() => resolve())),
        new Promise<void>((resolve) => socket.close(() => resolve())),
      ]);
    },
  };
}
