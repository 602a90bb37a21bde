import { ask, refuse, type Question, type Refusal, type ToolCall } from "@gantry/sdk";
import { errors } from "./errors.ts";

export interface AutonomyConfig {
  readonly agent: { readonly autonomy_level: "supervised" | "semi-autonomous" | "autonomous" };
  readonly security: {
    readonly auto_approve_tools: readonly string[];
    readonly require_approval_tools: readonly string[];
    readonly guest_tools: readonly string[];
    readonly shell_enabled: boolean;
    readonly file_write_enabled: boolean;
    readonly browser_enabled: boolean;
  };
}

/**
 * A tool is judged by its effects as well as by its name, so that a switch holds for every plugin's
 * tools.
 */
const switches: Readonly<
  Record<"shell_enabled" | "file_write_enabled" | "browser_enabled", (call: ToolCall) => boolean>
> = {
  shell_enabled: ({ tool, effects }) => tool === "shell" || effects.commands.length > 0,
  file_write_enabled: ({ tool, effects }) =>
    tool === "file_write" || effects.paths.some(({ access }) => access === "write"),
  browser_enabled: ({ tool }) => tool === "browser" || tool.startsWith("browser_"),
};

export function decide(call: ToolCall, { agent, security }: AutonomyConfig): Refusal | Question | undefined {
  for (const key of Object.keys(switches) as (keyof typeof switches)[]) {
    if (!security[key] && switches[key](call)) return refuse(errors.AUTONOMY_OFF(call.tool, key));
  }
  if (call.trust === "guest" && !security.guest_tools.includes(call.tool))
    return refuse(errors.AUTONOMY_GUEST(call.tool));
  if (call.effects.unknown === true) return ask(errors.AUTONOMY_UNKNOWN(call.tool));
  const level = call.autonomy ?? agent.autonomy_level;
  if (level === "autonomous") return undefined;
  if (level === "supervised") return ask(errors.AUTONOMY_SUPERVISED(call.tool));
  if (security.require_approval_tools.includes(call.tool)) return ask(errors.AUTONOMY_LISTED(call.tool));
  if (security.auto_approve_tools.includes(call.tool)) return undefined;
  const isOwn = security.guest_tools.includes(call.tool) && touchesNothing(call);
  return call.trust !== "owner" && isOwn ? undefined : ask(errors.AUTONOMY_UNLISTED(call.tool));
}

/** True for a tool that keeps to what it has of the person, such as their memories. */
function touchesNothing({ effects, hints, source }: ToolCall): boolean {
  const { paths, commands, urls, recipients = [] } = effects;
  const isForeign = hints?.openWorld === true || source !== undefined;
  return !isForeign && [paths, commands, urls, recipients].every((touched) => touched.length === 0);
}
