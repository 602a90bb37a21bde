import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { makeDir, processIdentity, shortHash } from "@gantry/sdk/node";
import type { Held } from "./held.ts";
import { removeFolder } from "./remove-folder.ts";
import type { Kept, Plan } from "./step.ts";
import type { Done, Places } from "./steps.ts";
import type { Restored } from "./undo.ts";

/** The record of a run; `kept` and the members after it date from when it was judged. */
export interface RunRecord {
  readonly id: string;
  readonly argv: readonly string[];
  /** When it began, in ms since 1970. */
  readonly began: number;
  /** By the clock of file systems, in ns. */
  readonly beganNs: string;
  readonly hidden: readonly string[];
  readonly service: string;
  readonly steps?: number;
  /** In their order: with each, further steps were done. */
  readonly done?: readonly Done[];
  readonly kept?: readonly Kept[];
  readonly undone?: boolean;
  /** Files that its undo gave back to the workspace. */
  readonly restored?: readonly Restored[];
  /** The bytes of its folder on disk, if they were measured. */
  readonly bytes?: number | undefined;
}

const ID = /^[\da-f]{8}$/;
/** A clock that does not go on is not waited for. */
const MOST_TICKS = 50;
const pause = new Int32Array(new SharedArrayBuffer(4));
const [RECORD, PLAN, HELD] = ["run.json", "plan.json", "held.json"];
/** Returns the name of this service, told from others that had its number before. */
const own = (): string => `${process.pid}-${shortHash(processIdentity(process.pid))}`;

/** The folder of one run: its layer, what is to be done with it, and what that replaced. */
export class RunFolder {
  readonly id: string;
  readonly #at: string;

  private constructor(runs: string, id: string) {
    this.id = id;
    this.#at = path.join(runs, id);
  }

  /** Makes one, with an empty layer; others see that this service has it. */
  static make(runs: string): RunFolder {
    makeDir(runs);
    const one = new RunFolder(runs, randomBytes(4).toString("hex"));
    mkdirSync(one.#at, { mode: 0o700 });
    for (const name of ["up", "work"]) mkdirSync(path.join(one.#at, name), { mode: 0o700 });
    one.write({ id: one.id, argv: [], began: Date.now(), beganNs: "0", hidden: [], service: own() });
    return one;
  }

  /** Returns the runs of a folder, the newest first; names that are not ids are left out. */
  static all(runs: string): readonly RunFolder[] {
    const ids = existsSync(runs) ? readdirSync(runs).filter((name) => ID.test(name)) : [];
    const all = ids.map((id) => new RunFolder(runs, id));
    const began = new Map(all.map((one) => [one, one.read()?.began ?? 0]));
    return all.toSorted((a, b) => began.get(b)! - began.get(a)!);
  }

  static find(runs: string, id: string): RunFolder | undefined {
    return ID.test(id) && existsSync(path.join(runs, id, RECORD)) ? new RunFolder(runs, id) : undefined;
  }

  get upper(): string {
    return path.join(this.#at, "up");
  }

  places(workspace: string): Places {
    return { id: this.id, workspace, upper: this.upper, old: path.join(this.#at, "old") };
  }

  /**
   * Gives the layer the mode of the workspace, which it stands for. `after`: by the clock of file
   * systems, which ticks in milliseconds; it begins later, so that what an earlier run left does
   * not count as changed meanwhile.
   */
  begin(workspace: string, argv: readonly string[], hidden: readonly string[], after: bigint): RunRecord {
    chmodSync(this.upper, lstatSync(workspace).mode & 0o7777);
    const beganNs = String(this.tick(after));
    return { id: this.id, argv, began: Date.now(), beganNs, hidden, service: own() };
  }

  /** Returns the time by the clock of file systems, in ns, once that is later than `after`. */
  tick(after: bigint): bigint {
    let now = 0n;
    for (let tick = 0; tick < MOST_TICKS && now <= after; tick++) {
      if (tick > 0) Atomics.wait(pause, 0, 0, 1);
      chmodSync(this.upper, lstatSync(this.upper).mode & 0o7777);
      now = lstatSync(this.upper, { bigint: true }).ctimeNs;
    }
    return now;
  }

  /**
   * Returns a time later than that of all that was done before, and no later than that of what is
   * done from now on.
   */
  after(): bigint {
    return this.tick(this.tick(0n));
  }

  /** Has this service be the one that began it. */
  claim(): void {
    const record = this.read();
    if (record) this.write({ ...record, service: own() });
  }

  /** Returns undefined if there is no record yet, or it was cut off. */
  read(): RunRecord | undefined {
    return this.#read<RunRecord>(RECORD);
  }

  write(record: RunRecord): void {
    this.#write(RECORD, record);
  }

  /** Returns true if something of its run is kept: it was judged, or is to be at the next start. */
  isKept(): boolean {
    return existsSync(path.join(this.#at, PLAN)) || this.read()?.steps !== undefined;
  }

  /** Returns true if its layer is as it was made, so that another run can have it. */
  isAsMade(): boolean {
    const [upper, own] = [lstatSync(this.upper), lstatSync(this.#at)];
    return upper.uid === own.uid && upper.gid === own.gid && readdirSync(this.upper).length === 0;
  }

  /** Has it wait for a decision from now on, also after the service was killed. */
  hold(held: Held, record: RunRecord): void {
    this.write(record);
    this.#write(HELD, held);
  }

  get held(): Held | undefined {
    return this.#read<Held>(HELD);
  }

  release(): void {
    rmSync(path.join(this.#at, HELD), { force: true });
  }

  /** Has the plan done from now on, by whatever service there is. */
  decide(plan: Plan): void {
    mkdirSync(path.join(this.#at, "old"), { recursive: true, mode: 0o700 });
    this.#write(PLAN, plan);
  }

  get plan(): Plan | undefined {
    return this.#read<Plan>(PLAN);
  }

  /** Returns true while the service that began it lives. */
  isOf(): "us" | "others" | "nobody" {
    const service = this.read()?.service ?? "";
    if (service === own()) return "us";
    const [pid, hash] = service.split("-");
    return service !== "" && shortHash(processIdentity(Number(pid))) === hash ? "others" : "nobody";
  }

  /** Returns its size on disk in bytes, measured once. */
  bytes(): number {
    const record = this.read();
    if (record?.bytes !== undefined) return record.bytes;
    const bytes = bytesIn(this.#at);
    if (record?.steps !== undefined) this.write({ ...record, bytes });
    return bytes;
  }

  /** Removes what the overlay needed. */
  tidy(): void {
    const work = path.join(this.#at, "work");
    removeFolder(work);
  }

  remove(): void {
    removeFolder(this.#at);
  }

  #read<T>(name: string): T | undefined {
    try {
      return JSON.parse(readFileSync(path.join(this.#at, name), "utf8")) as T;
    } catch {
      return undefined;
    }
  }

  #write(name: string, value: unknown): void {
    const at = path.join(this.#at, name);
    // A word of the owner's may write beside the service.
    const draft = `${at}.${randomBytes(4).toString("hex")}.new`;
    writeFileSync(draft, JSON.stringify(value), { mode: 0o600, flush: name !== RECORD });
    renameSync(draft, at);
  }
}

function bytesIn(folder: string): number {
  let bytes = 4_096;
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const at = path.join(folder, entry.name);
      bytes += entry.isDirectory() ? bytesIn(at) : Number(lstatSync(at).blocks) * 512;
    }
  } catch {
    // Closed by a run; it counts as little.
  }
  return bytes;
}
