import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startProxy } from "./checked-proxy.ts";

/**
 * Returns the answer that a program behind the proxy gets from a server that answers each request
 * with these bytes.
 */
async function given(reply: Buffer | string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(reply));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const reach = async (): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  const proxy = await startProxy({ connect: reach }, {});
  try {
    const client = connect(proxy.port, "127.0.0.1");
    client.write("GET http://x.example/ HTTP/1.1\r\nhost: x.example\r\nconnection: close\r\n\r\n");
    return await text(client);
  } finally {
    await proxy.close();
    server.close();
  }
}

test("SBX-02: whatever a server answers through the proxy, its client is answered and the service goes on", async () => {
  const thrown: unknown[] = [];
  const onThrown = (error: unknown): void => void thrown.push(error);
  process.prependListener("uncaughtException", onThrown);
  try {
    const empty = "content-length: 0\r\n\r\n";
    for (const reply of [
      `HTTP/1.1 000 x\r\n${empty}`,
      `HTTP/1.1 099 x\r\n${empty}`,
      "HTTP/1.1 101 x\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n",
      "HTTP/1.1 200 x\r\na\u0000b: c\r\n\r\n",
      "HTTP/1.1 100 x\r\n\r\n",
      "HTTP/9.9 nothing\r\n\r\n",
      "",
    ])
      expect([reply, await given(reply)]).toEqual([reply, expect.stringMatching(/^HTTP\/1\.1 502 /)]);
    for (const reply of [
      `HTTP/1.1 999 x\r\n${empty}`,
      `HTTP/1.1 200 \u0001\u007f\r\n${empty}`,
      Buffer.from(`HTTP/1.1 200 é€\r\nx: é€\r\n${empty}`),
      `HTTP/1.1 200 x\r\n__proto__: a\r\nconstructor: b\r\n${empty}`,
      "HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\ntrailer: a\r\n\r\n1\r\na\r\n0\r\nb: c\r\n\r\n",
      "HTTP/1.1 200 x\r\ncontent-length: 10\r\n\r\nshort",
    ])
      expect(await given(reply)).toMatch(/^HTTP\/1\.1 (?:200|999) /);
    // Nothing of it has gone out yet when it breaks: the connection ends.
    expect(await given("HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\r\nzz")).toMatch(
      /^(?:HTTP\/1\.1 200 |$)/,
    );
  } finally {
    process.removeListener("uncaughtException", onThrown);
  }
  expect(thrown).toEqual([]);
});
