import {
  type CheckRow,
  type Net,
  type Question,
  type Refusal,
  type Runtime,
  type ToolCall,
  type SandboxPolicy,
  ask,
  refuse,
} from "@gantry/sdk";
import type { Static } from "typebox";
import type { config } from "./config.ts";
import { removeTemporary } from "./environment.ts";
import { errors } from "./errors.ts";
import { grants } from "./grants.ts";
import { limitingShell, prepareLimits } from "./limits.ts";
import type { Proxy } from "./proxy.ts";
import { NoWalls, Sandbox } from "./sandbox.ts";

interface Needs {
  readonly runtime: Runtime;
  readonly net: Net | undefined;
}

interface Place {
  /** The address of the file beside which the workers stand. */
  readonly base: string;
  /** Landlock levels above it are not used. */
  readonly abiCap?: number;
}

/** What is in force. */
interface State {
  /** Undefined where walls were asked for and there are none. */
  readonly sandbox: Sandbox | undefined;
  readonly walls: SandboxPolicy;
  /** Why there are no walls. */
  readonly open?: string;
  readonly proxy?: Proxy;
  close(): Promise<void>;
}

/** The sandbox of this host, started by the first call that needs it, and again where one broke. */
export class Walled {
  readonly #config: Static<typeof config>;
  readonly #needs: Needs;
  readonly #place: Place;
  #state: Promise<State> | undefined;
  #closed = false;

  constructor(settings: Static<typeof config>, needs: Needs, place: Place) {
    this.#config = settings;
    this.#needs = needs;
    this.#place = place;
  }

  get workspace(): string {
    return this.#needs.runtime.workspace;
  }

  /** Throws `SANDBOX_ABSENT` and `SANDBOX_CLOSED`. */
  async open(): Promise<{ readonly sandbox: Sandbox; readonly proxy?: Proxy }> {
    let { sandbox, open, proxy } = await this.state();
    if (sandbox && !sandbox.usable) {
      this.#end().catch(() => undefined);
      ({ sandbox, open, proxy } = await this.state());
    }
    if (!sandbox) throw errors.SANDBOX_ABSENT(open);
    return { sandbox, ...(proxy && { proxy }) };
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
    const { sandbox, open } = await this.state();
    if (open === undefined) return undefined;
    if (!sandbox) return refuse(errors.SANDBOX_ABSENT(open));
    // Nobody is asked in autonomous: what can be read runs by the guards' word, and they refuse the rest.
    if (this.#config.agent.autonomy_level === "autonomous") return undefined;
    return ask(errors.SANDBOX_OPEN(open, call.tool));
  }

  async check(): Promise<readonly CheckRow[]> {
    const { sandbox, walls, open } = await this.state();
    const row = { what: "sandbox", detail: walls.detail };
    if (open === undefined) return [{ ...row, state: "ok" }];
    const cure =
      "use Linux with Landlock (5.13 or newer) and leave security.sandboxing.landlock_enabled unset";
    return [{ ...row, state: sandbox ? "warn" : "fail", cure }];
  }

  /** Loads what a call may need; what is first loaded when files are short might never load. */
  async load(): Promise<void> {
    if (this.#config.security.allowed_domains.length > 0) await import("./proxy.ts");
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end();
  }

  async #end(): Promise<void> {
    const ending = this.#state;
    this.#state = undefined;
    await (await ending?.catch(() => undefined))?.close();
  }

  async #start(): Promise<State> {
    const { security, runtime } = this.#config;
    const wanted = security.sandboxing.landlock_enabled;
    if (wanted === false) return this.#without("security.sandboxing.landlock_enabled is false", true);
    try {
      return await this.#within(prepareLimits(runtime));
    } catch (error) {
      if (error instanceof NoWalls) return this.#without(error.message, wanted !== true);
      throw error;
    }
  }

  async #within(limits: ReturnType<typeof prepareLimits>): Promise<State> {
    const { allowed_domains: domains, blocked_paths: blocked, sandboxing } = this.#config.security;
    const { workspace, configDir } = this.#needs.runtime;
    const { base, ...cap } = this.#place;
    const read = sandboxing.allowed_read_paths;
    const granted = grants({ read, write: sandboxing.allowed_write_paths, blocked, workspace, configDir });
    const net = domains.length > 0 ? this.#needs.net : undefined;
    const sandbox = await Sandbox.start({
      base,
      walls: { ...granted, ...limits, ...cap, tcp: net !== undefined },
    }).catch((error) => {
      limits.close();
      throw error;
    });
    const proxy = net && (await (await import("./proxy.ts")).startProxy(net));
    if (proxy) sandbox.openProxy(proxy.port);
    const network = proxy
      ? `network only through the service's proxy to ${domains.join(", ")}`
      : "no network";
    const detail = `walls of the kernel (Landlock level ${sandbox.abi}, filtered system calls); ${network}; ${limits.detail}`;
    return {
      sandbox,
      walls: { files: true, network: true, detail },
      ...(proxy && { proxy }),
      close: async () => {
        await Promise.all([sandbox.close(), proxy?.close()]);
        limits.close();
        removeTemporary(workspace);
      },
    };
  }

  async #without(open: string, allowed: boolean): Promise<State> {
    const sandbox = allowed
      ? await Sandbox.start({ base: this.#place.base, prefix: limitingShell(this.#config.runtime) })
      : undefined;
    const what = allowed
      ? "every call that starts or opens something asks a person"
      : "such calls are refused";
    return {
      sandbox,
      open,
      walls: { files: false, network: false, detail: `no walls (${open}): ${what}` },
      close: async () => {
        await sandbox?.close();
        removeTemporary(this.workspace);
      },
    };
  }
}
