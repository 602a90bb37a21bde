import { once } from "node:events";
import { linkSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { expect, test } from "vitest";
import { type KitOptions, linux, startSandbox, tiers } from "./sandbox.test-kit.ts";

const ways: readonly (readonly [how: string, options: KitOptions])[] = [
  ...tiers.map((runs) => [runs, { runs }] as const),
  ["without namespaces", { namespaces: false }],
];

/** Connects to each address that stands behind it, and says to which it could. */
const client = (addresses: readonly string[]): string =>
  `python3 -c '
import os, socket, sys
folder = os.open(".", os.O_RDONLY)
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    for at in sys.argv[1:]:
        s = socket.socket(socket.AF_UNIX, kind)
        try:
            s.connect(at.replace("FD", str(folder)).replace("@", chr(0)))
            print(at, s.recv(9))
        except OSError as error:
            pass
    s = socket.socket(socket.AF_UNIX, kind)
    for send in (lambda: s.sendto(b"x", "t.sock"), lambda: s.sendmsg([b"x"], [], 0, "t.sock")):
        try:
            print("sent", send())
        except OSError:
            pass
' ${addresses.map((one) => `"${one}"`).join(" ")}`;

/** Returns one command with a server and a child that talks to it. */
const alone = (at: string): string =>
  `python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(1)
if os.fork() == 0:
    c = socket.socket(socket.AF_UNIX); c.connect(sys.argv[1]); c.send(b"hello"); os._exit(0)
print(s.accept()[0].recv(9) if os.wait()[1] == 0 else "refused")
' ${at}`;

for (const [how, options] of ways) {
  test.runIf(linux)(
    `FLR-03: no run connects to a socket of the owner's in the workspace, ${how}`,
    async () => {
      await using kit = await startSandbox(options);
      const at = (name: string): string => path.join(kit.workspace, name);
      const contacts: string[] = [];
      const abstract = `gantry-sockets-${process.pid}`;
      const servers = [at("t.sock"), `\0${abstract}`].map((address) =>
        createServer((socket) => {
          contacts.push(address);
          socket.end("owner");
        }).listen(address),
      );
      await Promise.all(servers.map((server) => once(server, "listening")));
      symlinkSync("t.sock", at("link"));
      linkSync(at("t.sock"), at("hard"));
      const names = ["t.sock", at("t.sock"), "link", "moved", "l2/t.sock", "$TMPDIR/hard", "$TMPDIR/there"];
      const others = ["/proc/self/fd/FD/t.sock", "/proc/self/cwd/t.sock", `@${abstract}`];
      const links = "ln -s $PWD l2; mv hard moved; ln t.sock $TMPDIR/hard; ln -s $PWD/t.sock $TMPDIR/there";
      const { stdout } = await kit.run(`${links}; ${client([...names, ...others])}`);
      expect([stdout, contacts]).toEqual(["", []]);
      for (const server of servers) server.close();
    },
  );
}

for (const how of tiers)
  test.runIf(linux)(
    `FLR-03: programs of one run talk by a socket among its temporary files, ${how}`,
    async () => {
      await using kit = await startSandbox({ runs: how });
      expect(await kit.run(alone("$TMPDIR/own"))).toMatchObject({ stdout: "b'hello'\n", stderr: "" });
    },
  );

test.runIf(linux)("FLR-03: programs of one run talk by a socket in their view of the workspace", async () => {
  await using kit = await startSandbox();
  for (const at of ["own", "$PWD/other"])
    expect(await kit.run(alone(at))).toMatchObject({ stdout: "b'hello'\n", stderr: "" });
});

test.runIf(linux)("FLR-03: directly, any socket in the workspace counts as the owner's", async () => {
  await using kit = await startSandbox({ runs: "direct" });
  expect(await kit.run(alone("own"))).toMatchObject({ stdout: "refused\n" });
});
