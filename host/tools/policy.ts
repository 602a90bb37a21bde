import { randomBytes } from "node:crypto";
import { errors, refuse, type GuardOpinion, type Policy as PolicySlot } from "@gantry/sdk";
import { asError } from "@gantry/sdk/node";
import type { HookTable } from "../plugins/hook-table.ts";
import type { ToolCalls } from "./tool-call.ts";

/** What every guard would say of a call; nothing is run, counted or recorded. */
export class Policy implements PolicySlot {
  readonly #calls: ToolCalls;
  readonly #hooks: HookTable;

  constructor(calls: ToolCalls, hooks: HookTable) {
    this.#calls = calls;
    this.#hooks = hooks;
  }

  async explain(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    user: string,
  ): Promise<readonly GuardOpinion[]> {
    const session = `explain-${randomBytes(4).toString("hex")}`;
    try {
      const { call } = await this.#calls.prepare({ tool, args, session, user }, true);
      return await this.#hooks.explain(call);
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
}
