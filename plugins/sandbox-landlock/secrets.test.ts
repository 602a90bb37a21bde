import { execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { linux, openToAll, startSandbox, tiers, until } from "./sandbox.test-kit.ts";

const NOBODY = 65_534;
const mayBeNobody = process.getuid?.() === 0 && openToAll();
const CANARY = "canary-7d20c4e1";
const SECRET = `API_TOKEN=${CANARY}\n`;

function save(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, SECRET);
}

const saveAll =
  (...names: readonly string[]) =>
  (workspace: string): void =>
    names.forEach((name) => save(path.join(workspace, name)));

/** Makes further names of secret files. */
const further = (workspace: string): void => {
  for (const name of ["a/.env", "b/.ENV", ".vscode/.env", "plain"]) save(path.join(workspace, name));
  linkSync(path.join(workspace, "a/.env"), path.join(workspace, "hard"));
  mkdirSync(path.join(workspace, "c"));
  symlinkSync("../plain", path.join(workspace, "c/.env"));
  linkSync(path.join(workspace, "plain"), path.join(workspace, "hard-plain"));
  save(path.join(workspace, "key"));
  mkdirSync(path.join(workspace, ".ssh"));
  symlinkSync("../key", path.join(workspace, ".ssh/key"));
};

test.runIf(linux)(
  "SEC-15: a folder on the way to a secret file is moved and replaced by no run",
  async () => {
    await using kit = await startSandbox({ runs: "direct", prepare: saveAll("a/b/.env") });
    const moves = ["a => x/a", "a/b => c", "a/b/.env => e", "x => a/b", "x => a"];
    const rename = moves.map((move) => `rename(split / => /, "${move}") and print "${move}"`);
    expect((await kit.run(`mkdir x; perl -e '${rename.join(";")}'; rm -rf a; ls -d a/b`)).stdout).toBe(
      "a/b\n",
    );
    const writes = await kit.run("echo one > a/b/one; mv a/b/one a/two; cat a/two; mv x y; ls");
    expect(writes.stdout).toBe("one\na\ny\n");
  },
);

test.runIf(linux)(
  "SEC-15: while one run moves all that it can, no secret file is open to those that begin meanwhile",
  { timeout: 300_000 },
  async () => {
    await using kit = await startSandbox({
      runs: "direct",
      prepare: saveAll("a/.env", "b/c/.env", "d/e/f/.env"),
    });
    const abort = new AbortController();
    const move =
      "mkdir -p m n; while :; do for d in a b d b/c d/e m n; do mv $d n m; mv m/* n/* .; done; done";
    const mover = kit.run(`touch up; ${move} 2> /dev/null`, { timeoutMs: 50_000, signal: abort.signal });
    await until(() => existsSync(path.join(kit.workspace, "up")));
    const look = "for i in 1 2 3; do cat $(find . -name .env); grep -rh TOKEN .; done 2> /dev/null";
    for (let round = 0; round < 4; round++) {
      const runs = await Promise.all([kit.run(look), kit.run(look)]);
      expect(runs.map(({ stdout }) => stdout)).toEqual(["", ""]);
    }
    abort.abort();
    await mover;
  },
);

for (const runs of tiers)
  test.runIf(linux)(
    `SEC-15: a secret file has no second name that is open, and no other letter case, ${runs}`,
    async () => {
      await using kit = await startSandbox({
        runs,
        prepare: further,
        guarded: [".vscode"],
        secret: [".env", ".ssh"],
      });
      const look =
        "cat hard a/.env b/.ENV .vscode/.env plain c/.env hard-plain key; grep -rh TOKEN .; base64 hard";
      expect((await kit.run(look)).stdout).toBe("");
      linkSync(path.join(kit.workspace, "a/.env"), path.join(kit.workspace, "later"));
      expect((await kit.run("cat later")).stdout).toBe("");
    },
  );

