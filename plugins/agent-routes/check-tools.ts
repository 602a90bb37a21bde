import type { Agent, CheckRow } from "@gantry/sdk";
import { nearest } from "@gantry/sdk/node";

/** Returns a warning for each name among the tools of an agent that no offered tool has. */
export function unknownTools(agents: readonly Agent[], offered: readonly string[]): readonly CheckRow[] {
  return agents.flatMap(({ name, tools = [] }) =>
    tools.filter((tool) => !offered.includes(tool)).map((tool) => rowOf(name, tool, offered)),
  );
}

function rowOf(agent: string, tool: string, offered: readonly string[]): CheckRow {
  const meant = nearest(tool, offered);
  return {
    what: "agents",
    state: "warn",
    detail: `agents.${agent}.tools names \`${tool}\`, and no tool that is offered now has that name`,
    cure: meant === undefined ? "take it out" : `write \`${meant}\`, or take it out`,
  };
}
