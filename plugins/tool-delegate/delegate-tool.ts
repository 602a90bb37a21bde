import { defineTool, type Agents, type Tool } from "@gantry/sdk";
import { Type } from "typebox";
import type { Delegation } from "./delegation.ts";

/** The time that a tool that is done has left to end in. */
const graceMs = 5_000;

export function delegateTool(delegation: Delegation, agents: Agents | undefined, mostMs: number): Tool {
  const names = (agents?.list() ?? []).map(({ name }) => name);
  const agent = Type.Optional(
    Type.String({
      description:
        names.length === 0
          ? "There are no agents: leave it out."
          : `Who does it: ${names.join(", ")}. Left out: an assistant like you.`,
    }),
  );
  return defineTool({
    name: "delegate",
    description:
      "Hands a task to another assistant with a context of its own, which reads much and answers in a few lines. It knows nothing of this conversation.",
    input: Type.Object(
      {
        task: Type.String({ minLength: 1, maxLength: 50_000, description: "All that it must know." }),
        agent,
        tools: Type.Optional(
          Type.Array(Type.String(), { description: "The only ones of your tools that it gets." }),
        ),
        background: Type.Optional(
          Type.Boolean({
            description:
              "Go on at once, and read the result later with delegate_result. Nobody is asked there.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    parallel: true,
    timeoutMs: mostMs + graceMs,
    effects: () => ({}),
    run: (run) => (run.args.background === true ? delegation.later(run) : delegation.atOnce(run)),
  });
}
