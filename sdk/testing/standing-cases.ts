import { isDeepStrictEqual } from "node:util";
import type { Tool, ToolRun } from "../index.ts";
import type { ContractCase } from "./contract-case.ts";
import { cases, frozen, wrong } from "./say.ts";
import { toolRun } from "./tool-run.ts";

/**
 * Returns the case of a tool that stands for others; its run does nothing but call the other tool.
 */
export function standingCases(tool: Tool, args: Readonly<Record<string, unknown>>): readonly ContractCase[] {
  return cases({
    "a tool that stands for others names the very call that its run makes": async () => {
      const named = tool.standsFor?.(frozen(structuredClone(args)));
      const made: unknown[] = [];
      const call: ToolRun<object>["call"] = async (called, given) => {
        made.push({ tool: called, args: given });
        return "";
      };
      await tool.run(toolRun(tool, args, { call }));
      if (!isDeepStrictEqual(made, [named]))
        throw wrong(
          `The tool ${tool.name}`,
          `stands for ${JSON.stringify(named)} and makes the calls ${JSON.stringify(made)}`,
          "give the same tool and arguments in both, which older hosts rely on",
        );
    },
  });
}
