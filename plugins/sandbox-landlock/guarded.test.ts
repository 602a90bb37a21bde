import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { git, guarded, hook, prepare, work } from "./repositories.test-kit.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";
import { meanwhile } from "./view.test-kit.ts";

/** Prepares the same for each attack. */
function prepareEach(workspace: string): void {
  attacks.forEach((_, i) => {
    const own = path.join(workspace, `r${i}`);
    if (i > 0) cpSync(path.join(workspace, "r0"), own, { recursive: true, verbatimSymlinks: true });
    else mkdirSync(own);
    if (i === 0) prepare(own, false);
  });
  attacks.forEach((_, i) => git(path.join(workspace, `r${i}/sm`), "worktree", "add", "-q", "../wt"));
}

const target = (workspace: string, link: string) => path.join(workspace, `of${path.basename(link)}`);

/** Settings that write MARK. */
const evil = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = "touch $MARK; false"\n';
const write = (file: string): string => `printf %s "$EVIL" > ${file}`;
const bare = (folder: string): string =>
  `mkdir -p ${folder}/objects ${folder}/refs; echo ref: refs/heads/m > ${folder}/HEAD; ${write(`${folder}/config`)}`;
/** The command of each run, and the folder in which the owner works afterwards. */
const attacks: readonly (readonly [command: string, folder: string])[] = [
  [`${bare("ec")}; echo ../../ec > sm/.git/commondir`, "sm"],
  [write("sm/.git/modules/lib/config"), "sm/lib"],
  [hook("sm/.git/modules/lib/hooks"), "sm/lib"],
  [write("sm/.git/worktrees/wt/config.worktree"), "wt"],
  [`${bare("ec")}; echo ../../../../ec > sm/.git/worktrees/wt/commondir`, "wt"],
  [`mkdir plain; ${bare("evil.git/modules/x")}; echo gitdir: ../evil.git/modules/x > plain/.git`, "plain"],
  [`mkdir plain; ${bare("any/name")}; echo gitdir: ../any/name > plain/.git`, "plain"],
  [`mkdir plain; ${bare("any")}; ln -s ../any plain/.git`, "plain"],
  [`${bare("bare1")}; printf '\\tworktree = ..\\n' >> bare1/config`, "bare1"],
  [`${bare("b/modules/c")}; chmod 500 b/modules/c`, "b/modules/c"],
  [
    `mkdir -p n/.git/objects n/.git/refs; cp sm/.git/HEAD n/.git; ${write("n/.git/config")}; ${hook("n/.git/hooks")}`,
    "n",
  ],
  [`${bare("real")}; mkdir w l; mv real/config l/config; ln -s ../l/config real/config`, "real"],
  [
    `${bare("c0")}; mkdir -p g; echo ref: refs/heads/m > g/HEAD; echo ../c0 > g/commondir; mkdir p; echo gitdir: ../g > p/.git`,
    "p",
  ],
  [`mkdir h; ${bare("h/b")}; chmod 311 h`, "h/b"],
  [`git init -q i; ${hook("i/.git/hooks")}; git -C i config core.fsmonitor "touch $MARK; false"`, "i"],
];

test.runIf(linux)("SEC-15: git starts nothing that a run left in any repository", async () => {
  await using kit = await startSandbox({ guarded, prepare: prepareEach });
  const at = (i: number): string => path.join(kit.workspace, `r${i}`);
  const each = attacks.map(([command], i) => {
    const mark = path.join(at(i), "MARK");
    return `(cd ${at(i)}; MARK=${mark}; EVIL='${evil.replace("$MARK", mark)}'; ${command}) 2> /dev/null`;
  });
  await kit.run(each.join("\n"));
  const started = attacks.filter(([, folder], i) => {
    work(path.join(at(i), folder));
    return existsSync(path.join(at(i), "MARK"));
  });
  expect(started).toEqual([]);
});

test.runIf(linux)("SEC-15: what overlapping runs leave is there after neither", async () => {
  await using kit = await startSandbox({ guarded });
  const again = "echo evil > .envrc; mkdir -p s/.git; echo '[core] pager = evil' > s/.git/config";
  await Promise.all([1, 2].map(() => kit.run(`for i in $(seq 20); do ${again}; sleep 0.05; done 2> errors`)));
  expect([".envrc", "s/.git/config"].filter((name) => existsSync(path.join(kit.workspace, name)))).toEqual(
    [],
  );
  expect((await kit.run("true")).findings).toEqual([]);
});

