import { randomBytes } from "node:crypto";
import {
  errors,
  refuse,
  type GuardOpinion,
  type Policy as PolicySlot,
  type Question,
  type Tool,
  type ToolCall,
} from "@gantry/sdk";
import type { Enforcement } from "@gantry/sdk/fill";
import { asError } from "@gantry/sdk/node";
import type { Enforcers } from "../plugins/enforcers.ts";
import type { HookTable } from "../plugins/hook-table.ts";
import type { Rulings } from "./rulings.ts";
import type { ToolCalls } from "./tool-call.ts";

/** The verdict of every guard on a call; nothing is run, counted or recorded. */
export class Policy implements PolicySlot {
  readonly #calls: ToolCalls;
  readonly #hooks: HookTable;
  readonly #rulings: Rulings;
  readonly #enforcers: Enforcers;

  constructor(calls: ToolCalls, hooks: HookTable, rulings: Rulings, enforcers: Enforcers) {
    this.#calls = calls;
    this.#hooks = hooks;
    this.#rulings = rulings;
    this.#enforcers = enforcers;
  }

  enforcement(): Promise<Enforcement> {
    return this.#enforcers.enforcement();
  }

  async explain(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    user: string,
  ): Promise<readonly GuardOpinion[]> {
    const session = `explain-${randomBytes(4).toString("hex")}`;
    try {
      const prepared = await this.#calls.prepare({ tool, args, session, user });
      const opinions = await this.#hooks.explain(prepared.call);
      return await this.#ruled(prepared.tool, prepared.call, opinions);
    } catch (error) {
      const known = asError(error) as Error & { code?: string };
      return [
        {
          by: "host",
          outcome: refuse(known.code ? { code: known.code, message: known.message } : errors.INTERNAL(known)),
        },
      ];
    }
  }

  /** The guards' words, and behind them what the host makes of their questions. */
  async #ruled(
    tool: Tool,
    call: ToolCall,
    opinions: readonly GuardOpinion[],
  ): Promise<readonly GuardOpinion[]> {
    const unoffered = await this.#rulings.unoffered(tool, {});
    if (unoffered) return [...opinions, { by: "host", outcome: unoffered }];
    if (opinions.some(({ outcome }) => outcome?.verdict === "refuse")) return opinions;

    const questions = opinions.flatMap(({ outcome }) =>
      outcome?.verdict === "ask" ? [outcome satisfies Question] : [],
    );
    if (questions.length === 0) return opinions;
    const ruling = await this.#rulings.of(tool, call, questions);
    if (ruling.kind === "refused") return [...opinions, { by: "host", outcome: ruling.refusal }];
    if (ruling.kind === "ask") return opinions;
    return opinions.map((opinion) =>
      opinion.outcome === undefined ? opinion : { ...opinion, lifted: ruling.by },
    );
  }
}
