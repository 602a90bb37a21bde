import { type OpenProcess, errors as common } from "@gantry/sdk";
import type { OpenSpec } from "@gantry/sdk/fill";
import { type Admission, type CheckedProxy, checkedProxy, isInside } from "@gantry/sdk/node";
import type { Static } from "typebox";
import { blockedCommands } from "./blocked-commands.ts";
import { coded } from "./coded.ts";
import type { config } from "../config.ts";
import { ConfinedFault } from "./failures.ts";
import { Confinement } from "./confinement.ts";
import { childEnvironment } from "./environment.ts";
import { errors } from "../errors.ts";
import { expand, type Grants, type GrantsInput, grants } from "./grants.ts";
import { MAX_PIPES, NoWalls } from "./launch.ts";
import { type Limits, prepareLimits } from "./limits.ts";
import { STANDARD, openProcess } from "./opened-process.ts";
import { ownFiles } from "./own-files.ts";
import type { Needs, Place } from "./state.ts";
import type { Walled } from "./walled.ts";

/** A way out of one process, with the port that its walls let it connect to. */
interface Way {
  readonly admission: Admission;
  readonly port: number;
}

/**
 * Processes that live, each behind walls of its own: its own paths, way out and limits, and a
 * supervisor of its own.
 */
export class Openings {
  readonly #config: Static<typeof config>;
  readonly #needs: Needs;
  readonly #place: Place;
  readonly #record: Walled["record"];
  readonly #open = new Set<OpenProcess>();
  readonly #ending = new AbortController();
  #proxy: Promise<CheckedProxy> | undefined;

  /** `record`: writes down what a process was stopped for. */
  constructor(settings: Static<typeof config>, needs: Needs, place: Place, record: Walled["record"]) {
    this.#config = settings;
    this.#needs = needs;
    this.#place = place;
    this.#record = record;
  }

  /**
   * Throws `SANDBOX_ABSENT`, `SANDBOX_CLOSED`, `SANDBOX_FAILED`, `RUN_FAILED`, and the signal's
   * reason.
   */
  async open(spec: OpenSpec): Promise<OpenProcess> {
    if (this.#ending.signal.aborted) throw errors.SANDBOX_CLOSED();
    spec.signal.throwIfAborted();
    if (count(spec.pipes) > MAX_PIPES)
      throw common.RUN_FAILED(spec.argv[0], `it has at most ${MAX_PIPES - STANDARD} further pipes`);
    const { security, runtime } = this.#config;
    if (security.sandboxing.landlock_enabled === false)
      throw errors.SANDBOX_UNWALLED(spec.argv[0], "security.sandboxing.landlock_enabled is false");
    const limits = prepareLimits({ ...runtime, ...spec.limits });
    const steps: (() => unknown)[] = [() => limits.close()];
    const leave = async (): Promise<void> => {
      for (const step of steps) await step();
    };
    try {
      const way = await this.#way(spec);
      if (way) steps.unshift(() => way.admission.withdraw());
      const confinement = await this.#confine(spec, limits, way);
      steps.unshift(() => confinement.close());
      return await this.#start(spec, confinement, way, leave);
    } catch (error) {
      await leave();
      if (error instanceof ConfinedFault) throw coded(error.fault);
      if (error instanceof NoWalls) throw errors.SANDBOX_UNWALLED(spec.argv[0], error);
      if (this.#ending.signal.aborted) throw errors.SANDBOX_CLOSED();
      spec.signal.throwIfAborted();
      throw errors.SANDBOX_FAILED(error);
    }
  }

  /** Ends all of them, and what is just being opened. */
  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([...this.#open].map((one) => one.close()));
    const proxy = await this.#proxy?.catch(() => undefined);
    await proxy?.close();
  }

  async #start(
    { argv, cwd, env, idleMs, signal, pipes }: OpenSpec,
    confinement: Confinement,
    way: Way | undefined,
    leave: () => Promise<void>,
  ): Promise<OpenProcess> {
    const opened = await openProcess({
      confinement,
      request: { argv, cwd, env: { ...childEnvironment(way?.admission.url), ...env }, pipes: count(pipes) },
      signal: AbortSignal.any([signal, this.#ending.signal]),
      idleMs,
      proxy: way?.admission.url,
      leave,
    });
    this.#open.add(opened);
    void opened.ended.then(async ({ findings }) => {
      this.#open.delete(opened);
      await this.#record(findings, argv);
    });
    return opened;
  }

  async #way({ argv, domains = [] }: OpenSpec): Promise<Way | undefined> {
    const { net } = this.#needs;
    if (domains.length === 0 || !net) return undefined;
    const proxy = await (this.#proxy ??= checkedProxy().then(({ startProxy }) => startProxy(net)));
    const refused = (address: string, why: string): void =>
      void this.#record([`refused: ${address}: ${why}`], argv).catch(() => undefined);
    return { admission: proxy.admit({ domains, refused }), port: proxy.port };
  }

  async #confine(spec: OpenSpec, limits: Limits, way: Way | undefined): Promise<Confinement> {
    const { secret_files: secret, guarded_files: guarded, blocked_commands } = this.#config.security;
    const confinement = await Confinement.start({
      ...this.#place,
      walls: {
        ...(await this.#grants(spec)),
        ...limits.walls,
        blocked: blockedCommands(blocked_commands).files,
        tcp: way !== undefined,
      },
      limits,
      prefix: limits.prefix,
      // Nothing else ends what it starts, once the service was killed.
      needsNamespaces: true,
      pipes: count(spec.pipes),
      workspace: this.#needs.runtime.workspace,
      secret,
      guarded,
      diskMb: spec.limits?.max_disk_mb ?? this.#config.runtime.max_disk_mb,
      workspaceMb: this.#config.runtime.max_workspace_mb,
    });
    if (way) confinement.openProxy(way.port);
    return confinement;
  }

  /** Returns the paths that every run may read, without the workspace, and those of this one. */
  async #grants(spec: OpenSpec): Promise<Grants> {
    const { blocked_paths: blocked, sandboxing } = this.#config.security;
    const { workspace, configDir } = this.#needs.runtime;
    const facts = { workspace, configDir, own: ownFiles(this.#place.base, this.#needs.runtime) };
    const [read, write] = [spec.read ?? [], spec.write ?? []];
    const parts = await Promise.all([
      grants({
        ...facts,
        read: sandboxing.allowed_read_paths,
        write: [],
        blocked: [...blocked, "$WORKSPACE"],
      }),
      grants({ ...facts, read: [...read, ...write], write, blocked }),
      this.#programGrants(spec, facts),
    ]);
    return {
      read: unique(parts.flatMap((part) => part.read)),
      write: unique(parts.flatMap((part) => part.write)),
      links: parts.flatMap((part) => part.links),
    };
  }

  /** Opens one folder of the configuration directory, never that directory itself. */
  async #programGrants(
    { program }: OpenSpec,
    facts: Pick<GrantsInput, "workspace" | "configDir" | "own">,
  ): Promise<Grants> {
    const { configDir, workspace } = this.#needs.runtime;
    if (program === undefined) return NOTHING;
    const [folder, around] = await Promise.all([program, configDir].map((at) => expand(at, workspace)));
    if (folder === around || !isInside(folder!, around!)) return NOTHING;
    const { blocked_paths: blocked } = this.#config.security;
    return grants({ ...facts, configDir: undefined, read: [program], write: [], blocked });
  }
}

const NOTHING: Grants = { read: [], write: [], links: [] };

const unique = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];

const count = (pipes = 0): number => STANDARD + pipes;
