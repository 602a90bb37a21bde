import { chmod, mkdir, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { Channels, definePlugin, directMessage, Inbox, Runtime, Services, textOf } from "@gantry/sdk";
import { Type } from "typebox";

export default definePlugin({
  name: "channel-socket",
  summary: "A conversation over a socket on this machine: a line in, a line out.",
  config: Type.Object({
    path: Type.Optional(Type.String({ minLength: 1, description: "Default: <config_dir>/state/talk.sock." })),
  }),
  needs: { inbox: Inbox, runtime: Runtime },
  provides: [Channels, Services],
  setup(host) {
    const { inbox, runtime } = host.needs;
    const file = host.config.path ?? path.join(runtime.configDir, "state/talk.sock");
    const open = new Map<string, Socket>();
    let count = 0;
    const server = createServer((socket) => {
      const sender = `visitor-${(count += 1)}`;
      let line = 0;
      open.set(sender, socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => open.delete(sender));
      createInterface(socket).on("line", (text) => {
        const id = `${runtime.started}-${sender}-${(line += 1)}`;
        const message = directMessage({ channel: "socket", id, from: sender, text });
        inbox.receive([message]).catch((error: Error) => host.log.error({ sender }, error.message));
      });
    });
    host.provide(Channels, {
      name: "socket",
      async send({ to, parts }) {
        const socket = open.get(String(to));
        if (!socket?.writable) return { status: "refused", reason: `${String(to)} has left` };
        socket.write(`${textOf(parts)}\n`);
        return { status: "sent" };
      },
    });
    host.provide(Services, {
      name: "socket",
      async start() {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        await rm(file, { force: true });
        await new Promise<void>((resolve, reject) => server.once("error", reject).listen(file, resolve));
        await chmod(file, 0o600);
      },
      async stop() {
        for (const socket of open.values()) socket.destroy();
        await new Promise((resolve) => server.close(resolve));
      },
    });
  },
});
