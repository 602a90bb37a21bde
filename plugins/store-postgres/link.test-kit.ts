import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A way to a server, which can be cut as a network is: nothing arrives, and nobody is told. */
export interface Link {
  readonly port: number;
  /** Leads new connections to the server at this port, and ends those that are there. */
  lead(port: number): void;
  cut(): void;
  /** Lets through again what waits. */
  join(): void;
  close(): void;
}

export async function startLink(first: number): Promise<Link> {
  let to = first;
  let isCut = false;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
    if (isCut) socket.pause();
  };
  const carry = (from: Socket, into: Socket): void => {
    keep(from);
    from.on("data", (piece) => {
      if (!into.write(piece)) from.pause();
    });
    into.on("drain", () => isCut || from.resume());
    from.once("close", () => into.destroy());
    if (isCut) from.pause();
  };
  const server = createServer((socket) => {
    const far = connect(to, "127.0.0.1");
    carry(socket, far);
    carry(far, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    lead(port) {
      to = port;
      for (const socket of sockets) socket.destroy();
    },
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    join() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
