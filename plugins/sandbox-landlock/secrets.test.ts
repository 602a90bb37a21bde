import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type SandboxKit, linux, startSandbox, until } from "./sandbox.test-kit.ts";

const CANARY = "canary-7d20c4e1";
const SECRET = `API_TOKEN=${CANARY}\n`;

const put = (kit: SandboxKit, name: string): void => save(path.join(kit.workspace, name));

function save(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, SECRET);
}

const saveAll =
  (...names: readonly string[]) =>
  (workspace: string): void =>
    names.forEach((name) => save(path.join(workspace, name)));

/** Further names of secret files. */
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

/** As editors save: beside the old file, then in its place. */
function saveAnew(file: string): void {
  writeFileSync(`${file}~`, SECRET);
  renameSync(`${file}~`, file);
}

/** All that stands in files of the workspace which a run has made. */
const found = (kit: SandboxKit): string =>
  existsSync(path.join(kit.workspace, "out")) ? readFileSync(path.join(kit.workspace, "out"), "utf8") : "";

test.runIf(linux)(
  "SEC-15: a folder on the way to a secret file is moved and replaced by no run",
  async () => {
    await using kit = await startSandbox({ prepare: saveAll("a/b/.env") });
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
    await using kit = await startSandbox({ prepare: saveAll("a/.env", "b/c/.env", "d/e/f/.env") });
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

test.runIf(linux)(
  "SEC-15: a secret file has no second name that is open, and no other letter case",
  async () => {
    await using kit = await startSandbox({
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
  "SEC-15: a run is stopped when its mask falls because somebody saves a secret file anew, and tells nothing of it",
  async () => {
    await using kit = await startSandbox({ prepare: saveAll("sub/.env") });
    const file = path.join(kit.workspace, "sub/.env");
    const run = kit.run("echo said; touch up; sleep 1; base64 sub/.env > out; cat sub/.env");
    await until(() => existsSync(path.join(kit.workspace, "up")));
    saveAnew(file);
    const { findings = [], stdout } = await run;
    expect(findings[0]).toMatch(/^stopped: .*sub\/\.env~? was changed from outside$/);
    expect(stdout).toMatch(/^\[taken out: sub\/\.env~? was saved anew\]\n$/);
    expect(found(kit)).toBe("");
    expect((await kit.run("cat sub/.env")).stdout).toBe("");
    const second = kit.run("touch up2; sleep 1; base64 sub/.env > out; cat sub/.env");
    await until(() => existsSync(path.join(kit.workspace, "up2")));
    rmSync(path.dirname(file), { recursive: true });
    save(file);
    expect([(await second).stdout, found(kit)]).toEqual(["", ""]);
    rmSync(file);
    expect((await kit.run("echo fine")).stdout).toBe("fine\n");
  },
);

for (const namespaces of [true, false]) {
  const how = namespaces ? "" : ", without namespaces";
  test.runIf(linux)(
    `SEC-15: what a new secret file holds is taken out of what a run says${how}`,
    async () => {
      await using kit = await startSandbox({ namespaces });
      const run = kit.run("touch up; until [ -e go ]; do sleep 0.01; done; cat .env");
      await until(() => existsSync(path.join(kit.workspace, "up")));
      put(kit, ".env");
      put(kit, "go");
      expect((await run).stdout).toBe("[taken out: .env]\n");
    },
  );

  test.runIf(linux)(
    `SEC-15: of a run that writes more secret files than can be looked for nothing is shown${how}`,
    async () => {
      await using kit = await startSandbox({ namespaces });
      const write =
        'for $n (1..3) { mkdir $n; open F, ">", "$n/.env"; print F "$n=$_\\n" for 100000..189999 }';
      const { stdout } = await kit.run(`perl -e '${write}'; echo shown`);
      expect(stdout).toMatch(/^\[taken out: all, since .*\]\n$/);
    },
  );

  test.runIf(linux)(
    `SEC-15: nothing runs where a part of the workspace cannot be looked through${how}`,
    async () => {
      await using kit = await startSandbox({ namespaces });
      const deep = `for (1..30) { mkdir "d" x 200; chdir "d" x 200 or die }; open F, ">", ".env"; print F "${SECRET.trim()}"`;
      const { findings } = await kit.run(`perl -e '${deep}'`);
      expect(findings).toEqual([expect.stringMatching(/^not looked through: .*its path is too long/)]);
      const fault = { fault: "unseen", reason: "its path is too long" };
      await expect(kit.run("echo ran")).rejects.toMatchObject({ fault });
      rmSync(path.join(kit.workspace, "d".repeat(200)), { recursive: true });
      expect((await kit.run("echo ran")).stdout).toBe("ran\n");
    },
  );
}

test.runIf(linux)(
  "SEC-15: a workspace with a part that cannot be looked through starts nothing at all",
  async () => {
    await using kit = await startSandbox();
    await kit.run(`perl -e 'for (1..30) { mkdir "d" x 200; chdir "d" x 200 or die }'`);
    await using other = await startSandbox({ at: kit.workspace });
    await expect(other.run("echo ran")).rejects.toMatchObject({ fault: { fault: "unseen" } });
    expect(other.confinement.layers?.unseen).toMatchObject({ reason: "its path is too long" });
  },
);

for (const namespaces of [true, false])
  test.runIf(linux)(
    `SEC-15: of a run that makes more folders than are looked through all is withheld${namespaces ? "" : ", without namespaces"}`,
    async () => {
      await using kit = await startSandbox({ namespaces, guarded: [".envrc"], mostFolders: 40 });
      put(kit, ".env");
      const many =
        "mkdir -p made/{1..60}; echo evil-evil > made/60/.envrc; cp made/60/.envrc made/7/.env; echo ok > plain";
      const { findings } = await kit.run(many);
      expect(findings).toContainEqual(
        expect.stringMatching(
          /^withheld: 2 that changed, since the run made too many folders or repositories/,
        ),
      );
      expect(readdirSync(kit.workspace).filter((name) => !name.includes(".withheld-"))).toEqual([".env"]);
      expect((await kit.run("cat made*/*/.env*; echo ran")).stdout).toMatch(/^(\[taken out: .*\]\n)*ran\n$/);
      for (let i = 0; i < 60; i++) mkdirSync(path.join(kit.workspace, `own${i}`));
      const fault = { fault: "unseen", reason: "it has more than 40 folders" };
      await expect(kit.run("echo ran")).rejects.toMatchObject({ fault });
    },
  );
