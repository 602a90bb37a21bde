import {
  type Audit,
  type CheckRow,
  type Net,
  type Question,
  type Refusal,
  type Runtime,
  type ToolCall,
  ask,
  refuse,
} from "@gantry/sdk";
import type { SandboxPolicy } from "@gantry/sdk/fill";
import { type Admission, checkedProxy, isInside } from "@gantry/sdk/node";
import type { Static } from "typebox";
import { type BlockedCommands, blockedCommands } from "./blocked-commands.ts";
import type { config } from "../config.ts";
import { Confinement } from "./confinement.ts";
import type { ConfinementOptions } from "./confiner.ts";
import { errors } from "../errors.ts";
import { grants } from "./grants.ts";
import { NoWalls } from "./launch.ts";
import { layerRows } from "./layer-rows.ts";
import { type Limits, limitingShell, prepareLimits } from "./limits.ts";
import { ownFiles } from "./own-files.ts";
import type { LeftRun } from "./run-notes.ts";
import type { Looker } from "./workspace-runs.ts";

export interface Needs {
  readonly runtime: Runtime;
  readonly net: Net | undefined;
  readonly audit: Audit | undefined;
}

/** Where its processes start, and for tests how: as on older kernels, as where namespaces are refused, in how long a time. */
export type Place = Pick<ConfinementOptions, "base" | "runs" | "abiCap" | "namespaces" | "startMs">;

/** What is in force. */
interface State {
  /** Undefined where walls were asked for and there are none. */
  readonly confinement: Confinement | undefined;
  readonly policy: SandboxPolicy;
  /** Why there are no walls. */
  readonly open?: string;
  readonly proxy?: Admission;
  readonly rows: readonly CheckRow[];
  close(): Promise<void>;
}

export interface Opened {
  readonly confinement: Confinement;
  readonly proxy: Admission | undefined;
}

/** The sandbox of one folder to work in, started by the first call that needs it. */
export class Walled implements Looker {
  readonly #config: Static<typeof config>;
  readonly #needs: Needs;
  readonly #place: Place;
  readonly #own: readonly string[];
  /** The folder in which its programs work: the workspace, or one in it, of which they see nothing else. */
  readonly home: string;
  #state: Promise<State> | undefined;
  #closed = false;

  /** Throws `SANDBOX_OWN_FILES`. */
  constructor(settings: Static<typeof config>, needs: Needs, place: Place, home = needs.runtime.workspace) {
    this.#config = settings;
    this.#needs = needs;
    this.#place = place;
    this.home = home;
    this.#own = ownFiles(place.base, needs.runtime);
    const { workspace } = needs.runtime;
    const file = this.#own.find((one) => isInside(one, workspace));
    if (file !== undefined) throw errors.SANDBOX_OWN_FILES(workspace, file);
  }

  /** Throws `SANDBOX_ABSENT` and `SANDBOX_CLOSED`. */
  async open(): Promise<Opened> {
    const { confinement, open, proxy } = await this.state();
    if (!confinement) throw errors.SANDBOX_ABSENT(open);
    return { confinement, proxy };
  }

