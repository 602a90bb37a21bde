import type { Autonomy } from "@gantry/sdk";
import type { Enforcers } from "../plugins/enforcers.ts";
import { valueAt } from "../config/dotted-key.ts";
import { AllowRules } from "./allow-rules.ts";
import type { CallDeps } from "./call.ts";
import { callAround } from "./call-around.ts";
import { resolvePath } from "./effects.ts";
import { commandsReachOut } from "./network.ts";
import { Policy } from "./policy.ts";
import { Rulings } from "./rulings.ts";
import { scopesOf } from "./scopes.ts";
import { SessionSources } from "./session-sources.ts";
import { ToolCalls } from "./tool-call.ts";
import { type HadTools, ToolList } from "./tool-list.ts";

export interface ToolingDeps extends Pick<
  CallDeps,
  "registry" | "hooks" | "audit" | "approvals" | "observers" | "log" | "maxOutputBytes" | "forOwner"
> {
  readonly enforcers: Enforcers;
  readonly level: Autonomy;
  /** The rules of `security.allow`. */
  readonly allow: readonly string[];
  /** The parsed text of config.toml. */
  readonly file: object;
  readonly allowedDomains: readonly string[];
  readonly workspace: string;
}

/** The tools there are, who rules on their calls, and the one way that they run. */
export class Tooling {
  readonly tools: ToolList;
  readonly rulings: Rulings;
  readonly sources: SessionSources;
  readonly calls: ToolCalls;
  readonly policy: Policy;

  constructor(deps: ToolingDeps) {
    const { registry, hooks, log, enforcers, allow, level, allowedDomains, workspace } = deps;
    this.tools = new ToolList(registry, log, () => enforcers.holdLevel(), hadAround);
    const written = (key: string): unknown => valueAt(deps.file, key);
    this.rulings = new Rulings(registry, new AllowRules(allow, workspace), level, enforcers, written);
    this.sources = new SessionSources(registry);
    this.calls = new ToolCalls({
      ...deps,
      tools: this.tools,
      rulings: this.rulings,
      sources: this.sources,
      cwd: async (turn) => turn?.workspace ?? resolvePath("/", workspace),
      network: (commands) => commandsReachOut(registry, allowedDomains, commands),
    });
    this.policy = new Policy(this.calls, hooks, this.rulings, enforcers);
  }
}

/** Returns what the turn has whose tool runs now; outside of calls, everything. */
function hadAround(): HadTools {
  const { tools: only, turn } = callAround() ?? {};
  return { only, has: turn && scopesOf(turn) };
}
