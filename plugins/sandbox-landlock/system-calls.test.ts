import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { expect, test } from "vitest";
import { forbidden } from "./kernel/call-lists.ts";
import { type FilterFacts, compileComputing, compileFilter } from "./kernel/filter.ts";
import { newestSyscall, syscallNumber } from "./kernel/syscalls.ts";
import { linux, startSandbox } from "./sandbox.test-kit.ts";

const EPERM = 1;

/**
 * Returns a command that prints the error number of each expression of perl, 0 for success; `F` is
 * a file that the run has made.
 */
const errnos = (expressions: readonly string[]): string =>
  `perl -e 'open F, "+>", "own"; ${expressions.map((one) => `$! = 0; ${one}; print $! + 0, "\\n";`).join(" ")}'`;

for (const namespaces of [true, false]) {
  const how = namespaces ? "" : ", without namespaces";

  test.runIf(linux)(`SBX-01: no snapshot is made of a file system, and no file leased${how}`, async () => {
    await using kit = await startSandbox({ namespaces });
    const refused = [
      // For btrfs: a snapshot in two spellings, a new part, one taken away, a search of all that
      // there is.
      ...[0x50009401, 0x50009417, 0x5000940e, 0x5000940f, 0xd0009411].map(
        (code) => `ioctl(F, ${code}, $b = "x" x 4096)`,
      ),
      // For bcachefs.
      ...[0x4020bc10, 0x4020bc11].map((code) => `ioctl(F, ${code}, $b = "x" x 4096)`),
      ...[0, 1, 2].map((kind) => `fcntl(F, 1024, ${kind})`),
    ];
    const left = ["ioctl(F, 0x40049409, fileno(F))", "fcntl(F, 1033, 0)", "fcntl(F, 3, 0)"];
    const { stdout } = await kit.run(errnos([...refused, ...left]));
    const numbers = stdout.trim().split("\n").map(Number);
    expect(numbers.slice(0, refused.length)).toEqual(refused.map(() => EPERM));
    expect(numbers.slice(refused.length)).not.toContain(EPERM);
    expect(numbers).toHaveLength(refused.length + left.length);
  });
}

const REFUSED = 0x00050000;
const ENOSYS = REFUSED | 38;
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003 };
const FILLS = [0, 0xff, 0x5a];

/**
 * Returns a filter's answer to a call with all its arguments filled with one byte; knows the few
 * instructions that filters are made of.
 */
function answer(program: Uint8Array, number: number, machine: keyof typeof AUDIT, fill: number): number {
  const call = new DataView(new Uint8Array(64).fill(fill).buffer);
  call.setUint32(0, number, true);
  call.setUint32(4, AUDIT[machine], true);
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength);
  for (let [at, value] = [0, 0]; ; at += 1) {
    const operand = code.getUint32(at * 8 + 4, true);
    const [yes, no] = [code.getUint8(at * 8 + 2), code.getUint8(at * 8 + 3)];
    switch (code.getUint16(at * 8, true)) {
      case 0x20:
        value = call.getUint32(operand, true);
        break;
      case 0x54:
        value = (value & operand) >>> 0;
        break;
      case 0x15:
        at += value === operand ? yes : no;
        break;
      case 0x25:
        at += value > operand ? yes : no;
        break;
      case 0x06:
        return operand;
      default:
        throw new Error(`no instruction of these filters: ${at}`);
    }
  }
}

const each = (machine: "x64" | "arm64"): readonly Uint8Array[] =>
  [true, false].flatMap((namespaces) =>
    [1, 6].map((abi) => {
      const facts: FilterFacts = {
        machine,
        abi,
        namespaces,
        tcp: !namespaces,
        memoryHeld: namespaces,
      };
      return compileFilter(facts);
    }),
  );

