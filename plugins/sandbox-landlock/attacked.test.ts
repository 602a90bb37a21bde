import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { AttackedFacts } from "./attacked-service.test-kit.ts";
import { linux, openToAll, tiers } from "./sandbox.test-kit.ts";

const long = process.env["GANTRY_LONG"] !== undefined;
/** Over all settings together at least 500 in the long form. */
const rounds = Number(process.env["GANTRY_ROUNDS"] ?? (long ? 32 : 1));
const NOBODY = 65_534;
const CANARY = "canary-58b2e0";
const kit = new URL("./attacked-service.test-kit.ts", import.meta.url).pathname;

interface Setting {
  readonly how: string;
  readonly user: number | undefined;
  readonly options: AttackedFacts["options"];
}

const mayBeNobody = process.getuid?.() === 0 && openToAll();
const abiCaps = [undefined, 1, 4, 6] as const;

/** As the user who runs the tests, and as an ordinary user if that can be tried. */
const settings: readonly Setting[] = [undefined, ...(mayBeNobody ? [NOBODY] : [])].flatMap((user) =>
  tiers.flatMap((runs) =>
    abiCaps.map((abiCap) => ({
      how: [
        ...(user === undefined ? [] : ["as an ordinary user"]),
        runs,
        ...(abiCap === undefined ? [] : [`at Landlock level ${abiCap}`]),
      ].join(", "),
      user,
      options: { runs, ...(abiCap !== undefined && { abiCap }) },
    })),
  ),
);
/**
 * Never as root, who without namespaces may change modes everywhere: a person is asked for each
 * command there.
 */
const narrow: readonly Setting[] = mayBeNobody
  ? [{ how: "as an ordinary user, without namespaces", user: NOBODY, options: { namespaces: false } }]
  : [];
/** The poorest of each say most in the short form. */
const shown = long
  ? [...settings, ...narrow]
  : [...settings.filter(({ options }) => options.abiCap === 1).slice(-2), ...narrow];

async function through({ user, options }: Setting): Promise<readonly string[]> {
  const outside = mkdtempSync(path.join(tmpdir(), "gantry-beside-"));
  writeFileSync(path.join(outside, "secret"), `echo ${CANARY}\n`, { mode: 0o666 });
  mkdirSync(path.join(outside, "empty"));
  // Nothing but the walls is in the way.
  for (const name of ["", "secret", "empty"]) chmodSync(path.join(outside, name), 0o777);
  const contacts: string[] = [];
  const abstract = `gantry-attacked-${process.pid}`;
  const servers = [0, path.join(outside, "stream"), `\0${abstract}`].map((address) =>
    createServer(() => contacts.push(`contact with ${String(address)}`)).listen(
      typeof address === "number" ? { port: address, host: "127.0.0.1" } : { path: address },
    ),
  );
  await Promise.all(servers.map((server) => once(server, "listening")));
  const { port } = servers[0]!.address() as { port: number };
  const facts: AttackedFacts = { options, rounds, outside, canary: CANARY, port, abstract };
  const load: readonly ChildProcess[] = long ? [busy(), busy()] : [];
  try {
    const service = spawn(process.execPath, ["--conditions=gantry-source", kit, JSON.stringify(facts)], {
      ...(user !== undefined && { uid: user, gid: user }),
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    service.stdout.on("data", (piece: Buffer) => (said += piece.toString()));
    await once(service, "close");
    return [...(JSON.parse(said || `["it broke"]`) as string[]), ...contacts];
  } finally {
    for (const one of load) one.kill("SIGKILL");
    for (const server of servers) server.close();
    rmSync(outside, { recursive: true });
  }
}

const busy = (): ChildProcess => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });

for (const setting of shown) {
  test.runIf(linux)(
    `SBX-01, SBX-06: no attack gets through, ${setting.how}`,
    { timeout: long ? 3_600_000 : 120_000 },
    async () => expect(await through(setting)).toEqual([]),
  );
}