test.runIf(linux)("SBX-10: a link that is guarded or secret leads where it led", async () => {
  const links = [".envrc", ".git/hooks", ".env"];
  await using kit = await startSandbox({
    guarded,
    prepare: (workspace) => {
      mkdirSync(path.join(workspace, ".git"));
      for (const link of links) {
        writeFileSync(target(workspace, link), "own");
        symlinkSync(target(workspace, link), path.join(workspace, link));
      }
    },
  });
  const made = await kit.run("rm .envrc .git/hooks; mkdir .git/hooks; touch .git/hooks/x; ln -sfn a .env");
  expect(made.findings?.join()).toMatch(/not taken over: \.env .*not taken over: \.git\/hooks /);
  for (const link of links)
    expect(readlinkSync(path.join(kit.workspace, link))).toBe(target(kit.workspace, link));
  expect((await kit.run("true")).findings).toEqual([]);
});

test.runIf(linux)("SBX-10: what the owner did while a run lasted stays", async () => {
  await using kit = await startSandbox({ guarded, prepare });
  const at = (name: string): string => path.join(kit.workspace, name);
  const url = "https://example.com/x.git";
  const owner = `git -C sm config remote.origin.url ${url}; echo own > sm/.git/hooks/post-merge; echo mine > .envrc`;
  const { result } = await meanwhile(kit, "echo evil > .envrc", owner);
  expect(git(at("sm"), "config", "remote.origin.url")).toBe(`${url}\n`);
  expect(readFileSync(at("sm/.git/hooks/post-merge"), "utf8")).toBe("own\n");
  expect(readFileSync(at(".envrc"), "utf8")).toBe("mine\n");
  expect(result.findings).toEqual([expect.stringMatching(/^not taken over: \.envrc /)]);
});

test.runIf(linux)("SEC-15: repositories that a run makes the plain way work on in the next", async () => {
  await using kit = await startSandbox({ guarded, prepare });
  const plain = [
    "git init -q a; git init -q --bare b.git; git clone -q sm c; git clone -q --bare sm d",
    "git -C a -c user.name=n -c user.email=e commit -q --allow-empty -m m; git -C a worktree add -q ../aw",
    "git -C a -c protocol.file.allow=always submodule --quiet add $PWD/lib lib",
    "git -C a -c protocol.file.allow=always submodule --quiet add $PWD/lib deep/er",
  ];
  const made = await kit.run(plain.join("\n"));
  expect([made.findings, made.stderr]).toEqual([[], ""]);
  const next = await kit.run(
    "for r in a/.git b.git c/.git d aw/.git a/lib/.git; do git --git-dir $r rev-parse --git-dir > /dev/null || echo $r; done",
  );
  expect([next.stdout, next.stderr]).toEqual(["", ""]);
});

test.runIf(linux)("SEC-15: a repository that a run made works nowhere outside of the workspace", async () => {
  await using kit = await startSandbox({ guarded });
  const outside = `../../../${path.basename(path.dirname(kit.workspace))}`;
  const trees = { a: "../../a", b: outside, c: "../../link", d: "../../.." };
  await kit.run(
    Object.entries(trees)
      .map(([name, tree]) => `git init -q ${name}; printf '\\tworktree = ${tree}\\n' >> ${name}/.git/config`)
      .concat("ln -s / link")
      .join("\n"),
  );
  const kept = Object.keys(trees).filter((name) => existsSync(path.join(kit.workspace, name, ".git/config")));
  expect(kept).toEqual(["a"]);
});

test.runIf(linux)(
  "SEC-15: file tools write nothing that git obeys, nor what makes a repository of a folder",
  async () => {
    await using kit = await startSandbox({ guarded, prepare });
    await kit.run("mkdir -p bare1/objects bare1/refs half/refs; echo x > bare1/HEAD; echo x > half/HEAD");
    const { signal } = new AbortController();
    const attempt = (name: string): Promise<unknown> =>
      kit.confinement.request<"write">(
        { do: "write", path: path.join(kit.workspace, name), data: "x" },
        signal,
      );
    const closed = ["bare1/config", "bare1/hooks/pre-commit", "half/objects/x", "half/commondir"];
    const inside = ["sm/.git/modules/lib/config", "sm/.git/commondir", "sm/.git/info/attributes", "new/.git"];
    for (const name of [...closed, ...inside])
      await expect(attempt(name)).rejects.toMatchObject({ fault: { fault: "guarded" } });
    for (const name of ["half/config", "new/HEAD", "sm/objects/x", "config", "hooks/x"])
      await expect(attempt(name)).resolves.toBeDefined();
  },
);