  async state(): Promise<State> {
    if (this.#closed) throw errors.SANDBOX_CLOSED();
    const starting = (this.#state ??= this.#start());
    try {
      return await starting;
    } catch (error) {
      if (this.#state === starting) this.#state = undefined;
      throw errors.SANDBOX_FAILED(error);
    }
  }

  async judge(call: ToolCall): Promise<Refusal | Question | undefined> {
    const { commands, paths } = call.effects;
    if (commands.length === 0 && paths.length === 0) return undefined;
    const { confinement, open } = await this.state();
    if (open === undefined) return undefined;
    if (!confinement) return refuse(errors.SANDBOX_ABSENT(open));
    // Nobody is asked in autonomous: what can be read runs by the guards' word, and they refuse the rest.
    if (this.#config.agent.autonomy_level === "autonomous") return undefined;
    return ask(errors.SANDBOX_OPEN(open, call.tool));
  }

  /** Writes down what a run was stopped for, or what of it was undone. */
  async record(findings: readonly string[], argv: readonly string[]): Promise<void> {
    for (const finding of findings) {
      await this.#needs.audit?.record({
        event_type: "security_refusal",
        tool: "sandbox",
        args: { argv: argv.map((word) => word.slice(0, 1_000)) },
        result: finding,
        user: "",
        session_id: "",
      });
    }
  }

  /** Looks after a lost run behind these walls, which open all of the workspace, and writes down what was undone. */
  async lookAfter(run: LeftRun): Promise<void> {
    const { confinement } = await this.open();
    const findings = await confinement.lookAfter(run);
    await this.record(
      findings.map((finding) => `left by a run that was lost: ${finding}`),
      [],
    );
  }

  async decide(since: number): Promise<unknown> {
    return (await this.open()).confinement.decide(since);
  }

  async check(): Promise<readonly CheckRow[]> {
    return (await this.state()).rows;
  }

  /**
   * Loads what a call may need, since what is first loaded when files are short might never load, and looks after the runs of
   * a service that was killed; what goes wrong there is told to the first call.
   */
  async load(): Promise<void> {
    await this.#place.runs.look().catch(() => undefined);
    if (this.#config.security.allowed_domains.length > 0) await checkedProxy();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const ending = this.#state;
    this.#state = undefined;
    await (await ending?.catch(() => undefined))?.close();
  }

  async #start(): Promise<State> {
    const { security, runtime } = this.#config;
    const wanted = security.sandboxing.landlock_enabled;
    if (wanted === false) return this.#without("security.sandboxing.landlock_enabled is false", true);
    const limits = prepareLimits(runtime);
    try {
      return await this.#within(limits);
    } catch (error) {
      limits.close();
      if (error instanceof NoWalls) return this.#without(error.message, wanted !== true);
      throw error;
    }
  }

  async #within(limits: Limits): Promise<State> {
    const domains = this.#config.security.allowed_domains;
    const net = domains.length > 0 ? this.#needs.net : undefined;
    const blocked = blockedCommands(this.#config.security.blocked_commands);
    const confinement = await this.#confine(limits, blocked, net !== undefined);
    const proxy = net && (await (await checkedProxy()).startProxy(net));
    if (proxy) confinement.openProxy(proxy.port);
    const network = proxy
      ? `network only through the service's proxy to ${domains.join(", ")}`
      : "no network";
    const { abi } = confinement.layers!;
    const detail = `walls of the kernel (Landlock level ${abi}, filtered system calls); ${network}; ${limits.detail}`;
    return {
      confinement,
      policy: { files: true, network: true, detail },
      rows: [
        { what: "sandbox", detail, state: "ok" },
        ...layerRows(confinement.layers!, blocked, this.#config.runtime),
      ],
      ...(proxy && { proxy: proxy.admit() }),
      close: async () => {
        await Promise.all([confinement.close(), proxy?.close()]);
        limits.close();
      },
    };
  }

  async #confine(limits: Limits, { files }: BlockedCommands, tcp: boolean): Promise<Confinement> {
    const { blocked_paths, sandboxing } = this.#config.security;
    const { workspace, configDir } = this.#needs.runtime;
    const granted = await grants({
      read: sandboxing.allowed_read_paths,
      write: sandboxing.allowed_write_paths,
      blocked: blocked_paths,
      own: this.#own,
      workspace,
      within: this.home,
      configDir,
    });
    const walls = { ...granted, ...limits.walls, blocked: files, tcp };
    return Confinement.start({ ...this.#place, walls, bounds: limits.bounds, ...this.#files() });
  }

  async #without(open: string, allowed: boolean): Promise<State> {
    const prefix = limitingShell(this.#config.runtime);
    const confinement = allowed
      ? await Confinement.start({ ...this.#place, prefix, ...this.#files() })
      : undefined;
    const what = !allowed
      ? "such calls are refused"
      : this.#config.agent.autonomy_level === "autonomous"
        ? "nobody is asked, and what cannot be told from its text is refused"
        : "every call that starts or opens something asks a person";
    const detail = `no walls (${open}): ${what}`;
    const cure =
      "use Linux with Landlock (5.13 or newer) and leave security.sandboxing.landlock_enabled unset";
    return {
      confinement,
      open,
      policy: { files: false, network: false, detail },
      rows: [{ what: "sandbox", detail, state: confinement ? "warn" : "fail", cure }],
      close: async () => confinement?.close(),
    };
  }

  #files() {
    const { secret_files: secret, guarded_files: guarded } = this.#config.security;
    const { max_disk_mb: diskMb, max_workspace_mb: workspaceMb } = this.#config.runtime;
    return { workspace: this.#needs.runtime.workspace, secret, guarded, diskMb, workspaceMb };
  }
}
