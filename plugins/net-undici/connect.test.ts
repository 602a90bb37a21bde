import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createServer } from "node:tls";
import type { ConnectTls } from "@gantry/sdk/fill";
import { expect, onTestFinished, test } from "vitest";
import { proxyTo } from "./loopback.test-kit.ts";
import { createUpstream } from "./upstream.ts";

const { signal } = new AbortController();

test("PRV-14: a connection is secured where that is asked for, also through a proxy; a certificate that is not the host's is refused", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "gantry-tls-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const [key, cert] = [path.join(home, "key.pem"), path.join(home, "cert.pem")];
  const names = "subjectAltName=DNS:mail.test,IP:127.0.0.1";
  const args =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=mail.test".split(
      " ",
    );
  execFileSync("openssl", [...args, "-addext", names, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const ca = readFileSync(cert, "utf8");
  const options = { key: readFileSync(key), cert: ca, ALPNProtocols: ["echo"] };
  const echo = createServer(options, (socket) => void socket.on("error", () => {}).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const { port } = echo.address() as AddressInfo;
  await using proxy = await proxyTo(port);
  const through = createUpstream({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "127.0.0.1" });
  for (const host of ["127.0.0.1", "mail.test"]) {
    const socket = await through.connect(host, port, signal, { tls: { ca, protocols: ["echo"] } });
    socket.write("hello");
    expect(String((await once(socket, "data"))[0])).toBe("hello");
    socket.destroy();
  }
  const refused = (host: string, tls: ConnectTls, message: string) =>
    expect(through.connect(host, port, signal, { tls })).rejects.toMatchObject({
      code: "NET_REFUSED",
      message: expect.stringContaining(message) as string,
    });
  await refused("other.test", { ca }, "its certificate is for another name");
  await refused("mail.test", {}, "its certificate is self-signed");
  const late = through.connect("mail.test", port, AbortSignal.abort(), { tls: { ca } });
  await expect(late).rejects.toMatchObject({ code: "NET_CANCELLED" });
  await new Promise((resolve) => echo.close(resolve));
});

test("PRV-14: what a server says before it is spoken to is read, also where it comes in one piece with the proxy's answer", async () => {
  const proxy = createTcpServer((client) => {
    client.on("error", () => {});
    client.once("data", () => client.write("HTTP/1.1 200 OK\r\n\r\n* OK welcome\r\n"));
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const socket = await createUpstream({ HTTPS_PROXY: address }).connect("mail.test", 143, signal);
  expect(String((await once(socket, "data"))[0])).toBe("* OK welcome\r\n");
  socket.destroy();
  await new Promise((resolve) => proxy.close(resolve));
});
