import {
  type CheckRow,
  type Question,
  type Refusal,
  type Sources,
  type ToolCall,
  ask,
  refuse,
} from "@gantry/sdk";
import { materialFiles, sessionSources } from "@gantry/sdk/fill";
import { type Admission, checkedProxy, isInside } from "@gantry/sdk/node";
import type { Static } from "typebox";
import type { config } from "../config.ts";
import type { Confinement } from "./confinement.ts";
import { errors } from "../errors.ts";
import { ownFiles } from "./own-files.ts";
import { type Needs, type Place, type State, startState } from "./state.ts";

export interface Opened {
  readonly confinement: Confinement;
  readonly proxy: Admission | undefined;
}

/** The sandbox of one folder to work in, started by the first call that needs it. */
export class Walled {
  readonly #config: Static<typeof config>;
  readonly #needs: Needs;
  readonly #place: Place;
  readonly #own: readonly string[];
  /**
   * The folder in which its programs work: the workspace, or one in it, of which they see nothing
   * else.
   */
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
    const { confinement, open, narrow } = await this.state();
    if (!confinement) return refuse(errors.SANDBOX_ABSENT(open));
    // Nobody is asked in autonomous: what can be read runs by the guards' word, and they refuse the
    // rest.
    if ((call.autonomy ?? this.#config.agent.autonomy_level) === "autonomous") return undefined;
    if (open !== undefined) return ask(errors.SANDBOX_OPEN(open, call.tool));
    if (narrow === undefined || commands.length === 0) return undefined;
    return ask(errors.SANDBOX_NARROW(narrow, call.tool));
  }

  /** Writes down what a run was stopped for, or what of it was not taken over. */
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

  /**
   * Notes that files hold the material that a conversation holds, so that whoever reads one takes
   * it in again. Throws what the store says.
   */
  async note(session: string | undefined, files: readonly string[]): Promise<void> {
    const values = this.#needs.store?.values;
    if (!values || session === undefined) return;
    const { material } = (await values.get<Sources>(sessionSources.space, session)) ?? { material: [] };
    if (material.length === 0) return;
    const { space, forMs } = materialFiles;
    for (const file of files) await values.put(space, file, material, { forMs });
  }

  async check(): Promise<readonly CheckRow[]> {
    return (await this.state()).rows;
  }

  /**
   * Loads what a call may need, since what is first loaded when files are short might never load.
   */
  async load(): Promise<void> {
    if (this.#config.security.allowed_domains.length > 0) await checkedProxy();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const ending = this.#state;
    this.#state = undefined;
    await (await ending?.catch(() => undefined))?.close();
  }

  #start(): Promise<State> {
    const record = this.record.bind(this);
    return startState({
      config: this.#config,
      needs: this.#needs,
      place: this.#place,
      own: this.#own,
      home: this.home,
      record,
    });
  }
}