test.each(["x64", "arm64"] as const)(
  "SBX-01: on %s a call newer than the walls, or of another machine, is refused",
  (machine) => {
    const other = machine === "x64" ? "arm64" : "x64";
    // Behind the highest bit but one stands another way to call (x32).
    const newer = [...Array(1_000).keys()].map((more) => newestSyscall + 1 + more);
    const others = [0, 1, 2, 59, 101, 512, 547].map((number) => 0x40000000 + number);
    for (const program of each(machine)) {
      for (const number of [...newer, ...others, 0xffffffff])
        expect([number, ...FILLS.map((fill) => answer(program, number, machine, fill))]).toEqual([
          number,
          ENOSYS,
          ENOSYS,
          ENOSYS,
        ]);
      for (const number of [0, 1, 57, 221, 425])
        for (const foreign of [other, "i386"] as const)
          expect(answer(program, number, foreign, 0)).toBe(REFUSED | EPERM);
      const known = forbidden.flatMap((call) => syscallNumber(machine, call) ?? []);
      for (const number of known)
        for (const fill of FILLS) expect(answer(program, number, machine, fill)).toBe(REFUSED | EPERM);
    }
  },
);

/**
 * Calls that reach files, networks, processes and memory of others, [x64, arm64]; a call that is
 * new to both has one number.
 */
const reaching: readonly (readonly [string, number, number])[] = [
  ["openat", 257, 56],
  ["openat2", 437, 437],
  ["newfstatat", 262, 79],
  ["socket", 41, 198],
  ["connect", 42, 203],
  ["sendmsg", 46, 211],
  ["recvmsg", 47, 212],
  ["clone", 56, 220],
  ["clone3", 435, 435],
  ["execve", 59, 221],
  ["execveat", 322, 281],
  ["kill", 62, 129],
  ["tgkill", 234, 131],
  ["ptrace", 101, 117],
  ["process_vm_writev", 311, 271],
  ["io_uring_setup", 425, 425],
  ["io_uring_enter", 426, 426],
];

test.each(["x64", "arm64"] as const)(
  "FLR-02: on %s what parses keeps no call that reaches out",
  (machine) => {
    const program = compileComputing(machine, 1);
    for (const [name, x64, arm64] of reaching)
      expect([name, answer(program, machine === "x64" ? x64 : arm64, machine, 0)]).toEqual([
        name,
        REFUSED | EPERM,
      ]);
    expect(answer(program, machine === "x64" ? 0 : 63, machine, 0)).toBe(0x7fff0000);
  },
);

/** Confines a process whose processor no filter is known for; tells what came of it. */
function confinedElsewhere(search: string): string {
  const module = new URL(`./confining-worker.ts${search}`, import.meta.url).href;
  const script = `
    await import("koffi");
    Object.defineProperty(process, "arch", { value: "riscv64" });
    const { confine } = await import(${JSON.stringify(module)});
    try { console.log(String(confine())); } catch (error) { console.log(error.message); }`;
  const args = ["--conditions=gantry-source", "--input-type=module", "-e", script];
  return execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
}

test.runIf(linux)("FLR-02: without walls on a system what parses goes on bare", () => {
  expect(confinedElsewhere("")).toBe("undefined");
});

test.runIf(linux)("FLR-02: without walls that landlock_enabled = true asks for nothing is parsed", () => {
  expect(confinedElsewhere("?required")).toContain("landlock_enabled is true and there are no walls");
});

/** Confines a process that sees no /proc; tells what came of it. */
function confinedWithoutProc(search: string): string {
  const module = new URL(`./confining-worker.ts${search}`, import.meta.url).href;
  const script = `
    const { writeSync } = await import("node:fs");
    const { confine } = await import(${JSON.stringify(module)});
    let said = "confined";
    let end = process.exit;
    try { end = confine() ?? end; } catch (error) { said = error.message; }
    writeSync(1, said);
    end(0);`;
  const node = [realpathSync(process.execPath), "--conditions=gantry-source", "--input-type=module", "-e"];
  const hidden = 'mount -t tmpfs none /proc && exec "$@"';
  const args = ["-m", "sh", "-c", hidden, "sh", ...node, script];
  return execFileSync("unshare", args, { cwd: import.meta.dirname, encoding: "utf8" });
}

test.runIf(linux && process.getuid?.() === 0)(
  "FLR-02: without /proc what parses is confined all the same",
  () => {
    expect(confinedWithoutProc("")).toBe("confined");
    expect(confinedWithoutProc("?required")).toContain("there is no /proc to list descriptors by");
  },
);