test.runIf(linux)("SEC-15: a link that a run made hides nothing outside of the workspace", async () => {
  await using kit = await startSandbox();
  await kit.run(
    "ln -s /bin/bash .env; ln -s /usr/bin a; ln -s nowhere .env.d; mkdir b; ln -s /usr/bin/cat b/.env",
  );
  expect((await kit.run("cat <<< fine")).stdout).toBe("fine\n");
});

test.runIf(linux)(
  "SEC-15: a run writes as many secret files as it likes, and none is taken over",
  async () => {
    await using kit = await startSandbox();
    const write = 'for $n (1..3) { mkdir $n; open F, ">", "$n/.env"; print F "$n=$_\\n" for 100000..189999 }';
    await kit.run(`perl -e '${write}'`);
    expect((await kit.run("find . -name .env")).stdout).toBe("");
  },
);

for (const runs of tiers)
  test.runIf(linux)(`RUN-07: a path too deep to be looked through locks nothing, ${runs}`, async () => {
    await using kit = await startSandbox({ runs });
    const deep = `for (1..30) { mkdir "d" x 200; chdir "d" x 200 or die }`;
    execFileSync("perl", ["-e", deep], { cwd: kit.workspace });
    expect((await kit.run("ls | wc -l")).stdout).toBe("1\n");
    await using other = await startSandbox({ runs, at: kit.workspace });
    expect((await other.run("echo ran")).stdout).toBe("ran\n");
  });

test.runIf(linux && mayBeNobody)(
  "RUN-07: a secret file in a folder of somebody else's is hidden, and locks no command",
  async () => {
    const at = realpathSync(mkdtempSync(path.join(tmpdir(), "gantry-others-")));
    save(path.join(at, "sub/.env"));
    mkdirSync(path.join(at, "sub/.env.d"));
    chownSync(at, NOBODY, NOBODY);
    const argv = [
      "--conditions=gantry-source",
      new URL("./service.test-kit.ts", import.meta.url).pathname,
      "cat sub/.env; ls sub > seen; echo ran",
      JSON.stringify({ at }),
    ];
    const as = {
      uid: NOBODY,
      gid: NOBODY,
      env: { ...process.env, HOME: "/nonexistent" },
      encoding: "utf8",
    } as const;
    expect(execFileSync(process.execPath, argv, { ...as, stdio: ["ignore", "pipe", "ignore"] })).toBe(
      "ran\n",
    );
    expect(existsSync(path.join(at, "seen"))).toBe(true);
    rmSync(at, { recursive: true });
  },
);

for (const runs of tiers)
  test.runIf(linux)(
    `RUN-07: of thousands of secret files each is closed by all its names, ${runs}`,
    async () => {
      const names = Array.from({ length: 1_500 }, (_, i) => `d${i}/.env`);
      await using kit = await startSandbox({
        runs,
        prepare: (at) => {
          saveAll(...names)(at);
          linkSync(path.join(at, names[7]!), path.join(at, "further"));
        },
      });
      expect((await kit.run("cat d*/.env further | grep -c canary")).stdout).toBe("0\n");
      const isMasked = (kit.confinement.layers?.masks ?? 0) >= names.length;
      expect(isMasked).toBe(runs === "direct");
      for (const name of ["further", "d9/.env"]) {
        const read = { do: "read", path: path.join(kit.workspace, name), maxBytes: 99 } as const;
        const asked = kit.confinement.request<"read">(read, new AbortController().signal);
        await expect(asked).rejects.toMatchObject({ fault: { fault: "secret" } });
      }
    },
  );

test.runIf(linux)("SEC-15: without namespaces no tool opens a secret file by a further name", async () => {
  await using kit = await startSandbox({ namespaces: false, prepare: further });
  const read = { do: "read", path: path.join(kit.workspace, "hard"), maxBytes: 99 } as const;
  const asked = kit.confinement.request<"read">(read, new AbortController().signal);
  await expect(asked).rejects.toMatchObject({ fault: { fault: "secret" } });
});
