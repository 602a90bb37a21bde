import { createServer, type AddressInfo } from "node:net";
import { said, startGantry, tempDir } from "../../test/helpers/cli.ts";

export interface Served extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  /** As it was printed: the console, with a code. */
  readonly address: string;
  readonly file: string;
  /** What it has written to stderr so far. */
  said(): string;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The built service as a process of its own; its file has `above` before its first table, `toml` behind. */
export async function serveConsole(toml: string = "", above: string = ""): Promise<Served> {
  // A port of its own, which stays the same when the file is read again.
  const home = tempDir(`${above}\n[gateway]\nport = ${await freePort()}\n${toml}`);
  const { child, ended } = startGantry(["gateway"], { dir: home.dir, input: null });
  let text = "";
  child.stderr?.on("data", (piece: string) => (text += piece));
  const printed = await said(child, "stderr", /^Console: \S+$/m);
  const [, address = ""] = /^Console: (\S+)$/m.exec(printed) ?? [];
  return {
    url: new URL(address).origin,
    address,
    file: home.file,
    said: () => text,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
      home[Symbol.dispose]();
    },
  };
}
