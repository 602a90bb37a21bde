import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { machineOf, syscallNumber } from "./kernel/syscalls.ts";
import { startSandbox, until } from "./sandbox.test-kit.ts";

/**
 * A service in a process of its own, so that it may be of another user: in each round its owner saves a secret file anew
 * while a run waits for that, and other runs and a tool look for it everywhere. Writes where something came out.
 */
const rounds = Number(process.argv[2]);
const RENAMEAT2 = syscallNumber(machineOf(process.arch)!, "renameat2");
const SECRET = "sub/.env";

/** Each gives the new file another name in its own way, puts one of its own in its place, and writes down what it can read. */
const waits = `perl -e '
  my @ways = (
    sub { rename("sub/.env", "sub/mine$_[0]") and "sub/mine$_[0]" },
    sub { rename("sub/.env", "other/mine$_[0]") and "other/mine$_[0]" },
    sub { rename("sub/.env", "plain") and "plain" },
    sub { link("sub/.env", "sub/too$_[0]") and unlink("sub/.env") and "sub/too$_[0]" },
    sub { my ($from, $to) = ("sub/.env", "plain"); syscall(${RENAMEAT2}, -100, $from, -100, $to, 2) == 0 and "plain" },
    sub { mkdir "made$_[0]"; rename("sub/.env", "made$_[0]/mine") and "made$_[0]/mine" },
    sub { rename("sub/.env~", "sub/early$_[0]") and "sub/early$_[0]" },
    sub { link("sub/.env~", "sub/soon$_[0]") and "sub/soon$_[0]" },
    sub { rename("keys", "lock$_[0]") and "lock$_[0]/id" },
  );
  my $way = 0;
  for (1 .. $#ways) { fork or ($way = $_, last) }
  if ($way == 0) { open(my $up, ">", "up") }
  for (my $turn = 0; ; $turn++) {
    my $got = $ways[$way]->("$way-$turn") or next;
    open(my $own, ">", "sub/.env") and print $own "OWN=1\\n";
    close $own;
    open(my $file, "<", $got) or next;
    my $text = unpack("H*", join("", <$file>));
    open(my $out, ">", "out$way-$turn") and print $out $text;
    close $out;
    symlink($text, "link$way-$turn");
  }'`;

const hex = (text: string): string => Buffer.from(text).toString("hex");

const kit = await startSandbox({ secret: [".env", "keys"], bounds: { max_processes: 64 } });
const outside = `${kit.workspace}-outside`;
const at = (name: string): string => path.join(kit.workspace, name);

function prepare(): void {
  for (const name of readdirSync(kit.workspace)) rmSync(at(name), { recursive: true });
  for (const folder of ["sub", "other", "keys", "../" + path.basename(outside)])
    mkdirSync(at(folder), { recursive: true });
  for (const name of [SECRET, "keys/id"]) writeFileSync(at(name), "OLD=1\n");
  writeFileSync(at("plain"), "plain\n");
}

const saves: readonly ((canary: string, run: Promise<unknown>) => void | Promise<void>)[] = [
  (canary) => {
    writeFileSync(path.join(outside, "new"), canary);
    renameSync(path.join(outside, "new"), at(SECRET));
  },
  // As editors that take their time.
  async (canary, run) => {
    writeFileSync(at(`${SECRET}~`), canary);
    await Promise.race([run, until(() => !existsSync(at(`${SECRET}~`)))]);
    try {
      renameSync(at(`${SECRET}~`), at(SECRET));
    } catch {
      // A run took it away before.
    }
  },
  (canary) => {
    mkdirSync(path.join(outside, "keys"));
    writeFileSync(path.join(outside, "keys/id"), canary);
    renameSync(at("keys"), path.join(outside, "old"));
    renameSync(path.join(outside, "keys"), at("keys"));
    rmSync(path.join(outside, "old"), { recursive: true });
  },
  (canary) => {
    rmSync(at(SECRET));
    writeFileSync(at(SECRET), canary);
  },
];

/** All that a run can read, names and links too. */
const LOOK = "tar cf - . 2>/dev/null | base64 -w0";

/** What a tool of the service reads under the name that two of the ways above choose, until told to stop. */
async function readPlain(stop: AbortSignal): Promise<string> {
  let text = "";
  while (!stop.aborted) {
    const request = { do: "read", path: at("plain"), maxBytes: 1_000 } as const;
    const read = kit.confinement.request<"read">(request, new AbortController().signal);
    text += await read.then(
      ({ data }) => Buffer.from(data).toString(),
      () => "",
    );
  }
  return text;
}

/** Withheld or not. */
const written = (): string =>
  readdirSync(kit.workspace)
    .filter((name) => /^(out|link)/.test(name))
    .map((name) => readFileSync(at(name), "latin1"))
    .join("\n");

const told: string[] = [];
await kit.run("true");
if (kit.confinement.layers?.gated !== (process.getuid?.() === 0))
  told.push("root alone is told before a file is opened");
for (let round = 0; round < rounds; round++) {
  const canary = `canary-${round}-${Math.random().toString(36).slice(2)}`;
  prepare();
  const run = kit.run(waits);
  await until(() => existsSync(at("up")));
  const stop = new AbortController();
  const plain = readPlain(stop.signal);
  await saves[round % saves.length]!(canary, run);
  const beside = kit.run(LOOK, { maxOutputBytes: 8_000_000 });
  const { findings = [], stdout, stderr } = await run;
  if (!findings.some((one) => one.startsWith("stopped: "))) told.push(`${round}: it was not stopped`);
  const after = await kit.run(LOOK, { maxOutputBytes: 8_000_000 });
  stop.abort();
  const seen = {
    "what the run said": stdout + stderr,
    "a run that began meanwhile": Buffer.from((await beside).stdout, "base64").toString("latin1"),
    "the next run": Buffer.from(after.stdout, "base64").toString("latin1"),
    "what a tool read": await plain,
    // Only root is told before a file is opened, and of one beside a secret file just after.
    "what the run wrote down": kit.confinement.layers?.gated && round % saves.length !== 1 ? written() : "",
  };
  for (const [where, text] of Object.entries(seen))
    if ([canary, hex(canary)].some((sign) => text.includes(sign))) told.push(`${round}: ${where}`);
}
await kit[Symbol.asyncDispose]();
rmSync(outside, { recursive: true, force: true });
process.stdout.write(JSON.stringify(told));
