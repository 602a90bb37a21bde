import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { findProgram } from "../../.ci/programs.ts";
import { environment } from "../helpers/cli.ts";

/** Counts of a process since its start. */
export interface Told {
  /**
   * Bytes on the heap; nothing was collected before, so that these are the bytes that were
   * allocated.
   */
  readonly heap: number;
  /** Files that were loaded as code, with their bytes. */
  readonly modules: Readonly<Record<string, number>>;
  readonly builtins: readonly string[];
  readonly statements: Readonly<Record<string, number>>;
}

/**
 * Room for all that is allocated, so that no collection falls into the count; and the interpreter
 * alone, since when a function is compiled, and what it allocates from then on, is a matter of
 * time.
 */
const flags = ["--min-semi-space-size=256", "--max-semi-space-size=256", "--no-opt", "--no-sparkplug"];

const calls =
  "%file,read,pread64,readv,write,pwrite64,writev,fstat,fsync,fdatasync,ftruncate," +
  "fcntl,flock,getdents64,socket,connect,bind,listen";

/** Undefined if it is not installed, or may not look at other processes. */
const strace = usable(findProgram("strace"));

function usable(program: string | undefined): string | undefined {
  const tried = program && spawnSync(program, ["-qq", "-o/dev/null", process.execPath, "-v"]);
  return tried && tried.status === 0 ? program : undefined;
}

/** A process of this Node that tells what it has done; with strace, its system calls too. */
export class CountedProcess {
  readonly child: ChildProcess;
  readonly #trace: string;
  readonly #lines: AsyncIterator<string>;
  #err = "";

  constructor(args: readonly string[], dir: string) {
    this.#trace = path.join(dir, "trace");
    rmSync(this.#trace, { force: true });
    const probe = fileURLToPath(new URL("probe.cjs", import.meta.url));
    const node = [process.execPath, ...flags, "--require", probe, ...args] as const;
    const trace = ["-D", "-f", "-y", "-qq", "--seccomp-bpf", `-etrace=${calls}`, `-o${this.#trace}`];
    const [program, ...rest] = strace === undefined ? node : [strace, ...trace, ...node];
    // Not the cache of the tests, which other builds fill as well.
    const { NODE_COMPILE_CACHE: _, ...env } = environment({
      dir,
      env: { SERVICE_ALLOW_INSECURE_LOOPBACK: "1" },
    });
    this.child = spawn(program, rest, { cwd: dir, env, stdio: ["ignore", "pipe", "pipe", "pipe"] });
    this.child.stdout?.resume();
    this.#lines = createInterface(this.child.stdio[3] as Readable)[Symbol.asyncIterator]();
    this.child.stderr?.on("data", (text) => (this.#err += text));
  }

  /** Counts until now, once the process is quiet. */
  told(): Promise<Told> {
    this.child.kill("SIGUSR2");
    return this.#next();
  }

  /** Counts until its end; throws if it failed. */
  async ended(): Promise<Told> {
    const ended = once(this.child, "close") as Promise<[number | null]>;
    const last = this.#next();
    const [code] = await ended;
    if (code !== 0) throw new Error(`a counted process ended with ${code}: ${this.#err}`);
    return last;
  }

  async #next(): Promise<Told> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`a counted process ended before it told its counts: ${this.#err}`);
    return JSON.parse(value) as Told;
  }

  /** The lines of the trace up to each mark; empty without strace. */
  traced(): readonly (readonly string[])[] {
    const parts: string[][] = [[]];
    if (!existsSync(this.#trace)) return [];
    for (const line of readFileSync(this.#trace, "utf8").split("\n")) {
      if (line.includes('"/gantry-budget/')) parts.push([]);
      else parts.at(-1)?.push(line);
    }
    return parts;
  }
}
